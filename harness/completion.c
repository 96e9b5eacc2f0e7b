/* `completion`: a script that completes command lines of this program in a shell, written from the tables of the verbs
 * and of the rows.  Each table becomes a function of the shell that prints, for a key, its lines: a word, a tab,
 * what it means.  One function, `_meridian_list`, walks the words before the cursor as cli_parse does, and asks the
 * tables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "core/cli.h"
#include "row/row.h"

/* A shell's words around a table; %s is the table's name, or the key. */
struct dialect { const char *shell, *open, *key, *end_key, *close, *quote; bool backslash; const char *driver; };
/* A table that is being written; its current key is printed with its first line, so that no key stands without one. */
struct completion_table { const struct dialect *d; char key[200]; bool open; };

static void quoted(const struct dialect *d, const char *word, const char *help)
{
    putchar('\'');
    for (int part = 0; part < 2; part++) {
        for (const char *s = part ? help : word; *s; s++)
            if (*s == '\'')
                fputs(d->quote, stdout);
            else if (*s == '\\' && d->backslash)
                fputs("\\\\", stdout);
            else
                putchar((unsigned char)*s < ' ' ? ' ' : *s);
        if (!part)
            putchar('\t');
    }
    putchar('\'');
}

static void end_key(struct completion_table *t)
{
    if (t->open)
        fputs(t->d->end_key, stdout);
    t->open = false;
}
static void begin(struct completion_table *t, const char *name)
{
    printf(t->d->open, name);
    t->open = false;
}
static void key(struct completion_table *t, const char *before, const char *a, const char *b)
{
    end_key(t);
    snprintf(t->key, sizeof t->key, "%s%s%s%s", before, a, *b ? " " : "", b);
}
static void say(struct completion_table *t, const char *word, const char *help)
{
    if (!t->open)
        printf(t->d->key, t->key);
    t->open = true;
    putchar(' ');
    quoted(t->d, word, help);
}
static void finish(struct completion_table *t)
{
    end_key(t);
    fputs(t->d->close, stdout);
}

static void verb_names(struct completion_table *t)
{
    begin(t, "verbs");
    key(t, "all", "", "");
    for (const struct verb *const *v = verbs; *v; v++)
        say(t, (*v)->name, (*v)->help);
    say(t, "--help", "the verbs");
    say(t, "--version", "version, commit, instruction sets");
    say(t, "--man", "the manual page");
    finish(t);
}

/* The words that a verb's usage line spells out: "known" and "scale" of "[known|scale]". */
static void spelled(struct completion_table *t, const char *args)
{
    for (const char *s = args; *s;) {
        const size_t n = strcspn(s, " []|.");
        char word[60];
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), s);
        if (islower((unsigned char)*word) && !strpbrk(word, ":="))
            say(t, word, "");
        s += n;
        s += *s != 0;
    }
}

static void chosen(struct completion_table *t, const struct verb *v)
{
    struct verb_word word;
    for (int k = 0; v->choice && v->choice(k, &word); k++)
        say(t, word.name, word.says);
}

static void verb_tables(struct completion_table *t)
{
    char text[8];
    begin(t, "words");
    for (const struct verb *const *v = verbs; *v; v++)
        key(t, "", (*v)->name, ""), spelled(t, (*v)->args), chosen(t, *v);
    finish(t);
    begin(t, "level");
    for (const struct verb *const *v = verbs; *v; v++) {
        key(t, "", (*v)->name, "");
        snprintf(text, sizeof text, "%d", (*v)->row);
        say(t, text, "");
    }
    finish(t);
    for (int switches = 0; switches < 2; switches++) {
        begin(t, switches ? "switches" : "flags");
        for (const struct verb *const *v = verbs; *v; v++) {
            key(t, "", (*v)->name, "");
            say(t, "--help", "what this verb takes");
            for (const struct flag *f = (*v)->flags; f && f->name; f++) {
                char flag[80];
                snprintf(flag, sizeof flag, "--%s", f->name);
                if (!switches || !f->value)
                    say(t, flag, f->help);
            }
        }
        finish(t);
    }
}

static void row_tables(struct completion_table *t)
{
    begin(t, "rows");
    key(t, "all", "", "");
    for (const struct row *const *r = all_rows; *r; r++)
        say(t, (*r)->name, (*r)->title);
    finish(t);
    begin(t, "quantities");
    for (const struct row *const *r = all_rows; *r; r++) {
        key(t, "", (*r)->name, "");
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            sign_read(&s, q->sign);
            say(t, s.out.name, q->sign);
        }
    }
    finish(t);
    begin(t, "params");
    for (const struct row *const *r = all_rows; *r; r++) {
        key(t, "", (*r)->name, "");
        for (const struct param *p = row_params(*r); p && p->name; p++) {
            char flag[80];
            snprintf(flag, sizeof flag, "--%s", p->name);
            say(t, flag, p->help);
        }
    }
    finish(t);
}

static void input_table(struct completion_table *t)
{
    begin(t, "inputs");
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            sign_read(&s, q->sign);
            key(t, "", (*r)->name, s.out.name);
            for (int i = 0; i < s.n_in; i++) {
                char flag[80];
                snprintf(flag, sizeof flag, "--%s", s.in[i].name);
                say(t, flag, "input");
            }
        }
    finish(t);
}

/* What may stand behind a flag: words of a row's parameter, whose key begins with '='; rows; types. */
static void value_table(struct completion_table *t)
{
    char flag[80];
    begin(t, "values");
    for (const struct verb *const *v = verbs; *v; v++)
        for (const struct flag *f = (*v)->flags; f && f->name; f++) {
            snprintf(flag, sizeof flag, "--%s", f->name);
            key(t, "", (*v)->name, flag);
            for (const struct row *const *r = f->value && !strcmp(f->value, "ROW") ? all_rows : NULL; r && *r; r++)
                say(t, (*r)->name, (*r)->title);
            for (int type = MER_F64; f->value && !strcmp(f->value, "TYPE") && type <= MER_BF16; type++)
                say(t, type_name[type], "");
        }
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct param *p = row_params(*r); p && p->name; p++) {
            snprintf(flag, sizeof flag, "--%s", p->name);
            key(t, "=", (*r)->name, flag);
            for (const char *s = p->choices ? p->choices : ""; *s; s += strcspn(s, " "), s += *s == ' ') {
                char word[80];
                snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
                say(t, word, "");
            }
        }
    finish(t);
}

/* bash and zsh: _meridian_list CURRENT VERB WORD ... prints what may stand in place of CURRENT. */
static const char walk[] =
    "_meridian_list() {\n"
    "    local current=$1 verb=$2 n=0 row= quantity= flag= level\n"
    "    if [ $# -lt 2 ]; then _meridian_verbs all; return; fi\n"
    "    shift 2\n"
    "    while [ $# -gt 0 ]; do\n"
    "        flag=\n"
    "        case $1 in\n"
    "        --*=*) ;;\n"
    "        -?*) case \"$(_meridian_switches \"$verb\")\" in\n"
    "            *\"$1\t\"*) ;;\n"
    "            *) if [ $# -gt 1 ]; then shift; else flag=$1; fi ;;\n"
    "            esac ;;\n"
    "        *) n=$((n + 1))\n"
    "            if [ $n = 1 ]; then row=$1; elif [ $n = 2 ]; then quantity=$1; fi ;;\n"
    "        esac\n"
    "        shift\n"
    "    done\n"
    "    level=$(_meridian_level \"$verb\")\n"
    "    level=${level%%[!0-9]*}\n"
    "    level=${level:-0}\n"
    "    if [ -n \"$flag\" ]; then\n"
    "        _meridian_values \"$verb $flag\"\n"
    "        if [ \"$level\" -ge 3 ]; then _meridian_values \"=$row $flag\"; fi\n"
    "        return\n"
    "    fi\n"
    "    case $current in\n"
    "    -*) _meridian_flags \"$verb\"\n"
    "        if [ \"$level\" -ge 3 ]; then _meridian_params \"$row\"; fi\n"
    "        if [ \"$level\" -ge 5 ]; then _meridian_inputs \"$row $quantity\"; fi ;;\n"
    "    *) if [ $n = 0 ]; then\n"
    "            _meridian_words \"$verb\"\n"
    "            if [ \"$level\" -ge 1 ]; then _meridian_rows all; fi\n"
    "        elif [ $n = 1 ] && [ \"$level\" -ge 4 ]; then _meridian_quantities \"$row\"\n"
    "        fi ;;\n"
    "    esac\n"
    "    return 0\n"
    "}\n";
/* The shell splits --flag=value at the sign: in both orders the sign is left out. */
static const char in_bash[] =
    "_meridian() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} line word\n"
    "    local -a before=()\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ $word == = ]] || before+=(\"$word\"); done\n"
    "    [[ $current != = ]] || current=\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        line=${line%%$'\\t'*}\n"
    "        [[ $line != \"$current\"* ]] || COMPREPLY+=(\"$line\")\n"
    "    done < <(_meridian_list \"$current\" \"${before[@]}\")\n"
    "}\n"
    "complete -o bashdefault -o default -F _meridian meridian\n";
static const char in_zsh[] =
    "_meridian() {\n"
    "    local line flag\n"
    "    local -a lines before\n"
    "    before=(\"${(@)words[2,CURRENT-1]}\")\n"
    "    if [[ $PREFIX == --*=* ]]; then\n"
    "        before+=(\"${PREFIX%%=*}\")\n"
    "        compset -P '--*='\n"
    "    fi\n"
    "    while IFS= read -r line; do\n"
    "        lines+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done < <(_meridian_list \"$PREFIX\" \"${before[@]}\")\n"
    "    if (( $#lines )); then _describe -o meridian lines; else _files; fi\n"
    "}\n"
    "if [[ ${funcstack[1]} == _meridian ]]; then _meridian \"$@\"; else compdef _meridian meridian; fi\n";
static const char in_fish[] =
    "function __meridian_list\n"
    "    set -l before (commandline -opc)[2..-1]\n"
    "    set -l current (commandline -ct)\n"
    "    set -l glued\n"
    "    if string match -q -- '--*=*' $current\n"
    "        set glued (string split -m 1 = -- $current)[1]\n"
    "        set -a before $glued\n"
    "    end\n"
    "    if not set -q before[1]\n"
    "        __meridian_verbs all\n"
    "        return\n"
    "    end\n"
    "    set -l verb $before[1]\n"
    "    set -l words\n"
    "    set -l flag\n"
    "    set -l at 2\n"
    "    set -l switches (__meridian_switches $verb | string replace -r '\\t.*' '')\n"
    "    while test $at -le (count $before)\n"
    "        set -l word $before[$at]\n"
    "        set flag\n"
    "        if string match -q -- '--*=*' $word; or contains -- $word $switches\n"
    "        else if string match -q -- '-?*' $word\n"
    "            set at (math $at + 1)\n"
    "            test $at -le (count $before); or set flag $word\n"
    "        else\n"
    "            set -a words $word\n"
    "        end\n"
    "        set at (math $at + 1)\n"
    "    end\n"
    "    set -l level (__meridian_level $verb | string replace -r '\\t.*' '')\n"
    "    test -n \"$level\"; or set level 0\n"
    "    set -l row $words[1]\n"
    "    set -l lines\n"
    "    if test -n \"$flag\"\n"
    "        set lines (__meridian_values \"$verb $flag\")\n"
    "        test $level -ge 3; and set -a lines (__meridian_values \"=$row $flag\")\n"
    "    else if string match -q -- '-*' $current\n"
    "        set lines (__meridian_flags $verb)\n"
    "        test $level -ge 3; and set -a lines (__meridian_params \"$row\")\n"
    "        test $level -ge 5; and set -a lines (__meridian_inputs \"$row $words[2]\")\n"
    "    else if test (count $words) -eq 0\n"
    "        set lines (__meridian_words $verb)\n"
    "        test $level -ge 1; and set -a lines (__meridian_rows all)\n"
    "    else if test (count $words) -eq 1 -a $level -ge 4\n"
    "        set lines (__meridian_quantities $row)\n"
    "    end\n"
    "    if test (count $lines) -eq 0\n"
    "        __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)\n"
    "    else if test -n \"$glued\"\n"
    "        printf '%s\\n' $glued=$lines\n"
    "    else\n"
    "        printf '%s\\n' $lines\n"
    "    end\n"
    "end\n"
    "complete -c meridian -f -a '(__meridian_list)'\n";

static const struct dialect dialects[] = {
    { "bash", "_meridian_%s() {\n    case \"$1\" in\n", "    '%s') printf '%%s\\n'", " ;;\n", "    esac\n}\n", "'\\''",
        false, in_bash },
    { "zsh", "_meridian_%s() {\n    case \"$1\" in\n", "    '%s') printf '%%s\\n'", " ;;\n", "    esac\n}\n", "'\\''",
        false, in_zsh },
    { "fish", "function __meridian_%s\n    switch \"$argv[1]\"\n", "    case '%s'\n        printf '%%s\\n'", "\n",
        "    end\nend\n", "\\'", true, in_fish },
};

static int run(const struct cli *c)
{
    static void (*const tables[])(struct completion_table *t) =
        { verb_names, verb_tables, row_tables, input_table, value_table };
    const struct dialect *d = NULL;
    for (size_t k = 0; k < sizeof dialects / sizeof *dialects; k++)
        d = strcmp(c->word[0], dialects[k].shell) ? d : &dialects[k];
    if (!d)
        return cli_error(c, "no shell '%.40s'; there are: bash zsh fish", c->word[0]);
    printf("%s# Completion of meridian for %s, written by `meridian completion %s`.\n",
        strcmp(d->shell, "zsh") ? "" : "#compdef meridian\n", d->shell, d->shell);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        tables[k](&(struct completion_table){ .d = d });
    printf("%s%s", d->backslash ? "" : walk, d->driver);
    return EXIT_PASS;
}
const struct verb verb_completion = { "completion", "bash | zsh | fish",
    "a script that completes this program's command lines in that shell", NO_ROW, 1, 1, NULL, run };

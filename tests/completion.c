/* The scripts that complete command lines: asked in bash, and in zsh and fish where they are installed, each verb has
 * its flags, each row its parameters, their words and its quantities; nothing else. */
#include <criterion/criterion.h>
#include "command.h"
#include "core/cli.h"
#include "row/row.h"

enum { ROOM = 1 << 21 };
static char questions[ROOM], answers[ROOM], seen[ROOM], dir[80];
static size_t asked, wanted;

static bool has(const char *shell)
{
    char text[80];
    snprintf(text, sizeof text, "command -v %s >/dev/null 2>&1", shell);
    const bool there = !system(text);
    if (!there)
        fprintf(stderr, "not run: completion in %s, which is not installed\n", shell);
    return there;
}

/* A question is the words behind `meridian`, the last of which is being written. */
static void ask(const char *format, const char *a, const char *b, const char *c)
{
    asked += (size_t)snprintf(questions + asked, ROOM - asked, format, a, b, c);
    questions[asked++] = '\n';
}
static void want(const char *dashes, const char *word)
{
    wanted += (size_t)snprintf(answers + wanted, ROOM - wanted, "%s%s ", dashes, word);
}
static void end(void) { answers[wanted++] = '\n'; }

static void of_verbs(void)
{
    ask("%s%s%s", "", "", "");
    for (const struct verb *const *v = verbs; *v; v++)
        want("", (*v)->name);
    want("--", "help"), want("--", "version"), want("--", "man"), end();
    for (const struct verb *const *v = verbs; *v; v++) {
        ask("%s --%s%s", (*v)->name, "", ""), want("--", "help");
        for (const struct flag *f = (*v)->flags; f && f->name; f++)
            want("--", f->name);
        end();
        struct verb_word word;
        if ((*v)->choice) {
            ask("%s %s%s", (*v)->name, "", "");
            for (int k = 0; (*v)->choice(k, &word); k++)
                want("", word.name);
            end();
        }
        for (const struct flag *f = (*v)->flags; f && f->name; f++)
            if (f->value && !strcmp(f->value, "ROW")) {
                ask("%s --%s %s", (*v)->name, f->name, "");
                for (const struct row *const *r = all_rows; *r; r++)
                    want("", (*r)->name);
                end();
            }
    }
}

static void inputs(const struct quantity *q, const struct row *r)
{
    struct sign s;
    sign_read(&s, q->sign);
    ask("eval %s %s --%s", r->name, s.out.name, ""), want("--", "help");
    for (const struct verb *const *v = verbs; *v; v++)
        for (const struct flag *f = strcmp((*v)->name, "eval") ? NULL : (*v)->flags; f && f->name; f++)
            want("--", f->name);
    for (const struct param *p = row_params(r); p && p->name; p++)
        want("--", p->name);
    for (int i = 0; i < s.n_in; i++)
        want("--", s.in[i].name);
    end();
}

static void of_rows(int every) /* of every so manieth row */
{
    for (const struct row *const *r = all_rows; *r; r++) {
        if ((r - all_rows) % every)
            continue;
        ask("eval %s %s%s", (*r)->name, "", "");
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign s;
            sign_read(&s, q->sign);
            want("", s.out.name);
        }
        end(), inputs(&(*r)->q[0], *r);
        for (const struct param *p = row_params(*r); p && p->name; p++) {
            if (!p->choices)
                continue;
            ask("eval --seed 3 %s --%s %s", (*r)->name, p->name, "");
            for (const char *s = p->choices; *s; s += strcspn(s, " "), s += *s == ' ') {
                char word[80];
                snprintf(word, sizeof word, "%.*s", (int)strcspn(s, " "), s);
                want("", word);
            }
            end();
        }
    }
}

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

/* Asks the questions of a shell's script by that shell's program, and compares line by line. */
static void compare(const char *shell, const char *program)
{
    char text[400], *a = answers, *s = seen, *q = questions;
    put("program", program);
    snprintf(text, sizeof text, "completion %s", shell);
    cr_expect_eq(meridian("", text), 0, "%s", err);
    snprintf(text, sizeof text, "build/meridian completion %s >%s/script && cd %s && %s program <questions >seen 2>err",
        shell, dir, dir, shell);
    cr_expect_eq(system(text), 0, "%s", text);
    snprintf(text, sizeof text, "%s/seen", dir), slurp(text, seen, sizeof seen);
    snprintf(text, sizeof text, "%s/err", dir), slurp(text, err, sizeof err);
    cr_expect_eq(*err, 0, "%s: %.500s", shell, err);
    for (int k = 0; *a; k++) {
        const size_t n = strcspn(a, "\n"), m = strcspn(s, "\n"), of = strcspn(q, "\n");
        cr_expect(n == m && !memcmp(a, s, n), "%s: meridian %.*s\nwanted %.*s\ngot    %.*s", shell, (int)of, q, (int)n,
            a, (int)m, s);
        a += n + 1, s += m + (s[m] == '\n'), q += of + 1;
    }
    cr_expect_eq(*s, 0, "%s says more: %.200s", shell, s);
}

static void begin(int every)
{
    char text[200];
    snprintf(dir, sizeof dir, "/tmp/meridian-completion-%d", (int)getpid());
    snprintf(text, sizeof text, "rm -rf %s; mkdir %s", dir, dir);
    cr_assert_eq(system(text), 0);
    asked = wanted = 0;
    of_verbs(), of_rows(every);
    questions[asked] = answers[wanted] = 0;
    cr_assert(asked < ROOM / 2 && wanted < ROOM / 2);
    put("questions", questions);
}
static void over(void)
{
    char text[200];
    snprintf(text, sizeof text, "rm -r %s", dir);
    cr_expect_eq(system(text), 0);
}

/* Asks the shell, where it is installed, every question by the words `ask`; of every so many rows. */
static void of_shell(const char *shell, int every, const char *ask)
{
    begin(every);
    if (has(shell))
        compare(shell, ask);
    over();
}

Test(completion, bash_completes_every_verb_flag_row_parameter_and_word, .timeout = 60)
{
    of_shell("bash", 1, "source ./script\n"
            "while IFS= read -r line; do\n"
            "    read -r -a COMP_WORDS <<<\"meridian $line\"\n"
            "    [[ $line != *' ' && -n $line ]] || COMP_WORDS+=('')\n"
            "    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()\n"
            "    _meridian\n"
            "    printf '%s ' \"${COMPREPLY[@]}\"; echo\n"
            "done\n");
}

Test(completion, zsh_says_the_same, .timeout = 60)
{
    of_shell("zsh", 1, "compdef() { }\nsource ./script\n"
            "while IFS= read -r line; do\n"
            "    set -- ${=line}\n"
            "    [[ $line != *' ' && -n $line ]] || set -- \"$@\" ''\n"
            "    last=${@[$#]}; shift -p\n"
            "    _meridian_list \"$last\" \"$@\" | cut -f1 | tr '\\n' ' '; echo\n"
            "done\n");
}

/* fish takes some hundredths of a second a question. */
Test(completion, fish_says_the_same_of_every_verb_and_of_some_rows, .timeout = 120)
{
    /* fish sorts what it offers, and leaves out what does not begin with the word: the function itself is asked. */
    of_shell("fish", getenv("MERIDIAN_FULL") ? 1 : 9, "source ./script\n"
            "function commandline\n"
            "    switch $argv[1]\n"
            "        case -opc\n            printf '%s\\n' meridian $before\n"
            "        case -ct\n            printf '%s\\n' $current\n"
            "    end\n"
            "end\n"
            "while read -l line\n"
            "    set -g before (string split -n ' ' -- $line)\n"
            "    set -g current ''\n"
            "    if not string match -q -- '* ' $line; and set -q before[1]\n"
            "        set current $before[-1]\n        set -e before[-1]\n"
            "    end\n"
            "    __meridian_list | string replace -r '\\t.*' '' | string join ' ' | string replace -r '$' ' '\n"
            "end\n");
}

Test(completion, a_value_behind_a_sign_files_and_strange_shells)
{
    begin(1);
    if (has("bash"))
        cr_expect_eq(system("bash -c 'source <(build/meridian completion bash); "
                            "t() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _meridian; "
                            "echo \"${COMPREPLY[*]}\"; }; "
                            "[ \"$(t meridian eval rope --layout = h)\" = half ] && "
                            "[ \"$(t meridian eval rope --layout =)\" = \"half interleaved\" ] && "
                            "[ -z \"$(t meridian judge \"\")\" ] && [ -z \"$(t meridian model \"\")\" ] && "
                            "[ -z \"$(t meridian nonsense --)\" ] && "
                            "[ \"$(t meridian power con)\" = confusion ] && [ \"$(t meridian j)\" = judge ]'"), 0);
    over();
    cr_expect_eq(meridian("", "completion csh"), 2);
    cr_expect(strstr(err, "no shell 'csh'; there are: bash zsh fish") && !*out, "%s", err);
}

/* Every command that a README of the tree names within a sentence, in backticks or in a block without a "$ ", is one
 * that this tree has: `make TARGET` is a target, and `meridian VERB ...`, or `VERB ...`, is a command line that the
 * program's own parser accepts.  What is complete is run in a scratch folder, too, where data, harness and tests are
 * copies, and must end with a status other than 2 (bad usage) and 3 (crash); what still works after LIMIT seconds has
 * accepted its command line and is stopped.  What shows output behind "$ " is run by tests/readme.c. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>
#include "base/tsv.h"
#include "core/cli.h"
#include "row/row.h"

#define LIMIT "0.5" /* seconds of wall time for one command, after which it counts as accepted */

enum { COMMANDS = 600, LENGTH = 600, WORDS = 64 };
enum fate { RAN, STOPPED, OPEN, BROUGHT, REFUSED, FATES };
static const char *const fate_says[FATES] = { "run", "accepted and stopped after " LIMIT " s",
    "only parsed: an argument is left open", "only parsed: they read a file or a program that the reader brings",
    "refused for a file, program or library that is not there, which they name" };
/* One command as a README writes it, blanks squeezed, and the first README that has it. */
struct command { char text[LENGTH], file[100]; };
/* The words of one command line behind "meridian", as the parser takes them. */
struct typed { char *argv[WORDS]; int argc; bool open; };

static struct command found[COMMANDS];
static int n_found;
static char dir[80], tree[400];

/* ---- What the READMEs name. ---- */

static const struct verb *verb_of(const char *text, size_t n)
{
    for (const struct verb *const *v = verbs; *v; v++)
        if (strlen((*v)->name) == n && !memcmp((*v)->name, text, n))
            return *v;
    return NULL;
}

/* What stands in the place of a placeholder that the tables of the program have an answer to; else NULL. */
static const char *stands_for(const char *word)
{
    static char out[40];
    struct sign s;
    if (!strcmp(word, "VERB"))
        return (*verbs)->name;
    if (!strcmp(word, "ROW"))
        return (*all_rows)->name;
    if (!strcmp(word, "TYPE"))
        return type_name[MER_F32];
    if (strcmp(word, "QUANTITY"))
        return NULL;
    sign_read(&s, (*all_rows)->q->sign);
    snprintf(out, sizeof out, "%s", s.out.name);
    return out;
}

/* Writes text[n] to line with one blank between words, and in the place of ROW and the like what stands for it. */
static void squeeze(const char *text, size_t n, char line[LENGTH])
{
    char word[LENGTH];
    size_t at = 0;
    line[0] = 0;
    for (size_t i = 0, k; i < n; i += k) {
        while (i < n && isspace((unsigned char)text[i]))
            i++;
        for (k = 0; i + k < n && k + 1 < sizeof word && !isspace((unsigned char)text[i + k]); k++)
            word[k] = text[i + k];
        word[k] = 0;
        const char *stands = stands_for(word);
        if (k)
            at += (size_t)snprintf(line + at, LENGTH - at, "%s%s", at ? " " : "", stands ? stands : word);
        cr_assert_lt(at, LENGTH, "too long for a command: %.*s", (int)n, text);
    }
}

/* Keeps text[n] if it is a command and not kept yet.  `sentence`: it stands in backticks, where a verb may stand
 * without the program's name as long as more words follow. */
static void keep(const char *file, const char *text, size_t n, bool sentence)
{
    char line[LENGTH];
    if (n >= LENGTH)
        return; /* no command is as long */
    squeeze(text, n, line);
    const size_t first = strcspn(line, " ");
    const bool begins = !strncmp(line, "meridian ", 9) || !strncmp(line, "make ", 5);
    const bool verb = sentence && line[first] && verb_of(line, first);
    struct command c;
    if ((!begins && !verb) || strstr(line, "..."))
        return;
    snprintf(c.file, sizeof c.file, "%s", file);
    snprintf(c.text, sizeof c.text, "%s%.*s", verb ? "meridian " : "", LENGTH - 10, line);
    for (int k = 0; k < n_found; k++)
        if (!strcmp(found[k].text, c.text))
            return;
    cr_assert_lt(n_found, COMMANDS);
    found[n_found++] = c;
}

/* The spans in backticks of one paragraph; a span may go over the end of a line. */
static void paragraph(const char *file, const char *text)
{
    for (const char *from = strchr(text, '`'); from;) {
        const char *to = strchr(from + 1, '`');
        cr_expect(to, "%s: a backtick without its partner: %.80s", file, from);
        if (!to)
            return;
        keep(file, from + 1, (size_t)(to - from - 1), true);
        from = strchr(to + 1, '`');
    }
}

/* A line of a block is one command up to what is said of it, behind a '#' or two blanks. */
static void block_line(const char *file, const char *line)
{
    const char *said = strstr(line, "  "), *hash = strchr(line, '#');
    size_t n = strlen(line);
    n = said && (size_t)(said - line) < n ? (size_t)(said - line) : n;
    n = hash && (size_t)(hash - line) < n ? (size_t)(hash - line) : n;
    keep(file, line, n, false);
}

static void read_file(const char *file)
{
    static char line[8000], text[1 << 16];
    FILE *f = fopen(file, "r");
    bool fence = false;
    size_t at = 0;
    cr_assert(f, "%s: not there", file);
    while (fgets(line, sizeof line, f)) {
        const bool edge = !strncmp(line, "```", 3), block = !strncmp(line, "    ", 4);
        fence ^= edge;
        if (block && !fence)
            block_line(file, line + 4);
        if (edge || fence || block || line[strspn(line, " \n")] == 0) {
            paragraph(file, text);
            text[at = 0] = 0;
            continue;
        }
        cr_assert_lt(at + strlen(line), sizeof text, "%s: a paragraph is too long", file);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", line);
    }
    paragraph(file, text);
    text[0] = 0;
    fclose(f);
}

static void read_all(void)
{
    static const char *const depth[] = { "README.md", "*/README.md", "*/*/README.md", "*/*/*/README.md" };
    glob_t files = { 0 };
    for (size_t k = 0; k < sizeof depth / sizeof *depth; k++)
        glob(depth[k], k ? GLOB_APPEND : 0, NULL, &files);
    for (size_t k = 0; k < files.gl_pathc; k++)
        if (strncmp(files.gl_pathv[k], "build/", 6)) /* What was unpacked there comes and goes with other tests. */
            read_file(files.gl_pathv[k]);
    globfree(&files);
}

/* ---- What a command line lacks. ---- */

/* Whether the word has a name in capitals, two letters at least, in whose place the reader writes something.  What
 * stands before a "=" is the name of a variable. */
static bool placeholder(const char *word)
{
    for (const char *s = word; *s; s += !!*s) {
        const char *from = s;
        while (isupper((unsigned char)*s))
            s++;
        const bool inside = from > word && isalnum((unsigned char)from[-1]);
        if (s - from > 1 && !inside && !isalnum((unsigned char)*s) && *s != '=')
            return true;
    }
    return false;
}

/* The entry of a word "--NAME" in the verb's table, or NULL: it is common to all verbs, or a row's. */
static const struct flag *flag_of(const struct verb *v, const char *word)
{
    for (const struct flag *f = v->flags; f && f->name; f++)
        if (!strcmp(f->name, word + 2) || (!strcmp(word, "-o") && !strcmp(f->name, "out")))
            return f;
    return NULL;
}

/* Whether word i of the command line is a flag that takes the next word as its value. What the verb's table does not
 * have is a parameter of a row, which takes one, where the verb has those, or else a switch that all verbs have. */
static bool takes_value(const struct verb *v, const struct typed *t, int i)
{
    const struct flag *f = flag_of(v, t->argv[i]);
    if (t->argv[i][0] != '-' || strchr(t->argv[i], '='))
        return false;
    return f ? f->value != NULL : v->row >= ROW_PARAMS && i + 1 < t->argc && t->argv[i + 1][0] != '-';
}

static bool value_is_command(const struct verb *v, const char *word)
{
    const struct flag *f = word[0] == '-' ? flag_of(v, word) : NULL;
    return f && f->value && !strcmp(f->value, "COMMAND");
}

static void append(struct typed *t, const char *word)
{
    cr_assert_lt(t->argc + 1, WORDS);
    t->argv[t->argc++] = strdup(word);
    t->argv[t->argc] = NULL;
}

/* Whether the usage line of the verb, alternatives between '|', asks for more words behind these: "run FOLDER" where
 * only "run" was typed, or "SUBJECT" where no word was and no flag names a command in its place. */
static bool usage_asks_more(const struct verb *v, const char *first, int words, bool command)
{
    for (const char *s = v->args; *s; s += strcspn(s, "|"), s += *s == '|') {
        s += strspn(s, " ");
        const size_t all = strcspn(s, "|"), n = strcspn(s, " |");
        const char *next = s + n + strspn(s + n, " ");
        if (!words && s == v->args && isupper((unsigned char)*s) && !command)
            return true;
        if (words == 1 && strlen(first) == n && !memcmp(s, first, n) && next < s + all && *next != '[')
            return true;
    }
    return false;
}

/* Adds what a command line within a sentence leaves out: the value of its last flag, and words up to the least that
 * the verb takes. */
static void complete(struct typed *t, const struct verb *v)
{
    int words = 0;
    const char *first = "";
    bool help = false, command = false;
    for (int i = 1; i < t->argc; i++) {
        help |= !strcmp(t->argv[i], "--help");
        first = t->argv[i][0] != '-' && !words++ ? t->argv[i] : first;
        command |= value_is_command(v, t->argv[i]);
        if (takes_value(v, t, i) && ++i == t->argc)
            append(t, "1"), t->open = true;
    }
    t->open |= !help && usage_asks_more(v, first, words, command);
    for (; words < v->least && !help; words++) {
        t->open = true;
        append(t, v->row == NO_ROW || words > 1 ? "word" : stands_for(words ? "QUANTITY" : "ROW"));
    }
}

/* How many characters of a command line stand before what only the shell reads, a redirection or another command. */
static size_t before_shell(const char *line)
{
    char quote = 0;
    size_t n = 0;
    for (; line[n] && (quote || !strchr("<>|&;", line[n])); n++)
        if (quote)
            quote = line[n] == quote ? 0 : quote;
        else if (line[n] == '"' || line[n] == '\'')
            quote = line[n];
    return n;
}

/* The words of the command behind "meridian".  False where a shell would not read them. */
static bool type_in(const char *text, struct typed *t)
{
    wordexp_t e;
    char line[LENGTH];
    const char *from = text + strlen("meridian ");
    snprintf(line, sizeof line, "%.*s", (int)before_shell(from), from);
    *t = (struct typed){ .argc = 0 };
    if (wordexp(line, &e, WRDE_NOCMD))
        return false;
    for (size_t k = 0; k < e.we_wordc; k++) {
        append(t, e.we_wordv[k]);
        t->open |= placeholder(e.we_wordv[k]);
    }
    wordfree(&e);
    return t->argc > 0;
}

/* Whether a word looks like a path, with a '/' or the ending of a file's name, that is not there. */
static bool lacks_file(const char *word)
{
    char path[LENGTH];
    const char *from = strchr(word, '=') ? strchr(word, '=') + 1 : word, *dot = strrchr(from, '.');
    snprintf(path, sizeof path, "%s", from);
    return (strchr(path, '/') || (dot && isalpha((unsigned char)dot[1]))) && access(path, F_OK);
}

static bool lacks_program(const char *word)
{
    char look[LENGTH + 60];
    snprintf(look, sizeof look, "command -v '%s' >/dev/null", word);
    return system(look) != 0;
}

/* Whether the command reads what only its reader has: a file, or the program of a flag that takes a command. */
static bool brought(const struct typed *t, const struct verb *v)
{
    for (int i = 1; i < t->argc; i++) {
        char text[LENGTH], *save;
        bool first = value_is_command(v, t->argv[i - 1]);
        snprintf(text, sizeof text, "%s", t->argv[i]);
        for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
            if (lacks_file(w) || (first && !strchr(w, '=') && lacks_program(w)))
                return true;
            first &= strchr(w, '=') != NULL; /* a variable may stand before the program */
        }
    }
    return false;
}

/* ---- What the tree says of it. ---- */

static char said[4000];
static void slurp_said(void)
{
    char path[120];
    snprintf(path, sizeof path, "%s/said", dir);
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
    said[n] = 0;
    if (f)
        fclose(f);
}

/* Whether the program's parser takes the words; what it says otherwise is in said.  In a child, as it prints. */
static bool parsed(struct typed *t, const struct verb *v)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (!child) {
        static struct cli c;
        char path[120];
        snprintf(path, sizeof path, "%s/said", dir);
        const int to = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        dup2(to, 1), dup2(to, 2);
        const int rc = cli_parse(&c, v, t->argc, t->argv);
        fflush(NULL);
        _exit(rc > 0 ? rc : 0);
    }
    cr_assert_gt(child, 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    slurp_said();
    return status == 0;
}

/* The exit status of a shell's command line in the scratch folder; 124 where it was stopped.  What it printed is in
 * said. */
static int run(const char *text)
{
    char command[LENGTH + 800];
    snprintf(command, sizeof command,
        "export PATH=\"%s/build:$PATH\" MERIDIAN_DATA=\"$PWD/data\"; timeout -k 2 " LIMIT " %s >said 2>&1 </dev/null",
        tree, text);
    const int rc = system(command);
    slurp_said();
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128;
}

/* Whether the word is a program that data/needs.tsv lists and this machine has not. */
static bool needed_and_absent(const char *word)
{
    struct tsv t;
    bool listed = false;
    cr_assert(tsv_open(&t, "data/needs.tsv"));
    while (tsv_next(&t)) {
        char *save, *w = t.n > 5 && !strncmp(t.col[5], "command ", 8) ? strtok_r(t.col[5] + 8, " |", &save) : NULL;
        for (; w; w = strtok_r(NULL, " |", &save))
            listed |= !strcmp(w, word);
    }
    tsv_close(&t);
    return listed && lacks_program(word);
}

/* Whether the program refuses by "no X" or "X is not", where X is a file or a program that is indeed not there, or
 * Python says of a process of the tree that a library is not. */
static bool refused_for_what_is_absent(void)
{
    char text[sizeof said], *save;
    const char *before = "", *absent = NULL;
    if (strstr(said, "No module named"))
        return true;
    snprintf(text, sizeof text, "%s", said);
    for (char *w = strtok_r(text, " \n;:,", &save); w; before = w, w = strtok_r(NULL, " \n;:,", &save)) {
        if (absent && !strcmp(w, "is") && !strncmp(save, "not ", 4))
            return true;
        absent = lacks_file(w) || needed_and_absent(w) ? w : NULL;
        if (absent && !strcmp(before, "no"))
            return true;
    }
    return false;
}

static enum fate try_words(const struct command *c, struct typed *t)
{
    const struct verb *v = verb_of(t->argv[0], strlen(t->argv[0]));
    if (t->argv[0][0] != '-') { /* else: --help and the like, of the program itself */
        cr_expect(v, "%s: `%s`: the program has no verb '%s'", c->file, c->text, t->argv[0]);
        if (!v)
            return OPEN;
        complete(t, v);
        const bool takes = parsed(t, v);
        cr_expect(takes, "%s: `%s` is refused: %s", c->file, c->text, said);
        if (!takes || t->open)
            return OPEN;
        if (brought(t, v))
            return BROUGHT;
    }
    const int rc = run(c->text);
    if (rc == 2 && refused_for_what_is_absent())
        return REFUSED;
    cr_expect(rc == 0 || rc == 1 || rc == 77 || rc == 124, "%s: `%s` exits with %d: %s", c->file, c->text, rc, said);
    return rc == 124 ? STOPPED : RAN;
}

static enum fate try_one(const struct command *c)
{
    struct typed t;
    const bool read = type_in(c->text, &t);
    cr_expect(read, "%s: `%s` is no command line", c->file, c->text);
    const enum fate fate = read ? try_words(c, &t) : OPEN;
    for (int i = 0; i < t.argc; i++)
        free(t.argv[i]);
    return fate;
}

/* A folder of its own below /tmp, with copies of what commands read and may write, and the working folder from here
 * on. */
static void scratch(void)
{
    char text[1000];
    cr_assert(getcwd(tree, sizeof tree));
    snprintf(dir, sizeof dir, "/tmp/meridian-commands-%d", (int)getpid());
    snprintf(text, sizeof text, "rm -rf %s && mkdir %s && cp -r data harness tests %s && ln -s \"$PWD\"/build %s", dir,
        dir, dir, dir);
    cr_assert_eq(system(text), 0);
    cr_assert_eq(chdir(dir), 0);
}

static void sweep_up(void)
{
    char text[100];
    snprintf(text, sizeof text, "rm -r %s", dir);
    cr_expect_eq(chdir(tree) || system(text), 0);
}

Test(readme_commands, what_a_sentence_names_is_accepted, .timeout = 300)
{
    int count[FATES] = { 0 };
    read_all();
    scratch();
    for (int k = 0; k < n_found; k++)
        if (!strncmp(found[k].text, "meridian ", 9))
            count[try_one(&found[k])]++;
    sweep_up();
    cr_expect_gt(count[RAN], 0);
    for (int k = 0; k < FATES; k++)
        printf("%s%d %s%s", k ? "; " : "commands of the READMEs: ", count[k], fate_says[k], k + 1 < FATES ? "" : "\n");
}

/* The targets of make and the variables that its rules read, from make's own table of them; the goal has no recipe, as
 * even under -q a recipe that starts another make is run. */
static char *makes_table(void)
{
    static char text[1 << 22];
    FILE *f = popen("env -u MAKEFLAGS -u MFLAGS make -pqs FORCE 2>/dev/null", "r");
    cr_assert(f);
    text[0] = '\n';
    text[1 + fread(text + 1, 1, sizeof text - 2, f)] = 0;
    pclose(f);
    cr_assert(strstr(text, "\nFORCE:"), "make prints no table of its targets");
    return text;
}

Test(readme_commands, what_make_is_asked_for_is_a_target, .timeout = 60)
{
    const char *const table = makes_table();
    int targets = 0;
    read_all();
    for (int k = 0; k < n_found; k++) {
        char text[LENGTH], look[LENGTH + 8], *save;
        memcpy(text, found[k].text, sizeof text);
        if (strcmp(strtok_r(text, " ", &save), "make"))
            continue;
        for (char *w; (w = strtok_r(NULL, " ", &save));) {
            const size_t n = strcspn(w, "=");
            snprintf(look, sizeof look, w[n] ? "$(%.*s)" : "\n%.*s:", (int)n, w);
            cr_expect(strstr(table, look), "%s: `%s`: make has no %s '%.*s'", found[k].file, found[k].text,
                w[n] ? "variable" : "target", (int)n, w);
            targets += !w[n];
        }
    }
    cr_expect_gt(targets, 0);
    printf("targets of make that the READMEs name: %d\n", targets);
}

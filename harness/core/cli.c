/* Reads a command line in three steps: apart into words and flags, by what any table says takes a value; the row and
 * quantity that the words name; then every flag against the tables of this verb, row and quantity.  Every message is
 * one line that says what was found and what is allowed. */
#include "core/cli.h"
#include "base/text.h"
#include "base/words.h"
#include "core/files.h"
#include "core/printable.h"
#include "row/every.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_error(const struct cli *c, const char *format, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    printable(text); /* a word of the command line may hold anything, and a message stays one line */
    fprintf(stderr, "meridian %s: %s\n", c->verb->name, text);
    return EXIT_USAGE;
}

bool colour(FILE *f) { const char *no = getenv("NO_COLOR"); return isatty(fileno(f)) && !(no && *no); }

enum { OPTIONS = 320, NAME_BYTES = 40 };
enum flag_kind { FLAG, PARAMETER, INPUT };
/* The flags that this verb, row and quantity have.  `flag` is the verb's own entry, NULL for a parameter or an input.
 */
struct cli_known {
    char name[OPTIONS][NAME_BYTES];
    enum flag_kind kind[OPTIONS];
    const struct flag *flag[OPTIONS];
    int n;
};
/* One flag as it was written: its name without dashes, not terminated, and its value or NULL. */
struct cli_written { const char *name; size_t len; const char *value; };
struct cli_line {
    struct cli_written flag[CLI_VALUES + OPTIONS];
    int n;
    bool help;                     /* --help is among them */
    const struct cli_written *strange; /* the first that neither the verb nor any row has, or NULL */
};

static bool read_since[CLI_VALUES]; /* by index into given[]: whether the value of that flag was asked for */
static const struct flag common[] = { { "help", NULL, "this text" },
    { "progress", NULL, "say on standard error how far a long work is, also where that is no terminal" }, { 0 } };

static void add(struct cli_known *k, const char *name, enum flag_kind kind, const struct flag *flag)
{
    for (int i = 0; i < k->n; i++)
        if (!strcmp(k->name[i], name))
            return; /* the verb's own flag comes before a parameter or an input of its name */
    if (k->n == OPTIONS)
        return;
    snprintf(k->name[k->n], NAME_BYTES, "%s", name);
    k->flag[k->n] = flag, k->kind[k->n++] = kind;
}

static void add_row(struct cli_known *k, const struct verb *v, const struct row *r, const struct quantity *q)
{
    struct sign s;
    for (const struct param *p = v->row >= ROW_PARAMS ? row_params(r) : NULL; p && p->name; p++)
        add(k, p->name, PARAMETER, NULL);
    if (v->row != ROW_POINT || !q)
        return;
    sign_read(&s, q->sign);
    for (int i = 0; i < s.n_in; i++)
        add(k, s.in[i].name, INPUT, NULL);
}

static void gather(struct cli_known *k, const struct verb *v, const struct row *r, const struct quantity *q)
{
    k->n = 0;
    for (const struct flag *f = common; f->name; f++)
        add(k, f->name, FLAG, f);
    for (const struct flag *f = v->flags; f && f->name; f++)
        add(k, f->name, FLAG, f);
    if (r)
        add_row(k, v, r, q);
}

static int find(const struct cli_known *k, const struct cli_written *w)
{
    for (int i = 0; i < k->n; i++)
        if (strlen(k->name[i]) == w->len && !memcmp(k->name[i], w->name, w->len))
            return i;
    return -1;
}

/* Whether some row gives this verb a flag of that name: a parameter, or an input of a quantity.  They all take a
 * value. */
static bool of_some_row(const struct verb *v, const struct cli_written *w)
{
    static struct cli_known all;
    for (const struct row *const *r = v->row >= ROW_PARAMS ? all_rows : NULL; r && *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            all.n = 0, add_row(&all, v, *r, q);
            if (find(&all, w) >= 0)
                return true;
        }
    return false;
}

static void help(const struct verb *v, const struct cli_known *k, const struct cli *c)
{
    printf("meridian %s %s\n  %s\n", v->name, v->args, v->help);
    for (const struct flag *f = v->flags; f && f->name; f++)
        printf("  --%-18s %-8s %s\n", f->name, f->value ? f->value : "", f->help);
    for (const struct param *p = c->row && v->row >= ROW_PARAMS ? row_params(c->row) : NULL; p && p->name; p++)
        printf("  --%-18s %-8s %s%s%s%s\n", p->name, p->value, p->help, p->choices ? " {" : "",
            p->choices ? p->choices : "", p->choices ? "}" : "");
    for (int i = 0; i < k->n; i++)
        if (k->kind[i] == INPUT)
            printf("  --%-18s          input: one value, or several with commas\n", k->name[i]);
    struct verb_word word;
    for (int i = 0; v->choice && v->choice(i, &word); i++) {
        printf("  %-18s   %s; takes", word.name, word.says);
        for (const char *s = word.takes; *s; s = word_next(s))
            printf(" --%.*s", (int)strcspn(s, " "), s);
        printf("%s\n", *word.takes ? "" : " no flag of these");
    }
    if (v->row >= ROW_PARAMS && !c->row)
        printf("  and the parameters of the row: meridian show ROW\n");
}

static void names(const struct cli_known *k, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (int i = 0; i < k->n && at + NAME_BYTES + 4 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s--%s", i ? " " : "", k->name[i]);
}

static int unknown(const struct cli *c, const struct cli_known *k, const struct cli_written *w)
{
    char all[3000];
    names(k, all, sizeof all);
    return cli_error(c, "unknown flag '--%.*s'; allowed: %s", (int)(w->len < 80 ? w->len : 80), w->name, all);
}

/* The row and quantity that the first words name.  0, or an exit status after one line on standard error. */
static int find_row(struct cli *c)
{
    const char *name = c->words ? c->word[0] : NULL, *out = c->words > 1 ? c->word[1] : NULL;
    char all[512] = "";
    size_t at = 0;
    struct sign s;
    if (c->verb->row == NO_ROW || !name)
        return 0;
    if (!(c->row = row_named(name)))
        return cli_error(c, "no row '%.80s'; `meridian list` names them", name);
    if (c->verb->row < ROW_QUANTITY || !out || (c->q = row_quantity(c->row, out)))
        return 0;
    for (const struct quantity *q = c->row->q; q->sign && at + NAME_BYTES < sizeof all; q++) {
        sign_read(&s, q->sign);
        at += (size_t)snprintf(all + at, sizeof all - at, " %s", s.out.name);
    }
    return cli_error(c, "%s has no quantity '%.80s'; it has%s", c->row->name, out, all);
}

/* One argument that begins with a dash.  *i moves past the value where that is the next argument.  0, or an exit
 * status after one line. */
static int take_apart(struct cli *c, struct cli_line *l, const struct cli_known *k, int *i, int argc, char **argv)
{
    const char *s = argv[*i], *equal = strchr(s, '=');
    const struct cli_written out = { "out", 3, s[1] && s[2] ? s + 2 : NULL };
    struct cli_written w = { s + 2, equal ? (size_t)(equal - s) - 2 : strlen(s) - 2, equal ? equal + 1 : NULL };
    if (s[1] == 'o' && find(k, &out) >= 0) /* "-o FILE" and "-oFILE" */
        w = out;
    else if (s[1] != '-')
        return cli_error(
            c, "unknown flag '%.80s'; if it is a value write --flag=%.80s, if it is a word -- before it", s, s);
    const int at = find(k, &w);
    const bool takes = at >= 0 ? k->flag[at]->value != NULL : of_some_row(c->verb, &w);
    if (at >= 0 && !takes && w.value)
        return cli_error(c, "--%s: takes no value, found '%.80s'", k->name[at], w.value);
    if (takes && !w.value) {
        const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
        if (!next || !strncmp(next, "--", 2))
            return cli_error(
                c, "--%.*s: needs a value%s%.80s", (int)w.len, w.name, next ? ", found " : "", next ? next : "");
        w.value = next, ++*i;
    }
    l->help |= at >= 0 && k->flag[at] == &common[0];
    if (l->n == (int)(sizeof l->flag / sizeof *l->flag))
        return cli_error(c, "more than %d flags", l->n);
    l->flag[l->n++] = w;
    return at < 0 && !takes ? -1 : 0;
}

/* Words and flags, wherever they stand.  0, or an exit status after one line on standard error. */
static int split(struct cli *c, struct cli_line *l, const struct cli_known *k, int argc, char **argv)
{
    bool words = false;
    l->n = 0, l->help = false, l->strange = NULL;
    for (int i = 1; i < argc; i++) {
        if (!words && argv[i][0] == '-' && argv[i][1]) {
            if ((words = !strcmp(argv[i], "--")))
                continue;
            const int rc = take_apart(c, l, k, &i, argc, argv);
            if (rc > 0)
                return rc;
            l->strange = rc && !l->strange ? &l->flag[l->n - 1] : l->strange;
        } else if (c->words == CLI_WORDS)
            return cli_error(c, "more than %d words", CLI_WORDS);
        else if (!*argv[i]) /* a variable of a shell that is not set; no verb has a use for it */
            return cli_error(c, "word %d is empty: ''; usage: meridian %s %s", c->words + 1, c->verb->name,
                c->verb->args);
        else
            c->word[c->words++] = argv[i];
    }
    return 0;
}

static int take_param(struct cli *c, const char *name, const char *value)
{
    const size_t at = strlen(c->params);
    if (strpbrk(value, " =\t\n\r\v\f"))
        return cli_error(c, "--%s: found '%.80s'; a value holds no blank and no '='", name, value);
    if (!*value)
        return cli_error(c, "--%s: needs a value", name);
    if (at + strlen(name) + strlen(value) + 3 > sizeof c->params)
        return cli_error(c, "--%s: too long; all parameters together have at most %d bytes", name, TEXT_MAX);
    snprintf(c->params + at, sizeof c->params - at, "%s%s=%s", at ? " " : "", name, value);
    return 0;
}

/* Whether the file can be written, asked by making and dropping a draft of it.  0, or an exit status after one line. */
static int check_writable(const struct cli *c, const char *path)
{
    char err[400];
    struct draft d;
    if (draft_open(&d, path, err, sizeof err))
        return cli_error(c, "%s", err);
    draft_drop(&d);
    return 0;
}

/* Checks values that a verb's table can check: names of rows and of types, and files to be written. */
static int check_value(const struct cli *c, const struct flag *f, const char *value)
{
    if (f && f->writes)
        return check_writable(c, value);
    if (f && f->value && !strcmp(f->value, "ROW") && !row_named(value))
        return cli_error(c, "--%s: no row '%.80s'; `meridian list` names them", f->name, value);
    if (f && f->value && !strcmp(f->value, "TYPE") && (type_named(value) < 0 || type_named(value) > MER_BF16))
        return cli_error(c, "--%s: found '%.80s'; allowed: f64 f32 f16 bf16", f->name, value);
    return 0;
}

static int take(struct cli *c, const struct cli_known *k, const struct cli_line *l, int i)
{
    const struct cli_written *w = &l->flag[i];
    const int at = find(k, w);
    if (at < 0)
        return unknown(c, k, w);
    for (int j = 0; j < i && !(k->flag[at] && k->flag[at]->many); j++)
        if (l->flag[j].len == w->len && !memcmp(l->flag[j].name, w->name, w->len))
            return cli_error(c, "--%s: given twice", k->name[at]);
    if (k->kind[at] == PARAMETER)
        return take_param(c, k->name[at], w->value);
    if (c->n_given == CLI_VALUES)
        return cli_error(c, "more than %d flags", CLI_VALUES);
    read_since[c->n_given] = false;
    c->given[c->n_given].name = k->name[at];
    c->given[c->n_given++].value = w->value ? w->value : "";
    return check_value(c, k->flag[at], w->value);
}

static bool given(const struct cli *c, const char *name)
{
    for (int i = 0; i < c->n_given; i++)
        if (!strcmp(c->given[i].name, name))
            return true;
    return false;
}

/* Refuses flags that have no effect beside the first word, or without another flag. */
static int effects(const struct cli *c)
{
    for (const struct flag *f = c->verb->flags; f && f->name; f++) {
        bool with = !f->with;
        for (const char *s = f->with; s && *s && c->words; s += strcspn(s, " "), s += *s == ' ')
            with |= strlen(c->word[0]) == strcspn(s, " ") && !strncmp(c->word[0], s, strcspn(s, " "));
        if (given(c, f->name) && !with)
            return cli_error(c, "--%s: has an effect only with: meridian %s %s", f->name, c->verb->name, f->with);
        if (given(c, f->name) && f->needs && !given(c, f->needs))
            return cli_error(c, "--%s: has an effect only with --%s", f->name, f->needs);
    }
    return 0;
}

/* The choice of that name, or false. */
static bool chosen(const struct verb *v, const char *name, struct verb_word *to)
{
    int k = 0;
    while (v->choice(k, to) && strcmp(to->name, name))
        k++;
    return v->choice(k, to);
}

/* Refuses words that are no choice of the verb, and a flag that only other choices take than those that are given. */
static int choices(const struct cli *c)
{
    const struct verb *v = c->verb;
    struct verb_word word;
    char all[600];
    struct text t = text_in(all, sizeof all);
    for (int k = 0; v->choice(k, &word); k++)
        text_put(&t, " %s", word.name);
    for (int i = 0; i < c->words; i++)
        if (!chosen(v, c->word[i], &word))
            return cli_error(c, "unknown '%.80s'; there are:%s", c->word[i], all);
    for (int i = 0; i < c->n_given && c->words; i++) {
        bool taken = false;
        t = text_in(all, sizeof all);
        for (int k = 0; v->choice(k, &word); k++)
            if (words_have(word.takes, c->given[i].name))
                text_put(&t, " %s", word.name);
        for (int k = 0; k < c->words; k++)
            taken |= chosen(v, c->word[k], &word) && words_have(word.takes, c->given[i].name);
        if (t.at && !taken)
            return cli_error(c, "--%s: has an effect only with: meridian %s%s", c->given[i].name, v->name, all);
    }
    return 0;
}

int cli_parse(struct cli *c, const struct verb *v, int argc, char **argv)
{
    static struct cli_known k; /* static, as the names of given[] point into it */
    static struct cli_line l;
    int rc;
    *c = (struct cli){ .verb = v };
    gather(&k, v, NULL, NULL);
    if ((rc = split(c, &l, &k, argc, argv)))
        return rc;
    const struct row *row = v->row != NO_ROW && c->words ? row_named(c->word[0]) : NULL;
    gather(&k, v, row, row && v->row >= ROW_QUANTITY && c->words > 1 ? row_quantity(row, c->word[1]) : NULL);
    if (l.strange)
        return unknown(c, &k, l.strange);
    if ((rc = find_row(c)))
        return rc;
    if (l.help)
        return help(v, &k, c), -1;
    const bool enough = c->words >= v->least; /* without it a row's flags are not known yet, and the usage helps more */
    for (int i = 0; i < l.n && (enough || find(&k, &l.flag[i]) >= 0); i++)
        if ((rc = take(c, &k, &l, i)))
            return rc;
    if (!enough)
        return cli_error(c, "usage: meridian %s %s", v->name, v->args);
    if (c->words > v->most)
        return cli_error(c, "one argument too many: '%.80s'; usage: meridian %s %s", c->word[v->most], v->name,
                         v->args);
    return v->choice && choices(c) ? EXIT_USAGE : effects(c);
}

const char *cli_value(const struct cli *c, const char *name, const char *otherwise)
{
    for (int i = c->n_given; i--;)
        if (!strcmp(c->given[i].name, name))
            return read_since[i] = true, c->given[i].value;
    return otherwise;
}

const char *cli_each(const struct cli *c, const char *name, int *k)
{
    while (*k < c->n_given && strcmp(c->given[*k].name, name))
        ++*k;
    return *k < c->n_given ? read_since[*k] = true, c->given[(*k)++].value : NULL;
}

const char *cli_unused(const struct cli *c)
{
    for (int i = 0; i < c->n_given; i++)
        if (!read_since[i])
            return c->given[i].name;
    return NULL;
}

bool cli_has(const struct cli *c, const char *name) { return cli_value(c, name, NULL) != NULL; }

bool cli_long(const struct cli *c, const char *name, long otherwise, long least, long most, long *x)
{
    const char *s = cli_value(c, name, NULL);
    char *end;
    *x = otherwise;
    if (!s)
        return true;
    errno = 0;
    *x = strtol(s, &end, 10);
    if (end != s && !*end && !errno && *x >= least && *x <= most)
        return true;
    cli_error(c, "--%s: found '%.80s'; allowed: an integer from %ld to %ld", name, s, least, most);
    return false;
}

const char *cli_contract(const struct cli *c, const char *name)
{
    char why[900];
    if (strchr(name, '=') || !strcmp(name, "exact") || every_step(name))
        return name;
    const char *words = row_contract(c->row, name, why, sizeof why), *step;
    if (words)
        return words;
    size_t len = 0;
    if (!(step = row_step(c->row, 0, &len)))
        return cli_error(c, "%s, and no steps: leave it out", why), NULL;
    cli_error(c, "%s, %s give steps (\"%.*s=f32 ..\")", why, c->row->contracts && c->row->contracts->name ? "or" : "so",
        (int)len, step);
    return NULL;
}

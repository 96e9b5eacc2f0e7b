/* Command lines by getopt_long; every message is one line that says what was found and what is allowed. */
#include "cli.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_error(const struct cli *c, const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    fprintf(stderr, "meridian %s: %s\n", c->verb->name, text);
    return EXIT_USAGE;
}

bool colour(FILE *f) { const char *no = getenv("NO_COLOR"); return isatty(fileno(f)) && !(no && *no); }

enum { OPTIONS = 192 };
struct known { struct option option[OPTIONS]; char kind[OPTIONS]; char name[OPTIONS][40]; int n; }; /* kind: flag, parameter, input */

static void add(struct known *k, const char *name, bool takes, char kind)
{
    if (k->n + 1 >= OPTIONS)
        return;
    snprintf(k->name[k->n], sizeof k->name[0], "%s", name);
    k->option[k->n] = (struct option){ k->name[k->n], takes ? required_argument : no_argument, NULL, 256 + k->n };
    k->kind[k->n++] = kind;
}

static const struct flag common[] = { { "help", NULL, "this text" }, { 0 } };

static void gather(struct known *k, const struct cli *c)
{
    for (const struct flag *f = common; f->name; f++)
        add(k, f->name, f->value != NULL, 'f');
    for (const struct flag *f = c->verb->flags; f && f->name; f++)
        add(k, f->name, f->value != NULL, 'f');
    for (const struct param *p = c->row ? c->row->params : NULL; p && p->name; p++)
        add(k, p->name, true, 'p');
    if (!c->q)
        return;
    struct sign s;
    sign_read(&s, c->q->sign);
    for (int i = 0; i < s.n_in; i++)
        add(k, s.in[i].name, true, 'i');
}

static void help(const struct verb *v, const struct known *k, const struct cli *c)
{
    printf("meridian %s %s\n  %s\n", v->name, v->args, v->help);
    for (const struct flag *f = v->flags; f && f->name; f++)
        printf("  --%-18s %-8s %s\n", f->name, f->value ? f->value : "", f->help);
    for (const struct param *p = c->row ? c->row->params : NULL; p && p->name; p++)
        printf("  --%-18s %-8s %s%s%s%s\n", p->name, p->value, p->help, p->choices ? " {" : "", p->choices ? p->choices : "", p->choices ? "}" : "");
    for (int i = 0; i < k->n; i++)
        if (k->kind[i] == 'i')
            printf("  --%-18s          input: one value, or several with commas\n", k->name[i]);
    if (v->row && !c->row)
        printf("  and the parameters of the row: meridian show ROW\n");
}

static void names(const struct known *k, char *text, size_t n)
{
    size_t at = 0;
    for (int i = 0; i < k->n && at + 48 < n; i++)
        at += (size_t)snprintf(text + at, n - at, "%s--%s", i ? " " : "", k->name[i]);
}

static int find_row(struct cli *c, int argc, char **argv)
{
    const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL, *out = name && argc > 2 && argv[2][0] != '-' ? argv[2] : NULL;
    if (c->verb->row == NO_ROW || !name)
        return 0;
    c->row = row_named(name);
    if (!c->row && c->verb->row != MAYBE_ROW)
        return cli_error(c, "no row '%.80s'; `meridian list` names them", name);
    if (c->verb->row == ROW_QUANTITY && out && !(c->q = row_quantity(c->row, out))) {
        char all[512];
        size_t at = 0;
        struct sign s;
        for (const struct quantity *q = c->row->q; q->sign; q++) {
            sign_read(&s, q->sign);
            at += (size_t)snprintf(all + at, sizeof all - at, " %s", s.out.name);
        }
        return cli_error(c, "%s has no quantity '%.80s'; it has%s", name, out, all);
    }
    return 0;
}

static int take(struct cli *c, const struct known *k, int i, const char *value)
{
    size_t at = strlen(c->params);
    if (k->kind[i] == 'p') {
        if (strchr(value, ' ') || strchr(value, '='))
            return cli_error(c, "--%s: found '%.80s'; a value holds no blank and no '='", k->name[i], value);
        if (at + strlen(k->name[i]) + strlen(value) + 3 > sizeof c->params)
            return cli_error(c, "--%s: too long", k->name[i]);
        snprintf(c->params + at, sizeof c->params - at, "%s%s=%s", at ? " " : "", k->name[i], value);
    } else if (c->n_given == CLI_VALUES)
        return cli_error(c, "more than %d flags", CLI_VALUES);
    else {
        c->given[c->n_given].name = k->option[i].name;
        c->given[c->n_given++].value = value ? value : "";
    }
    return 0;
}

int cli_parse(struct cli *c, const struct verb *v, int argc, char **argv)
{
    static struct known k; /* names stay with the options given */
    char all[3000];
    int o, rc;
    *c = (struct cli){ .verb = v };
    k = (struct known){ 0 };
    if ((rc = find_row(c, argc, argv)))
        return rc;
    gather(&k, c);
    names(&k, all, sizeof all);
    opterr = 0, optind = 0;
    while ((o = getopt_long(argc, argv, ":o:", k.option, NULL)) != -1) {
        const char *seen = argv[optind - 1];
        for (int i = 0; o == 'o' && i < k.n; i++) /* -o FILE: of verbs that have --out */
            if (k.kind[i] == 'f' && !strcmp(k.name[i], "out"))
                o = 256 + i;
        if (o == ':')
            return cli_error(c, "%.80s: needs a value", seen);
        if (o < 256)
            return cli_error(c, "unknown flag '%.80s'; allowed: %s", seen, all);
        if (!strcmp(k.name[o - 256], "help"))
            return help(v, &k, c), -1;
        if ((rc = take(c, &k, o - 256, optarg)))
            return rc;
    }
    for (; optind < argc; optind++) {
        if (c->words == CLI_WORDS)
            return cli_error(c, "more than %d arguments", CLI_WORDS);
        c->word[c->words++] = argv[optind];
    }
    if (c->words < v->least)
        return cli_error(c, "usage: meridian %s %s", v->name, v->args);
    if (c->words > v->most)
        return cli_error(c, "one argument too many: '%.80s'; usage: meridian %s %s", c->word[v->most], v->name, v->args);
    return 0;
}

const char *cli_value(const struct cli *c, const char *name, const char *otherwise)
{
    for (int i = c->n_given; i--;)
        if (!strcmp(c->given[i].name, name))
            return c->given[i].value;
    return otherwise;
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
    char all[600] = "";
    size_t at = 0;
    if (strchr(name, '=') || !strcmp(name, "exact"))
        return name;
    for (const struct preset *p = c->row->contracts; p && p->name; p++) {
        if (!strcmp(p->name, name))
            return p->text;
        at += (size_t)snprintf(all + at, sizeof all - at, "%s'%s'", at ? ", " : "", p->name);
        at = at < sizeof all ? at : sizeof all - 1;
    }
    return cli_error(c, "%s has no contract '%.80s'; it has %s, or give steps (\"phase=f32 table=f32\")", c->row->name, name, all), NULL;
}

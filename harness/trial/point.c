/* Reads one line of a quantity from the command line; see point.h. */
#include "trial/point.h"
#include "trial/valid.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const struct flag point_flags[] = {
    { "at", "i,j|k", "leading indices of the line (default 0), and behind a bar, or one more, the one element that is "
        "asked for" },
    { "k", "N", "the same element; where an input is named k: see --in" },
    { "in", "NAME=1,2", "an input by its name, also where that is a flag's: --in k=1,2; may be repeated",
        .many = true },
    { "sizes", "TEXT", "\"n=3 m=5 keep probe\": extents, optional inputs, a way to fill; arrays that are given win" },
    { "digits", "40", "decimal digits" },
    { "contract", "NAME", "a named contract of the row, or its steps" },
    { "seed", "1", "for arrays not given" },
    { "json", NULL, "one object a line" },
    { 0 },
};

static long count(const char *s)
{
    long n = 1;
    for (; *s; s++)
        n += *s == ',';
    return n;
}

static bool is_flag(const struct cli *c, const char *name)
{
    for (const struct flag *f = c->verb->flags; f->name; f++)
        if (!strcmp(f->name, name))
            return true;
    return false;
}

/* The numbers given for an input: by --in NAME=, or by --NAME where that is no flag of the verb.  NULL: none. */
static const char *given(const struct cli *c, const char *name)
{
    const size_t len = strlen(name);
    int k = 0;
    for (const char *v; (v = cli_each(c, "in", &k));)
        if (!strncmp(v, name, len) && v[len] == '=')
            return v + len + 1;
    return is_flag(c, name) ? NULL : cli_value(c, name, NULL);
}

/* Refuses an --in that names no input, and a flag whose name is also that of an input: it could mean either. */
static int read_names(const struct point *p, const struct cli *c)
{
    struct sign s;
    sign_read(&s, p->q->sign);
    for (int i = 0; i < s.n_in; i++)
        if (is_flag(c, s.in[i].name) && cli_has(c, s.in[i].name))
            return cli_error(c, "--%s: a flag, and an input of %s %s; say --in %s=1,2 for the input%s", s.in[i].name,
                c->row->name, c->word[1], s.in[i].name,
                strcmp(s.in[i].name, "k") ? "" : ", or --at 'i,j|k' for the element");
    int k = 0;
    for (const char *v; (v = cli_each(c, "in", &k));) {
        bool known = false;
        for (int i = 0; i < s.n_in && !known; i++)
            known = strlen(s.in[i].name) == strcspn(v, "=") && v[strcspn(v, "=")] &&
                !strncmp(v, s.in[i].name, strcspn(v, "="));
        if (!known)
            return cli_error(c, "--in: found '%.80s'; allowed: NAME=1,2 with an input of %s", v, p->q->sign);
    }
    return 0;
}

/* Writes --sizes, and for each array of one axis that is given as "1,2,3" its length. */
static int sizes_of(const struct point *p, const struct cli *c, char *sizes, size_t n)
{
    struct sign s;
    size_t at = 0;
    sign_read(&s, p->q->sign);
    const char *words = cli_value(c, "sizes", "");
    char err[400];
    if (valid_sizes(c->row, words, err, sizeof err) || strlen(words) > 300)
        return cli_error(c, "--sizes: %s", strlen(words) > 300 ? "too long; at most 300 bytes" : err);
    at = (size_t)snprintf(sizes, n, "%s", words);
    for (int i = 0; i < s.n_in && at + 1 < n; i++) {
        const char *v = given(c, s.in[i].name);
        if (!v)
            continue;
        if (s.in[i].optional)
            at += (size_t)snprintf(sizes + at, n - at, " %s", s.in[i].name);
        if (s.in[i].rank == 1 && at + 1 < n)
            at += (size_t)snprintf(sizes + at, n - at, " %c=%ld", s.in[i].axis[0], count(v));
    }
    return 0;
}

static int fill(struct point *p, const struct cli *c, struct mer_array *a)
{
    const char *v = given(c, a->name), *s = v;
    if (!v)
        return 0;
    for (long i = 0; i < array_len(a); i++) {
        char *end;
        double x = strtod(s, &end);
        bool whole = a->type < MER_I64 || (fabs(x) <= 0x1p53 && x == nearbyint(x));
        if (end == s || (*end && *end != ',') || !whole)
            return cli_error(c, "--%s%s: found '%.80s'; allowed: %s", is_flag(c, a->name) ? "in " : "", a->name, s,
                a->type < MER_I64 ? "numbers, with commas" : "integers of magnitude at most 2^53, with commas");
        array_put(a, i, x);
        s = *end ? end + 1 : v; /* one value fills the array */
    }
    if (count(v) != 1 && count(v) != array_len(a))
        return cli_error(c, "--%s%s: %ld values, the array has %ld (%s)", is_flag(c, a->name) ? "in " : "", a->name,
            count(v), array_len(a), p->q->sign);
    return 0;
}

/* "0,3" or "0,3|5" or "0,3,5": the line, and the element where there is one number more. */
static int read_at(struct point *p, const struct cli *c, const struct sign *s)
{
    const char *all = cli_value(c, "at", "0"), *at = all;
    if (!*all)
        return cli_error(c, "--at: empty; allowed: i,j or i,j|k");
    for (int i = 0; i < s->out.lead && *at; i++) {
        char *end;
        p->w.at[i] = strtol(at, &end, 10);
        if (end == at || p->w.at[i] < 0 || p->w.at[i] >= p->t.out[0].dim[i])
            return cli_error(c, "--at: found '%.80s'; allowed: index %d of %s below %ld", at, i, c->word[1],
                (long)p->t.out[0].dim[i]);
        at = *end == ',' || *end == '|' ? end + 1 : end;
        if (*end && (at == end || !*at))
            return cli_error(c, "--at: found '%.80s'; allowed: i,j or i,j|k", all);
    }
    if (*at == '|' && !s->out.lead)
        at++;
    if (!*at || !cli_has(c, "at"))
        return 0;
    char *end;
    p->k = strtol(at, &end, 10);
    if (end == at || *end || p->k < 0 || p->k >= p->w.len)
        return cli_error(c, "--at: found '%.80s'; allowed: the element of the line, below %ld", at, p->w.len);
    return cli_has(c, "k") ? cli_error(c, "--k and an element in --at '%.80s': one of the two", all) : 0;
}

int point_open(struct point *p, const struct cli *c, const char *steps)
{
    /* sizes: a name and a number for each of at most 32 inputs */
    char err[600], sizes[2000], few[2100], text[2 * TEXT_MAX];
    long seed;
    struct sign s;
    *p = (struct point){ .q = c->q, .k = -1 };
    if (!cli_long(c, "seed", 1, 0, 1L << 62, &seed))
        return EXIT_USAGE;
    if (read_names(p, c) || sizes_of(p, c, sizes, sizeof sizes))
        return EXIT_USAGE;
    snprintf(text, sizeof text, "%s %s", c->params, steps); /* a contract may name a route */
    snprintf(few, sizeof few, "n=1 m=1 h=1 g=1 %s", sizes);
    if (trial_make(&p->t, &(struct trial_spec){ c->row->name, text, c->word[1], MER_F64, few, (uint64_t)seed }, err,
        sizeof err))
        return cli_error(c, "%s", err);
    if (!valid_sized_so(&p->t, sizes, err, sizeof err)) /* where an array is given, its own size comes later there */
        return cli_error(c, "--sizes: %s", err);
    for (int i = 0; i < p->t.call.n_in; i++)
        if (fill(p, c, &p->t.in[i]))
            return EXIT_USAGE;
    if (trial_check(&p->t, err, sizeof err))
        return cli_error(c, "%s", err);
    sign_read(&s, p->q->sign);
    p->w = (struct ask){ .params = p->t.params, .call = &p->t.call, .len = 1 };
    for (int i = s.out.lead; i < s.out.rank; i++)
        p->w.len *= p->t.out[0].dim[i];
    if (read_at(p, c, &s) || (cli_has(c, "k") && !cli_long(c, "k", -1, 0, p->w.len - 1, &p->k)))
        return EXIT_USAGE;
    p->y = need((size_t)p->w.len + 1, sizeof *p->y);
    return p->y ? 0 : cli_error(c, "out of memory");
}

void point_close(struct point *p)
{
    ask_clear(&p->w);
    trial_close(&p->t);
    free(p->y);
}

void point_name(const struct point *p, long k, char *text, size_t n)
{
    struct sign s;
    size_t at = (size_t)snprintf(text, n, "%s[", p->t.out[0].name);
    sign_read(&s, p->q->sign);
    for (int i = 0; i < s.out.lead; i++)
        at += (size_t)snprintf(text + at, n - at, "%s%ld", i ? "," : "", p->w.at[i]);
    snprintf(text + at, n - at, "%s%ld]", s.out.lead ? "|" : "", k);
}

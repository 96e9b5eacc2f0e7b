/* Points of the command line. */
#include "point.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct flag point_flags[] = {
    { "at", "i,j", "leading indices of the line (default 0)" }, { "k", "N", "only this element of the line" }, { "digits", "40", "decimal digits" },
    { "contract", "NAME", "a named contract of the row, or its steps" }, { "seed", "1", "for arrays not given" }, { "json", NULL, "one object a line" }, { 0 },
};

static long count(const char *s)
{
    long n = 1;
    for (; *s; s++)
        n += *s == ',';
    return n;
}

/* An array given as "1,2,3": its one free letter takes that length. */
static int sizes_of(const struct point *p, const struct cli *c, char *sizes, size_t n)
{
    struct sign s;
    size_t at = 0;
    sign_read(&s, p->q->sign);
    *sizes = 0;
    for (int i = 0; i < s.n_in; i++) {
        const char *v = cli_value(c, s.in[i].name, NULL);
        if (!v)
            continue;
        if (s.in[i].optional)
            at += (size_t)snprintf(sizes + at, n - at, " %s", s.in[i].name);
        if (s.in[i].rank == 1)
            at += (size_t)snprintf(sizes + at, n - at, " %c=%ld", s.in[i].axis[0], count(v));
    }
    return 0;
}

static int fill(struct point *p, const struct cli *c, struct mer_array *a)
{
    const char *v = cli_value(c, a->name, NULL), *s = v;
    if (!v)
        return 0;
    for (long i = 0; i < array_len(a); i++) {
        char *end;
        double x = strtod(s, &end);
        bool whole = a->type < MER_I64 || (fabs(x) <= 0x1p53 && x == nearbyint(x));
        if (end == s || (*end && *end != ',') || !whole)
            return cli_error(c, "--%s: found '%.80s'; allowed: %s", a->name, s, a->type < MER_I64 ? "numbers, with commas" : "integers of magnitude at most 2^53, with commas");
        array_put(a, i, x);
        s = *end ? end + 1 : v; /* one value fills the array */
    }
    if (count(v) != 1 && count(v) != array_len(a))
        return cli_error(c, "--%s: %ld values, the array has %ld (%s)", a->name, count(v), array_len(a), p->q->sign);
    return 0;
}

int point_open(struct point *p, const struct cli *c, const char *steps)
{
    char err[600], sizes[200], text[2 * TEXT_MAX];
    long seed;
    struct sign s;
    *p = (struct point){ .q = c->q, .k = -1 };
    if (!cli_long(c, "seed", 1, 0, 1L << 62, &seed))
        return EXIT_USAGE;
    sizes_of(p, c, sizes, sizeof sizes);
    snprintf(text, sizeof text, "%s %s", c->params, steps); /* a contract may name a route */
    char few[240];
    snprintf(few, sizeof few, "n=1 m=1 h=1 g=1%s", sizes);
    if (trial_make(&p->t, c->row->name, text, c->word[1], MER_F64, few, (uint64_t)seed, err, sizeof err))
        return cli_error(c, "%s", err);
    for (int i = 0; i < p->t.call.n_in; i++)
        if (fill(p, c, &p->t.in[i]))
            return EXIT_USAGE;
    if (trial_check(&p->t, err, sizeof err))
        return cli_error(c, "%s", err);
    sign_read(&s, p->q->sign);
    p->w = (struct ask){ .params = p->t.params, .call = &p->t.call, .len = 1 };
    for (int i = s.out.lead; i < s.out.rank; i++)
        p->w.len *= p->t.out[0].dim[i];
    const char *at = cli_value(c, "at", "0");
    for (int i = 0; i < s.out.lead; i++) {
        char *end;
        p->w.at[i] = strtol(at, &end, 10);
        if (end == at || p->w.at[i] < 0 || p->w.at[i] >= p->t.out[0].dim[i])
            return cli_error(c, "--at: found '%.80s'; allowed: index %d of %s below %ld", at, i, c->word[1], (long)p->t.out[0].dim[i]);
        at = *end ? end + 1 : "0";
    }
    if (!cli_long(c, "k", -1, 0, p->w.len - 1, &p->k))
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

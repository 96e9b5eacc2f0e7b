/* Tables over distances of rows that attend by themselves; see relative.h. */
#include "lab/export/relative.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "arith/need.h"
#include "base/progress.h"
#include "core/gen.h"

enum { PROBED = 7101, DRAWN = 12 };       /* DRAWN: tokens of the case that the tables are held against */
/* The terms of a layer in double, [h][P][d] or [h][P]; most: the largest |score| that they were read from. */
struct relative_terms { double alpha, *query, *key, *none, *value, most; };
struct relative_probe {
    const struct trained *t;
    int layer;
    int64_t h, d, most;
    double *extra[EXTRAS];
    char params[400], own[200];
};

static double drawn(uint64_t stream, int64_t k)
{
    return (double)(gen_bits(PROBED, stream, (uint64_t)k) >> 11) * 0x1p-52 - 1;
}

/* Opens the row's pages for so many tokens; the inputs are set, beside q, k, v and keep. */
static int open_pages(struct relative_probe *p, struct op *o, int64_t tokens, char *err, size_t n)
{
    char sizes[400];
    const long long h = p->h, d = p->d, m = tokens;
    snprintf(sizes, sizeof sizes, "h=%lld g=%lld n=%lld m=%lld d=%lld e=%lld keep %s", h, h, m, m, d, d, p->own);
    if (op_open(o, MER_F64, p->t->m.enc->attend, p->params, "lse o", sizes, err, n))
        return -1;
    for (int k = 0; k < p->t->m.extras; k++)
        op_set(o, p->t->m.extra[k], p->extra[k]);
    return o->t.call.n_out == 2 ?
        0 :
        (snprintf(err, n, "row %s has no lse and o, by which its scores could be read", p->t->m.enc->attend), -1);
}

/* The scores [h][P] of queries that are the unit vector a (-1: 0) at all distances from the first key, the only one
 * that they see, which is the unit vector b (-1: 0); its value is 0, so that o is what is added to it. */
static int scores(struct relative_probe *p, struct op *o, int64_t a, int64_t b, double *lse)
{
    const struct mer_array *of[] = { mer_find(o->t.in, o->t.call.n_in, "q"), mer_find(o->t.in, o->t.call.n_in, "k") };
    double *q = of[0] ? of[0]->data : NULL, *k = of[1] ? of[1]->data : NULL;
    if (!q || !k)
        return MER_BAD; /* A row without them has no such scores. */
    for (int64_t i = 0; i < p->h * p->most * p->d; i++)
        q[i] = i % p->d == a, k[i] = i % p->d == b;
    op_set(o, "lse", lse);
    return op_run(o);
}

static int read_terms(struct relative_probe *p, struct op *o, struct relative_terms *y, double *lse)
{
    const int64_t all = p->h * p->most, d = p->d;
    int rc = scores(p, o, -1, -1, y->none);
    for (int64_t a = 0; a < d && rc == MER_OK; a++)
        for (int side = 0; side < 2 && rc == MER_OK; side++) {
            rc = scores(p, o, side ? -1 : a, side ? a : -1, lse);
            for (int64_t i = 0; i < all; i++)
                (side ? y->key : y->query)[i * d + a] = lse[i] - y->none[i], y->most = fmax(y->most, fabs(lse[i]));
        }
    for (int64_t i = 0; i < all; i++)
        y->most = fmax(y->most, fabs(y->none[i]));
    rc = rc == MER_OK ? scores(p, o, 0, 0, lse) : rc;
    y->most = fmax(y->most, fabs(lse[0]));
    y->alpha = lse[0] - y->query[0] - y->key[0] - y->none[0];
    return rc;
}

/* One output line of the formula, of head `head` and query i, into o[d]. */
static void line(const struct relative_probe *p, const struct relative_terms *y, const double *x[3], int64_t head,
    int64_t i, double *o)
{
    const int64_t d = p->d;
    double w[DRAWN], sum = 0;
    for (int64_t j = 0; j <= i; j++) {
        const int64_t at = head * p->most + i - j;
        const double *q = x[0] + (head * DRAWN + i) * d, *k = x[1] + (head * DRAWN + j) * d;
        double s = y->none[at];
        for (int64_t c = 0; c < d; c++)
            s += y->alpha * q[c] * k[c] + q[c] * y->query[at * d + c] + k[c] * y->key[at * d + c];
        sum += w[j] = exp(s);
    }
    for (int64_t c = 0; c < d; c++)
        o[c] = 0;
    for (int64_t j = 0; j <= i; j++)
        for (int64_t c = 0; c < d; c++)
            o[c] += w[j] / sum * (x[2][(head * DRAWN + j) * d + c] + y->value[(head * p->most + i - j) * d + c]);
}

/* A bound of what roundings make of a difference between the row and the formula of its terms, for |q|, |k|, |v| <= 1.
 * In units u = 2^-53 of M, the largest score: a score is read with an error of 1; a term is the difference of two, 2
 * for them and 2 for its own rounding; alpha has two such terms, two scores, and roundings of 3, 5 and 6: 24.  So a
 * score made of d products with each has (24 + 4 + 4) d + 1 from its terms, and from its 3 d + 1 additions and their
 * products at most 3 d + 6 times the sum of sizes, (6 + 2 + 2) d + 1.  A weight is off by as much as its score,
 * relatively, and by 2 u; it is divided by the sum of them, and adds up values of at most V with at most DRAWN
 * additions each.  1.01 holds what is of second order. */
static double roundings(const struct relative_probe *p, const struct relative_terms *y)
{
    const double u = 0x1p-53, d = (double)p->d, of_score = u * y->most * (32 * d + 1 + (3 * d + 6) * (10 * d + 1));
    double value = 0;
    for (int64_t i = 0; i < p->h * p->most * p->d; i++)
        value = fmax(value, fabs(y->value[i]));
    return 1.01 * (1 + value) * (2 * of_score + (2 * DRAWN + 12) * u);
}

/* Holds drawn q, k and v of the row against the formula; the greatest difference, infinite where there is no answer. */
static double held(struct relative_probe *p, const struct relative_terms *y, char *err, size_t n)
{
    const int64_t all = p->h * DRAWN * p->d;
    int64_t *keep = need((size_t)(p->h * DRAWN * DRAWN), sizeof *keep);
    double *x[3], *o = need((size_t)all, sizeof *o), *lse = need((size_t)all, sizeof *lse), most = 0,
           *of = need((size_t)p->d, sizeof *of);
    struct op op;
    int rc = open_pages(p, &op, DRAWN, err, n);
    for (int s = 0; s < 3; s++) {
        x[s] = need((size_t)all, sizeof *x[s]), op_set(&op, (const char *[]){ "q", "k", "v" }[s], x[s]);
        for (int64_t k = 0; k < all; k++)
            x[s][k] = drawn((uint64_t)s, k);
    }
    for (int64_t k = 0; k < p->h * DRAWN * DRAWN; k++)
        keep[k] = k % DRAWN <= k / DRAWN % DRAWN;
    op_set(&op, "keep", keep), op_set(&op, "o", o), op_set(&op, "lse", lse);
    if (rc || op_run(&op) != MER_OK)
        most = (double)INFINITY;
    for (int64_t k = 0; k < p->h * DRAWN && isfinite(most); k++) {
        line(p, y, (const double **)x, k / DRAWN, k % DRAWN, of);
        for (int64_t c = 0; c < p->d; c++)
            most = fmax(most, fabs(of[c] - o[k * p->d + c]));
    }
    op_close(&op);
    free(keep), free(o), free(lse), free(of), free(x[0]), free(x[1]), free(x[2]);
    return most;
}

/* Writes a table, unless it is zero everywhere. */
static void put(struct released *list, const struct relative_probe *p, const char *name, const double *x, int64_t d)
{
    const struct encoding *e = p->t->m.enc;
    const bool each = p->t->m.extras && !e->shared;
    const int64_t all = p->h * p->most * (d ? d : 1);
    char text[60];
    int64_t zeros = 0;
    while (zeros < all && x[zeros] == 0)
        zeros++;
    if (zeros == all)
        return;
    snprintf(text, sizeof text, each ? "%d.%s" : "%.0d%s", each ? p->layer : 0, name);
    float *y = released_add(list, text, p->h, p->most, d, 0);
    for (int64_t k = 0; k < all; k++)
        y[k] = (float)x[k];
}

/* Reads the terms off, holds them against the row, and writes them to the list. */
static int probe(struct relative_probe *p, struct relative_terms *y, struct released *list, char *err, size_t n)
{
    const int64_t all = p->h * p->most * p->d;
    double *q = need((size_t)all, sizeof *q), *k = need((size_t)all, sizeof *k), *v = need((size_t)all, sizeof *v),
           *lse = need((size_t)all, sizeof *lse);
    struct op op;
    int64_t *keep = need((size_t)(p->h * p->most * p->most), sizeof *keep);
    int rc = open_pages(p, &op, p->most, err, n);
    for (int64_t i = 0; i < p->h * p->most; i++)
        keep[i * p->most] = 1;
    op_set(&op, "keep", keep), op_set(&op, "q", q), op_set(&op, "k", k), op_set(&op, "v", v);
    op_set(&op, "o", y->value);
    if (!rc && read_terms(p, &op, y, lse) != MER_OK)
        rc = (snprintf(err, n, "row %s has no answer for %lld positions", p->t->m.enc->attend, (long long)p->most), -1);
    op_close(&op);
    free(q), free(k), free(v), free(lse), free(keep);
    if (!rc && !(held(p, y, err, n) <= roundings(p, y)))
        rc = (snprintf(err, n,
                  "encoding %s: its scores are no sum of terms of q, of k and of the distance, so that it cannot be "
                  "written",
                  p->t->m.enc->name),
            -1);
    if (!rc && list)
        put(list, p, "to_query", y->query, p->d), put(list, p, "to_key", y->key, p->d),
            put(list, p, "bias", y->none, 0), put(list, p, "to_value", y->value, p->d);
    return rc;
}

/* As relative_tables, for distances below `most`; list NULL: the row is held against its tables, nothing is written. */
static int tables_below(
    const struct trained *t, int layer, int64_t most, struct released *list, double *scale, char *err, size_t n)
{
    const struct model *m = &t->m;
    struct relative_probe p = { .t = t, .layer = layer, .h = m->size.heads, .d = m->size.channels / m->size.heads,
        .most = most };
    const size_t all = (size_t)(p.h * p.most * p.d);
    struct relative_terms y = { .query = need(all, sizeof(double)), .key = need(all, sizeof(double)),
        .none = need(all, sizeof(double)), .value = need(all, sizeof(double)) };
    encoding_text(p.params, sizeof p.params, m->enc->params, &m->size, t->positions);
    encoding_text(p.own, sizeof p.own, m->enc->sizes, &m->size, t->positions);
    for (int k = 0; k < m->extras; k++) {
        const struct net_block *b = &m->block[m->layer[layer].extra[k]];
        p.extra[k] = need((size_t)b->count, sizeof(double));
        for (int64_t i = 0; i < b->count; i++)
            p.extra[k][i] = (double)t->stored.params[b->at + i];
    }
    const int rc = probe(&p, &y, list, err, n);
    *scale = y.alpha;
    for (int k = 0; k < m->extras; k++)
        free(p.extra[k]);
    free(y.query), free(y.key), free(y.none), free(y.value);
    return rc;
}

int relative_tables(const struct trained *t, int layer, struct released *list, double *scale, char *err, size_t n)
{
    progress_count(t->m.enc->name);
    /* few distances first: a row that has no tables is refused before many are read */
    return tables_below(t, layer, DRAWN, NULL, scale, err, n) ||
            tables_below(t, layer, t->positions < DRAWN ? DRAWN : t->positions, list, scale, err, n) ?
        -1 :
        0;
}

/* Vectors read from tables by the pair of query and key, in scores, values and gradients; see table.h. */
#include <stdlib.h>
#include <string.h>
#include "relative/table.h"

static const char *name_of(const struct ask *w, const struct tables *t, struct table of)
{
    return t->all && has_in(w, t->all) ? t->all : of.name;
}
static bool by_head(const struct ask *w, const char *name) { return array_in(w, name)->rank == 3; }
/* The row of the table that the pair reads; below 0: none. */
static long place(const struct ask *w, const struct tables *t, struct table of, long i, long j)
{
    const struct mer_array *q = sited(w) ? mer_in(w->call, "q") : NULL, *k = q ? mer_in(w->call, "k") : NULL;
    long at[] = { i, j };
    const bool some = !k || site_indices(w, HERE, 2, at, (const long[]){ q->dim[1], k->dim[1] });
    if (!of.name || !some || i < 0 || j < 0)
        return TABLE_NONE;
    const struct mer_array *a = array_in(w, name_of(w, t, of));
    return site_from_end(w, counted(w, of.at(w, at[0], at[1])), a->dim[a->rank - 2]);
}
static const struct ball *element(
    struct ask *w, const struct tables *t, struct table of, long h, long at, long c) /* T[at][c] */
{
    const char *name = name_of(w, t, of);
    return by_head(w, name) ? b_in(w, name, h, at, c) : b_in(w, name, at, c, 0);
}

/* The product <x, T[at]>; NULL where at is below 0 or the row has no such table. */
static const struct ball *dot(
    struct ask *w, const struct tables *t, struct table of, struct span x, long h, long at)
{
    const char *name = at < 0 ? NULL : name_of(w, t, of);
    if (!name)
        return NULL;
    const struct span row = by_head(w, name) ? span(w, name, h, at) : span(w, name, at, 0);
    return b_dot(w, PRODUCT, DOT, x, row, dim_in(w, "q", 2));
}
const struct ball *table_by_query(struct ask *w, const struct tables *t, long h, long i, long j)
{
    return dot(w, t, t->key, span(w, "q", h, i), h, place(w, t, t->key, i, j));
}
const struct ball *table_by_key(struct ask *w, const struct tables *t, long h, long i, long j)
{
    return dot(w, t, t->query, span(w, "k", h, j), h, place(w, t, t->query, i, j));
}
const struct ball *table_terms(struct ask *w, const struct tables *t, long h, long i, long j)
{
    const struct ball *q = table_by_query(w, t, h, i, j), *k = table_by_key(w, t, h, i, j);
    return q && k ? b_step(w, t->join, b_add(w, q, k)) : q ? q : k;
}
const struct ball *table_term(struct ask *w, const struct ball *x) { return x ? x : b_si(w, 0); }
void table_vector(struct ask *w, const struct tables *t, const struct ball **y)
{
    const long at = place(w, t, t->key, w->at[0], w->at[1]);
    for (long c = 0; c < w->len; c++)
        y[c] = at < 0 ? b_si(w, 0) : element(w, t, t->key, 0, at, c);
}

/* The sum x + T[at][c], rounded at step join; x itself where at is below 0. */
static const struct ball *beside(struct ask *w, const struct ball *x, struct table of, long h, long at, long c)
{
    const struct tables *t = w->with;
    return at < 0 ? x : b_step(w, t->join, b_add(w, x, element(w, t, of, h, at, c)));
}
const struct ball *table_key(struct ask *w, long h, long i, long j, long c)
{
    const struct table of = ((const struct tables *)w->with)->key;
    return beside(w, mix_k(w, h, i, j, c), of, h, place(w, w->with, of, i, j), c);
}
const struct ball *table_query(struct ask *w, long h, long i, long c)
{
    const struct table of = ((const struct tables *)w->with)->query;
    return beside(w, mix_q(w, h, i, c), of, h, place(w, w->with, of, i, w->at[1]), c);
}
const struct ball *table_value(struct ask *w, long h, long i, long j, long c)
{
    const struct table of = ((const struct tables *)w->with)->value;
    return beside(w, mix_v(w, h, i, j, c), of, h, place(w, w->with, of, i, j), c);
}
static const struct ball *vector_of_value(struct ask *w, long h, long i, long j, long c)
{
    const struct tables *t = w->with;
    const long at = place(w, t, t->value, i, j);
    return at < 0 ? b_si(w, 0) : element(w, t, t->value, h, at, c);
}
void table_output(struct ask *w, const struct mix *m, int gather, const struct ball **y)
{
    struct mix values = *m, vectors = *m;
    values.value = mix_v, vectors.value = vector_of_value, vectors.gather = gather;
    if (gather)
        mix_apart(w, &values, &vectors, ((const struct tables *)m->with)->join, y);
    else
        mix_output(w, m, y);
}

static bool gathers(const struct ask *w, struct table of, long h, long i, long j)
{
    const bool heads = by_head(w, of.name);
    return (!heads || h == w->at[0]) && of.at(w, i, j) == w->at[heads];
}
bool table_of_key(const struct ask *w, long h, long i, long j)
{
    const struct table of = ((const struct tables *)w->with)->key;
    return of.name && gathers(w, of, h, i, j);
}
bool table_of_query(const struct ask *w, long h, long i, long j)
{
    const struct table of = ((const struct tables *)w->with)->query;
    return of.name && gathers(w, of, h, i, j);
}
bool table_of_value(const struct ask *w, long h, long i, long j)
{
    const struct table of = ((const struct tables *)w->with)->value;
    return of.name && gathers(w, of, h, i, j);
}

static const struct ball *query_and_key(struct ask *w, long h, long i, long j, long c)
{
    return b_step(w, ((const struct tables *)w->with)->join, b_add(w, mix_q(w, h, i, c), mix_k(w, h, i, j, c)));
}
void table_key_grad(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y)
{
    const struct tables *t = w->with;
    const struct mix_met alone = { .of = m->of, .query = mix_q }, both = { .of = m->of, .key = query_and_key };
    if (t->query.name && !strcmp(t->query.name, t->key.name))
        mix_pair_grad(w, g, &both, y);
    else
        mix_key_grad(w, g, &alone, y);
}

const struct ball *table_sum(
    struct ask *w, const char *seed, mix_picks *of, bool (*defined)(const struct ask *w, long i, long j))
{
    const struct mer_array *a = array_in(w, seed);
    const long n = a->dim[1], m = a->dim[2];
    const struct ball **t = need((size_t)array_len(a) + 1, sizeof *t), *sum;
    long terms = 0;
    for (long k = 0; k < a->dim[0] * n * m; k++) {
        if (!defined(w, k / m % n, k % m) || !of(w, k / (n * m), k / m % n, k % m))
            continue;
        terms = w->arith->fault == FAULT_OVERWRITTEN ? 0 : terms;
        t[terms++] = b_in(w, seed, k / (n * m), k / m % n, k % m);
    }
    sum = b_sum(w, SUM, t, terms);
    free(t);
    return sum;
}

/* Relative attention over a memory: distances, their sinusoids, what a query sees; see memory.h. */
#include <stdio.h>
#include "relative/memory.h"
#include "row/memo.h"
#include "row/shared.h"

const char memory_steps[] = "join bias project collect mean norm";

long memory_delta(const struct ask *w, long i, long j)
{
    const long memory = dim_in(w, "k", 1) - dim_in(w, "q", 1);
    return i_add(w, memory, lag(w, i, j));
}
long memory_cut(const struct ask *w, long distance, bool both)
{
    const long clamp = ((const struct memory *)w->params)->clamp;
    return b_true(w, clamp < 0) ? distance : i_clip(w, distance, both ? -clamp : distance, clamp);
}

static struct place_waves waves_of(const struct memory *p)
{
    return (struct place_waves){ p->base, p->layout == INTERLEAVED, p->frequency == LOGARITHM };
}
static void make_row(struct ask *w, long distance, long c, const struct ball **R)
{
    const struct memory *p = w->params;
    wave_row(w, waves_of(p), b_true(w, p->sign == KEY_MINUS_QUERY) ? -distance : distance, c, R);
}
static void given_row(struct ask *w, long distance, long c, const struct ball **R)
{
    const long t = dim_in(w, "k", 1) - distance;
    for (long k = 0; k < c; k++)
        R[k] = t >= 0 && t < dim_in(w, "rows", 0) ? b_in(w, "rows", t, k, 0) : b_nan(w);
}
void memory_row(struct ask *w, const struct row *r, long distance, bool both, long c, const struct ball **R)
{
    if (has_in(w, "rows"))
        given_row(w, distance, c, R);
    else
        memo_row(w, row_params(r), w->params, r->size, memory_cut(w, distance, both), c, make_row, R);
}

/* The relative shift reads X[n,W] as [W,n], drops the first row, and reads the rest as [n,W-1] (Dai et al. 2019,
 * appendix B).  This is where its entry (i, j) stood in X; row n is behind the end, where nothing was. */
struct page_memory_entry { long row, column; };
static struct page_memory_entry rel_shift(const struct ask *w, long n, long W, long i, long j)
{
    const long at = i_add(w, i_add(w, n, i_mul(w, i, lag(w, W, 1))), j);
    return (struct page_memory_entry){ i_div(w, at, W), i_mod(w, at, W) };
}
struct memory_entry memory_entry(const struct ask *w, bool past, long i, long j)
{
    const long n = dim_in(w, "q", 1), m = dim_in(w, "k", 1);
    if (((const struct memory *)w->params)->route == DIRECT)
        return (struct memory_entry){ i, memory_delta(w, i, j) };
    const struct page_memory_entry X = rel_shift(w, n, m + (past ? 1 : n), i, j);
    return (struct memory_entry){ X.row, lag(w, m, X.column) };
}

void memory_shifted(struct ask *w, bool zeros, const struct ball **y)
{
    const long n = dim_in(w, "s", 0), columns = dim_in(w, "s", 1) + zeros;
    for (long j = 0; j < w->len; j++) {
        const struct page_memory_entry X = rel_shift(w, n, columns, w->at[0], j);
        y[j] = X.row >= n          ? b_nan(w) :
            zeros && X.column == 0 ? b_si(w, 0) :
                                     b_in(w, "s", X.row, X.column - zeros, 0);
    }
}

bool memory_past(const struct ask *w, long h, long i, long j)
{
    return mix_kept(w, h, i, j) && i_at_most(w, 0, memory_delta(w, i, j));
}
struct mix memory_mix(const struct ask *w, const struct ball *(*score)(struct ask *w, long h, long i, long j),
    bool (*visible)(const struct ask *w, long h, long i, long j), const struct placed *with)
{
    const struct memory *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, visible, .with = with }, &p->tiles);
}
static const struct ball *scale_of(struct ask *w) { return mix_scale(w, ((const struct memory *)w->params)->scale); }
struct mix_grad memory_grad(struct mix m) { return (struct mix_grad){ m, "do", scale_of }; }

const char *memory_refuse(const void *params)
{
    const struct memory *p = params;
    return mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        mpq_sgn(p->scale) < 0             ? "scale: must not be below 0" :
        mpq_sgn(p->eps) < 0               ? "eps: must not be below 0" :
                                            NULL;
}
/* Refuses given rows that are fewer than the distances at which an output reads them: n + m, or m + 1 where keys behind
 * their query are not read. */
static int rows_misfit(const struct mer_call *c, char *why, size_t n)
{
    const bool past = mer_is(c, "causal", "causal") && !mer_out(c, "position");
    const struct mer_array *rows = mer_in(c, "rows"), *q = mer_in(c, "q"), *k = mer_in(c, "k"), *x = mer_in(c, "x"),
                           *mem = mer_in(c, "mem");
    const long queries = q ? (long)q->dim[1] : x ? (long)x->dim[0] : 0,
               keys = k ? (long)k->dim[1] : queries + (mem ? (long)mem->dim[0] : 0),
               least = keys + (past ? 1 : queries);
    if (!rows || rows->dim[0] >= least)
        return 0;
    return snprintf(why, n, "rows: %ld of them, where %ld queries and %ld keys read %ld", (long)rows->dim[0], queries,
               keys, least),
           -1;
}
int memory_misfit(const void *params, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *wide[] = { mer_in(c, "rows") ? NULL : mer_in(c, "wr"), mer_out(c, "table") };
    for (int k = 0; k < 2; k++)
        if (wide[k] && wave_misfit(waves_of(params), wide[k]->dim[1], why, n))
            return -1;
    return rows_misfit(c, why, n);
}

const struct param memory_scale_params[] = {
    { .as = &param_timescale, .at = offsetof(struct memory, base) },
    { .as = &param_scale, .at = offsetof(struct memory, scale) },
    { 0 },
};
const struct param memory_wave_params[] = {
    { "sign", "query-key", "R at delta = M + i - j, or at -delta", ENUM, offsetof(struct memory, sign),
        .choices = "query-key key-query" },
    { "layout", "concat", "order of sines and cosines", ENUM, offsetof(struct memory, layout),
        .choices = "concat interleaved" },
    { 0 },
};
const struct param memory_route_params[] = {
    { "frequency", "powers", "how R's frequencies are computed", ROUTE, offsetof(struct memory, frequency),
        .choices = "powers logarithm" },
    { .list = tiles_params, .at = offsetof(struct memory, tiles) },
    { 0 },
};
const struct param memory_route = { "route", "direct", "position terms at their distance, or through the shift", ROUTE,
    .choices = "direct shift" };

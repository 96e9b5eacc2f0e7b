/* Transformer-XL's relative attention.                                                  Dai et al. 2019, section 3.3
 *   s[j] = scale (<q_i, k_j> + <q_i, r> + <u, k_j> + <v, r>)      r = W_kR R_delta, delta = M + i - j, M = m - n
 *                 (a) content  (b) position (c) content bias (d) position bias       computed as <q_i + u, k_j> + <q_i + v, r>
 * R: the sinusoid of c columns, c the model's width; W_kR[h,c,d] is not W_kE, which made k.  u, v (here vr) one vector a head, behind W_q:
 * the seeds' u in R^c is per model, and 001's u W_Q is this u.  An odd c ends in a zero column.
 * causal=none: every distance of a bidirectional layer (Conformer).  clamp: min(delta, clamp); -1 none.  sign=key-query: R at -delta.
 * route=shift: (b) + (d) read out of X[i][c] = <q_i + v, r of top - c> through the shift: prepend a zero column, read [n,P+1] as [P+1,n], drop
 * the first row, read as [n,P].  P = m columns when causal (then right of j = M + i stands 0, then row i + 1), n + m - 1 otherwise.
 * given: o where r is an input, one vector for each distance 0 ..; others are cut to that range.
 * Layer: keys and values of the memory and x; order=post: y = LN(x + att wo), pre: y = x + att(LN) wo, none: y = att wo + bo. */
#include <stdlib.h>
#include "norm.h"
#include "place.h"
#include "project.h"

struct txl { long clamp; mpq_t base, scale, eps; int sign, layout, causal, order, frequency, route; };
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY }; enum { CAUSAL, ALL }; enum { POST, PRE, PLAIN }; enum { DIRECT, SKEWED }; enum { CONCAT, INTERLEAVED }; enum { POWERS, LOGARITHM };
enum { JOIN = MIX_STEPS, BIAS, PROJECT, COLLECT, MEAN, NORM }; /* (a + c) + (b + d), the residual; q + u, q + v; products and sums of W_kR and the layer */
extern const struct row row_txl, row_sinusoid;

static long dim(const struct ask *w, const char *a, int axis) { return array_in(w, a)->dim[axis]; }
static long delta(const struct ask *w, long i, long j) { return dim(w, "k", 1) - dim(w, "q", 1) + i - j; }

/* <q_i + b, r> at a distance; terms without q or without b */
static const struct ball *place(struct ask *w, long h, long i, long distance, bool query, const char *b)
{
    const struct txl *p = w->params;
    distance = p->clamp >= 0 && distance > p->clamp ? p->clamp : distance;
    if (has_in(w, "r")) {
        long last = dim(w, "r", 1) - 1;
        return biased_dot(w, h, i, query, b, BIAS, span(w, "r", h, distance > last ? last : distance < 0 ? 0 : distance));
    }
    long c = dim(w, "wr", 1), d = dim(w, "q", 2);
    size_t mark = w->used;
    const struct ball **R = need((size_t)(c + d), sizeof *R), **r = R + c, *s;
    struct mer_array line;
    wave_row(w, (struct waves){ p->base, p->layout == INTERLEAVED, p->frequency == LOGARITHM }, p->sign == KEY_MINUS_QUERY ? -distance : distance, c, R);
    wave_project(w, R, h, PROJECT, COLLECT, r);
    s = biased_dot(w, h, i, query, b, BIAS, span_of(&line, r, d));
    free(R);
    return ask_keep(w, mark, s);
}

static const struct ball *shifted_place(struct ask *w, long h, long i, long j)
{
    long n = dim(w, "q", 1), m = dim(w, "k", 1), P = ((const struct txl *)w->params)->causal == CAUSAL ? m : n + m - 1;
    long at = n + i * P + j, row = at / (P + 1), column = at % (P + 1);
    return column == 0 ? b_si(w, 0) : place(w, h, row, m - 1 - (column - 1), true, "vr");
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct txl *p = w->params;
    const struct ball *s = biased_dot(w, h, i, true, "u", BIAS, span(w, "k", h, j));
    s = b_step(w, JOIN, b_add(w, s, p->route == SKEWED ? shifted_place(w, h, i, j) : place(w, h, i, delta(w, i, j), true, "vr")));
    return b_step(w, SCORE, mpq_sgn(p->scale) ? b_mul(w, s, b_q(w, p->scale)) : b_div(w, s, b_sqrt(w, b_si(w, dim(w, "q", 2)))));
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "v", h, j, c); }
static bool visible(const struct ask *w, long h, long i, long j) { return mix_kept(w, h, i, j) && (((const struct txl *)w->params)->causal == ALL || delta(w, i, j) >= 0); }
static struct mix mixing(const struct ask *w) { return (struct mix){ dim(w, "k", 1), score, value, visible }; }

static void output(struct ask *w, const struct ball **y) { struct mix m = mixing(w); mix_output(w, &m, y); }
static void lse(struct ask *w, const struct ball **y) { struct mix m = mixing(w); mix_lse(w, &m, y); }
static void weights(struct ask *w, const struct ball **y) { struct mix m = mixing(w); mix_weights(w, &m, y); }
static void terms(struct ask *w, const struct ball **y, bool query, const char *b, bool position)
{
    long h = w->at[0], i = w->at[1];
    for (long j = 0; j < w->len; j++)
        y[j] = position ? place(w, h, i, delta(w, i, j), query, b) : biased_dot(w, h, i, query, b, BIAS, span(w, "k", h, j));
}
static void content(struct ask *w, const struct ball **y) { terms(w, y, true, NULL, false); }
static void position(struct ask *w, const struct ball **y) { terms(w, y, true, NULL, true); }
static void content_bias(struct ask *w, const struct ball **y) { terms(w, y, false, "u", false); }
static void position_bias(struct ask *w, const struct ball **y) { terms(w, y, false, "vr", true); }
static void shifted(struct ask *w, const struct ball **y) /* the trick alone, zero and stale entries included */
{
    long n = dim(w, "s", 0), m = dim(w, "s", 1);
    for (long j = 0; j < w->len; j++) {
        long at = n + w->at[0] * m + j, row = at / (m + 1), column = at % (m + 1);
        y[j] = column ? b_in(w, "s", row, column - 1, 0) : b_si(w, 0);
    }
}

/* Rows of the memory and x, as balls; normalised if order=pre. */
static struct mer_array context(struct ask *w)
{
    const struct txl *p = w->params;
    const struct mer_array *mem = mer_in(w->call, "mem"), *x = array_in(w, "x");
    long l = mem ? mem->dim[0] : 0, n = x->dim[0], c = x->dim[1];
    const struct ball **z = need((size_t)((l + n) * c) + 1, sizeof *z);
    for (long k = 0; k < (l + n) * c; k++)
        z[k] = k < l * c ? b_element(w, mem, k) : b_element(w, x, k - l * c);
    for (long k = 0; k < l + n && p->order == PRE; k++)
        layer_norm(w, MEAN, NORM, z + k * c, c, mer_in(w->call, "gain"), mer_in(w->call, "shift"), p->eps, z + k * c);
    return (struct mer_array){ .name = "z", .type = BALLS, .rank = 2, .dim = { l + n, c }, .data = z };
}
static void in_layer(struct ask *w, bool all, const struct ball **y)
{
    const struct txl *p = w->params;
    struct mer_array z = context(w), x = z;
    long n = dim(w, "x", 0), c = z.dim[1], i = w->at[all ? 0 : 1];
    x.dim[0] = n, x.data = (const struct ball **)z.data + (z.dim[0] - n) * c;
    struct self s = { &row_txl, &x, &z, .product = PROJECT, .sum = COLLECT };
    self_more(w, &s, "u vr wr");
    self_hide(w, &s, "mask");
    if (all)
        self_output(w, &s, i, y);
    else
        self_weights(w, &s, w->at[0], i, y);
    for (long k = 0; k < c && all && p->order != PLAIN; k++)
        y[k] = b_step(w, JOIN, b_add(w, b_in(w, "x", i, k, 0), y[k]));
    if (all && p->order == POST)
        layer_norm(w, MEAN, NORM, y, c, mer_in(w->call, "gain"), mer_in(w->call, "shift"), p->eps, y);
    self_close(&s), free(z.data);
}
static void layer_output(struct ask *w, const struct ball **y) { in_layer(w, true, y); }
static void layer_weights(struct ask *w, const struct ball **y) { in_layer(w, false, y); }

static const char *refuse(const void *q)
{
    const struct txl *p = q;
    return mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" : mpq_sgn(p->scale) < 0 ? "scale: must not be below 0" : mpq_sgn(p->eps) < 0 ? "eps: must not be below 0" : NULL;
}
static const struct param params[] = {
    { "clamp", "-1", "distances are cut to at most this; -1 = not", INT, offsetof(struct txl, clamp), .least = -1, .most = 1L << 40 },
    { "base", "10000", "longest timescale", RATIONAL, offsetof(struct txl, base) },
    { "scale", "0", "0 = 1/sqrt(d)", RATIONAL, offsetof(struct txl, scale) },
    { "eps", "1/100000", "of the layer's normalisation", RATIONAL, offsetof(struct txl, eps) },
    { "sign", "query-key", "R at delta = M + i - j, or at -delta", ENUM, offsetof(struct txl, sign), .choices = "query-key key-query" },
    { "layout", "concat", "order of sines and cosines", ENUM, offsetof(struct txl, layout), .choices = "concat interleaved" },
    { "causal", "causal", "mask: j <= M + i, or every key", ENUM, offsetof(struct txl, causal), .choices = "causal none" },
    { "order", "post", "the layer's residual and normalisation", ENUM, offsetof(struct txl, order), .choices = "post pre none" },
    { "frequency", "powers", "how R's frequencies are computed", ROUTE, offsetof(struct txl, frequency), .choices = "powers logarithm" },
    { "route", "direct", "position terms at their distance, or through the shift", ROUTE, offsetof(struct txl, route), .choices = "direct shift" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1901.02860" }, { "seed", "scale=1 layout=interleaved", "001_46dc594335e7cb0b.txt; the table of the Transformer" },
    { "code:kimiyoung/transformer-xl", "route=shift clamp=5 order=pre", "mem_transformer.py; clamp_len is 400 (wt103 base), 820 (enwik8), 1000 (large)" },
    { "code:huggingface/transformers", "causal=none layout=interleaved order=none frequency=logarithm route=shift", "modeling_wav2vec2_conformer.py" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_sinusoid, NULL };
const struct row row_txl = {
    .name = "txl", .title = "relative attention with memory", .cite = "Dai et al. 2019",
    .steps = { mix_steps, "join bias project collect mean norm" }, .parts = parts,
    .params = params, .size = sizeof(struct txl), .presets = presets, .contracts = contracts, .refuse = refuse, .sizes = "c=4 d=3 e=2",
    .q = { { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> o[h,n|e]", output }, { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> lse[h,n|]", lse },
      { "q[h,n,d] k[h,m,d] u[h,d] vr[h,d] wr[h,c,d] int keep?[h,n,m] -> weights[h,n|m]", weights },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] vr[h,d] r[h,p,d] int keep?[h,n,m] -> given[h,n|e]", output },
      { "q[h,n,d] k[h,m,d] -> content[h,n|m]", content }, { "q[h,n,d] k[h,m,d] wr[h,c,d] -> position[h,n|m]", position },
      { "q[h,n,d] k[h,m,d] u[h,d] -> content_bias[h,n|m]", content_bias }, { "q[h,n,d] k[h,m,d] vr[h,d] wr[h,c,d] -> position_bias[h,n|m]", position_bias },
      { "s[n,m] -> shifted[n|m]", shifted },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] bq?[h,d] bk?[h,d] bv?[h,e] u[h,d] vr[h,d] wr[h,c,d] gain?[c] shift?[c] int mask?[n,m] -> layer_weights[h,n|m]", layer_weights },
      { "x[n,c] mem?[l,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] wo[h,e,c] bq?[h,d] bk?[h,d] bv?[h,e] bo?[c] u[h,d] vr[h,d] wr[h,c,d] gain?[c] shift?[c] int mask?[n,m] -> y[n|c]", layer_output } },
};

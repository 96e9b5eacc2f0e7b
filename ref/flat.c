/* Flat-lattice attention.                                               Li, Yan, Qiu, Huang 2020, eq. 3-9
 * Nodes: the characters c (head = tail = c), then the words (head .. tail).  Between spans i and j four signed distances:
 *   hh = head_i - head_j      ht = head_i - tail_j      th = tail_i - head_j      tt = tail_i - tail_j
 *   R_ij = ReLU([P_hh; P_ht; P_th; P_tt] Wf + bf)      P = sinusoidal rows of model width c
 *   s[j] = <q_i + u, k_j> + <q_i + w, R_ij Wr + br>      u, w per head; no scale
 * The released code fuses hh and tt only (fusion=two), spaces frequencies by c/2 - 1, lays sines before cosines, fills padding with -1e15
 * (a row without keys is their mean), and with rel_pos_init=0 evaluates P at distance + reach, the row number (index=shifted).
 * Attention mixes the values as they are; keys are the tokens themselves there (k_proj=False), which is the asker's q, k, v.
 * Trap: R_ww is not R_cc, though both are a node with itself: ht = -(length - 1), th = length - 1. */
#include <stdlib.h>
#include "mix.h"
#include "row.h"
#include "sine_row.h"

struct flat { long chars, reach; struct sine_row sine; struct list words; int fusion, index, scale, empty; };
enum { FOUR, TWO }; enum { SIGNED, SHIFTED_INDEX }; enum { UNSCALED, WIDTH };
enum { HH, HT, TH, TT, DISTANCES };
enum { CONTENT, PLACE, KEY_BIAS, PLACE_BIAS, TERMS };
enum { JOIN = MIX_STEPS, PROJECT, COLLECT };
extern const struct row row_sinusoid;

static long end_of(const struct flat *p, long i, int tail) { return i < p->chars ? i : (long)mpz_get_si(mpq_numref(p->words.v[2 * (i - p->chars) + tail])); }
static long distance(const struct flat *p, long i, long j, int k) /* what P is evaluated at */
{
    return end_of(p, i, k == TH || k == TT) - end_of(p, j, k == HT || k == TT) + (p->index == SHIFTED_INDEX ? p->reach : 0);
}

static void relation(struct ask *w, long i, long j, const struct ball **y) /* R_ij[c] */
{
    const struct flat *p = w->params;
    static const int four[] = { HH, HT, TH, TT }, two[] = { HH, TT };
    long c = p->sine.dim, parts = p->fusion == FOUR ? 4 : 2;
    const struct ball **P = need((size_t)(parts * c), sizeof *P), **t = need((size_t)(parts * c) + 1, sizeof *t);
    for (long k = 0; k < parts; k++)
        sine_row(w, &p->sine, distance(p, i, j, (parts == 4 ? four : two)[k]), P + k * c);
    for (long o = 0; o < c; o++) {
        for (long k = 0; k < parts * c; k++)
            t[k] = b_step(w, PROJECT, b_mul(w, P[k], b_in(w, "wf", k, o, 0)));
        if (has_in(w, "bf"))
            t[parts * c] = b_in(w, "bf", o, 0, 0);
        y[o] = b_max(w, b_sum(w, COLLECT, t, parts * c + has_in(w, "bf")), b_si(w, 0));
    }
    free(P), free(t);
}

static const struct ball *biased(struct ask *w, long h, const char *bias, struct span q, struct span x, long d) /* <q + bias_h, x> */
{
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    for (long c = 0; c < d; c++)
        t[c] = b_step(w, PRODUCT, b_mul(w, b_step(w, JOIN, b_add(w, b_element(w, q.a, q.at + c), b_in(w, bias, h, c, 0))), b_element(w, x.a, x.at + c)));
    const struct ball *s = b_sum(w, DOT, t, d);
    free(t);
    return s;
}

static struct mer_array place(struct ask *w, long h, long i, long j) /* R_ij Wr + br of head h, [d] */
{
    const struct mer_array *m = array_in(w, "wr");
    long c = m->dim[1], d = m->dim[2];
    const struct ball **R = need((size_t)c, sizeof *R), **t = need((size_t)c + 1, sizeof *t), **y = need((size_t)d + 1, sizeof *y);
    relation(w, i, j, R);
    for (long o = 0; o < d; o++) {
        for (long k = 0; k < c; k++)
            t[k] = b_step(w, PROJECT, b_mul(w, R[k], b_in(w, "wr", h, k, o)));
        if (has_in(w, "br"))
            t[c] = b_in(w, "br", h, o, 0);
        y[o] = b_sum(w, COLLECT, t, c + has_in(w, "br"));
    }
    free(R), free(t);
    return (struct mer_array){ .type = BALLS, .rank = 1, .dim = { d }, .data = y };
}

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    long d = array_in(w, "q")->dim[2];
    struct mer_array r = place(w, h, i, j);
    struct span q = span(w, "q", h, i);
    const struct ball *s = b_step(w, JOIN, b_add(w, biased(w, h, "u", q, span(w, "k", h, j), d), biased(w, h, "w", q, (struct span){ &r, 0 }, d)));
    free(r.data);
    return ((const struct flat *)w->params)->scale == UNSCALED ? s : b_step(w, SCORE, b_div(w, s, b_sqrt(w, b_si(w, d))));
}
static void terms(struct ask *w, const struct ball **y)
{
    long h = w->at[0], d = array_in(w, "q")->dim[2];
    struct mer_array r = place(w, h, w->at[1], w->at[2]);
    struct span q = span(w, "q", h, w->at[1]), k = span(w, "k", h, w->at[2]), R = { &r, 0 };
    y[CONTENT] = b_dot(w, PRODUCT, DOT, q, k, d), y[PLACE] = b_dot(w, PRODUCT, DOT, q, R, d);
    y[KEY_BIAS] = b_dot(w, PRODUCT, DOT, span(w, "u", h, 0), k, d), y[PLACE_BIAS] = b_dot(w, PRODUCT, DOT, span(w, "w", h, 0), R, d);
    free(r.data);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c) { (void)i; return b_in(w, "v", h, j, c); }
static struct mix mixing(const struct ask *w) { const struct flat *p = w->params; return (struct mix){ array_in(w, "k")->dim[1], score, value, mix_kept, .empty = p->empty }; }
static void output(struct ask *w, const struct ball **y) { struct mix m = mixing(w); mix_output(w, &m, y); }
static void lse(struct ask *w, const struct ball **y) { struct mix m = mixing(w); mix_lse(w, &m, y); }
static void relation_page(struct ask *w, const struct ball **y) { relation(w, w->at[0], w->at[1], y); }
static void head(struct ask *w, const struct ball **y) { y[0] = b_si(w, end_of(w->params, w->at[0], 0)); }
static void tail(struct ask *w, const struct ball **y) { y[0] = b_si(w, end_of(w->params, w->at[0], 1)); }
static void distance_page(struct ask *w, const struct ball **y)
{
    for (int k = 0; k < DISTANCES; k++)
        y[k] = b_si(w, distance(w->params, w->at[0], w->at[1], k));
}

static long extent(const void *q, char axis)
{
    const struct flat *p = q;
    long nodes = p->chars + p->words.n / 2;
    return axis == 'n' || axis == 'm' ? nodes : axis == 'c' ? p->sine.dim : axis == 'f' ? (p->fusion == FOUR ? 4 : 2) * p->sine.dim : axis == 't' ? DISTANCES : axis == 's' ? TERMS : 0;
}
static const char *refuse(const void *q)
{
    const struct flat *p = q;
    if (p->words.n % 2)
        return "words: a head without its tail";
    for (long k = 0; k < p->words.n; k++)
        if (mpz_cmp_ui(mpq_denref(p->words.v[k]), 1) || mpq_sgn(p->words.v[k]) < 0 || mpq_cmp_si(p->words.v[k], p->chars, 1) >= 0)
            return "words: heads and tails are whole numbers from 0 to chars - 1";
    for (long k = 0; k < p->words.n; k += 2)
        if (mpq_cmp(p->words.v[k], p->words.v[k + 1]) > 0)
            return "words: a head lies behind its tail";
    return p->chars - 1 > p->reach ? "reach: the table of distances does not cover the sentence"
         : sine_row_refuse(&p->sine);
}
static const struct param params[] = {
    { "chars", "4", "characters of the sentence", INT, offsetof(struct flat, chars), .least = 1, .most = 1 << 20 },
    { "words", "0,1,1,3", "heads and tails of its words: head,tail,head,tail ..", LIST, offsetof(struct flat, words) },
    { "reach", "128", "longest distance of the table", INT, offsetof(struct flat, reach), .least = 0, .most = 1L << 40 },
    { "dim", "6", "width c of P and R", INT, offsetof(struct flat, sine.dim), .least = 2, .most = 65536 },
    { "base", "10000", "longest timescale", RATIONAL, offsetof(struct flat, sine.base) },
    { "fusion", "four", "all distances, or hh and tt", ENUM, offsetof(struct flat, fusion), .choices = "four two" },
    { "index", "signed", "P at the distance, or at distance + reach", ENUM, offsetof(struct flat, index), .choices = "signed shifted" },
    { "scale", "none", "none, or 1/sqrt(d)", ENUM, offsetof(struct flat, scale), .choices = "none width" },
    { "layout", "interleaved", "order of sines and cosines", ENUM, offsetof(struct flat, sine.layout), .choices = "interleaved concat" },
    { "spacing", "paper", "exponent -2k/c, or -k/(c/2-1)", ENUM, offsetof(struct flat, sine.spacing), .choices = "paper shifted" },
    { "odd", "refuse", "odd width: last column 0, or last cosine dropped", ENUM, offsetof(struct flat, sine.odd), .choices = "refuse zero drop" },
    { "empty", "zero", "output where nothing is visible", ENUM, offsetof(struct flat, empty), .choices = "zero nan mean" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2004.11795" }, { "seed", "", "003_b61acade01b80136.txt" },
    { "code:LeeSureman/Flat-Lattice-Transformer", "fusion=two layout=concat spacing=shifted odd=zero empty=mean", "V0/modules.py, ff_two, rel_pos_init=1" },
    { "four distances", "layout=concat spacing=shifted odd=zero empty=mean", "V0/modules.py, ff" },
    { "shifted", "fusion=two index=shifted layout=concat spacing=shifted odd=zero empty=mean scale=width", "V0/modules.py, rel_pos_init=0, scaled=True" },
    { "characters alone", "chars=5 words= dim=7 odd=zero layout=concat spacing=shifted", "a sentence without words" }, { 0 },
};
static const struct row *const parts[] = { &row_sinusoid, NULL };
static const struct preset contracts[] = { { 0 } };
const struct row row_flat = {
    .name = "flat", .title = "flat-lattice attention", .cite = "Li et al. 2020",
    .steps = { mix_steps, "join project collect" }, .parts = parts,
    .params = params, .size = sizeof(struct flat), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .sizes = "d=4 e=3",
    .q = { { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] w[h,d] wf[f,c] wr[h,c,d] bf?[c] br?[h,d] int keep?[h,n,m] -> o[h,n|e]", output },
      { "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] w[h,d] wf[f,c] wr[h,c,d] bf?[c] br?[h,d] int keep?[h,n,m] -> lse[h,n|]", lse },
      { "q[h,n,d] k[h,m,d] u[h,d] w[h,d] wf[f,c] wr[h,c,d] bf?[c] br?[h,d] -> terms[h,n,m|s]", terms },
      { "wf[f,c] bf?[c] -> r[n,m|c]", relation_page }, { "-> int head[n|]", head }, { "-> int tail[n|]", tail }, { "-> int distance[n,m|t]", distance_page } },
};

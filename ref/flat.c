/* Flat-lattice attention.                                               Li, Yan, Qiu, Huang 2020, eq. 3-9
 * Nodes: the characters c (head = tail = c), then the words (head .. tail).  Spans i and j have four signed distances:
 *   hh = head_i - head_j      ht = head_i - tail_j      th = tail_i - head_j      tt = tail_i - tail_j
 *   R_ij = ReLU([P_hh; P_ht; P_th; P_tt] Wf + bf)      P = sinusoidal rows of model width c
 *   s[j] = <q_i + u, k_j> + <q_i + w, r_ij>      r_ij = R_ij Wr + br; u, w one vector a head; no scale
 * The released code fuses hh and tt only (fusion=two), spaces frequencies by c/2 - 1, lays sines before cosines, fills
 * padding with -1e15 (a row without keys is their mean), and with rel_pos_init=0 evaluates P at distance + reach, the
 * row number (index=shifted).  Attention mixes the values as they are; keys are the tokens themselves there
 * (k_proj=False), which is the asker's q, k, v.
 * Gradients: dq_i = sum_j ds_ij (k_j + r_ij)    dk_j = sum_i ds_ij (q_i + u)    du = sum ds_ij k_j
 * dw = sum ds_ij r_ij    dwr[c] = sum ds_ij R_ij[c] (q_i + w)
 * Trap: R_ww is not R_cc, though both are a node with itself: ht = -(length - 1), th = length - 1. */
#include <stdlib.h>
#include "edit/branches.h"
#include "layer/project.h"
#include "relative/lattice.h"
#include "relative/place.h"

enum { JOIN = GRAD_STEPS, PROJECT, COLLECT };

static long pair(const struct ask *w, long i, long j) { return i * lattice_nodes(w->params) + j; }
static void relation(struct ask *w, long at, long c, const struct ball **R) /* R_ij[c] of the pair i, j */
{
    const struct flat *p = w->params;
    /* The parts are hh, ht, th, tt, or with fusion=two hh and tt (hence the step). */
    const long parts = p->fusion == FOUR ? 4 : 2, step = p->fusion == FOUR ? 1 : TT, n = lattice_nodes(p);
    const struct ball **P = need((size_t)(parts * c), sizeof *P), **sum;
    struct mer_array line = { .type = BALLS, .rank = 2, .dim = { 1, parts * c }, .data = P };
    struct linear fuse = { *array_in(w, "wf"), mer_in(w->call, "bf"), PROJECT, COLLECT };
    for (long k = 0; k < parts; k++)
        sine_row(w, &p->sine, lattice_distance(w, at / n, at % n, (int)(k * step)), P + k * c);
    sum = project(w, "r", &line, &fuse, 1, 0, 1).data;
    for (long o = 0; o < c; o++)
        R[o] = b_relu(w, sum[o]);
    free(P), free(sum);
}
static const struct placed here = { relation, pair, "w", PROJECT, COLLECT, JOIN, JOIN };

static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct ball *key = biased_dot(w, h, i, true, "u", JOIN, span(w, "k", h, j)),
                      *place = placed_dot(w, &here, pair(w, i, j), h, i, true, "w");
    return mix_by_width(w, ((const struct flat *)w->params)->scale, b_step(w, JOIN, b_add(w, key, place)));
}
static struct mix mixing(const struct ask *w)
{
    const struct flat *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "k", 1), score, mix_v, mix_kept, .empty = p->empty, .with = &here },
        &p->tiles);
}
static struct mix_grad gradient(const struct ask *w)
{
    return mix_grad_by_width(mixing(w), ((const struct flat *)w->params)->scale);
}

static void terms(struct ask *w, const struct ball **y) { placed_terms(w, &here, w->at[0], w->at[1], w->at[2], y); }
static void relation_page(struct ask *w, const struct ball **y) { relation(w, pair(w, w->at[0], w->at[1]), w->len, y); }
static void end(struct ask *w, const struct ball **y) { y[0] = b_si(w, lattice_end(w, w->at[0], w->of)); }
static void distance_page(struct ask *w, const struct ball **y)
{
    for (int k = 0; k < DISTANCES; k++)
        y[k] = b_si(w, lattice_distance(w, w->at[0], w->at[1], k));
}
static long extent(const void *q, char axis)
{
    const struct flat *p = q;
    return axis == 'n' || axis == 'm' ? lattice_nodes(p) :
        axis == 'c'                   ? p->sine.dim :
        axis == 'f'                   ? (p->fusion == FOUR ? 4 : 2) * p->sine.dim :
        axis == 't'                   ? DISTANCES :
        axis == 's'                   ? FOUR_TERMS :
                                        0;
}
static const struct preset presets[] = {
    { "paper", "", "arXiv:2004.11795" }, { "seed", "", "003_b61acade01b80136.txt" },
    { "code:LeeSureman/Flat-Lattice-Transformer", "fusion=two layout=concat spacing=shifted odd=zero empty=mean",
        "V0/modules.py, ff_two, rel_pos_init=1" },
    { "four distances", "layout=concat spacing=shifted odd=zero empty=mean", "V0/modules.py, ff" },
    { "shifted", "fusion=two index=shifted layout=concat spacing=shifted odd=zero empty=mean scale=width",
        "V0/modules.py, rel_pos_init=0, scaled=True" },
    { "characters alone", "chars=5 words= dim=7 odd=zero layout=concat spacing=shifted", "a sentence without words" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define MIXING "q[h,n,d] k[h,m,d] v[h,m,e] u[h,d] w[h,d] wf[f,c] wr[h,c,d] bf?[c] br?[h,d] "
#define GRADIENT MIXING "do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_flat = {
    .name = "flat", .title = "flat-lattice attention", .cite = "Li et al. 2020",
    .steps = { mix_steps, grad_steps, "join project collect" }, .parts = place_parts,
    .declares = lattice_params, .size = sizeof(struct flat), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = lattice_refuse, .sizes = "d=4 e=3",
    .q = {
      { MIXING "int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { MIXING "int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = placed_key },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, placed_query } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { GRADIENT "-> du[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = mix_k } },
      { GRADIENT "-> dw[h|d]", .grad = mix_pair_grad, .back = gradient, .met = { mix_of_head, .key = placed_r } },
      { GRADIENT "-> dwr[h,c|d]", .grad = mix_pair_grad, .back = gradient,
          .met = { mix_of_head, .key = placed_query_v, .last = placed_column } },
      { "q[h,n,d] k[h,m,d] u[h,d] w[h,d] wf[f,c] wr[h,c,d] bf?[c] br?[h,d] -> terms[h,n,m|s]", terms },
      { "wf[f,c] bf?[c] -> r[n,m|c]", relation_page },
      { "-> int head[n|]", end, .of = 0 }, { "-> int tail[n|]", end, .of = 1 },
      { "-> int distance[n,m|t]", distance_page } },
};

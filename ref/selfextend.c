/* Self-Extend: grouped positions beyond a window.   Jin et al. 2024, arXiv:2401.01325, algorithm 1
 *   rho = Delta                                       Delta = c - j < w
 *       = floor(c / G) - floor(j / G) + w - w / G     beyond; division says how w / G is meant
 * floor      w - floor(w / G): the paper, and decoding in the released code        true     a fraction where G does not
 *            divide w: its prefill
 * Trap: with G = 6 and w = 1024 prefill and decoding of one model stand 2/3 of a position apart.
 * Far distances depend on where c and j lie in their groups: scores are not invariant under shifts, except by multiples
 * of G. */
#include "rotary/remap.h"
#include "row/shared.h"

struct selfextend { struct remap of; long window, group; int division; };
enum { FLOOR, TRUE };
extern const struct row row_selfextend;

static struct remap_places places(const struct ask *w, long c, long j)
{
    const struct selfextend *p = w->params;
    if (i_less(w, lag(w, c, j), p->window))
        return (struct remap_places){ c, j, 1 };
    const long query = i_div(w, c, p->group), key = i_div(w, j, p->group);
    if (b_true(w, p->division == FLOOR)) {
        const long shift = lag(w, p->window, i_div(w, p->window, p->group));
        return (struct remap_places){ i_add(w, query, shift), key, 1 };
    }
    const long far = i_mul(w, p->group, i_add(w, query, p->window));
    return (struct remap_places){ lag(w, far, p->window), i_mul(w, p->group, key), counted(w, p->group) };
}
static const struct remapped remapped = { &row_selfextend, places, remap_past };
static struct mix mixing(const struct ask *w) { return remap_mix(w, &remapped); }
static struct mix_grad gradient(const struct ask *w) { return remap_grad(w, &remapped); }
static void distance(struct ask *w, const struct ball **y) { remap_distance(w, &remapped, y); }

static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct remap, dim) },
    { .as = &param_near, .at = offsetof(struct selfextend, window) },
    { "group", "3", "G: so many positions are one beyond the window", INT, offsetof(struct selfextend, group),
        .least = 1, .most = REMAP_DIVIDE - 1 },
    { "division", "floor", "w / G rounded down, or as it is", ENUM, offsetof(struct selfextend, division),
        .choices = "floor true" },
    { .list = remap_params },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2401.01325" },
    { "code:datamllab/LongLM prefill", "division=true window=5 group=2 dim=6 memory=7",
        "self_extend_patch/Llama.py: neighbor_size / group_size" },
    { "code:datamllab/LongLM decode", "window=5 group=2 dim=6 memory=8",
        "self_extend_patch/Llama.py: neighbor_size // group_size" },
    { "far", "window=1024 group=6 division=true memory=131077", "made up: decoding far beyond" },
    { "interleaved", "layout=interleaved dim=10 window=2 group=5 base=500000 scale=1/3 trained=6 memory=5", "made up" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_selfextend = {
    .name = "selfextend", .title = "rotary encoding with grouped far positions", .cite = "Jin et al. 2024",
    .steps = { mix_steps, grad_steps, remap_steps }, .parts = remap_parts,
    .declares = params, .size = sizeof(struct selfextend), .presets = presets, .contracts = contracts,
    .extent = remap_extent, .refuse = remap_refuse,
    .q = {
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = remap_met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, remap_met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { "-> distance[n,m|]", distance } },
};

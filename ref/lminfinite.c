/* LM-Infinite: a lambda-shaped mask, and a limit for distances.   Han et al. 2023, arXiv:2308.16137, section 4
 *   query i at c = memory + i sees key j <= c where Delta = c - j < w, or j < s
 *   rho = Delta                  Delta < w
 *       = L                      beyond, far=still: the released code turns the query to L and leaves the key as it is
 *       = min(Delta, L)          beyond, far=least: the paper
 * Both are one where L = w, which is how the code is called; limit=0 says so.
 * Trap: of the first s keys, those within the window are scored as their neighbours are, not a second time at L: code
 * that concatenates both branches must hide one of them. */
#include "rotary/remap.h"
#include "row/shared.h"

struct lminfinite { struct remap of; long window, sinks, limit; int far; };
enum { STILL, LEAST };
extern const struct row row_lminfinite;

static struct remap_places places(const struct ask *w, long c, long j)
{
    const struct lminfinite *p = w->params;
    const long limit = counted(w, p->limit ? p->limit : p->window), far = lag(w, c, j);
    if (i_less(w, far, p->window) || (b_true(w, p->far == LEAST) && i_at_most(w, far, limit)))
        return (struct remap_places){ c, j, 1 };
    return (struct remap_places){ limit, 0, 1 };
}
static long held(const struct ask *w, long i, long j)
{
    const struct lminfinite *p = w->params;
    const long c = remap_own(w, i);
    return i_at_most(w, j, c) && (i_less(w, lag(w, c, j), p->window) || i_less(w, j, p->sinks));
}
static bool sees(const struct ask *w, long h, long i, long j) { return held(w, i, j) && mix_kept(w, h, i, j); }
static const struct remapped remapped = { &row_lminfinite, places, sees };
static struct mix mixing(const struct ask *w) { return remap_mix(w, &remapped); }
static struct mix_grad gradient(const struct ask *w) { return remap_grad(w, &remapped); }
static void distance(struct ask *w, const struct ball **y) { remap_distance(w, &remapped, y); }

static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct remap, dim) },
    { .as = &param_near, .at = offsetof(struct lminfinite, window) },
    { "sinks", "2", "s: first keys that every later query sees", INT, offsetof(struct lminfinite, sinks), .least = 0,
        .most = 1L << 30 },
    { "limit", "0", "L: the distance beyond the window; 0: the window", INT, offsetof(struct lminfinite, limit),
        .least = 0, .most = 1L << 30 },
    { "far", "still", "every far key at L, or none beyond L", ENUM, offsetof(struct lminfinite, far),
        .choices = "still least" },
    { .list = remap_params },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "sinks=1 window=3 limit=5 far=least memory=5", "arXiv:2308.16137: L is the trained length" },
    { "short", "", "made up" },
    { "code:Glaciohound/LM-Infinite", "sinks=10 window=4096 memory=131077 dim=6",
        "models/llama.py convert_llama_model: limit_distance is local_branch" },
    { "window", "sinks=0 layout=interleaved dim=10 base=500000 scale=1/3 memory=3", "made up" },
    { "limit", "sinks=3 window=2 limit=7 trained=6 memory=6", "models/llama.py: limit_distance of its own" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_lminfinite = {
    .name = "lminfinite", .title = "rotary attention under a lambda-shaped mask", .cite = "Han et al. 2023",
    .steps = { mix_steps, grad_steps, remap_steps }, .parts = remap_parts,
    .declares = params, .size = sizeof(struct lminfinite), .presets = presets, .contracts = contracts,
    .extent = remap_extent, .refuse = remap_refuse,
    .q = {
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = remap_met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, remap_met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { "-> distance[n,m|]", distance },
      { "-> int visible[n,m|]", .index = held } },
};

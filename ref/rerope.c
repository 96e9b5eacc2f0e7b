/* Rectified rotary encoding, plain and leaky.   Su 2023, github.com/bojone/rerope
 *   rho = Delta                     Delta = c - j < w
 *       = w                         beyond, leak = 0: every far key stands at distance w
 *       = w + (Delta - w) / k       beyond, leak = k
 * As computed: far scores from queries all at position w and keys all at 0; leaky ones from angles w_k / leak with
 * queries moved on by w (leak - 1). A model that is trained at distances up to L sees none beyond L when w + (c - w) /
 * k <= L, and the last w as it was trained. Trap: the window counts distances below w; the released code's far part
 * begins at Delta = w, where both agree. */
#include "rotary/remap.h"
#include "row/shared.h"

struct rerope { struct remap of; long window, leak; };
extern const struct row row_rerope;

static struct remap_places places(const struct ask *w, long c, long j)
{
    const struct rerope *p = w->params;
    if (i_less(w, lag(w, c, j), p->window))
        return (struct remap_places){ c, j, 1 };
    if (b_true(w, !p->leak))
        return (struct remap_places){ counted(w, p->window), 0, 1 };
    const long more = i_mul(w, p->window, lag(w, p->leak, 1));
    return (struct remap_places){ i_add(w, c, more), j, counted(w, p->leak) };
}
static const struct remapped remapped = { &row_rerope, places, remap_past };
static struct mix mixing(const struct ask *w) { return remap_mix(w, &remapped); }
static struct mix_grad gradient(const struct ask *w) { return remap_grad(w, &remapped); }
static void distance(struct ask *w, const struct ball **y) { remap_distance(w, &remapped, y); }

static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct remap, dim) },
    { .as = &param_near, .at = offsetof(struct rerope, window) },
    { "leak", "0", "k: beyond the window, k positions are one; 0: all are none", INT, offsetof(struct rerope, leak),
        .least = 0, .most = REMAP_DIVIDE - 1 },
    { .list = remap_params },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "kexue.fm/archives/9708" },
    { "leaky", "leak=3 memory=6", "kexue.fm/archives/9708" },
    { "code:bojone/rerope", "window=5 trained=7 dim=6 memory=9", "rerope_patch.py: with log n" },
    { "code:bojone/rerope leaky", "window=3 leak=16 trained=7 memory=5", "leaky_rerope_patch.py: with log n" },
    { "far", "window=512 leak=8 memory=131077", "made up: decoding far beyond" },
    { "interleaved", "layout=interleaved dim=10 window=2 leak=2 base=500000 scale=1/3 memory=4", "made up" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_rerope = {
    .name = "rerope", .title = "rectified rotary encoding", .cite = "Su 2023",
    .steps = { mix_steps, grad_steps, remap_steps }, .parts = remap_parts,
    .declares = params, .size = sizeof(struct rerope), .presets = presets, .contracts = contracts,
    .extent = remap_extent, .refuse = remap_refuse,
    .q = {
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = remap_met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, remap_met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { "-> distance[n,m|]", distance } },
};

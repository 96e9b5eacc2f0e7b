/* Streaming attention: sinks and a recent window, positions counted within the cache.
 * Xiao et al. 2024, arXiv:2309.17453, section 3.2
 *   query i at c = memory + i sees key j where j < s, or j > c - R
 *   and j <= c; e = max(0, c + 1 - s - R) keys are evicted
 *   places: query c - e, key j of the recent j - e, of the sinks j        positions=cache
 *           query c, key j   positions=text: the same keys, at distances never trained
 * Keys are stored unrotated and turned anew in every step, since their places move.
 * Trap: with positions=text the sinks stand at distances up to c; with sinks=0 and positions=cache it is a sliding
 * window, no score differs from rope's. */
#include "rotary/remap.h"
#include "row/shared.h"

struct streaming { struct remap of; long sinks, recent; int positions; };
enum { CACHE, TEXT };
extern const struct row row_streaming;

static long evicted(const struct ask *w, long c)
{
    const struct streaming *p = w->params;
    const long keys = i_add(w, c, 1), most = i_add(w, p->sinks, p->recent);
    return i_less(w, most, keys) ? lag(w, keys, most) : 0;
}
static struct remap_places places(const struct ask *w, long c, long j)
{
    const struct streaming *p = w->params;
    const long e = b_true(w, p->positions == CACHE) ? evicted(w, c) : 0;
    return (struct remap_places){ lag(w, c, e), i_less(w, j, p->sinks) ? j : lag(w, j, e), 1 };
}
static long held(const struct ask *w, long i, long j)
{
    const struct streaming *p = w->params;
    const long c = remap_own(w, i);
    return i_at_most(w, j, c) && (i_less(w, j, p->sinks) || i_at_most(w, i_add(w, p->sinks, evicted(w, c)), j));
}
static bool sees(const struct ask *w, long h, long i, long j) { return held(w, i, j) && mix_kept(w, h, i, j); }
static const struct remapped remapped = { &row_streaming, places, sees };
static struct mix mixing(const struct ask *w) { return remap_mix(w, &remapped); }
static struct mix_grad gradient(const struct ask *w) { return remap_grad(w, &remapped); }
static void distance(struct ask *w, const struct ball **y) { remap_distance(w, &remapped, y); }

static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct remap, dim) },
    { "sinks", "2", "s: first keys that are never evicted", INT, offsetof(struct streaming, sinks), .least = 0,
        .most = 1L << 30 },
    { "recent", "3", "R: last keys held", INT, offsetof(struct streaming, recent), .least = 1, .most = 1L << 30 },
    { "positions", "cache", "counted within the cache, or in the text", ENUM, offsetof(struct streaming, positions),
        .choices = "cache text" },
    { .list = remap_params },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "sinks=4 recent=2 memory=5", "arXiv:2309.17453" },
    { "short", "", "made up" },
    { "code:mit-han-lab/streaming-llm", "sinks=4 recent=1020 memory=131077 dim=6",
        "kv_cache.py: start_size=4, the last of 131078 tokens" },
    { "window", "sinks=0 recent=4 layout=interleaved dim=10 base=500000 scale=1/3 memory=3", "made up" },
    { "text", "positions=text sinks=1 recent=4 trained=6 memory=6", "made up" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_streaming = {
    .name = "streaming", .title = "rotary attention over sinks and a recent window", .cite = "Xiao et al. 2024",
    .steps = { mix_steps, grad_steps, remap_steps }, .parts = remap_parts,
    .declares = params, .size = sizeof(struct streaming), .presets = presets, .contracts = contracts,
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

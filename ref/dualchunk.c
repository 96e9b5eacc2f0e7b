/* Dual chunk attention: positions within chunks, three kinds of pairs.   An et al. 2024, arXiv:2402.17463, section 3.2
 *   chunks of s = C - w positions: key j stands at j mod s, and query c
 *   at c mod s                     its own chunk                              rho = c - j
 *   at min(c mod s + s, top)       the chunk before: the w nearest are right  rho = c - j where that is below top
 *   at top                         chunks further back
 *   top = C - 1                    last=below: the paper, where C is the trained length
 *       = min(C, 2 s - 1)          last=at: the released code and vLLM, which clamp at the size of a chunk
 * No distance is beyond top, and neighbours across the border of two chunks keep theirs while w lasts (2 w <= C).
 * Trap: with a linear factor the released code divides the queries of the chunk before by it twice; merging the three
 * parts by exp(lse) without a maximum overflows where scores are large. */
#include "rotary/remap.h"
#include "row/shared.h"

struct dualchunk { struct remap of; long chunk, near; int last; };
enum { BELOW, AT };
extern const struct row row_dualchunk;

static struct remap_places places(const struct ask *w, long c, long j)
{
    const struct dualchunk *p = w->params;
    const long s = lag(w, p->chunk, p->near), back = lag(w, i_div(w, c, s), i_div(w, j, s));
    const long top = b_true(w, p->last == AT) && i_less(w, p->chunk, 2 * s) ? p->chunk : lag(w, p->chunk, 1);
    if (i_less(w, back, 0))
        return (struct remap_places){ c, j, 1 }; /* of the future: never seen */
    const long within = i_mod(w, c, s), own = b_true(w, back) ? i_add(w, within, s) : within;
    return (struct remap_places){ i_less(w, 1, back) || i_less(w, top, own) ? top : own, i_mod(w, j, s), 1 };
}
static const struct remapped remapped = { &row_dualchunk, places, remap_past };
static struct mix mixing(const struct ask *w) { return remap_mix(w, &remapped); }
static struct mix_grad gradient(const struct ask *w) { return remap_grad(w, &remapped); }
static void distance(struct ask *w, const struct ball **y) { remap_distance(w, &remapped, y); }
static const char *refuse(const void *params)
{
    const struct dualchunk *p = params;
    return 2 * p->near > p->chunk ? "near: at most half of chunk" : remap_refuse(params);
}

static const struct param params[] = {
    { .as = &param_head_width, .at = offsetof(struct remap, dim) },
    { "chunk", "6", "C: positions that a query can be given", INT, offsetof(struct dualchunk, chunk), .least = 1,
        .most = 1L << 30 },
    { "near", "2", "w: neighbours in the chunk before that keep their distance", INT, offsetof(struct dualchunk, near),
        .least = 0, .most = 1L << 30 },
    { "last", "at", "the furthest query is at C - 1, or at C", ENUM, offsetof(struct dualchunk, last),
        .choices = "below at" },
    { .list = remap_params },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "chunk=10 near=4 last=below memory=14", "arXiv:2402.17463, section 3.2" },
    { "code:HKUNLP/ChunkLlama", "memory=9", "chunkllama_attn_replace.py: 3/4 and 1/16 of the trained length" },
    { "code:vllm-project/vllm", "chunk=262144 near=8192 dim=6 base=10000000 memory=524290",
        "dual_chunk_rope.py with the sizes of Qwen2.5-1M" },
    { "interleaved", "layout=interleaved dim=10 chunk=5 near=0 base=500000 scale=1/3 memory=7", "made up" },
    { "half", "chunk=6 near=3 last=below trained=6 memory=8", "made up: as many neighbours as a chunk has" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define GRADIENT "q[h,n,d] k[h,m,d] v[h,m,e] do[h,n,e] int keep?[h,n,m]<2 "
const struct row row_dualchunk = {
    .name = "dualchunk", .title = "rotary attention with positions within chunks", .cite = "An et al. 2024",
    .steps = { mix_steps, grad_steps, remap_steps }, .parts = remap_parts,
    .declares = params, .size = sizeof(struct dualchunk), .presets = presets, .contracts = contracts,
    .extent = remap_extent, .refuse = refuse,
    .q = {
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> o[h,n|e]", .ask = mix_output, .mix = mixing },
      { "q[h,n,d] k[h,m,d] v[h,m,e] int keep?[h,n,m]<2 -> lse[h,n|]", .ask = mix_lse, .mix = mixing },
      { GRADIENT "-> dq[h,n|d]", .grad = mix_query_grad, .back = gradient, .met.key = remap_met_by_query },
      { GRADIENT "-> dk[h,m|d]", .grad = mix_key_grad, .back = gradient, .met = { mix_of_key, remap_met_by_key } },
      { GRADIENT "-> dv[h,m|e]", .grad = mix_value_grad, .back = gradient, .met.of = mix_of_key },
      { "-> distance[n,m|]", distance } },
};

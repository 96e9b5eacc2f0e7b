/* Rotary encoding of several axes.   Wang et al. 2024 (Qwen2-VL), section 2.1; Qwen3-VL 2025
 *   a token stands at (t, h, w); pair k turns by pos[axis(k)] w_k, with w_k that of row rope over the whole head:
 *   sections do not start anew
 *   mode=chunked: the first s_t pairs are t's, the next s_h h's, the last s_w w's (sections = s_t,s_h,s_w)
 *   mode=interleaved: k mod 3 = 1 and k < 3 s_h: h;  k mod 3 = 2 and k < 3 s_w: w;  else t
 *   mode=rest: as interleaved, but t only where k mod 3 = 0; what is left has a fourth axis, at 0 for text and images
 *   (ggml)
 * Text has t = h = w, and then chunked and interleaved are rope.   The gradient dx is dy turned back. */
#include <stdlib.h>
#include "rotary/rope_words.h"
#include "row/shared.h"

struct mrope { long dim; mpq_t base; struct list sections; int layout, mode; };
enum { HALF, INTERLEAVED }; enum { CHUNKED, WOVEN, REST }; enum { T, H, W, FOURTH };

static long section(const struct mrope *p, int axis) { return list_long(&p->sections, axis); }
static int axis_of(const struct ask *w, long k)
{
    const struct mrope *p = w->params;
    if (p->mode == CHUNKED)
        return i_less(w, k, section(p, T)) ? T : i_less(w, k, i_add(w, section(p, T), section(p, H))) ? H : W;
    const long a = i_mod(w, k, 3);
    if (a < T || a > W) /* under an edit alone */
        return FOURTH;
    return a == T || i_less(w, k, i_mul(w, 3, section(p, (int)a))) ? (int)a : p->mode == REST ? FOURTH : T;
}
static struct rope_words as_rope(const struct ask *w)
{
    const struct mrope *p = w->params;
    return (struct rope_words){ p->dim, p->base, p->layout == INTERLEAVED };
}

/* Fills y[k] with cos or sin (`out`) of row rope, each pair at the position of token i on its own axis. */
static void table(struct ask *w, const char *out, long i, const struct ball **y)
{
    const long K = ((const struct mrope *)w->params)->dim / 2;
    const struct ball **of = need((size_t)(4 * K), sizeof *of);
    for (int a = T; a <= FOURTH; a++)
        rope_at(w, as_rope(w), out, a == FOURTH ? 0 : (double)i_in(w, "pos", a, i), K, of + a * K);
    for (long k = 0; k < K; k++)
        y[k] = of[axis_of(w, k) * K + k];
    free(of);
}
static void cos_page(struct ask *w, const struct ball **y) { table(w, "cos", w->at[0], y); }
static void sin_page(struct ask *w, const struct ball **y) { table(w, "sin", w->at[0], y); }
static void axis_page(struct ask *w, const struct ball **y) { y[0] = b_si(w, axis_of(w, w->at[0])); }
static void freq_page(struct ask *w, const struct ball **y) { rope_at(w, as_rope(w), "freq", 0, w->len, y); }

static void turn(struct ask *w, bool back, const struct ball **y)
{
    const long d = ((const struct mrope *)w->params)->dim;
    const struct ball **t = need((size_t)d + 1, sizeof *t);
    table(w, "cos", w->at[1], t), table(w, "sin", w->at[1], t + d / 2);
    rope_turn(w, as_rope(w), back, t, y);
    free(t);
}
static void rotate(struct ask *w, const struct ball **y) { turn(w, false, y); }
static void rotate_back(struct ask *w, const struct ball **y) { turn(w, true, y); }

static long extent(const void *q, char axis)
{
    const struct mrope *p = q;
    return axis == 'd' ? p->dim : axis == 'k' ? p->dim / 2 : axis == 'a' ? 3 : 0;
}
static const char *refuse(const void *q)
{
    const struct mrope *p = q;
    const bool whole = p->sections.n == 3 && list_whole(&p->sections, (1 << 20) - 1);
    return p->dim % 2                  ? "dim: must be even" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        !whole                         ? "sections: three integers, of t, h and w, none below 0" :
        section(p, T) + section(p, H) + section(p, W) != p->dim / 2 ? "sections: must add up to dim/2" :
                                                                      NULL;
}
static const struct param params[] = {
    { .as = &param_rotary_width, .at = offsetof(struct mrope, dim) },
    { .as = &param_base, .at = offsetof(struct mrope, base) },
    { "sections", "2,3,3", "pairs of t, of h and of w", LIST, offsetof(struct mrope, sections) },
    { .as = &param_pairs, .at = offsetof(struct mrope, layout) },
    { "mode", "chunked", "which axis turns pair k", ENUM, offsetof(struct mrope, mode),
        .choices = "chunked interleaved rest" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2409.12191" },
    { "qwen2-vl", "dim=128 base=1000000 sections=16,24,24", "Qwen2-VL config.json: mrope_section" },
    { "qwen3-vl", "dim=128 base=5000000 sections=24,20,20 mode=interleaved",
        "modeling_qwen3_vl.py apply_interleaved_mrope" },
    { "neighbours", "dim=12 sections=2,1,3 layout=interleaved", "GLM-4V: pairs (2k, 2k+1)" },
    { "code:ggml-org/llama.cpp", "dim=16 sections=4,2,2 mode=rest", "ggml_mrope_cache_init, IMROPE" }, { 0 },
};
static const struct preset contracts[] = {
    { "hf-f32", "power=f32:2 exponent=f32 freq=f32 phase=f32 table=f32:2 product=f32 sum=f32", "modeling_qwen2_vl.py" },
    { 0 }
};
const struct row row_mrope = {
    .name = "mrope", .title = "rotary encoding of several axes", .cite = "Wang et al. 2024",
    .steps = { "" }, .parts = rope_parts,
    .declares = params, .size = sizeof(struct mrope), .presets = presets, .contracts = contracts, .extent = extent,
    .refuse = refuse,
    .q = { { "x[h,n,d] int pos[a,n] -> y[h,n|d]", rotate },
    { "dy[h,n,d] int pos[a,n] -> dx[h,n|d]", rotate_back }, { "int pos[a,n] -> cos[n|k]", cos_page },
    { "int pos[a,n] -> sin[n|k]", sin_page },
      { "-> int axis[k|]", axis_page }, { "-> freq[|k]", freq_page } },
};

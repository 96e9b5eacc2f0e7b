/* Rotary encoding of several axes.   Wang et al. 2024 (Qwen2-VL), section 2.1; Qwen3-VL 2025
 *   a token stands at (t, h, w); pair k turns by pos[axis(k)] w_k, with w_k that of row rope over the whole head:
 *   sections do not start anew mode=chunked: the first s_t pairs are t's, the next s_h h's, the last s_w w's (sections
 *   = s_t,s_h,s_w)
 *   mode=interleaved: k mod 3 = 1 and k < 3 s_h: h;  k mod 3 = 2 and k < 3 s_w: w;  else t
 *   mode=rest: as interleaved, but t only where k mod 3 = 0; what is left has a fourth axis, at 0 for text and images
 *   (ggml)
 * Text has t = h = w, and then chunked and interleaved are rope. */
#include <stdlib.h>
#include "row/row.h"

struct mrope { long dim; mpq_t base; struct list sections; int layout, mode; };
enum { HALF, INTERLEAVED }; enum { CHUNKED, WOVEN, REST }; enum { T, H, W, FOURTH };
enum { LINE = TEXT_MAX };
extern const struct row row_rope;

static long section(const struct mrope *p, int axis) { return (long)mpz_get_si(mpq_numref(p->sections.v[axis])); }
static int axis_of(const struct mrope *p, long k)
{
    if (p->mode == CHUNKED)
        return k < section(p, T) ? T : k < section(p, T) + section(p, H) ? H : W;
    int a = (int)(k % 3);
    return a == T || k < 3 * section(p, a) ? a : p->mode == REST ? FOURTH : T;
}
static const char *as_rope(const struct ask *w, char *text)
{
    const struct mrope *p = w->params;
    char *base = mpq_get_str(NULL, 10, p->base);
    snprintf(text, LINE, "dim=%ld base=%.8000s layout=%s", p->dim, base, p->layout == HALF ? "half" : "interleaved");
    free(base);
    return text;
}

/* y[k]: cos or sin of row rope at the position on each pair's axis */
static void table(struct ask *w, const char *out, long i, const struct ball **y)
{
    const struct mrope *p = w->params;
    long K = p->dim / 2;
    const struct ball **of = need((size_t)(4 * K), sizeof *of);
    char text[LINE];
    as_rope(w, text);
    for (int a = T; a <= FOURTH; a++) {
        double at = a == FOURTH ? 0 : (double)i_in(w, "pos", a, i);
        struct mer_array pos = { .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &at };
        line_of(w, (struct page_of){ &row_rope, out, text, &pos, 1 }, NULL, K, of + a * K);
    }
    for (long k = 0; k < K; k++)
        y[k] = of[axis_of(p, k) * K + k];
    free(of);
}
static void cos_page(struct ask *w, const struct ball **y) { table(w, "cos", w->at[0], y); }
static void sin_page(struct ask *w, const struct ball **y) { table(w, "sin", w->at[0], y); }
static void axis_page(struct ask *w, const struct ball **y) { y[0] = b_si(w, axis_of(w->params, w->at[0])); }
static void freq_page(struct ask *w, const struct ball **y)
{
    char text[LINE];
    line_of(w, (struct page_of){ &row_rope, "freq", as_rope(w, text) }, NULL, w->len, y);
}

static void rotate(struct ask *w, const struct ball **y)
{
    const long d = ((const struct mrope *)w->params)->dim, K = d / 2, h = w->at[0], i = w->at[1];
    const struct ball **t = need((size_t)(2 * d), sizeof *t), **x = t + d;
    double none = 0;
    char text[LINE];
    table(w, "cos", i, t), table(w, "sin", i, t + K);
    for (long c = 0; c < d; c++)
        x[c] = b_in(w, "x", h, i, c);
    struct mer_array in[4] = { { .name = "x", .type = BALLS, .rank = 3, .dim = { 1, 1, d }, .data = x },
        { .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &none },
        { .name = "cos", .type = BALLS, .rank = 2, .dim = { 1, K }, .data = t },
        { .name = "sin", .type = BALLS, .rank = 2, .dim = { 1, K }, .data = t + K } };
    line_of(w, (struct page_of){ &row_rope, "y", as_rope(w, text), in, 4 }, NULL, d, y);
    free(t);
}

static long extent(const void *q, char axis)
{
    const struct mrope *p = q;
    return axis == 'd' ? p->dim : axis == 'k' ? p->dim / 2 : axis == 'a' ? 3 : 0;
}
static const char *refuse(const void *q)
{
    const struct mrope *p = q;
    bool whole = p->sections.n == 3;
    for (int a = 0; a < 3 && whole; a++)
        whole = mpz_cmp_ui(mpq_denref(p->sections.v[a]), 1) == 0 && mpq_sgn(p->sections.v[a]) >= 0 &&
            mpz_cmp_ui(mpq_numref(p->sections.v[a]), 1 << 20) < 0;
    return p->dim % 2                  ? "dim: must be even" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        !whole                         ? "sections: three integers, of t, h and w, none below 0" :
        section(p, T) + section(p, H) + section(p, W) != p->dim / 2 ? "sections: must add up to dim/2" :
                                                                      NULL;
}
static const struct param params[] = {
    { "dim", "16", "head width d", INT, offsetof(struct mrope, dim), .least = 2, .most = 65536 },
    { "base", "10000", "w_k = base^(-2k/d)", RATIONAL, offsetof(struct mrope, base) },
    { "sections", "2,3,3", "pairs of t, of h and of w", LIST, offsetof(struct mrope, sections) },
    { "layout", "half", "pairs (k, k + d/2) or (2k, 2k+1)", ENUM, offsetof(struct mrope, layout),
        .choices = "half interleaved" },
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
static const struct row *const parts[] = { &row_rope, NULL };
const struct row row_mrope = {
    .name = "mrope", .title = "rotary encoding of several axes", .cite = "Wang et al. 2024",
    .steps = { "" }, .parts = parts,
    .params = params, .size = sizeof(struct mrope), .presets = presets, .contracts = contracts, .extent = extent,
    .refuse = refuse,
    .q = { { "x[h,n,d] int pos[a,n] -> y[h,n|d]", rotate }, { "int pos[a,n] -> cos[n|k]", cos_page },
    { "int pos[a,n] -> sin[n|k]", sin_page },
      { "-> int axis[k|]", axis_page }, { "-> freq[|k]", freq_page } },
};

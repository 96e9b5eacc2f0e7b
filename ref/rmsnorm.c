/* Root mean square normalisation.                                          Zhang, Sennrich 2019 (arXiv:1910.07467)
 *   y = (offset + gain) cast(x r)      v = sum x^2 / d
 *   r = 1 / sqrt(v + eps) (place=inside), or 1 / (sqrt(v) + eps) (outside)
 * cast is a step and changes no real number: T5 and Llama round x r to the type of the activations, then multiply by
 * the gain. For dy the gradient of y and a = (offset + gain) dy, xhat = x r:
 *   dx = r (a - xhat <a, xhat> / d)       dgain = sum_i dy_i xhat_i
 *   (outside: the last term of dx by (sqrt(v) + eps) / sqrt(v))
 * Trap: Gemma stores gain - 1 (offset=1): read without it, the first layers of a trained model are nearly 0. */
#include <stdlib.h>
#include "layer/norm.h"
#include "row/shared.h"
#include "row/row.h"

struct rmsnorm { mpq_t eps; long offset; int place, affine; };
enum { INSIDE, OUTSIDE }; enum { GAIN_ONLY, NO_AFFINE };
enum { SQUARE, MEAN, ROOT, SCALE, CAST, GAIN, PRODUCT, COLLECT, COMBINE };

static bool needs(const void *q, const char *input)
{
    return !strcmp(input, "gain") && ((const struct rmsnorm *)q)->affine == GAIN_ONLY;
}
static struct norm norm_of(const struct ask *w)
{
    const struct rmsnorm *p = w->params;
    return (struct norm){ p->eps, .outside = p->place == OUTSIDE, .square = SQUARE, .moment = MEAN, .root = ROOT,
        .scale = SCALE, .product = PRODUCT, .collect = COLLECT, .combine = COMBINE };
}

static struct norm_line open_line(struct ask *w, long i)
{
    struct norm n = norm_of(w);
    return norm_line_open(w, &n, "x", i);
}

static const struct ball *scaled(struct ask *w, int step, const struct ball *y, long k) /* (offset + gain_k) y */
{
    const struct rmsnorm *p = w->params;
    if (p->affine == NO_AFFINE)
        return y;
    const struct ball *gain = b_in(w, "gain", k, 0, 0);
    const bool more = b_true(w, p->offset != 0);
    return b_step(w, step, b_mul(w, more ? b_step(w, GAIN, b_add(w, b_si(w, p->offset), gain)) : gain, y));
}

static void output(struct ask *w, const struct ball **y) /* y[d] */
{
    struct norm_line l = open_line(w, w->at[0]);
    for (long k = 0; k < w->len; k++)
        y[k] = scaled(w, GAIN, b_step(w, CAST, l.m.y[k]), k);
    norm_line_close(&l);
}

static void inverse(struct ask *w, const struct ball **y)
{
    struct norm_line l = open_line(w, w->at[0]);
    y[0] = l.m.r;
    norm_line_close(&l);
}

static void input_grad(struct ask *w, const struct ball **y) /* dx[d] */
{
    struct norm n = norm_of(w);
    struct norm_line l = open_line(w, w->at[0]);
    for (long k = 0; k < w->len; k++)
        y[k] = scaled(w, PRODUCT, b_in(w, "dy", w->at[0], k, 0), k);
    norm_back(w, &n, &l.m, y, y);
    norm_line_close(&l);
}

static void gain_grad(struct ask *w, const struct ball **y) /* It fills all of dgain[d] at once. */
{
    long n = array_in(w, "x")->dim[0], d = w->len;
    const struct ball **t = need((size_t)(n * d) + 1, sizeof *t); /* [d][n] */
    for (long i = 0; i < n; i++) {
        struct norm_line l = open_line(w, i);
        for (long k = 0; k < d; k++)
            t[k * n + i] = b_step(w, PRODUCT, b_mul(w, b_in(w, "dy", i, k, 0), b_step(w, CAST, l.m.y[k])));
        norm_line_close(&l);
    }
    for (long k = 0; k < d; k++)
        y[k] = b_sum(w, COLLECT, t + k * n, n);
    free(t);
}

static const char *refuse(const void *q)
{
    return mpq_sgn(((const struct rmsnorm *)q)->eps) >= 0 ? NULL : "eps: must not be below 0";
}
static const struct param params[] = {
    { "eps", "1/1000000", "keeps the division from 0", RATIONAL, offsetof(struct rmsnorm, eps) },
    { .as = &param_eps_place, .at = offsetof(struct rmsnorm, place) },
    { "offset", "0", "added to the stored gain", INT, offsetof(struct rmsnorm, offset), .least = 0, .most = 1 },
    { "affine", "gain", "what follows", ENUM, offsetof(struct rmsnorm, affine), .choices = "gain none" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "eps=1e-8 place=outside", "arXiv:1910.07467 has no eps; bzhangGo/rmsnorm rmsnorm_torch.py: x / (rms + "
        "eps)" },
    { "T5", "", "arXiv:1910.10683; transformers modeling_t5.py T5LayerNorm" },
    { "llama", "eps=1e-5", "meta-llama/llama3 model.py RMSNorm, norm_eps" },
    { "gemma", "offset=1", "google/gemma_pytorch model.py RMSNorm add_unit_offset" },
    { "code:pytorch", "eps=1/8388608", "torch.nn.RMSNorm: eps=None is finfo(float32).eps" },
    { "llama4 qk", "affine=none eps=1e-5", "llama4 QK norm without a gain" },
    { 0 },
};
static const struct preset contracts[] = {
    { "llama bf16", "eps=1e-5 square=f32 mean=f32 root=f32 scale=f32 cast=bf16 gain=bf16 product=f32 collect=f32 "
        "combine=f32", "transformers LlamaRMSNorm: float32, cast, then the gain" },
    { "gemma bf16", "offset=1 square=f32 mean=f32 root=f32 scale=f32 gain=f32 product=f32 collect=f32 combine=f32",
        "transformers GemmaRMSNorm: the cast is last" },
    { 0 },
};
const struct row row_rmsnorm = {
    .name = "rmsnorm", .title = "root mean square normalisation", .cite = "Zhang, Sennrich 2019",
    .steps = { "square mean root scale cast gain product collect combine" },
    .declares = params, .size = sizeof(struct rmsnorm), .presets = presets, .contracts = contracts,
    .empty = "n", .refuse = refuse, .needs = needs,
    .q = { { "x[n,d] gain?[d] -> y[n|d]", output }, { "x[n,d] -> rstd[n|]", inverse },
      { "x[n,d] gain?[d] dy[n,d] -> dx[n|d]", input_grad }, { "x[n,d] dy[n,d] -> dgain[|d]", gain_grad } },
};

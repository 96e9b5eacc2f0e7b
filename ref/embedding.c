/* Token embedding and tied output.   Vaswani et al. 2017, section 3.4; Press, Wolf 2017 (arXiv:1608.05859)
 *   y_i = scale E[token_i] (+ place_i)        logits = h E^T (+ bias): the table again, unscaled
 * A token that is `padding`:  pad=keep nothing special   zero-token y = place_i   zero-position y = scale E[padding]
 * For dy the gradient of y:  dtable[v] = scale sum of dy_i over the i with token v (0 for padding under zero-token)
 * For dlogits:   dh = dlogits E   dtable_logits[v] = sum_i dlogits_i[v] h_i   dbias = sum_i dlogits_i
 * A token outside the table is refused.  Trap: the scale sqrt(d) belongs to the input alone; with one table for both
 * ends it must not reach the logits. */
#include <stdlib.h>
#include "row/row.h"

struct embedding { mpq_t scale; long padding; int pad, positions, bias; };
enum { KEEP, ZERO_TOKEN, ZERO_POSITION };
/* Steps: the factor, its product with a row, the addition of place; PRODUCT and SUM are of logits and gradients. */
enum { FACTOR, TOKEN, ADD, PRODUCT, SUM };

static bool needs(const void *q, const char *input)
{
    const struct embedding *p = q;
    return strcmp(input, "place") ? p->bias : p->positions;
}
static bool padded(const struct ask *w, long i)
{
    const struct embedding *p = w->params;
    return p->pad != KEEP && i_in(w, "token", i, 0) == p->padding;
}

static const struct ball *scaled(struct ask *w, const struct ball *x) /* It is scale x; scale 1 makes no product. */
{
    const struct embedding *p = w->params;
    if (b_true(w, !mpq_cmp_ui(p->scale, 1, 1)))
        return x;
    const long d = array_in(w, "table")->dim[1];
    const struct ball *root = b_true(w, mpq_sgn(p->scale) != 0) ? b_q(w, p->scale) : b_sqrt(w, b_si(w, d));
    return b_step(w, TOKEN, b_mul(w, b_step(w, FACTOR, root), x));
}

static void output(struct ask *w, const struct ball **y) /* y[d] */
{
    const struct embedding *p = w->params;
    long i = w->at[0];
    bool pad = padded(w, i), zero = pad && p->pad == ZERO_TOKEN,
         place = needs(p, "place") && b_true(w, !(pad && p->pad == ZERO_POSITION));
    for (long k = 0; k < w->len; k++) {
        y[k] = b_true(w, zero) ? b_si(w, 0) : scaled(w, b_in(w, "table", i_in(w, "token", i, 0), k, 0));
        y[k] = place ? b_step(w, ADD, b_add(w, y[k], b_in(w, "place", i, k, 0))) : y[k];
    }
}

/* <x_i, E[k]>, or <x_i, E[.][k]> */
static const struct ball *dot(struct ask *w, const char *x, long i, bool rows, long k)
{
    long n = array_in(w, x)->dim[1];
    const struct ball **t = need((size_t)n + 2, sizeof *t), *y;
    bool bias = rows && needs(w->params, "bias");
    for (long c = 0; c < n; c++)
        t[c] = b_step(w, PRODUCT,
            b_mul(w, b_in(w, x, i, c, 0),
                b_true(w, rows) ? b_in(w, "table", k, c, 0) : b_in(w, "table", c, k, 0)));
    if (bias)
        t[n] = b_in(w, "bias", k, 0, 0);
    y = b_sum(w, SUM, t, n + bias);
    free(t);
    return y;
}
static void logits(struct ask *w, const struct ball **y)
{
    for (long v = 0; v < w->len; v++)
        y[v] = dot(w, "h", w->at[0], true, v);
}
static void hidden_grad(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = dot(w, "dlogits", w->at[0], false, k);
}

static void table_grad(struct ask *w, const struct ball **y) /* dtable[v][.] */
{
    const struct embedding *p = w->params;
    long n = array_in(w, "token")->dim[0], m;
    const struct ball **t = need((size_t)n + 1, sizeof *t);
    for (long k = 0; k < w->len; k++) {
        m = 0;
        for (long i = 0; i < n; i++)
            if (i_in(w, "token", i, 0) == w->at[0] && !b_true(w, padded(w, i) && p->pad == ZERO_TOKEN))
                t[m++] = b_in(w, "dy", i, k, 0);
        y[k] = scaled(w, b_sum(w, SUM, t, m));
    }
    free(t);
}

/* Sums over the rows i: dtable_logits[v][k] of dlogits_i[v] h_i[k], v = at[0]; dbias[k] of dlogits_i[k] (w->form). */
static void logits_grad(struct ask *w, const struct ball **y)
{
    long n = array_in(w, "dlogits")->dim[0];
    const struct ball **t = need((size_t)n + 1, sizeof *t);
    for (long k = 0; k < w->len; k++) {
        for (long i = 0; i < n; i++)
            t[i] = w->form ? b_in(w, "dlogits", i, k, 0) :
                             b_step(w, PRODUCT, b_mul(w, b_in(w, "dlogits", i, w->at[0], 0), b_in(w, "h", i, k, 0)));
        y[k] = b_sum(w, SUM, t, n);
    }
    free(t);
}
static const char *refuse(const void *q)
{
    return mpq_sgn(((const struct embedding *)q)->scale) >= 0 ? NULL : "scale: must not be negative";
}
static const struct param params[] = {
    { "scale", "1", "of the table's rows; 0 = sqrt(d)", RATIONAL, offsetof(struct embedding, scale) },
    { "positions", "no", "place is added", ENUM, offsetof(struct embedding, positions), .choices = "no yes" },
    { "pad", "keep", "what is different where the token is `padding`", ENUM, offsetof(struct embedding, pad),
        .choices = "keep zero-token zero-position" },
    { "padding", "0", "the padding token", INT, offsetof(struct embedding, padding), .least = 0, .most = 1 << 24 },
    { "bias", "no", "of the logits", ENUM, offsetof(struct embedding, bias), .choices = "no yes" }, { 0 },
};
static const struct preset presets[] = {
    { "paper", "scale=0 positions=yes", "arXiv:1706.03762, section 3.4: multiplied by sqrt(d_model)" },
    { "code:tensorflow/tensor2tensor", "scale=0 positions=yes pad=zero-token",
        "modalities.py multiply_embedding_mode=sqrt_depth, id 0 zeroed before the timing signal" },
    { "code:facebookresearch/fairseq", "scale=0 positions=yes pad=zero-position padding=1",
        "transformer_encoder.py embed_scale; position row of padding is 0" },
    { "BERT", "positions=yes bias=yes", "google-research/bert: no scale; output bias in run_pretraining.py" },
    { "gemma", "scale=0", "google/gemma_pytorch: normalizer sqrt(hidden_size), rounded to the model's type" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "scale=0 positions=yes factor=f32 token=f32 add=f32 product=f32 sum=f32", "operation by operation" },
    { "gemma bf16", "scale=0 factor=bf16 token=bf16", "transformers modeling_gemma.py: sqrt(hidden_size) in the type "
        "of the activations" }, { 0 },
};
const struct row row_embedding = {
    .name = "embedding", .title = "token embedding and tied output", .cite = "Vaswani et al. 2017; Press, Wolf 2017",
    .steps = { "factor token add product sum" },
    .declares = params, .size = sizeof(struct embedding), .presets = presets, .contracts = contracts,
    .refuse = refuse, .needs = needs,
    .q = { { "int token[n]<v table[v,d] place?[n,d] -> y[n|d]", output },
    { "h[n,d] table[v,d] bias?[v] -> logits[n|v]", logits },
      { "int token[n]<v table[v,d] dy[n,d] -> dtable[v|d]", table_grad },
      { "dlogits[n,v] table[v,d] -> dh[n|d]", hidden_grad },
      { "h[n,d] dlogits[n,v] -> dtable_logits[v|d]", logits_grad },
      { "dlogits[n,v] -> dbias[|v]", logits_grad, .form = true } },
};

/* The multi-head attention layer, shared by the pages of row layer and those of its gradients; ref/layer.c says what
 * each parameter is.  Gradients, for dy that of y = bo + concat_h(o_h) wo and do_h = dy wo_h^T, dq dk dv those of row
 * attention (turned back where rope turned q and k):
 *   dx = dq wq^T + dk wk^T + dv wv^T  (cross: dx = dq wq^T, dkey = dk wk^T, dvalue = dv wv^T)
 *   dwq = x^T dq      dwk = key^T dk      dwv = value^T dv      dwo = concat(o)^T dy
 *   dbq = sum_i dq_i  dbk = sum_j dk_j    dbv = sum_j dv_j      dbo = sum_i dy_i
 * A bias that is not read has gradient 0; so has that of the keys where nothing but softmax follows (no rotation, cap,
 * sink, norm).  Under the fault "overwritten" dx has only the last path, through the values, and the gradient of a bias
 * only the last row. */
#ifndef MHA_H
#define MHA_H
#include "layer/project.h"

struct layer {
    long heads, kv_heads, width, value_width, offset, prefix, window, left, right, chunk, floor, block, trained;
    mpq_t scale, cap, eps, temper, base, factor, beta_fast, beta_slow, attention_factor;
    int split, stored, biases, ones, causal, softmax1, norm, temperature, group, empty, route, rope, layout, scaling,
        truncate;
};
extern const struct param layer_params[];
const char *layer_refuse(const void *params); /* NULL, or why they are undefined. */
extern const char mha_turned[]; /* The parameters that row rope is given. */
enum { BLOCKS, STRIDED };
enum { IN_OUT, OUT_IN };
enum { ALL, NO_OUTPUT, NO_INPUT };
enum { VISIBLE, HIDDEN };
enum { OFF, ON };
enum { PROJECT, COLLECT }; /* The steps of every map: its products, and their sum. */
enum { QUERIES, KEYS, VALUES, PARTS }; /* They number the projections. */
extern const struct row row_layer, row_attention, row_rope;

static inline long mha_heads(const struct layer *p, int part) { return part && p->kv_heads ? p->kv_heads : p->heads; }
static inline long mha_width(const struct layer *p, int part)
{
    return part == VALUES && p->value_width ? p->value_width : p->width;
}
/* The column of a projection that holds entry t of head h. */
static inline long mha_column(const struct layer *p, long heads, long width, long h, long t)
{
    return p->split == BLOCKS ? h * width + t : t * heads + h;
}

/* What row attention is given for the queries from <= i < to: q, k, v (value NULL: none) and what is handed on; how
 * many.  The caller calls mha_release. */
struct mha_given { struct mer_array in[7], mask; int n, made; char text[TEXT_MAX]; };
/* key, value: [m][c] rows of balls, value NULL: none is projected; self: they are x itself. */
struct mha_given mha_given(
    struct ask *w, long from, long to, const struct mer_array *key, const struct mer_array *value, bool self);
void mha_release(struct mha_given *g);
/* The rows from <= i < to of x, projected and cut into heads, [heads][n][width]; other rows are NULL.  The caller frees
 * its data. */
struct mer_array mha_split(
    struct ask *w, const char *name, const struct mer_array *x, const struct linear *l, long heads, long from, long to);
/* Replaces x[d] by output `out` of row rope, y (turned) or dx (turned back), at the position of row i. */
void mha_rope(struct ask *w, const char *out, const struct ball **x, long d, long i);

/* Pages of gradients, of self-attention (output y) or of cross-attention.  The first is a line of dx (of y: through all
 * parts), dkey or dvalue; the others are the whole of a weight, dwq, dwk or dwv, of its bias, of dwo as it is stored,
 * and of dbo. */
void mha_input_grad(struct ask *w, bool self_attention, int part, const struct ball **y);
void mha_weight_grad(struct ask *w, bool self_attention, int part, const struct ball **y);
void mha_bias_grad(struct ask *w, bool self_attention, int part, const struct ball **y);
void mha_output_grad(struct ask *w, bool self_attention, const struct ball **y);
void mha_output_bias(struct ask *w, bool self_attention, const struct ball **y);

/* Pages of the layer with weights stacked: the line or the whole that w->of names; of in_proj all of the gradient, dwq,
 * dwk and dwv transposed behind one another, or with w->form that of in_bias. */
enum { FUSED_OUTPUT, FUSED_INPUT_GRAD, FUSED_OUT_PROJ, FUSED_OUT_BIAS };
void fused_page(struct ask *w, const struct ball **y);
void fused_stacked(struct ask *w, const struct ball **y);
#endif

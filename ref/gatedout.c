/* Attention whose output is gated.                                                  Qiu et al. 2025, arXiv:2505.06708
 *   y_i = o_i sigma(gate_i),  o_i that of row attention,  sigma(x) = 1 / (1 + exp(-x))
 * element by element; of y_head there is one gate for all channels of a head.  The gate is made of the layer's input,
 * as the queries are, and stands in front of the output projection, which is no part of this row.
 *   act=sigmoid  sigma(gate)      act=silu  gate sigma(gate)      act=identity  gate, as it is
 * scale, causal, offset, window and group are those of row attention.
 * Gradients are those of <dy, y>, or <dy_head, y_head>: dq, dk and dv are attention's of do = dy sigma(gate), and
 * dgate = dy o sigma'(gate), for a head summed over its channels.  Under the fault "ungated" the gate is left out.
 * Traps: Qwen3-Next's q_proj holds [q_h | gate_h] head by head: split in two halves it gives every head the queries and
 * gates of others.  A gate behind the projection is another function; a gate of 0 halves what it gates. */
#include <stdlib.h>
#include "row/question.h"
#include "row/row.h"
#include "row/shared.h"
#include "state/token.h"
extern const struct row row_attention, row_gatedout;

struct gatedout { mpq_t scale; long offset, window; int act, causal, group; };
enum { ACT_SIGMOID, ACT_SILU, ACT_IDENTITY };
enum { SHARED, BENT, GATED, SLOPED, GATHERED };
enum { UNGATED = FAULTS };

static const struct gatedout *own(const struct ask *w) { return w->params; }
/* The gate of channel c before its function, and the gradient there; w->form: of y_head. */
static const struct ball *logit(struct ask *w, long h, long i, long c)
{
    return w->form ? b_in(w, "gate_head", h, i, 0) : b_in(w, "gate", h, i, c);
}
static const struct ball *up(struct ask *w, long h, long i, long c)
{
    return b_in(w, w->form ? "dy_head" : "dy", h, i, c);
}
/* What o is multiplied by; the slope of that by the gate. */
static const struct ball *gate(struct ask *w, long h, long i, long c)
{
    const struct ball *x = logit(w, h, i, c);
    if (b_true(w, own(w)->act == ACT_IDENTITY))
        return x;
    const struct ball *s = token_sigmoid(w, SHARED, x);
    return b_true(w, own(w)->act == ACT_SILU) ? b_step(w, BENT, b_mul(w, x, s)) : s;
}
static const struct ball *slope(struct ask *w, long h, long i, long c)
{
    if (b_true(w, own(w)->act == ACT_IDENTITY))
        return b_si(w, 1);
    const struct ball *x = logit(w, h, i, c), *s = token_sigmoid(w, SHARED, x),
                      *bend = b_step(w, SLOPED, b_mul(w, s, b_step(w, SLOPED, b_sub(w, b_si(w, 1), s))));
    return b_true(w, own(w)->act == ACT_SIGMOID) ? bend :
        b_step(w, SLOPED, b_add(w, s, b_step(w, SLOPED, b_mul(w, x, bend))));
}
/* Every do[h,n,e] = dy sigma(gate). */
static void seeds(struct ask *w, const struct ball **to)
{
    const long n = dim_in(w, "q", 1), e = dim_in(w, "v", 2);
    for (long k = 0; k < dim_in(w, "q", 0) * n * e; k++) {
        const long h = k / (n * e), i = k / e % n, c = k % e;
        to[k] = w->arith->fault == UNGATED ? up(w, h, i, c) :
                                             b_step(w, SLOPED, b_mul(w, up(w, h, i, c), gate(w, h, i, c)));
    }
}
/* y[len]: line w->at of that output of row attention. */
static void attended(struct ask *w, const char *out, long len, const struct ball **y)
{
    const struct mer_array *q = array_in(w, "q"), *v = array_in(w, "v");
    const long all = q->dim[0] * q->dim[1] * v->dim[2], was = w->len;
    const struct ball **o = need((size_t)all + 1, sizeof *o);
    struct mer_array in[5] = { *q, *array_in(w, "k"), *v };
    char text[TEXT_MAX] = "";
    int n = 3;
    if (has_in(w, "keep"))
        in[n++] = *array_in(w, "keep");
    if (*out == 'd') {
        w->len = all;
        if (!question_part(w, seeds, all, 0, o))
            seeds(w, o);
        w->len = was;
        in[n++] = (struct mer_array){ .name = "do", .type = BALLS, .rank = 3,
            .dim = { q->dim[0], q->dim[1], v->dim[2] }, .data = o };
    }
    params_pick(row_params(&row_gatedout), w->params, "scale causal offset window group", text, sizeof text);
    line_of(w, (struct page_of){ &row_attention, out, text, in, n }, w->at, len, y);
    free(o);
}
static void output(struct ask *w, const struct ball **y)
{
    attended(w, "o", w->len, y);
    for (long c = 0; c < w->len && w->arith->fault != UNGATED; c++)
        y[c] = b_step(w, GATED, b_mul(w, y[c], gate(w, w->at[0], w->at[1], c)));
}
static void query_grad(struct ask *w, const struct ball **y) { attended(w, "dq", w->len, y); }
static void key_grad(struct ask *w, const struct ball **y) { attended(w, "dk", w->len, y); }
static void value_grad(struct ask *w, const struct ball **y) { attended(w, "dv", w->len, y); }
/* Under the fault "overwritten" a head's gate has the gradient of its last channel. */
static void gate_grad(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], i = w->at[1], e = dim_in(w, "v", 2);
    const struct ball **t = need((size_t)e + 1, sizeof *t);
    attended(w, "o", e, t);
    for (long c = 0; c < e; c++) {
        t[c] = b_step(w, SLOPED, b_mul(w, up(w, h, i, c), t[c]));
        t[c] = b_step(w, SLOPED, b_mul(w, t[c], slope(w, h, i, c)));
    }
    if (!w->form)
        memcpy(y, t, (size_t)e * sizeof *y);
    else
        y[0] = site_gathered(w, HERE, GATHERED, t, e);
    free(t);
}
static const char *refuse(const void *params)
{
    const struct gatedout *p = params;
    return mpq_sgn(p->scale) < 0                              ? "scale: must not be below 0" :
        p->offset < -(1L << 40) || p->offset > 1L << 40       ? "offset: must lie from -2^40 to 2^40" :
                                                                NULL;
}
static const struct param params[] = {
    { "act", "sigmoid", "what the gate is put through", ENUM, offsetof(struct gatedout, act),
        .choices = "sigmoid silu identity" },
    { .as = &param_scale, .at = offsetof(struct gatedout, scale) },
    { .as = &param_causal, .at = offsetof(struct gatedout, causal) },
    { .as = &param_offset, .at = offsetof(struct gatedout, offset) },
    { .as = &param_window, .at = offsetof(struct gatedout, window) },
    { .as = &param_group, .at = offsetof(struct gatedout, group) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "causal=bottomright", "arXiv:2505.06708: a sigmoid gate behind attention, by element or by head" },
    { "Qwen3-Next", "causal=bottomright scale=1/16", "transformers modeling_qwen3_next.py: attn_output * "
        "sigmoid(gate); head_dim 256" },
    { "silu", "act=silu causal=bottomright", "arXiv:2505.06708, its ablations: SiLU in place of the sigmoid" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define TOKENS "q[h,n,d] k[g,m,d] v[g,m,e] int keep?[h,n,m]<2 "
#define LOSS TOKENS "gate[h,n,e] dy[h,n,e] -> "
#define LOSS_HEAD TOKENS "gate_head[h,n] dy_head[h,n,e] -> "
const struct row row_gatedout = {
    .name = "gatedout", .title = "attention with a gated output", .cite = "Qiu et al. 2025",
    .steps = { "share silu gated slope gather" }, .faults = "ungated", .parts = parts,
    .declares = params, .size = sizeof(struct gatedout), .presets = presets, .contracts = contracts,
    .refuse = refuse, .sizes = "d=4 e=3",
    .q = { { TOKENS "gate[h,n,e] -> y[h,n|e]", output },
        { TOKENS "gate_head[h,n] -> y_head[h,n|e]", output, .form = true },
        { LOSS "dq[h,n|d]", query_grad }, { LOSS "dk[g,m|d]", key_grad }, { LOSS "dv[g,m|e]", value_grad },
        { LOSS "dgate[h,n|e]", gate_grad }, { LOSS_HEAD "dq_y_head[h,n|d]", query_grad, .form = true },
        { LOSS_HEAD "dk_y_head[g,m|d]", key_grad, .form = true },
        { LOSS_HEAD "dv_y_head[g,m|e]", value_grad, .form = true },
        { LOSS_HEAD "dgate_head[h,n|]", gate_grad, .form = true } },
};

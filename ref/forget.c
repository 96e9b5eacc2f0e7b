/* Forgetting attention.                                              Lin et al. 2025, arXiv:2503.02130, section 3
 * A forget gate f_t = sigmoid(a_t) for each token and head; query i stands at place p = m - n + i:
 *   bias[i][j] = sum of log f_l over l = j + 1 .. p,   -inf where the key stands to the right (j > p)
 *   o_i        = sum_j softmax(scale <q_i, k_j> + bias[i][j]) v_j
 *   gate=logsigmoid  log f = log(1 / (1 + e^-a))      gate=log  log f = a, as it is, at most 0
 *   right=difference keys to the right are seen, and have minus the sum over l = p + 1 .. j: the formula unmasked
 *   route=prefix     the sum as the difference of two sums from the first token on, as kernels keep it
 * Gradients: da of <do, o>, da_bias of <dbias, bias>; dq, dk, dv are those of row attention with that bias.
 * Traps: the gate of the first token is never used, and one query at the end of one key shows no gate at all.  In the
 * prefix route what is subtracted grows with the length while the difference may be small: in float32 the bias of
 * neighbours loses all its digits where the sums reach 2^24. */
#include <stdio.h>
#include <stdlib.h>
#include "forget/gates.h"
#include "row/question.h"
#include "row/shared.h"
extern const struct row row_attention, row_forget;

static const struct forget *own(const struct ask *w) { return w->params; }
static void bias(struct ask *w, const struct ball **y) /* Of as many queries as keys. */
{
    gates_bias(w, w->at[0], gates_place(w, w->at[1], w->len, w->len), w->len, y);
}

/* b[heads][n][m]: the biases of all queries of all heads. */
static void all_biases(struct ask *w, const struct ball **b)
{
    const long n = dim_in(w, "q", 1), m = dim_in(w, "k", 1);
    for (long k = 0; k < dim_in(w, "q", 0) * n; k++)
        gates_bias(w, k / n, gates_place(w, k % n, n, m), m, b + k * m);
}
/* The same, made once for all lines; of the query `at` alone where that is not NULL. */
static const struct ball **biases(struct ask *w, const long *at)
{
    const long n = dim_in(w, "q", 1), m = dim_in(w, "k", 1), all = dim_in(w, "q", 0) * n * m, len = w->len;
    const struct ball **b = need((size_t)all + 1, sizeof *b);
    if (at && !sited(w)) {
        gates_bias(w, at[0], gates_place(w, at[1], n, m), m, b + (at[0] * n + at[1]) * m);
        return b;
    }
    w->len = all;
    if (!question_part(w, all_biases, all, 0, b))
        all_biases(w, b);
    w->len = len;
    return b;
}
/* y[len] of row attention with these biases. */
static void ask_attention(struct ask *w, const char *out, const struct ball **b, const long at[MER_RANK], long len,
    const struct ball **y)
{
    const struct mer_array *q = array_in(w, "q"), *k = array_in(w, "k");
    struct mer_array in[5] = { *q, *k, *array_in(w, "v"),
        { .name = "bias", .type = BALLS, .rank = 3, .dim = { q->dim[0], q->dim[1], k->dim[1] }, .data = b } };
    char text[TEXT_MAX] = "";
    params_pick(row_params(&row_forget), w->params, "scale", text, sizeof text);
    snprintf(text + strlen(text), 32, " causal=%s", own(w)->right == RIGHT_DIFFERENCE ? "none" :
        own(w)->start == START_END                                                    ? "bottomright" :
                                                                                        "topleft");
    if (*out == 'd')
        in[4] = *array_in(w, "do");
    line_of(w, (struct page_of){ &row_attention, out, text, in, *out == 'd' ? 5 : 4 }, at, len, y);
}
static void attended(struct ask *w, const char *out, bool one, const struct ball **y)
{
    const struct ball **b = biases(w, one ? w->at : NULL);
    ask_attention(w, out, b, w->at, w->len, y);
    free(b);
}
static void output(struct ask *w, const struct ball **y) { attended(w, "o", true, y); }
static void logsumexp(struct ask *w, const struct ball **y) { attended(w, "lse", true, y); }
static void query_grad(struct ask *w, const struct ball **y) { attended(w, "dq", true, y); }
static void key_grad(struct ask *w, const struct ball **y) { attended(w, "dk", false, y); }
static void value_grad(struct ask *w, const struct ball **y) { attended(w, "dv", false, y); }

/* With w->form the gradient comes from dbias, else from do through the scores. */
static void gate_grad(struct ask *w, const struct ball **y)
{
    const long h = w->at[0], m = w->len, n = w->form ? m : dim_in(w, "q", 1);
    const struct ball **up = need((size_t)(n * m) + 1, sizeof *up);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m && w->form; j++)
            up[i * m + j] = b_in(w, "dbias", h, i, j);
    const struct ball **b = w->form ? NULL : biases(w, NULL);
    for (long i = 0; i < n && b; i++)
        ask_attention(w, "dbias", b, (long[MER_RANK]){ h, i }, m, up + i * m);
    gates_gather(w, up, n, y);
    free(up), free(b);
}

static const char *refuse(const void *params)
{
    return mpq_sgn(((const struct forget *)params)->scale) < 0 ? "scale: must not be below 0" : NULL;
}
static double most(const void *params, const char *input)
{
    return !strcmp(input, "a") && ((const struct forget *)params)->gate == GATE_LOG ? 0 : (double)INFINITY;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct forget, scale) },
    { "gate", "logsigmoid", "log of a gate: log sigmoid(a), or a", ENUM, offsetof(struct forget, gate),
        .choices = "log logsigmoid" },
    { "first", "next", "the first gate of a key: that of the next token, or its own", ENUM,
        offsetof(struct forget, first), .choices = "next own" },
    { "right", "hidden", "keys to the right: hidden, or with the difference of the sums", ENUM,
        offsetof(struct forget, right), .choices = "hidden difference" },
    { .as = &param_start, .at = offsetof(struct forget, start) },
    { "route", "sum", "the sum of a pair's gates, or the difference of two sums from the first token on", ROUTE,
        offsetof(struct forget, route), .choices = "sum prefix" },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2503.02130, equation 4" },
    { "code:zhixuan-lin/forgetting-transformer", "gate=log", "forgetting_attention(q, k, v, log_fgate)" },
    { "code:fla-org/flash-linear-attention", "gate=log route=prefix", "fla/ops/forgetting_attn: g is summed first" },
    { "unmasked", "right=difference", "the decay before its mask" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define TOKENS "q[h,n,d] k[g,m,d] v[g,m,e] a[h,m] "
const struct row row_forget = {
    .name = "forget", .title = "forgetting attention", .cite = "Lin et al. 2025",
    .steps = { "logit cumulate difference slope gather" }, .parts = parts,
    .declares = params, .size = sizeof(struct forget), .presets = presets, .contracts = contracts,
    .refuse = refuse, .most = most, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", output }, { TOKENS "-> lse[h,n|]", logsumexp }, { "a[h,m] -> bias[h,m|m]", bias },
        { TOKENS "do[h,n,e] -> dq[h,n|d]", query_grad }, { TOKENS "do[h,n,e] -> dk[g,m|d]", key_grad },
        { TOKENS "do[h,n,e] -> dv[g,m|e]", value_grad }, { TOKENS "do[h,n,e] -> da[h|m]", gate_grad },
        { "a[h,m] dbias[h,m,m] -> da_bias[h|m]", gate_grad, .form = true } },
};

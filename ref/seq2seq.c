/* Recurrent encoder and decoder.   Elman 1990; Sutskever et al., Cho et al. 2014; Bahdanau et al., Luong et al. 2015
 *   h_t = tanh(wx x_t + wh h_{t-1} + bh),  h before the first token = 0
 *   s_t = tanh(wy e_t + ws s_{t-1} + wc c_t + bs),  s before the first token = h_last (init=last) or 0
 *   log p_t = log softmax(wo s_t + bo)
 *   e_t = emb[id_t]:  teacher forcing shifts, id = start, y_1, .. y_{T-1}, where y_t is to be predicted at t
 *   c_t  attention=none      h_last, the same at every step
 *        attention=dot       sum_j p_j h_j,  p = softmax_j <s_{t-1}, h_j> scale
 *        attention=additive  the same with p = softmax_j <va, tanh(wa s_{t-1} + ua h_j)>
 * source=reversed reads the last token first (Sutskever et al.); h_t is then the state after t tokens read so.
 * An empty source has no last state and nothing to read: no number.  Gradients: ref/core/layer/seq2seq.h.
 * Traps: the query of c_t is the state before the step (lag=0), not the one before that; without the shift the answer
 * is among the inputs. */
#include <stdlib.h>
#include "layer/seq2seq.h"
#include "softmax/log_softmax.h"

static void states(struct ask *w, const struct ball **y)
{
    seq2seq_states(w, w->at[0] * w->len, w->len, y);
}

/* One reading: query at[0], every state a key and a value.  h of mix.h is the query's number here. */
static const struct ball *score(struct ask *w, long query, long i, long j)
{
    const struct seq2seq *p = w->params;
    const long d = dim_in(w, "states", 1);
    (void)i;
    if (p->attention == DOT_PRODUCT) {
        const struct ball *s = b_dot(w, PRODUCT, DOT, span(w, "query", query, 0), span(w, "states", j, 0), d);
        return b_scaled(w, SCORE, s, b_width(w, SCORE, p->scale, d));
    }
    const long a = dim_in(w, "va", 0);
    const struct ball **q = need(2 * (size_t)d + (size_t)a + 1, sizeof *q), **h = q + d, **t = h + d;
    seq2seq_line(w, "query", query, q), seq2seq_line(w, "states", j, h);
    for (long k = 0; k < a; k++) {
        const struct ball *z = seq2seq_affine(w, (struct part[]){ { "wa", q, false }, { "ua", h, false } }, 2, NULL, k);
        z = b_true(w, p->scorer == TANH) ? b_step(w, ACT, b_tanh(w, z)) : z;
        t[k] = b_step(w, PRODUCT, b_mul(w, b_in(w, "va", k, 0, 0), z));
    }
    const struct ball *s = b_sum(w, DOT, t, a);
    free(q);
    return s;
}
static const struct ball *value(struct ask *w, long query, long i, long j, long c)
{
    (void)query, (void)i;
    return b_in(w, "states", j, c, 0);
}
static struct mix mixing(const struct ask *w)
{
    const struct seq2seq *p = w->params;
    return mix_on(w, (struct mix){ dim_in(w, "states", 0), score, value, mix_kept }, &p->tiles);
}
static void reading(struct ask *w, const struct ball **y)
{
    struct mix m = mixing(w);
    if (((const struct seq2seq *)w->params)->attention == NONE)
        seq2seq_line(w, "states", m.keys - 1, y);
    else
        mix_output(w, &m, y);
}
static void alignment(struct ask *w, const struct ball **y)
{
    struct mix m = mixing(w);
    for (long j = 0; j < w->len; j++)
        y[j] = b_si(w, j == w->len - 1);
    if (((const struct seq2seq *)w->params)->attention != NONE)
        mix_weights(w, &m, y);
}

static void input(struct ask *w, const struct ball **y) { y[0] = b_si(w, seq2seq_input_id(w, w->at[0])); }
static void logprob(struct ask *w, const struct ball **y) /* y[v] */
{
    const struct ball **s = need((size_t)dim_in(w, "bs", 0) + 1, sizeof *s);
    seq2seq_state(w, s);
    for (long v = 0; v < w->len; v++)
        y[v] = seq2seq_affine(w, (struct part[]){ { "wo", s, false } }, 1, "bo", v);
    log_softmax(w, (struct log_steps){ SHIFT, EXP, TOTAL, LOG, NORMAL }, y, w->len);
    free(s);
}

static void input_weights(struct ask *w, const struct ball **y) { seq2seq_input_weights_grad(w, w->of == BH, y); }
static void gradient(struct ask *w, const struct ball **y) { seq2seq_grad(w, (enum seq2seq_input)w->of, y); }

static const struct preset presets[] = {
    { "seed", "", "000_8611a63759cff694.txt: softmax(s H^T / sqrt d) H" },
    { "Cho", "attention=none", "arXiv:1406.1078: one context" },
    { "Sutskever", "attention=none source=reversed", "arXiv:1409.3215" },
    { "Bahdanau", "attention=additive start=2", "arXiv:1409.0473, A.1.2" },
    { "unscaled", "scale=1 init=zero", "arXiv:1508.04025, dot" }, { 0 },
};
static const struct preset contracts[] = {
    { "f32", "multiply=f32 gather=f32 act=f32 dot=f32 product=f32 score=f32 shift=f32 exp=f32 weight=f32 sum=f32 "
        "total=f32 div=f32 log=f32 normal=f32 slope=f32", "naive loops" }, { 0 }
};
#define ENCODER "x[m,c] wx[d,c] wh[d,d] bh[d] "
#define DECODER ENCODER "int target[t]<v emb[v,e] wy[d,e] ws[d,d] wc[d,d] bs[d] wa[a,d] ua[a,d] va[a] "
#define LOSS DECODER "wo[v,d] bo[v] dlogprob[t,v] "
const struct row row_seq2seq = {
    .name = "seq2seq", .title = "recurrent encoder and decoder", .cite = "Bahdanau et al. 2015",
    .steps = { mix_steps, "multiply gather act normal slope" },
    .declares = seq2seq_params, .size = sizeof(struct seq2seq), .presets = presets, .contracts = contracts,
    .extent = seq2seq_extent, .refuse = seq2seq_refuse, .sizes = "d=3 c=4 e=2 a=5 t=6",
    .q = {
      { ENCODER "-> h[m|d]", states },
      { "query[t,d] states[m,d] wa[a,d] ua[a,d] va[a] -> read[t|d]", reading },
      { "query[t,d] states[m,d] wa[a,d] ua[a,d] va[a] -> align[t|m]", alignment },
      { "int target[t]<v -> int input[t|]", input },
      { DECODER "-> weights[t|m]", seq2seq_weights }, { DECODER "-> context[t|d]", seq2seq_context },
      { DECODER "-> s[t|d]", seq2seq_state }, { DECODER "wo[v,d] bo[v] -> logprob[t|v]", logprob },
      { ENCODER "dh[m,d] -> dx[m|c]", seq2seq_source_grad },
      { ENCODER "dh[m,d] -> dwh[d|d]", seq2seq_recurrent_grad },
      { ENCODER "dh[m,d] -> dwx[d|c]", input_weights, .of = WX },
      { ENCODER "dh[m,d] -> dbh[|d]", input_weights, .of = BH },
      { LOSS "-> dx_logprob[|m,c]", gradient, .of = X }, { LOSS "-> dwx_logprob[|d,c]", gradient, .of = WX },
      { LOSS "-> dwh_logprob[|d,d]", gradient, .of = WH }, { LOSS "-> dbh_logprob[|d]", gradient, .of = BH },
      { LOSS "-> demb_logprob[|v,e]", gradient, .of = EMB }, { LOSS "-> dwy_logprob[|d,e]", gradient, .of = WY },
      { LOSS "-> dws_logprob[|d,d]", gradient, .of = WS }, { LOSS "-> dwc_logprob[|d,d]", gradient, .of = WC },
      { LOSS "-> dbs_logprob[|d]", gradient, .of = BS }, { LOSS "-> dwa_logprob[|a,d]", gradient, .of = WA },
      { LOSS "-> dua_logprob[|a,d]", gradient, .of = UA }, { LOSS "-> dva_logprob[|a]", gradient, .of = VA },
      { LOSS "-> dwo_logprob[|v,d]", gradient, .of = WO }, { LOSS "-> dbo_logprob[|v]", gradient, .of = BO } },
};

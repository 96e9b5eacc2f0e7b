/* Gradients of row attention, for do that of o:
 *   dq_i = scale sum_j ds_ij k_j      dk_j = scale sum_i ds_ij q_i      dv_j = sum_i p_ij do_i
 *   dsink = sum_i ds_i,sink           dbias_ij = ds_ij
 * over all queries i of all heads that read key head g; ds and p of each route: mix_grad.h.  ds_ij takes what lies
 * between product and score with it: the cap's 1 - tanh^2, the temperature, and nothing of a filled key; dbias_ij what
 * lies between bias and score. */
#include "logit/logit.h"

static bool of_key(const struct ask *w, long h, long i, long j)
{
    (void)i;
    return j == w->at[1] && key_head(w, h) == w->at[0];
}
static bool of_sink(const struct ask *w, long h, long i, long j) { (void)i; return is_sink(w, j) && h == w->at[0]; }
static const struct ball *key(struct ask *w, long h, long i, long j, long c)
{
    (void)i;
    return is_sink(w, j) ? b_si(w, 0) : b_in(w, "k", key_head(w, h), j, c);
}

/* What mix_grad.h is asked for each input. */
static const struct {
    const char *out;
    void (*grad)(struct ask *w, const struct mix_grad *g, const struct mix_met *m, const struct ball **y);
    struct mix_met met;
} parts[] = {
    [OF_Q] = { "dq", mix_query_grad, { .key = key } },
    [OF_K] = { "dk", mix_key_grad, { of_key, mix_q, NULL } },
    [OF_V] = { "dv", mix_value_grad, { .of = of_key } },
    [OF_SINK] = { "dsink", mix_key_grad, { of_sink, mix_one, NULL } },
    [OF_BIAS] = { "dbias", mix_score_grad, { NULL } },
};
void logit_grad(struct ask *w, struct mix m, const struct ball **y)
{
    const struct attention *p = w->params;
    struct mix_grad g = { m, "do", scale_of, b_true(w, logit_bends(p)) ? logit_slope : NULL };
    const int of = w->of;
    if (of == OF_Q_GAIN || of == OF_K_GAIN) {
        logit_gain_grad(w, of == OF_Q_GAIN ? "q" : "k", of == OF_Q_GAIN ? "q_gain" : "k_gain",
            of == OF_Q_GAIN ? "dq" : "dk", y);
        return;
    }
    if (b_true(w, of == OF_SINK || (of == OF_BIAS && p->order != BIAS_FIRST)))
        g.scale = NULL;
    if (of == OF_BIAS && b_true(w, logit_bends(p)))
        g.slope = logit_bias_slope;
    if (!logit_normed(w, parts[of].out, y))
        parts[of].grad(w, &g, &parts[of].met, y);
    else if (of == OF_Q || of == OF_K)
        logit_through_norm(w, of == OF_Q ? "q" : "k", of == OF_Q ? "q_gain" : "k_gain", y);
}

/* Contextual position encoding (CoPE).                             Golovneva et al. 2024, arXiv:2405.18719, section 4
 * Query i opens a gate at every key, and counts the gates between a key and itself; i stands at place m - n + i:
 *   g_il = sigmoid(s <q_i, k_l>)      p_ij = min(sum of g_il over l = j .. i, P - 1)                      eq. 3, 4
 *   e[p] = (p - f) e[c] + (1 - p + f) e[f] with f and c the floor and the ceiling of p                   eq. 5
 *        = sum_t max(0, 1 - |p - t|) e[t]
 *   o_i  = sum_j softmax(s <q_i, k_j> + <q_i, e[p_ij]>) v_j
 * A position is a share of what was counted (words, sentences) and lies between two learned ones; <q_i, e[t]> is taken
 * once for all P whole positions t, and blended.  s is 1/sqrt(d).
 *   kg       other keys for the gates: a projection of their own, or the values
 *   gates    scaled: sigmoid of s <q, k>, as the code; raw: of <q, k>, as equation 3
 *   add      after: <q, e[p]> as it is (appendix); before: it joins the product, and is multiplied by s too
 *   own      does a query's gate at its own token count?
 *   upto     query: gates of keys behind the query are 0; end: they count, as where the mask comes after the sigmoid
 * Gradients: ref/core/context/context_grad.c.  At a whole p its slope is 0: floor and ceiling are one.
 * Traps: with all <q, k> at 0 every position is half a distance.  Positions go from 0, where no gate is open, to the
 * number of keys: P is the context and one more.  In bfloat16 a sum of gates, one after the other, stops at 256. */
#include <stdlib.h>
#include "context/context.h"
#include "row/shared.h"
extern const struct row row_attention;

static void positions(struct ask *w, const struct ball **y) { cope_positions(w, w->at[0], w->at[1], y); }
static void bias(struct ask *w, const struct ball **y) { cope_bias(w, w->at[0], w->at[1], y); }
static void attended(struct ask *w, const char *out, bool one, const struct ball **y)
{
    const struct ball **b = cope_biases(w, one ? w->at : NULL);
    cope_attend(w, out, b, w->at, w->len, y);
    free(b);
}
static void output(struct ask *w, const struct ball **y) { attended(w, "o", true, y); }
static void logsumexp(struct ask *w, const struct ball **y) { attended(w, "lse", true, y); }
static void value_grad(struct ask *w, const struct ball **y) { attended(w, "dv", false, y); }

static const char *refuse(const void *params)
{
    return mpq_sgn(((const struct cope *)params)->scale) < 0 ? "scale: must not be below 0" : NULL;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct cope, scale) },
    { "gates", "scaled", "a gate's logit: the scaled product, or <q, k>", ENUM, offsetof(struct cope, gates),
        .choices = "scaled raw" },
    { "add", "after", "the term of positions joins behind the scale, or before it", ENUM, offsetof(struct cope, add),
        .choices = "after before" },
    { "own", "counted", "the gate of a query at its own token", ENUM, offsetof(struct cope, own),
        .choices = "counted out" },
    { "upto", "query", "gates count up to the query, or to the last key", ENUM, offsetof(struct cope, upto),
        .choices = "query end" },
    { "causal", "on", "are keys behind a query hidden from it?", ENUM, offsetof(struct cope, causal),
        .choices = "on off" },
    { .as = &param_start, .at = offsetof(struct cope, start) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:2405.18719, appendix; facebookresearch/RAM --cope-nodiv; lucidrains/x-transformers CoPE" },
    { "equations", "gates=raw", "arXiv:2405.18719, equations 3 to 5, where the scale is left out" },
    { "code:facebookresearch/RAM", "add=before", "projects/cope/src/cope/context_position.py" },
    { "both sides", "add=before causal=off upto=end", "the same without a mask: all keys behind a key are counted" },
    { "own out", "own=out", "gates * (1 - eye): a token is at distance 0 from itself" },
    { 0 },
};
static const struct preset contracts[] = { { 0 } };
static const struct row *const parts[] = { &row_attention, NULL };
#define TOKENS "q[h,n,d] k[g,m,d] v[g,m,e] emb[p,d] kg?[g,m,d] "
#define BACK TOKENS "do[h,n,e] -> "
const struct row row_cope = {
    .name = "cope", .title = "contextual position encoding", .cite = "Golovneva et al. 2024",
    .steps = { "term inner logit gate count share part blend factor slope gather" }, .parts = parts,
    .declares = params, .size = sizeof(struct cope), .presets = presets, .contracts = contracts,
    .refuse = refuse, .sizes = "d=4 e=3 p=4",
    .q = { { TOKENS "-> o[h,n|e]", output }, { TOKENS "-> lse[h,n|]", logsumexp },
        { "q[h,n,d] k[g,m,d] emb[p,d] kg?[g,m,d] -> position[h,n|m]", positions },
        { "q[h,n,d] k[g,m,d] emb[p,d] kg?[g,m,d] -> bias[h,n|m]", bias },
        { BACK "dq[h,n|d]", cope_grad, .of = COPE_Q }, { BACK "dk[g,m|d]", cope_grad, .of = COPE_K },
        { BACK "dv[g,m|e]", value_grad }, { BACK "demb[p|d]", cope_grad, .of = COPE_EMB },
        { "q[h,n,d] k[g,m,d] v[g,m,e] emb[p,d] kg[g,m,d] do[h,n,e] -> dkg[g,m|d]", cope_grad, .of = COPE_KG } },
};

/* The tokens of a recurrence with the delta rule and gates, and its outputs; see delta.h. */
#include "state/delta.h"
#include <stdlib.h>
#include "row/shared.h"

static const struct delta *own(const struct ask *w) { return w->params; }
struct token_norm delta_norm(const struct ask *w) { return (struct token_norm){ own(w)->norm, own(w)->eps }; }
long delta_head(const struct ask *w, long h)
{
    return token_head(w, b_true(w, own(w)->group == 1), h, dim_in(w, "v", 0));
}

const struct ball *delta_shifted(struct ask *w, long h, long t, long i)
{
    return b_step(w, SHIFT, b_add(w, b_in(w, "a", h, t, i), b_in(w, "dt_bias", h, i, 0)));
}
const struct ball *delta_rate(struct ask *w, long h)
{
    return b_step(w, RATE, b_exp(w, b_in(w, "A_log", h, 0, 0)));
}
const struct ball *delta_log(struct ask *w, long h, long t, long i)
{
    if (own(w)->gate == GATE_LOG)
        return b_in(w, "a", h, t, i);
    const struct ball *rate = delta_rate(w, h), *x = delta_shifted(w, h, t, i);
    if (b_true(w, own(w)->gate == GATE_SOFTPLUS))
        return b_step(w, LOG_DECAY, b_neg(w, b_mul(w, rate, token_softplus(w, SOFTPLUS, x))));
    return b_step(w, LOG_DECAY,
        b_mul(w, b_given(w, LOG_DECAY, b_q(w, own(w)->lower)),
            token_sigmoid(w, SOFTPLUS, b_step(w, SHIFT, b_mul(w, rate, x)))));
}
const struct ball *delta_share(struct ask *w, long h, long t)
{
    return token_sigmoid(w, BETA, b_in(w, "beta", h, t, 0));
}
static const struct ball *strength(struct ask *w, long h, long t)
{
    if (b_true(w, own(w)->strength == STRENGTH_GIVEN))
        return b_in(w, "beta", h, t, 0);
    return b_scaled(w, BETA, delta_share(w, h, t), b_given(w, BETA, b_q(w, own(w)->most)));
}

static void token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    const long g = delta_head(w, h);
    const struct ball *scale = token_scale(w, QUERY, own(w)->scale, r->d);
    token_unit(w, "k", g, t, delta_norm(w), x->k), token_unit(w, "q", g, t, delta_norm(w), x->q);
    for (long i = 0; i < r->d; i++)
        x->q[i] = b_scaled(w, QUERY, x->q[i], scale);
    for (long c = 0; c < r->e; c++)
        x->v[c] = b_in(w, "v", h, t, c);
    if (r->delta)
        x->beta = strength(w, h, t);
    for (long i = 0; r->gated && i < (r->channels ? r->d : 1); i++)
        x->a[i] = b_step(w, FACTOR, b_exp(w, delta_log(w, h, t, i)));
}
struct state_rule delta_rule(const struct ask *w)
{
    return (struct state_rule){ .n = dim_in(w, "v", 1),
        .d = dim_in(w, "k", 2),
        .e = dim_in(w, "v", 2),
        .gated = has_in(w, "a"),
        .channels = has_in(w, "a") && array_in(w, "a")->rank == 3,
        .delta = has_in(w, "beta"),
        .correct_first = b_true(w, own(w)->order == CORRECT_FIRST),
        .read_before = b_true(w, own(w)->read == READ_BEFORE),
        .decay = DECAY,
        .token = token };
}

/* Every o[h,n,e], then every final[h,d,e]. */
static void make(struct ask *w, const struct ball **all)
{
    const struct state_rule r = delta_rule(w);
    const long heads = dim_in(w, "v", 0), o = r.n * r.e, s = r.d * r.e;
    for (long h = 0; h < heads; h++)
        state_forward(w, &r, h, all + h * o, all + heads * o + h * s);
}
void delta_part(struct ask *w, question_make *of, long n, long from, const struct ball **y)
{
    const bool exact = w->exact;
    w->exact = exact && dim_in(w, "v", 1) <= EXACT_TOKENS;
    question_line(w, of, n, from, y);
    w->exact = exact;
}
/* y[e] = what stands from place `from` on of all that `make` makes. */
static void part(struct ask *w, long from, const struct ball **y)
{
    const struct state_rule r = delta_rule(w);
    delta_part(w, make, dim_in(w, "v", 0) * (r.n + r.d) * r.e, from, y);
}
void delta_output(struct ask *w, const struct ball **y)
{
    part(w, (w->at[0] * dim_in(w, "v", 1) + w->at[1]) * w->len, y);
}
void delta_final(struct ask *w, const struct ball **y)
{
    const long heads = dim_in(w, "v", 0), d = dim_in(w, "k", 2);
    part(w, (heads * dim_in(w, "v", 1) + w->at[0] * d + w->at[1]) * w->len, y);
}

bool delta_needs(const void *params, const char *input)
{
    return strcmp(input, "A_log") && strcmp(input, "dt_bias") ? false :
                                                               ((const struct delta *)params)->gate != GATE_LOG;
}
double delta_most(const void *params, const char *input)
{
    return !strcmp(input, "a") && ((const struct delta *)params)->gate == GATE_LOG ? 0 : (double)INFINITY;
}
const char *delta_refuse(const void *params)
{
    const struct delta *p = params;
    return mpq_sgn(p->scale) < 0                                      ? "scale: must not be below 0" :
        mpq_sgn(p->eps) <= 0                                          ? "l2_eps: must be greater than 0" :
        p->strength == STRENGTH_SIGMOID && mpq_sgn(p->most) <= 0      ? "beta_max: must be greater than 0" :
        p->gate == GATE_BOUND && mpq_sgn(p->lower) >= 0               ? "lower_bound: must be below 0" :
                                                                        NULL;
}
const struct param delta_vectors[] = {
    { .as = &param_scale, .at = offsetof(struct delta, scale) },
    { "l2norm", "add", "q and k are unit vectors: eps joins the square, or bounds the root; or as they are", ENUM,
        offsetof(struct delta, norm), .choices = "add max none" },
    { "l2_eps", "1e-6", "eps of l2norm", RATIONAL, offsetof(struct delta, eps) },
    { .as = &param_group, .at = offsetof(struct delta, group) },
    { .as = &param_read, .at = offsetof(struct delta, read) },
    { 0 },
};
const struct param delta_gates[] = {
    { "gate", "log", "log of the decay: a, or -exp(A_log) softplus(a + dt_bias)", ENUM, offsetof(struct delta, gate),
        .choices = "log softplus" },
    { 0 },
};
const struct param delta_channel_gates[] = {
    { "gate", "log", "log of the decay: a; -exp(A_log) softplus(a + dt_bias); lower_bound times a sigmoid", ENUM,
        offsetof(struct delta, gate), .choices = "log softplus lower-bound" },
    { "lower_bound", "-5", "of gate=lower-bound", RATIONAL, .at = offsetof(struct delta, lower) },
    { 0 },
};
const struct param delta_strengths[] = {
    { "strength", "given", "beta as it is, or beta_max sigmoid(beta)", ENUM, offsetof(struct delta, strength),
        .choices = "given sigmoid" },
    { "beta_max", "1", "of strength=sigmoid; 2 allows negative eigenvalues", RATIONAL, offsetof(struct delta, most) },
    { 0 },
};
const struct preset delta_contracts[] = {
    { "f32", "decay=f32 product=f32 dot=f32 residual=f32 correct=f32 write=f32 state=f32 output=f32 slope=f32 "
        "gather=f32 square=f32 squares=f32 root=f32 unit=f32 query=f32 shift=f32 softplus=f32 rate=f32 log=f32 "
        "factor=f32 beta=f32", "the loop over tokens in float32" },
    { 0 },
};
const struct param delta_orders[] = {
    { "order", "decay-first", "w is made of the decayed state, or of the one before its decay", ENUM,
        offsetof(struct delta, order), .choices = "decay-first correct-first" },
    { 0 },
};

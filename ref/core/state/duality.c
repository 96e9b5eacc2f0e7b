/* The tokens of state-space duality; see duality.h. */
#include "state/duality.h"
#include "row/shared_head.h"

long duality_group(const struct ask *w, long h)
{
    return shared_head(w, b_true(w, duality_own(w)->group == GROUP_TILE), h, dim_in(w, "x", 0), dim_in(w, "B", 0));
}
/* Is token t the first of a document that is not the first? */
static bool begins(const struct ask *w, long t)
{
    bool first = false;
    for (long k = 1; has_in(w, "cu_seqlens") && k < dim_in(w, "cu_seqlens", 0); k++)
        first |= i_in(w, "cu_seqlens", k, 0) == t;
    return first;
}

const struct ball *duality_clamped(struct ask *w, const struct ball *x)
{
    x = b_max(w, x, b_held(w, LIMIT, b_q(w, duality_own(w)->dt_min)));
    const bool both = b_true(w, mpq_sgn(duality_own(w)->dt_max) != 0);
    return both ? b_min(w, x, b_held(w, LIMIT, b_q(w, duality_own(w)->dt_max))) : x;
}
const struct ball *duality_shifted(struct ask *w, long h, long t)
{
    const struct ball *x = b_in(w, "dt", h, t, 0);
    return has_in(w, "dt_bias") ? b_step(w, BIASED, b_add(w, x, b_in(w, "dt_bias", h, 0, 0))) : x;
}
const struct ball *duality_soft(struct ask *w, const struct ball *x)
{
    return b_true(w, duality_own(w)->dt_softplus == IS_ON) ? token_softplus(w, SOFT, x) : x;
}
const struct ball *duality_step(struct ask *w, long h, long t)
{
    const struct ball *x = duality_shifted(w, h, t);
    return b_true(w, duality_own(w)->clamp == CLAMP_BEFORE) ? duality_soft(w, duality_clamped(w, x)) :
                                                              duality_clamped(w, duality_soft(w, x));
}
const struct ball *duality_rate(struct ask *w, long h)
{
    const struct ball *a = b_in(w, "A", h, 0, 0);
    return b_true(w, duality_own(w)->a_log == IS_ON) ? b_neg(w, b_step(w, RATE_OF, b_exp(w, a))) : a;
}
const struct ball *duality_log(struct ask *w, long h, long t)
{
    return b_step(w, LOG_OF, b_mul(w, duality_step(w, h, t), duality_rate(w, h)));
}
static void token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    const long g = duality_group(w, h);
    const struct ball *dt = duality_step(w, h, t);
    for (long i = 0; i < r->d; i++)
        x->q[i] = b_in(w, "C", g, t, i), x->k[i] = b_in(w, "B", g, t, i);
    for (long c = 0; c < r->e; c++)
        x->v[c] = b_step(w, VALUE, b_mul(w, dt, b_in(w, "x", h, t, c)));
    x->a[0] = b_true(w, begins(w, t)) ? b_si(w, 0) : b_step(w, FACTOR_OF, b_exp(w, duality_log(w, h, t)));
}

/* s = 1 / (1 + exp(-z)), or z s. */
const struct ball *duality_gate(struct ask *w, long h, long t, long c)
{
    const struct ball *z = b_in(w, "z", h, t, c), *s = token_sigmoid(w, SHARE, z);
    return b_true(w, duality_own(w)->gate == GATE_SILU) ? b_step(w, SILU, b_mul(w, z, s)) : s;
}
/* s (1 - s), or s + z s (1 - s). */
const struct ball *duality_gate_slope(struct ask *w, long h, long t, long c)
{
    const struct ball *z = b_in(w, "z", h, t, c), *s = token_sigmoid(w, SHARE, z),
                      *bend = b_step(w, SLOPE, b_mul(w, s, b_step(w, SLOPE, b_sub(w, b_si(w, 1), s))));
    if (b_true(w, duality_own(w)->gate == GATE_SIGMOID))
        return bend;
    return b_step(w, SLOPE, b_add(w, s, b_step(w, SLOPE, b_mul(w, z, bend))));
}
const struct ball *duality_joined(struct ask *w, const struct ball *o, long h, long t, long c)
{
    if (!has_in(w, "D"))
        return o;
    const struct ball *x = b_in(w, "x", h, t, c);
    if (w->arith->fault == SKIPS_VALUE)
        x = b_step(w, VALUE, b_mul(w, duality_step(w, h, t), x));
    const struct ball *skip = b_step(w, SKIP, b_mul(w, b_in(w, "D", h, 0, 0), x));
    return b_step(w, JOIN, b_add(w, o, skip));
}
void duality_up(struct ask *w, long h, long t, const struct ball **to)
{
    for (long c = 0; c < dim_in(w, "x", 2); c++) {
        const struct ball *dy = b_in(w, "dy", h, t, c);
        to[c] = has_in(w, "z") ? b_step(w, SLOPE, b_mul(w, dy, duality_gate(w, h, t, c))) : dy;
    }
}
static void up(struct ask *w, const struct state_rule *r, const struct state_token *x, const struct ball *const *s,
    long h, long t, const struct ball **to)
{
    (void)r, (void)x, (void)s;
    duality_up(w, h, t, to);
}
struct state_rule duality_rule(const struct ask *w)
{
    return (struct state_rule){ .n = dim_in(w, "x", 1), .d = dim_in(w, "B", 2), .e = dim_in(w, "x", 2), .gated = true,
        .read_before = b_true(w, duality_own(w)->read == READ_BEFORE), .decay = DECAYED, .token = token, .up = up };
}

/* Scores of the row `attention`, part by part: logit.h. */
#include <math.h>
#include "logit/logit.h"
#include "ball/stored.h"

static long dim(const struct ask *w, const char *a, int axis) { return array_in(w, a)->dim[axis]; }
long key_head(const struct ask *w, long h)
{
    const long heads = dim(w, "k", 0), all = dim(w, "q", 0), at = indexed(w, 0, h, all);
    const bool tile = b_true(w, ((const struct attention *)w->params)->group == TILE);
    return at < 0 ? 0 : tile ? at % heads : at / (all / heads);
}

static bool minus_inf(const struct ask *w, const char *name, long at)
{
    const struct mer_array *a = mer_in(w->call, name);
    return a && a->type != BALLS && stored_value(w, a, at) == (double)-INFINITY;
}
bool in_sight(const struct ask *w, long h, long i, long j)
{
    return visible_key(w, &((const struct attention *)w->params)->see, h, i, j, dim(w, "q", 1), dim(w, "k", 1));
}
static bool removed(const struct ask *w, long h, long i, long j)
{
    return minus_inf(w, "bias", (h * dim(w, "q", 1) + i) * dim(w, "k", 1) + j);
}
bool is_sink(const struct ask *w, long j) { return j == dim(w, "k", 1); }
bool cap_is_last(const struct attention *p) { return mpq_sgn(p->cap) && p->cap_at == AFTER; }
bool in_sums(const struct ask *w, long h, long i, long j)
{
    const struct attention *p = w->params;
    if (is_sink(w, j))
        return !minus_inf(w, "sink", h);
    return cap_is_last(p) || (!removed(w, h, i, j) && (p->mask != HIDE || in_sight(w, h, i, j)));
}

const struct ball *scale_of(struct ask *w) { return mix_scale(w, ((const struct attention *)w->params)->scale); }
/* x in multiples of unit (NULL: 1), as machines have it: 1/unit is a constant, log2 e, of the step's format. */
static const struct ball *in_units(struct ask *w, int step, const struct ball *x, const struct ball *unit)
{
    return unit ? b_step(w, step, b_mul(w, x, b_held(w, step, (b_div)(w, b_si(w, 1), unit)))) : x;
}
/* The temperature t_i of query i; NULL where it is 1. */
static const struct ball *warmth(struct ask *w, long i)
{
    const struct attention *p = w->params;
    long c = visible_position(w, &p->see, i, dim(w, "q", 1), dim(w, "k", 1)) + 1 - p->warm_start;
    c = c < 1 ? 1 : c;
    if (b_true(w, p->temperature == COLD || (p->temperature == LOGN && c <= p->trained)))
        return NULL;
    const bool steps = b_true(w, p->temperature == LLAMA4);
    const struct ball *t = b_inner(w, WARMTH, b_log(w, b_si(w, steps ? 1 + c / p->floor : c)));
    if (b_true(w, p->temperature == LOGN))
        return b_step(w, WARMTH, b_div(w, t, b_inner(w, WARMTH, b_log(w, b_si(w, p->trained)))));
    t = b_mul(w, t, b_given(w, WARMTH, b_q(w, p->temper)));
    return b_step(w, WARMTH, b_true(w, p->temperature == LLAMA4) ? b_add(w, b_si(w, 1), b_inner(w, WARMTH, t)) : t);
}

/* A line that an edit has taken away. */
static struct span nothing(const struct ask *w, const char *name)
{
    return (struct span){ .a = array_in(w, name), .at = SITE_NOWHERE };
}
/* The product scale t_i <q_i, k_j> in multiples of unit (NULL: 1); with order=bias-first the bias is scaled with it. */
const struct ball *logit_product(struct ask *w, long h, long i, long j, const struct ball *unit)
{
    const struct attention *p = w->params;
    const struct span q = span(w, "q", h, i);
    const long of = indexed(w, 0, h, dim(w, "q", 0));
    const struct span k = of < 0 ? nothing(w, "k") : span(w, "k", key_head(w, of), j);
    const struct ball *s = b_dot(w, PRODUCT, DOT, q, k, dim(w, "q", 2)), *by = scale_of(w), *t = warmth(w, i);
    if (has_in(w, "bias") && b_true(w, p->order == BIAS_FIRST))
        s = b_step(w, BIAS, b_add(w, s, b_in(w, "bias", h, i, j)));
    by = t ? b_held(w, SCORE, b_mul(w, by, t)) : by;
    if (unit) /* 1/unit is a constant, too, and joins the scale. */
        by = b_held(w, SCORE, b_mul(w, by, b_held(w, SCORE, (b_div)(w, b_si(w, 1), unit))));
    return b_scaled(w, SCORE, s, by);
}
/* The score s with its bias, unless that came first, and with the constant of a mask; in multiples of unit (NULL:
 * 1). */
const struct ball *logit_masked(struct ask *w, const struct ball *s, long h, long i, long j, const struct ball *unit)
{
    const struct attention *p = w->params;
    if (has_in(w, "bias") && b_true(w, p->order != BIAS_FIRST))
        s = b_step(w, BIAS, b_add(w, s, in_units(w, BIAS, b_in(w, "bias", h, i, j), unit)));
    if (p->mask == HIDE || in_sight(w, h, i, j))
        return s;
    const struct ball *c = b_held(w, MASKING, b_q(w, p->constant)), *all = c;
    for (long k = 1; k < p->times; k++)
        all = b_step(w, MASKING, b_add(w, all, c));
    all = in_units(w, MASKING, all, unit);
    return b_true(w, p->mask == ADD) ? b_step(w, MASKING, b_add(w, s, all)) : all;
}
static const struct ball *bent(struct ask *w, const struct ball *s)
{
    return b_step(w, TANH,
        b_tanh(w,
            b_step(w, QUOTIENT, b_div(w, s, b_held(w, QUOTIENT, b_q(w, ((const struct attention *)w->params)->cap))))));
}
const struct ball *logit_capped(struct ask *w, const struct ball *s, const struct ball *unit)
{
    const struct ball *c = b_held(w, CAPPED, b_q(w, ((const struct attention *)w->params)->cap));
    return b_step(w, CAPPED, b_mul(w, in_units(w, CAPPED, c, unit), bent(w, s)));
}

const struct ball *logit(struct ask *w, long h, long i, long j, const struct ball *unit)
{
    const struct attention *p = w->params;
    const bool cap = mpq_sgn(p->cap) != 0;
    if (is_sink(w, j))
        return has_in(w, "sink") ? in_units(w, SCORE, b_in(w, "sink", h, 0, 0), unit) : b_si(w, 0);
    if (cap_is_last(p) && (removed(w, h, i, j) || (p->mask == HIDE && !in_sight(w, h, i, j))))
        return in_units(w, CAPPED, b_neg(w, b_abs(w, b_held(w, CAPPED, b_q(w, p->cap)))), unit); /* c tanh(-inf) */
    const struct ball *s = logit_product(w, h, i, j, cap ? NULL : unit);
    if (b_true(w, cap_is_last(p)))
        return logit_capped(w, logit_masked(w, s, h, i, j, NULL), unit);
    return logit_masked(w, b_true(w, cap) ? logit_capped(w, s, unit) : s, h, i, j, unit);
}

bool logit_bends(const struct attention *p) { return mpq_sgn(p->cap) || p->temperature != COLD || p->mask == FILL; }
/* Is the score of key j the same whatever product and bias are?  It is where the bias is -inf, where mask=fill put a
 * constant in its place, and where the key is hidden and the cap comes after the mask. */
static bool deaf(const struct ask *w, long h, long i, long j)
{
    const struct attention *p = w->params;
    return removed(w, h, i, j) || (!in_sight(w, h, i, j) && (p->mask == FILL || (p->mask == HIDE && cap_is_last(p))));
}
static const struct ball *slope_of_cap(struct ask *w, long h, long i, long j)
{
    const struct ball *s = logit_product(w, h, i, j, NULL);
    s = bent(w, b_true(w, cap_is_last(w->params)) ? logit_masked(w, s, h, i, j, NULL) : s);
    return b_step(w, CAPPED, b_sub(w, b_si(w, 1), b_step(w, CAPPED, b_mul(w, s, s))));
}
const struct ball *logit_slope(struct ask *w, long h, long i, long j)
{
    const struct attention *p = w->params;
    if (is_sink(w, j) || deaf(w, h, i, j))
        return b_si(w, is_sink(w, j));
    const struct ball *t = warmth(w, i), *y = b_true(w, mpq_sgn(p->cap) != 0) ? slope_of_cap(w, h, i, j) : b_si(w, 1);
    return t ? b_step(w, PRODUCT, b_mul(w, y, t)) : y;
}
const struct ball *logit_bias_slope(struct ask *w, long h, long i, long j)
{
    const struct attention *p = w->params;
    if (b_true(w, p->order == BIAS_FIRST))
        return logit_slope(w, h, i, j);
    return deaf(w, h, i, j) ? b_si(w, 0) : b_true(w, cap_is_last(p)) ? slope_of_cap(w, h, i, j) : b_si(w, 1);
}

const struct ball *logit_stage(struct ask *w, long h, long i, long j)
{
    const struct attention *p = w->params;
    const struct ball *s;
    if (p->stage == PRODUCT_STAGE)
        return logit_product(w, h, i, j, NULL);
    if (p->stage == (p->cap_at == AFTER ? CAPPED_STAGE : BIASED_STAGE))
        return in_sums(w, h, i, j) ? logit(w, h, i, j, NULL) : b_minus_inf(w);
    if (p->stage == CAPPED_STAGE) {
        s = logit_product(w, h, i, j, NULL);
        return b_true(w, mpq_sgn(p->cap) != 0) ? logit_capped(w, s, NULL) : s;
    }
    if (p->mask == HIDE && !in_sight(w, h, i, j))
        return b_minus_inf(w);
    return logit_masked(w, logit_product(w, h, i, j, NULL), h, i, j, NULL);
}

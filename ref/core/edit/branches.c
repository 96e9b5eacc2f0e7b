/* Sigmoid, softplus and ReLU as code has them; see branches.h.  Each operation stands on a line of its own. */
#include "edit/branches.h"
#include "edit/form.h"

static bool negative(const struct ball *x) { return mpfr_signbit(x->mid) != 0; }

/* 1 / (1 + e^-x), whatever x is. */
enum { AT_ONCE = __LINE__ };
static const struct ball *at_once(struct ask *w, const void *x)
{
    const struct ball *opposite = b_neg(w, x);
    const struct ball *e = b_exp(w, opposite);
    const struct ball *total = b_add(w, (b_si)(w, 1), e);
    return b_div(w, (b_si)(w, 1), total);
}
static const struct other_form whole_sigmoid = { at_once, __FILE__, AT_ONCE, __LINE__ };

/* The same of numbers from 0 on, and e^x / (1 + e^x) of those below. */
enum { BY_SIGN = __LINE__ };
static const struct ball *below(struct ask *w, const void *x)
{
    const struct ball *above = b_exp(w, x);
    const struct ball *e = b_exp(w, x);
    const struct ball *one = b_si(w, 1);
    const struct ball *total = b_add(w, one, e);
    return b_div(w, above, total);
}
static const struct ball *from_0_on(struct ask *w, const void *x)
{
    const struct ball *opposite = b_neg(w, x);
    const struct ball *e = b_exp(w, opposite);
    const struct ball *one = b_si(w, 1);
    const struct ball *total = b_add(w, one, e);
    const struct ball *above = b_si(w, 1);
    return b_div(w, above, total);
}
static const struct ball *by_sign(struct ask *w, const void *x)
{
    return negative(x) ? below(w, x) : from_0_on(w, x);
}
static const struct other_form branched_sigmoid = { by_sign, __FILE__, BY_SIGN, __LINE__ };

/* x + log(1 + e^-x) of positive numbers, and log(1 + e^x) of the others. */
enum { OF_SOFTPLUS = __LINE__ };
static const struct ball *straight(struct ask *w, const void *x)
{
    const struct ball *opposite = b_neg(w, x);
    const struct ball *e = b_exp(w, opposite);
    const struct ball *total = b_add(w, (b_si)(w, 1), e);
    const struct ball *rest = b_log(w, total);
    return b_add(w, x, rest);
}
static const struct ball *bent(struct ask *w, const void *x)
{
    const struct ball *e = b_exp(w, x);
    const struct ball *total = b_add(w, (b_si)(w, 1), e);
    return b_log(w, total);
}
static const struct ball *soft(struct ask *w, const void *x) { return negative(x) ? bent(w, x) : straight(w, x); }
static const struct other_form branched_softplus = { soft, __FILE__, OF_SOFTPLUS, __LINE__ };

/* x from a border on, 0 below it; and 1 and 0. */
enum { OF_RELU = __LINE__ };
static bool beyond(const struct ball *x, const struct ball *border) { return mpfr_cmp(x->mid, border->mid) > 0; }
static const struct ball *rectified(struct ask *w, const void *x)
{
    const struct ball *border = b_si(w, 0);
    const struct ball *dead = b_si(w, 0);
    return beyond(x, border) ? x : dead;
}
static const struct other_form branched_relu = { rectified, __FILE__, OF_RELU, __LINE__ };
enum { OF_HEAVISIDE = __LINE__ };
static const struct ball *stepped(struct ask *w, const void *x)
{
    const struct ball *border = b_si(w, 0);
    const struct ball *dead = b_si(w, 0);
    const struct ball *live = b_si(w, 1);
    return beyond(x, border) ? live : dead;
}
static const struct other_form branched_heaviside = { stepped, __FILE__, OF_HEAVISIDE, __LINE__ };

/* Where it is noted what no step rounds, these expressions are one operation: their own roundings are its own. */
static bool asked(const struct ask *w) { return !w->sites || !w->sites->bits; }
const struct ball *sigmoid_in_form(struct ask *w, const struct ball *x)
{
    const struct ball *y = asked(w) ? site_form(w, &whole_sigmoid, x) : NULL;
    y = y || !asked(w) ? y : site_form(w, &branched_sigmoid, x);
    return y ? y : (b_sigmoid)(w, x);
}
const struct ball *softplus_in_form(struct ask *w, const struct ball *x)
{
    const struct ball *y = asked(w) ? site_form(w, &branched_softplus, x) : NULL;
    return y ? y : (b_softplus)(w, x);
}
const struct ball *relu_in_form(struct ask *w, struct source at, const struct ball *x)
{
    const struct ball *y = asked(w) ? site_form(w, &branched_relu, x) : NULL;
    return y ? y : site_two(w, at, SITE_MAX, (b_max), x, site_integer(w, at, 0));
}
const struct ball *heaviside_in_form(struct ask *w, const struct ball *x, const struct ball *at_0)
{
    const struct ball *y = asked(w) ? site_form(w, &branched_heaviside, x) : NULL;
    return y ? y : b_heaviside(w, x, at_0);
}

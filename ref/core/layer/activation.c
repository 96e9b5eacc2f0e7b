/* The slope of x W(x) is W + x W':  gelu, W' = e^(-x^2/2) / sqrt(2 pi)    gelu_tanh, W' = (1 - tanh^2 t) t' / 2
 * silu, W' = W (1 - W)          quick_gelu, W' = 1.702 W (1 - W).  That of sigmoid, which is W, is W (1 - W). */
#include "layer/activation.h"
#include "ball/make.h"
#include "edit/branches.h"

static const struct ball *half(struct ask *w, const struct ball *x) { return b_mul(w, x, b_ratio(w, 1, 2)); }
/* The number num / 1000000, exactly: 0.044715 is 44715/1000000, and 1.702 is 1702000/1000000. */
static const struct ball *cubic(struct ask *w, long num) { return b_ratio(w, num, 1000000); }

static const struct ball *two_over_pi(struct ask *w, int step)
{
    return b_inner(w, step, b_div(w, b_si(w, 2), b_given(w, step, b_pi(w))));
}
static bool logistic(const struct activation *a)
{
    return a->kind == SILU || a->kind == QUICK_GELU || a->kind == SIGMOID;
}
static const struct ball *quick(struct ask *w, int step) { return b_step(w, step, cubic(w, 1702000)); }

static const struct ball *argument(struct ask *w, const struct activation *a, const struct ball *x)
{
    if (b_true(w, a->kind == QUICK_GELU))
        return b_neg(w, b_step(w, a->argument, b_mul(w, quick(w, a->argument), x)));
    if (b_true(w, logistic(a)))
        return b_neg(w, x);
    if (b_true(w, a->kind == GELU))
        return b_step(w, a->argument, b_div(w, x, b_step(w, a->argument, b_sqrt(w, b_si(w, 2)))));
    const struct ball *root = b_step(w, a->argument, b_sqrt(w, two_over_pi(w, a->argument))),
                      *square = b_step(w, a->argument, b_mul(w, x, x));
    const struct ball *bent = b_step(
        w, a->argument, b_mul(w, b_step(w, a->argument, b_mul(w, square, x)), b_step(w, a->argument, cubic(w, 44715))));
    return b_step(w, a->argument, b_mul(w, root, b_step(w, a->argument, b_add(w, x, bent))));
}

static const struct ball *weight(
    struct ask *w, const struct activation *a, const struct ball *x, const struct ball **curve)
{
    const struct ball *t = argument(w, a, x), *one = b_si(w, 1);
    /* Exactly, where e^t is beyond all numbers: W = e^-t / (1 + e^-t).  A format's own overflow stays, and what is done
     * differently is a program's own formula. */
    if (logistic(a) && !sited(w) && b_cmp(t, b_si(w, 0)) == 1 && !b_rounds(w, a->curve, a->curve) &&
        !b_rounds(w, a->weight, a->weight)) {
        *curve = b_exp(w, b_neg(w, t));
        return b_div(w, *curve, b_add(w, one, *curve));
    }
    const bool gelu = b_true(w, a->kind == GELU), hyperbolic = a->kind == GELU_TANH;
    *curve = b_step(w, a->curve, gelu ? b_erf(w, t) : b_true(w, hyperbolic) ? b_tanh(w, t) : b_exp(w, t));
    const struct ball *more = b_step(w, a->weight, b_add(w, one, *curve));
    return b_step(w, a->weight, b_true(w, logistic(a)) ? b_div(w, one, more) : half(w, more));
}

static bool is_nan(const struct ball *x) { return mpfr_nan_p(x->mid) != 0; }

const struct ball *activate(struct ask *w, const struct activation *a, const struct ball *x)
{
    const struct ball *curve;
    if (is_nan(x))
        return b_nan(w);
    if (b_true(w, a->kind == RELU))
        return b_step(w, a->activate, b_relu(w, x));
    const struct ball *W = weight(w, a, x, &curve);
    return b_step(w, a->activate, b_true(w, a->kind == SIGMOID) ? W : b_mul(w, x, W));
}

const struct ball *activation_slope(struct ask *w, const struct activation *a, const struct ball *x)
{
    const struct ball *curve, *W, *one = b_si(w, 1), *bend;
    if (is_nan(x))
        return b_nan(w);
    if (b_true(w, a->kind == RELU))
        return heaviside_in_form(w, x, b_q(w, a->kink));
    W = weight(w, a, x, &curve);
    if (b_true(w, a->kind == SIGMOID))
        return b_step(w, a->slope, b_mul(w, W, b_step(w, a->slope, b_sub(w, one, W))));
    const struct ball *square = b_step(w, a->slope, b_mul(w, x, x));
    if (b_true(w, a->kind == GELU))
        bend = b_step(w, a->slope,
            b_div(w, b_step(w, a->slope, b_exp(w, b_neg(w, half(w, square)))),
                b_step(w, a->slope, b_sqrt(w, b_mul(w, b_si(w, 2), b_given(w, a->slope, b_pi(w)))))));
    else if (b_true(w, logistic(a))) {
        bend = b_step(w, a->slope, b_mul(w, W, b_step(w, a->slope, b_sub(w, one, W))));
        bend = b_true(w, a->kind == SILU) ? bend : b_step(w, a->slope, b_mul(w, quick(w, a->slope), bend));
    } else { /* t' = sqrt(2/pi) (1 + 3 0.044715 x^2) */
        const struct ball *rise = b_step(w, a->slope,
            b_add(w, one, b_step(w, a->slope, b_mul(w, b_step(w, a->slope, cubic(w, 3 * 44715)), square))));
        rise = b_step(w, a->slope, b_mul(w, b_step(w, a->slope, b_sqrt(w, two_over_pi(w, a->slope))), rise));
        bend = half(w,
            b_step(w, a->slope,
                b_mul(w, b_step(w, a->slope, b_sub(w, one, b_step(w, a->slope, b_mul(w, curve, curve)))), rise)));
    }
    return b_step(w, a->slope, b_add(w, W, b_step(w, a->slope, b_mul(w, x, bend))));
}

/* Activations on vectors, element by element, for the slots: include lanes256.h or lanes512.h, then this.
 *   y = max(x, 0) - |x| tail(|x|)        silu  tail = e/(1 + e), e = exp(-|x|)        gelu-tanh  e = exp(-2|t|)
 *   quick-gelu  e = exp(-1.702 |x|)      sigmoid  y = tail of silu below 0, else 1 - tail
 *   gelu  tail = erfc(|x|/sqrt 2)/2 = exp(-x^2/2) q(u), u = 1/(1 + 0.3 |x|): q by Chebyshev on |x| <= 14, tail off by
 *         at most 2.4e-8
 * |x| is cut at 256, where every tail is 0, so that infinity times 0 does not occur.  A NaN stays a NaN. */
#ifndef CURVE_TILE_H
#define CURVE_TILE_H
#include "meridian.h"
#include "block/curves.h"
#include "exp_lanes.h"

/* The tail of gelu at a >= 0. */
INLINE vec gelu_tail(vec a)
{
    static const float q[] = { 0x1.339978p-5f, -0x1.52af7ap-3f, 0x1.c5535cp-3f, -0x1.19b482p-4f, 0x1.19e638p-3f,
        0x1.8b8de4p-4f, 0x1.f19c9ep-4f, 0x1.e9a47cp-4f, 0x1.25c07ep-18f };
    vec u = vdiv(vset(1), vfma(a, vset(0.3f), vset(1))), y = vset(q[0]);
    for (int k = 1; k < 9; k++)
        y = vfma(y, u, vset(q[k]));
    return vmul(vexp(vmul(vmul(a, a), vset(-0.5f))), y);
}
/* e^minus / (1 + e^minus) for minus <= 0. */
INLINE vec sigmoid_tail(vec minus)
{
    vec e = vexp(minus);
    return vdiv(e, vadd(vset(1), e));
}
INLINE vec curve(int kind, vec x)
{
    vec plus = vmax(vset(0), x), a = vmax(x, vsub(vset(0), x));
    if (kind == ACT_RELU)
        return plus;
    vec minus = vmax(vset(-256), vsub(vset(0), a)); /* vmax gives its second operand where that is a NaN */
    if (kind == ACT_SIGMOID) {
        const vec t = sigmoid_tail(minus);
        return vpick(vunlike(vfirst(LANES), plus, x), t, vsub(vset(1), t));
    }
    a = vsub(vset(0), minus);
    vec tail = kind == ACT_GELU ? gelu_tail(a) : kind == ACT_SILU ? sigmoid_tail(minus)
             : kind == ACT_QUICK_GELU ? sigmoid_tail(vmul(vset(1.702f), minus))
             : sigmoid_tail(vmul(vset(-1.5957691216057308f), vfma(vmul(vmul(a, a), a), vset(0.044715f), a)));
    return vfma(minus, tail, plus);
}

/* y = the activation of u, of the elements in m from element k on; and of n elements. */
INLINE void curve_put(int kind, int bf16, const void *u, void *y, int64_t k, vmask m)
{
    if (bf16)
        vstore_half(m, (uint16_t *)y + k, curve(kind, vload_half(m, (const uint16_t *)u + k)));
    else
        vstore_some(m, (float *)y + k, curve(kind, vload_some(m, (const float *)u + k)));
}
INLINE void curve_each(int kind, int bf16, const void *u, void *y, int64_t n)
{
    const int64_t whole = n / LANES * LANES;
    for (int64_t k = 0; k < whole; k += LANES)
        curve_put(kind, bf16, u, y, k, vfirst(LANES));
    if (whole < n)
        curve_put(kind, bf16, u, y, whole, vfirst(n - whole));
}

/* Answers a call u[n,f] -> a[n,f]. */
static int curve_run(const struct mer_call *c)
{
    const struct mer_array *u = mer_in(c, "u");
    const int64_t n = u->dim[0] * u->dim[1];
    void *y = c->out[0].data;
    int kind = act_named(c), half = u->type == MER_BF16;
    switch (kind) { /* each kind has a loop of its own */
    case ACT_RELU: half ? curve_each(ACT_RELU, 1, u->data, y, n) : curve_each(ACT_RELU, 0, u->data, y, n); break;
    case ACT_GELU: half ? curve_each(ACT_GELU, 1, u->data, y, n) : curve_each(ACT_GELU, 0, u->data, y, n); break;
    case ACT_SILU: half ? curve_each(ACT_SILU, 1, u->data, y, n) : curve_each(ACT_SILU, 0, u->data, y, n); break;
    case ACT_QUICK_GELU:
        half ? curve_each(ACT_QUICK_GELU, 1, u->data, y, n) : curve_each(ACT_QUICK_GELU, 0, u->data, y, n);
        break;
    case ACT_SIGMOID:
        half ? curve_each(ACT_SIGMOID, 1, u->data, y, n) : curve_each(ACT_SIGMOID, 0, u->data, y, n);
        break;
    default: half ? curve_each(ACT_GELU_TANH, 1, u->data, y, n) : curve_each(ACT_GELU_TANH, 0, u->data, y, n);
    }
    return MER_OK;
}

/* Answers a call u[n,f], da[n,f] -> du[n,f] of relu alone: du = da relu'(u), with the bits of plain loops where the
 * slope at 0 is a float32.  A NaN is its own slope. */
static int curve_back(const struct mer_call *c)
{
    const struct mer_array *in = mer_in(c, "u");
    const double kink = mer_real(c, "kink");
    const float *u = in->data, *da = mer_in(c, "da")->data;
    float *du = c->out[0].data;
    if (act_named(c) != ACT_RELU || (double)(float)kink != kink)
        return MER_SKIP;
    for (int64_t k = 0, n = in->dim[0] * in->dim[1]; k < n; k += LANES) {
        const vmask m = vfirst(n - k);
        const vec x = vload_some(m, u + k), zero = vset(0),
                  above = vpick(vunlike(m, vmax(x, zero), zero), vset(1), zero);
        const vec slope = vpick(vunlike(m, x, x), x, vpick(vunlike(m, x, zero), above, vset((float)kink)));
        vstore_some(m, du + k, vmul(vload_some(m, da + k), slope));
    }
    return MER_OK;
}
#endif

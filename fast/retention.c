/* Retention, float32 or bfloat16 in and out, with every operation in double (core/recurrent/decayed.c). */
#include <math.h>
#include "recurrent/decayed.h"

static double factor(const struct mer_call *c, int64_t h, double a)
{
    const double steps = (double)(mer_in(c, "v")->dim[0] - 1), first = mer_real(c, "first");
    (void)a;
    const int power = mer_is(c, "gamma", "power") || steps <= 0;
    return 1 - exp2(power ? -first - (double)h : (-first * steps - 4 * (double)h) / steps);
}
/* x[n] of queries or keys turned to the position of token t, or by the transposed map. */
static void turn(const struct mer_call *c, char name, int64_t t, int transposed, double *x, int64_t n)
{
    const double base = mer_real(c, "base"), pos = (double)(mer_int(c, "offset") + t);
    const int half = mer_is(c, "layout", "half"), spread = mer_is(c, "rotation", "linspace"),
              xpos = mer_is(c, "rotation", "xpos");
    for (int64_t i = 0; i < n / 2; i++) {
        const double e = spread ? (n > 2 ? (double)-i / (double)(n / 2 - 1) : 0) : (double)(-2 * i) / (double)n;
        const double angle = pos * pow(base, e), zeta = ((double)(2 * i) / (double)n + 0.4) / 1.4;
        const double by = xpos ? pow(zeta, (name == 'q' ? pos : -pos) / mer_real(c, "scale_base")) : 1;
        const double cosine = by * cos(angle), sine = by * sin(transposed ? -angle : angle);
        double *p = half ? x + i : x + 2 * i, *q = half ? x + i + n / 2 : x + 2 * i + 1;
        const double one = *p * cosine - *q * sine, other = *q * cosine + *p * sine;
        *p = one, *q = other;
    }
}
static void vector(const struct mer_call *c, char name, int64_t h, int64_t t, double *x, int64_t n)
{
    (void)h;
    if (name != 'v' && !mer_is(c, "rotation", "none"))
        turn(c, name, t, 0, x, n);
}
static void back(const struct mer_call *c, char name, int64_t h, int64_t t, const double *x, double *y, int64_t n)
{
    (void)h, (void)x;
    if (name != 'v' && !mer_is(c, "rotation", "none"))
        turn(c, name, t, 1, y, n);
}
static const struct flow_row row = { .vector = vector, .back = back, .factor = factor };

/* Do the positions lie where the arithmetic below is that of xPos's powers? */
static int near(const struct mer_call *c)
{
    const double end = (double)(mer_int(c, "offset") + mer_in(c, "v")->dim[1]);
    return !mer_is(c, "rotation", "xpos") || end <= 10 * mer_real(c, "scale_base");
}
static int forward(const struct mer_call *c) { return near(c) ? flow_forward(c, &row) : MER_SKIP; }
static int backward(const struct mer_call *c) { return near(c) ? flow_backward(c, &row) : MER_SKIP; }
/* In half-ulps: pow, exp2, cos and sin 2 (glibc), and 2 of a rounded exponent of base.  zeta, of four roundings, to the
 * power of a position has as many times that power, which 96 covers up to 10 times scale_base; what lies beyond is
 * declined. */
#define ARITH FLOW " decay=f64 factor=f64:2 frequency=f64:4 angle=f64 table=f64:96 turn=f64"
const struct mer_kernel retention_scalar[] = {
    { "retention", "o final", "f32", ARITH, 0, forward },
    { "retention", "dq dk dv dstate", "f32", ARITH FLOW_BACK, 0, backward },
    { "retention", "o final", "bf16", ARITH, 0, forward },
    { "retention", "dq dk dv dstate", "bf16", ARITH FLOW_BACK, 0, backward },
    { 0 },
};

/* exp and tanh of every lane, for the slots: include lanes256.h or lanes512.h, then this.
 * vexp(x) is meant for x <= 0 and holds up to 88; a NaN stays a NaN, and -inf gives 0.
 *   n = nearest(x / ln 2)        r = x - n ln 2 in two parts, the first exact        exp x = 2^n (1 + (r + r^2 q(r)))
 * q is the minimax polynomial of degree 4 for the relative error of exp on |r| <= 1.0001 ln(2)/2 (Remez): 2^-28.2.
 * Error, in ulps of the result: 0.5 of the last addition, 0.25 of the sum before it, 0.25 of r, 0.15 of r^2 q, 0.05 of
 * q, together below 1.25.  tests/exp.c walks the floats of [-104.5, 0]: one in 61 in each run, every one in
 * `make full`. */
#ifndef EXP_LANES_H
#define EXP_LANES_H

INLINE vec vexp(vec x)
{
    x = vmax(vset(-104), x); /* e^-104 = 2^-150.04 rounds to 0; vmax gives x where x is a NaN */
    vec n = vnearest(vmul(x, vset(0x1.715476p+0f)));
    vec r = vfma(n, vset(-0x1.62e43p-1f), x);
    r = vfma(n, vset(0x1.05c61p-29f), r);
    vec q = vfma(vset(0x1.6a2434p-10f), r, vset(0x1.1239e2p-7f));
    q = vfma(q, r, vset(0x1.5558f2p-5f));
    q = vfma(q, r, vset(0x1.555492p-3f));
    q = vfma(q, r, vset(0x1.fffffcp-2f));
    return vscale2(vunlike(vfirst(LANES), x, vset(-104)), vadd(vset(1), vfma(vmul(r, r), q, r)), n);
}

/* tanh(x); a NaN stays a NaN.  Where |x| < 0.55: x + x^3 r(x^2), with r of degree 5 through the Chebyshev nodes of
 * [0, 0.31], which is within 2^-28.3 of tanh, relatively.  Beyond: 1 - 2 / (1 + e^(2|x|)), where neither sum cancels.
 * The error is below 2.5 ulps; tests/exp.c walks the floats of [-16, 16]: one in 211 in each run, every one in
 * `make full`. */
INLINE vec vtanh(vec x)
{
    const vec a = vmax(x, vsub(vset(0), x)), u = vmul(x, x);
    vec r = vfma(vset(0x1.4862c6p-9f), u, vset(-0x1.16ea42p-7f));
    r = vfma(r, u, vset(0x1.656aa4p-6f));
    r = vfma(r, u, vset(-0x1.ba137ap-5f));
    r = vfma(r, u, vset(0x1.111104p-3f));
    r = vfma(r, u, vset(-0x1.555556p-2f));
    vec near = vfma(vmul(x, u), r, x), least = vmax(vset(-10), vsub(vset(0), a)); /* -min(|x|, 10) */
    vec far = vsub(vset(1), vdiv(vset(2), vadd(vset(1), vexp(vmul(least, vset(-2))))));
    far = vpick(vunlike(vfirst(LANES), a, x), vsub(vset(0), far), far);
    return vpick(vunlike(vfirst(LANES), vmax(a, vset(0.55f)), a), near, far);
}
#endif

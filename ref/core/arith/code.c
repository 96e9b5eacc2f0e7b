/* Codes of four to eight bits.
 *   e4m3 e5m2            Micikevicius et al. 2022, arXiv:2209.05433, table 1: e4m3 has no infinity, and NaN in place of
 *                        480
 *   e2m1 e2m3 e3m2 e8m0  OCP Microscaling Formats (MX) 1.0, 2023, section 5.3; e8m0: powers of two
 *   int8 .. uint4        whole numbers */
#include <math.h>
#include "arith/code.h"

const struct code codes[] = {
    { "e4m3", 4, -6, -448, 448 },
    { "e5m2", 3, -14, -57344, 57344 },
    { "e2m1", 2, 0, -6, 6 },
    { "e2m3", 4, 0, -7.5, 7.5 },
    { "e3m2", 3, -2, -28, 28 },
    { "int8", 7, 6, -128, 127 },
    { "int4", 3, 2, -8, 7 },
    { "uint8", 8, 7, 0, 255 },
    { "uint4", 4, 3, 0, 15 },
    { "e8m0", 1, -127, 0x1p-127, 0x1p127 },
    { 0 },
};

double code_nearest(const struct code *g, double x)
{
    if (isnan(x))
        return x;
    const double in = x < g->least ? g->least : x > g->most ? g->most : x;
    const int e = in != 0 && ilogb(in) > g->emin ? ilogb(in) : (int)g->emin;
    const double unit = ldexp(1, e - g->p + 1);
    return nearbyint(in / unit) * unit;
}

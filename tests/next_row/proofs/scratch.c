/* Laws of scratch. */
#include "law.h"
static const struct arith exact = { 0 };
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    const struct ball *y[2];
    double x[2] = { 3, (double)seed };
    struct ask w = { .arith = &exact };
    struct given in = { "x", x, 2, { 1, 2, 0 } };
    ask_reset(&w, 128);
    law_line(&w, (struct law_of){ r, "y", params }, (struct givens){ &in, 1 }, NULL, 2, y);
    enum truth v = b_value(y[0]) == 4.5 ? YES : NO;
    ask_clear(&w);
    return v;
}
const struct law scratch_laws[] = { { "three times the gain is 4.5", "gain=1.5", linear, "gain=2" }, { 0 } };

/* Sinusoidal rows in double: sines.h. */
#include <math.h>
#include "table/sines.h"

struct sines sines_read(const struct mer_call *c)
{
    return (struct sines){ mer_int(c, "dim"), mer_real(c, "base"), mer_is(c, "layout", "concat"),
        mer_is(c, "spacing", "shifted"), mer_is(c, "odd", "drop") };
}

void sines_row(float *y, const struct sines *s, int64_t t)
{
    const int64_t half = s->dim / 2, pairs = (s->dim + s->drop) / 2;
    const double last = (double)(half > 1 ? half - 1 : 1);
    y[s->dim - 1] = 0;
    for (int64_t k = 0; k < pairs; k++) {
        const double angle = (double)t * pow(s->base, s->shifted ? -(double)k / last : -2 * (double)k / (double)s->dim);
        const int64_t sine = s->concat ? k : 2 * k, cosine = s->concat ? pairs + k : 2 * k + 1;
        y[sine] = (float)sin(angle);
        if (cosine < s->dim)
            y[cosine] = (float)cos(angle);
    }
}

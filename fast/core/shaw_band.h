/* The row shaw for the slots: its clipped tables as a band.
 *   x = j - c: left keys read row 0 and right ones the last      x = c - j: the other way round, tables backwards      c = memory + i
 * Useful GFLOP/s ... see fast/avx512/shaw.c. */
#ifndef SHAW_BAND_H
#define SHAW_BAND_H
#include <math.h>
#include "band.h"

static int shaw_prepare(struct mer_call *c)
{
    int64_t least = mer_int(c, "least"), most = mer_int(c, "most"), memory = mer_int(c, "memory"), width = most - least > 0 ? most - least - 1 : 0;
    return band_open(c, memory + (mer_is(c, "sign", "key-query") ? least + 1 : 1 - most), width, 1);
}

static int shaw_run(const struct mer_call *c, const struct flash_slot *slot, int is_short)
{
    struct band *b = band_bind(c);
    const struct mer_array *tk = mer_in(c, "tk"), *tv = mer_in(c, "tv");
    int backwards = !mer_is(c, "sign", "key-query");
    for (int64_t k = 0; k < tv->dim[0] * tv->dim[1]; k++) /* an infinity times the weight 0 of a hidden key would be NaN */
        if (!isfinite(((const float *)tv->data)[k]))
            return MER_SKIP;
    band_rows(b->key, b->f.d, tk->data, b->f.d, b->place.width, tk->dim[0], backwards);
    band_rows(b->value, (b->f.e + 15) / 16 * 16, tv->data, b->f.e, b->place.width, tv->dim[0], backwards);
    return band_run(b, slot, NULL, is_short);
}
#endif

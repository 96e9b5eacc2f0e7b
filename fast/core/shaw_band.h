/* The row shaw for the slots: its clipped tables as a band.
 *   x = j - c: left keys read row 0 and right ones the last      x = c - j: the other way round, tables backwards      c = memory + i
 * beyond=zero: the band is as wide as the table, and both ends read zeros. */
#ifndef SHAW_BAND_H
#define SHAW_BAND_H
#include <math.h>
#include "band.h"

static int shaw_prepare(struct mer_call *c)
{
    int64_t least = mer_int(c, "least"), most = mer_int(c, "most"), memory = mer_int(c, "memory"), width = most - least > 0 ? most - least - 1 : 0;
    int zero = mer_is(c, "beyond", "zero"), forward = mer_is(c, "sign", "key-query");
    float scale = (float)mer_real(c, "scale");
    if (mer_is(c, "against", "both"))
        return MER_SKIP;
    int rc = band_open(c, memory + (forward ? least : -most) + !zero, zero ? most - least + 1 : width, 1);
    struct band *b = c->state;
    if (rc == MER_OK) {
        b->f.scale = scale == 0 ? b->f.scale : scale;
        b->f.bounded = mer_is(c, "causal", "causal"), b->f.shift = memory;
    }
    return rc;
}

static int shaw_run(const struct mer_call *c, const struct flash_slot *slot, int is_short)
{
    struct band *b = band_bind(c);
    const struct mer_array *tk = mer_in(c, "tk"), *tv = mer_in(c, "tv");
    int backwards = !mer_is(c, "sign", "key-query");
    for (int64_t k = 0; k < tv->dim[0] * tv->dim[1]; k++) /* an infinity times the weight 0 of a hidden key would be NaN */
        if (!isfinite(((const float *)tv->data)[k]))
            return MER_SKIP;
    int ends = mer_is(c, "beyond", "zero"); /* then the table fills the band, and the ends stay 0 */
    band_rows(b, b->key, b->f.d, tk, ends, backwards);
    band_rows(b, b->value, (b->f.e + 15) / 16 * 16, tv, ends, backwards);
    return band_run(b, slot, NULL, is_short);
}
#endif

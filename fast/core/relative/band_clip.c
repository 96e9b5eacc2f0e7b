/* Rows shaw and nezha on the attention tiles (band.h).  The term is <q_i, t[r]> with r the clipped distance, so left
 * and right keys share the ends of the table; values are v_j + t[r], with the same band. */
#include "relative/band.h"
#include <math.h>
#include "relative/distance.h"

/* Copies a table [rows][columns] in band order to to[width + 2][stride].  ends = 0: distances are clipped, so the table
 * fills all lines, a single row every one of them.  ends = 1: it fills the band, and the ends stay 0. */
static void put_rows(const struct band *b, float *to, int64_t stride, const float *table, int64_t rows, int64_t columns,
    int ends, int backwards)
{
    for (int64_t r = ends; r < b->place.width + 2 - ends; r++) {
        int64_t from = r - ends < rows ? r - ends : rows - 1;
        memcpy(to + r * stride, table + (backwards ? rows - 1 - from : from) * columns, (size_t)columns * sizeof *to);
    }
}

/* Whether a table of values is finite: an infinity times the weight 0 of a hidden key would be a NaN. */
static int all_finite(const struct mer_array *x)
{
    int64_t k = 0, n = x->dim[0] * x->dim[1];
    while (k < n && isfinite(((const float *)x->data)[k]))
        k++;
    return k == n;
}

int prepare_shaw(struct mer_call *c)
{
    int64_t least = mer_int(c, "least"), most = mer_int(c, "most"), memory = mer_int(c, "memory"),
            width = most - least > 0 ? most - least - 1 : 0;
    int zero = mer_is(c, "beyond", "zero"), forward = mer_is(c, "sign", "key-query");
    if (mer_is(c, "against", "both"))
        return MER_SKIP;
    width = zero ? most - least + 1 : width;
    int rc = band_prepare(c,
        (struct flash_place){ .at = memory + (forward ? least : -most) + !zero, .width = width, .columns = width + 2 },
        BAND_VALUES);
    struct band *b = c->state;
    if (rc == MER_OK)
        b->all.bounded = mer_is(c, "causal", "causal"), b->all.shift = memory;
    return rc;
}

int run_shaw(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    const struct mer_array *tk = mer_in(c, "tk"), *tv = mer_in(c, "tv");
    int backwards = !mer_is(c, "sign", "key-query"), ends = mer_is(c, "beyond", "zero");
    if (!all_finite(tv))
        return MER_SKIP;
    put_rows(b, b->key, b->all.d, tk->data, tk->dim[0], b->all.d, ends, backwards);
    put_rows(b, b->value, band_padded(b->all.e), tv->data, tv->dim[0], b->all.e, ends, backwards);
    return band_attend(c, slot, which);
}

/* The table is one of parameters alone, so that it is made here and not at every call. */
int prepare_nezha(struct mer_call *c)
{
    const int64_t reach = mer_int(c, "reach"), memory = mer_int(c, "memory"), width = reach ? 2 * reach - 1 : 0,
                  dim = mer_int(c, "dim"), rows = 2 * reach + 1;
    const int backwards = !mer_is(c, "sign", "key-query");
    if (mer_is(c, "mask", "add") && mer_in(c, "keep"))
        return MER_SKIP;
    c->state = NULL;
    float *table = distance_table(c, dim, mer_is(c, "argument", "index") ? 0 : -reach, rows);
    int rc = table && mer_in(c, "q")->dim[2] == dim && mer_in(c, "v")->dim[2] == dim ?
        band_prepare(c, (struct flash_place){ .at = memory - reach + 1, .width = width, .columns = width + 2 },
            BAND_VALUES) :
        MER_BAD;
    struct band *b = c->state;
    if (rc == MER_OK) {
        put_rows(b, b->key, dim, table, rows, dim, 0, backwards);
        put_rows(b, b->value, band_padded(dim), table, rows, dim, 0, backwards);
    }
    free(table);
    return rc;
}

int run_nezha(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    return band_attend(c, slot, which);
}

/* Row deberta on the attention tiles (band.h).  A distance takes a row of each table.  Where both tables have the same
 * row for all distances from some one to the end of those that are asked for, these keys are left or right ones; the
 * rest is the band, whatever clips or logarithmic buckets made the rows.
 *   c2p  <q_i, kr[row]>: the products of a query with every row of kr, then a look-up for each pair
 *   p2c  <k_j, qr[row]>: the same for the keys of a block and qr */
#include "relative/band.h"
#include <math.h>

/* Of the pairs of rows (a[t], b[t]), t = 0 .. count - 1: how many at the start (step 1) or at the end (step -1) are the
 * same pair. */
static int64_t alike(const int64_t *a, const int64_t *b, int64_t count, int step)
{
    int64_t first = step > 0 ? 0 : count - 1, t = 0;
    while (t < count && a[first + step * t] == a[first] && b[first + step * t] == b[first])
        t++;
    return t;
}

int prepare_deberta(struct mer_call *c)
{
    const struct mer_array *kr = mer_in(c, "kr"), *qr = mer_in(c, "qr");
    const int64_t n = mer_in(c, "q")->dim[1], m = mer_in(c, "k")->dim[1], d = mer_in(c, "q")->dim[2],
                  count = n + m > 0 ? n + m - 1 : 0, rows = 2 * mer_int(c, "span");
    const int both = mer_is(c, "terms", "both"), c2p = both || mer_is(c, "terms", "c2p"),
              p2c = both || mer_is(c, "terms", "p2c");
    int64_t *row = malloc((size_t)(2 * count + 1) * sizeof *row);
    if (!row || kr->dim[1] != rows || qr->dim[1] != rows)
        return free(row), MER_BAD;
    deberta_rows(c, n, m, row, row + count);
    const int64_t left = alike(row, row + count, count, 1),
                  right = left < count ? alike(row, row + count, count, -1) : 0, width = count - left - right;
    int32_t *index = malloc((size_t)(2 * (width + 2)) * sizeof *index), *back = index ? index + width + 2 : NULL;
    for (int64_t t = 0; index && t < width + 2; t++) {
        /* the entry of the last left key, of the band's keys, of the first right key; any entry where there is no such
         * key */
        int64_t k = left - 1 + t;
        k = k < 0 ? 0 : k;
        index[t] = k < count ? (int32_t)row[k] : 0, back[t] = k < count ? (int32_t)row[count + k] * FLASH_LINE : 0;
    }
    int rc = index ? band_prepare(c,
                         (struct flash_place){ .at = left - n + 1,
                             .width = width,
                             .column = index,
                             .columns = c2p ? rows : 0,
                             .row = back,
                             .rows = p2c ? rows : 0 },
                         0) :
                     MER_BAD;
    struct band *b = c->state;
    if (b)
        b->index = index;
    else
        free(index);
    if (rc == MER_OK) {
        const double all = (double)d * (mer_is(c, "scale", "terms") ? 1 + c2p + p2c : 1);
        b->all.scale = mer_is(c, "scale", "none") ? 1 : (float)(1 / sqrt(all)), b->table_step = rows * d;
        b->all.empty = mer_is(c, "empty", "nan") ? FLASH_NAN : mer_is(c, "empty", "mean") ? FLASH_MEAN : FLASH_ZERO;
    }
    free(row);
    return rc;
}

int run_deberta(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    b->table = mer_in(c, "kr")->data, b->place.back = b->place.rows ? mer_in(c, "qr")->data : NULL;
    return band_attend(c, slot, which);
}

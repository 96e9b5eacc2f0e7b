/* mer_table_* of libmeridian.h: they split positions into runs that share a coarse anchor and hand them to the best
 * kernel that is allowed. */
#include <stdlib.h>
#include <string.h>
#include "table/angles.h"
#include "kernels.h"

static table_rows *kernel(void)
{
    /* slots avx512bf16 and amx have no kernel of their own */
    static table_rows *const by_level[] = { table_scalar, table_avx2, table_avx512, table_avx512, table_avx512 };
    return by_level[mer_isa_level()];
}

/* Entries A and +0 of the pairs behind the live ones. */
static int dead_pairs(const struct angle_run *t)
{
    int64_t live = t->a->spectrum.live, n = t->a->spectrum.pairs - live, size = (int64_t)output_size[t->out],
            at = live * size;
    int rc = 0;
    for (int64_t i = 0; n && i < t->rows; i++, at += t->a->spectrum.pairs * size)
        rc |= settle(t->a, t->p + i, live, n, t->out, (char *)t->cos + at, (char *)t->sin + at);
    return rc;
}

/* Positions p .. p + rows - 1, cut where the coarse anchor changes. */
static int fill(table_rows *rows_of, const struct mer_angles *a, char *cos, char *sin, int64_t p, int64_t rows,
    enum output out, int stream)
{
    int64_t B = INT64_C(1) << a->shift, width = a->spectrum.pairs * (int64_t)output_size[out];
    int rc = 0;
    while (rows) {
        int64_t r = p & (B - 1), n = (p - r) / B, take = B - r < rows ? B - r : rows;
        struct angle_run t = { a, cos, sin, p, r, take, NULL, n < 0 ? -1 : 1, out, stream };
        int64_t row = n < 0 ? -n : n;
        if (out != OUT_F64 && row <= a->span / B) {
            t.coarse = a->coarse + row * 2 * a->stride;
            rc |= rows_of(&t);
        } else
            for (int64_t i = 0; i < take; i++)
                rc |= settle(a, p + i, 0, a->spectrum.live, out, cos + i * width, sin + i * width);
        rc |= dead_pairs(&t);
        p += take, rows -= take, cos += take * width, sin += take * width;
    }
    return rc;
}

enum { BLOCK = 64 }; /* rows of scratch where one of the two tables is not wanted */

/* All types: positions pos[i], or first + i where pos is NULL. */
static int table(
    void *cos, void *sin, const struct mer_angles *a, const int64_t *pos, int64_t first, int64_t count, enum output out)
{
    int64_t width = a->spectrum.pairs * (int64_t)output_size[out], most = INT64_C(1) << 53;
    if (count < 0 || (!pos && count && (first < -most || first > most || first + (count - 1) > most)))
        return -1;
    for (int64_t i = 0; pos && i < count; i++)
        if (pos[i] < -most || pos[i] > most)
            return -1;
    char *c = cos, *s = sin, *scratch = cos && sin ? NULL : malloc((size_t)(BLOCK * width));
    if (!(cos && sin) && !scratch)
        return -1;
    /* a table of more than half a megabyte leaves the caches before it is read */
    int stream = cos && sin && a->spectrum.pairs % CHUNK == 0 && !(((uintptr_t)cos | (uintptr_t)sin) & 63) &&
        count * width >= 1 << 19 && a->spectrum.live == a->spectrum.pairs;
    table_rows *rows_of = kernel();
    int rc = 0;
    for (int64_t i = 0, rows; (c || s) && i < count; i += rows) {
        rows = 1;
        int64_t p = pos ? pos[i] : first + i, most_rows = scratch ? BLOCK : count;
        while (i + rows < count && rows < most_rows && (!pos || pos[i + rows] == p + rows)) {
            if (!pos) {
                rows = count - i < most_rows ? count - i : most_rows;
                break;
            }
            rows++;
        }
        rc |= fill(rows_of, a, c ? c + i * width : scratch, s ? s + i * width : scratch, p, rows, out, stream);
    }
    free(scratch);
    return rc ? -1 : 0;
}

int mer_table_f64(double *cos, double *sin, const struct mer_angles *a, int64_t first, int64_t count)
{
    return table(cos, sin, a, NULL, first, count, OUT_F64);
}
int mer_table_f32(float *cos, float *sin, const struct mer_angles *a, int64_t first, int64_t count)
{
    return table(cos, sin, a, NULL, first, count, OUT_F32);
}
int mer_table_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count)
{
    return table(cos, sin, a, NULL, first, count, OUT_F16);
}
int mer_table_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, int64_t first, int64_t count)
{
    return table(cos, sin, a, NULL, first, count, OUT_BF16);
}
int mer_table_at_f64(double *cos, double *sin, const struct mer_angles *a, const int64_t *pos, int64_t count)
{
    return table(cos, sin, a, pos, 0, count, OUT_F64);
}
int mer_table_at_f32(float *cos, float *sin, const struct mer_angles *a, const int64_t *pos, int64_t count)
{
    return table(cos, sin, a, pos, 0, count, OUT_F32);
}
int mer_table_at_f16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count)
{
    return table(cos, sin, a, pos, 0, count, OUT_F16);
}
int mer_table_at_bf16(uint16_t *cos, uint16_t *sin, const struct mer_angles *a, const int64_t *pos, int64_t count)
{
    return table(cos, sin, a, pos, 0, count, OUT_BF16);
}

const char *mer_isa_name(void)
{
    static const char *const name[] = { "scalar", "avx2", "avx512", "avx512bf16", "amx" };
    return name[mer_isa_level()];
}

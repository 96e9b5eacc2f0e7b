/* Places for flash_tile.h: what a relative encoding adds to scores and values, without an array of pairs.  struct flash_place (flash.h).
 *   scores   rows of the tile are filled with place terms first, by slices of [n][width + 2]; the score joins them: scale (<q, k> + place)
 *   values   o += sum over the band of p_j value[j]: its keys are a slice of the weights.  Keys beyond either end share one vector, so
 *            only the sums of their weights are kept (LANES lanes each), behind the columns of acc, and multiplied at the end. */
#ifndef FLASH_PLACE_H
#define FLASH_PLACE_H

INLINE int64_t place_padded(int64_t e) { return (e + 15) / 16 * 16; }
INLINE int64_t at_most(int64_t x, int64_t most) { return x < most ? x : most; }
INLINE int64_t at_least(int64_t x, int64_t least) { return x > least ? x : least; }

/* s[0 .. keys-1] = x (+ by_key) */
INLINE void fill_end(float *s, int64_t keys, float x, const float *by_key)
{
    for (int64_t j = 0; j < keys; j += LANES) {
        vmask in = vfirst(keys - j);
        vstore_some(in, s + j, by_key ? vadd(vset(x), vload_some(in, by_key + j)) : vset(x));
    }
}

/* Place terms of queries i0 .. i0 + 5 for keys b0 + from .. b0 + to - 1 into s[6][ROW] */
static void fill_places(float *s, const struct flash *f, int64_t h, int64_t i0, int64_t b0, int64_t from, int64_t to)
{
    const struct flash_place *p = f->place;
    for (int64_t r = 0; r < GROUP; r++, s += ROW) {
        int64_t i = i0 + r < f->n ? i0 + r : f->n - 1, first = i + p->at - b0; /* of the band, in the block */
        const float *x = p->score + (h * f->n + i) * (p->width + 2);
        int64_t a = at_least(at_most(first, to), from), b = at_least(at_most(first + p->width, to), a);
        fill_end(s + from, a - from, x[0], p->left ? p->left + h * f->m + b0 + from : NULL);
        for (int64_t j = a; j < b; j += LANES) {
            vmask in = vfirst(b - j);
            vstore_some(in, s + j, vload_some(in, x + 1 + j - first));
        }
        fill_end(s + b, to - b, x[p->width + 1], p->right ? p->right + h * f->m + b0 + b : NULL);
    }
}

INLINE void gather_band(float *acc, const float *s, const float *value, int64_t E, int64_t keys, int nv)
{
    vec a[NV];
#pragma GCC unroll 4
    for (int c = 0; c < nv; c++)
        a[c] = vload(acc + c * LANES);
    for (int64_t j = 0; j < keys; j++) {
        vec w = vset(s[j]);
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++)
            a[c] = vfma(w, vload(value + j * E + c * LANES), a[c]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < nv; c++)
        vstore(acc + c * LANES, a[c]);
}

INLINE void sum_end(float *lanes, const float *s, int64_t from, int64_t to)
{
    vec sum = vload(lanes);
    for (int64_t j = from; j < to; j += LANES)
        sum = vadd(sum, vload_some(vfirst(to - j), s + j));
    vstore(lanes, sum);
}

/* Weights s[6][ROW] of keys b0 + from .. b0 + to - 1: the band's vectors into acc[6][E]; the ends' sums into its last 2 LANES columns */
static void gather_places(float *acc, int64_t E, const float *s, const struct flash *f, int64_t i0, int64_t i1, int64_t b0, int64_t from, int64_t to)
{
    const struct flash_place *p = f->place;
    int64_t columns = place_padded(f->e), ends = E - 2 * LANES;
    for (int64_t r = 0; r < GROUP && i0 + r < i1; r++, acc += E, s += ROW) {
        int64_t first = i0 + r + p->at - b0, a = at_least(at_most(first, to), from), b = at_least(at_most(first + p->width, to), a);
        sum_end(acc + ends, s, from, a), sum_end(acc + ends + LANES, s, b, to);
        for (int64_t c = 0; c < f->e && a < b; c += PANEL) {
            const float *value = p->value + (1 + a - first) * columns + c;
            if (c + PANEL <= f->e)
                gather_band(acc + c, s + a, value, columns, b - a, NV);
            else
                for (int64_t l = c; l < f->e; l += LANES)
                    gather_band(acc + l, s + a, value + l - c, columns, b - a, 1);
        }
    }
}

INLINE void finish_places(float *acc, int64_t E, const struct flash *f)
{
    const struct flash_place *p = f->place;
    const float *left = p->value, *right = left + (p->width + 1) * place_padded(f->e);
    vec x = vset(vtree(vload(acc + E - 2 * LANES))), y = vset(vtree(vload(acc + E - LANES)));
    for (int64_t c = 0; c < f->e; c += LANES)
        vstore(acc + c, vfma(y, vload(right + c), vfma(x, vload(left + c), vload(acc + c))));
}

/* y[n][width + 2] = x[n][d] w[width + 2][d]^T, each one accumulator over d in order, fused.  Columns of keys before 0 are passed over. */
INLINE void multiply_rows(const struct flash *of, float *y, const float *x, const float *w)
{
    const int64_t n = of->n, r = of->place->width + 2, d = of->d;
    struct flash f = { .h = 1, .g = 1, .n = n, .m = r, .d = d, .q = x, .k = w, .scale = 1 };
    float *kt = of->scratch, *q = kt + FLASH_KEYS * d, *s = q + GROUP * d, *peak = s + GROUP * ROW;
    memset(peak, 0, GROUP * LANES * sizeof *peak);
    for (int64_t b0 = 0; b0 < r; b0 += FLASH_KEYS) {
        int64_t b1 = b0 + FLASH_KEYS < r ? b0 + FLASH_KEYS : r;
        pack_keys(kt, &f, 0, b0, b1);
        for (int64_t i = 0; i < n; i += GROUP) {
            int64_t from = b0 ? at_least(1 - of->place->at - at_most(i + GROUP, n) - b0, 0) / PANEL * PANEL : 0; /* column t of query i is key i + at + t - 1; column 0, of left keys, is always there */
            if (from >= b1 - b0)
                continue;
            pack_queries(q, &f, 0, i, i + 1);
            for (int64_t j = from; j < b1 - b0; j += PANEL)
                scores(s + j, peak, q, kt + j * d, d, NV, SCALED, &f, 0, i, b0 + j);
            for (int64_t t = i; t < i + GROUP && t < n; t++)
                memcpy(y + t * r + b0 + from, s + (t - i) * ROW + from, (size_t)(b1 - b0 - from) * sizeof *y);
        }
    }
}

/* y[rows][d] = x[rows][c] w[c][d]: each one accumulator over c in order, fused. */
INLINE void project_rows(float *y, const float *x, const float *w, int64_t rows, int64_t c, int64_t d)
{
    for (int64_t column = 0; column < d; column += PANEL)
        for (int64_t i = 0; i < rows; i += GROUP) {
            vec acc[GROUP][NV];
            vmask in[NV];
#pragma GCC unroll 4
            for (int v = 0; v < NV; v++)
                in[v] = vfirst(d - column - v * LANES);
#pragma GCC unroll 8
            for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
                for (int v = 0; v < NV; v++)
                    acc[r][v] = vset(0);
            for (int64_t k = 0; k < c; k++) {
                vec b[NV];
#pragma GCC unroll 4
                for (int v = 0; v < NV; v++)
                    b[v] = vload_some(in[v], w + k * d + column + v * LANES);
#pragma GCC unroll 8
                for (int r = 0; r < GROUP; r++) {
                    vec a = vset(x[at_most(i + r, rows - 1) * c + k]);
#pragma GCC unroll 4
                    for (int v = 0; v < NV; v++)
                        acc[r][v] = vfma(a, b[v], acc[r][v]);
                }
            }
            for (int64_t r = 0; r < GROUP && i + r < rows; r++)
                for (int v = 0; v < NV; v++)
                    vstore_some(in[v], y + (i + r) * d + column + v * LANES, acc[r][v]);
        }
}
#endif

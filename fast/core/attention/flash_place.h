/* Places for flash_tile.h: what a relative encoding adds to scores and values, without an array of pairs; see struct
 * flash_place in flash.h.
 *   scores   The rows of a tile are filled with place terms first, and the products are added to them, so that a score
 *            is scale (<q, k> + place).  Terms are a slice of the query's own products with the table, or look-ups in
 *            them.  Where the band is long, they are products of register tiles, each row of which is stored where the
 *            keys of its query stand: one key further than the row before.
 *   values   sum over the band of p_j value[j], whose weights are a slice of the row, in columns of its own behind
 *            those of acc: it joins the mean of the values at the end.  All keys beyond an end of the band share one
 *            vector, so only the sums of their weights are kept, in LANES lanes for each end behind these columns, and
 *            multiplied by that vector at the end. */
#ifndef FLASH_PLACE_H
#define FLASH_PLACE_H
#include "attention/flash_dots.h"

/* What a group of queries gathers in one go: queries i0 .. of head h, at most GROUP of them and all before i1, from
 * keys b0 + from .. b0 + to - 1 of the block that begins with key b0. */
struct gathering {
    float *acc;       /* [GROUP][E]: what they have gathered so far */
    int64_t E;
    const float *s;   /* [GROUP][ROW]: the weights of the block's keys */
    int64_t h, i0, i1, b0, from, to;
};

/* The width of a row of place.value. */
INLINE int64_t place_padded(int64_t e) { return (e + 15) / 16 * 16; }
/* Where the columns of places begin in a row of acc. */
INLINE int64_t place_columns(int64_t e) { return (e + LANES - 1) / LANES * LANES; }
INLINE int64_t at_most(int64_t x, int64_t most) { return x < most ? x : most; }
INLINE int64_t at_least(int64_t x, int64_t least) { return x > least ? x : least; }

/* The band of query i within keys from .. to - 1 of the block that begins with key b0, all counted from b0: `first` is
 * where the band begins, which may lie outside; its keys here are from .. to - 1. */
struct stretch { int64_t first, from, to; };
INLINE struct stretch band_of(const struct flash_place *p, int64_t i, int64_t b0, int64_t from, int64_t to)
{
    int64_t first = i + p->at - b0, a = at_least(at_most(first, to), from);
    return (struct stretch){ first, a, at_least(at_most(first + p->width, to), a) };
}

/* s[keys] = the terms of query i for keys left (t = 0) or right (t = width + 1) of the band; back, with place.row: the
 * terms of these keys, or NULL. */
INLINE void fill_end(float *s, int64_t keys, const struct flash_place *p, int64_t i, int64_t t, const float *back)
{
    const float *by_key = back && keys > 0 ? back + p->row[t] : NULL;
    float x = p->lines ? p->ends[2 * i + (t > 0)] :
        p->score       ? p->score[i * p->columns + (p->column ? p->column[t] : t)] :
                         0;
    for (int64_t j = 0; j < keys; j += LANES) {
        vmask in = vfirst(keys - j);
        vstore_some(in, s + j, by_key ? vadd(vset(x), vload_some(in, by_key + j)) : vset(x));
    }
}

/* s[j] += <marks[j], by>, vectors of two, for j = from .. to - 1 */
INLINE void add_marks(float *s, const float *marks, const float *by, int64_t from, int64_t to)
{
    const vec a = vset(by[0]), b = vset(by[1]);
    for (int64_t j = from; j < to; j += LANES) {
        vmask in = vfirst(to - j);
        vec x, y;
        vload_pairs(to - j, marks + 2 * j, &x, &y);
        vstore_some(in, s + j, vadd(vload_some(in, s + j), vfma(y, b, vmul(x, a))));
    }
}

/* Place terms of queries i0 .. i0 + GROUP - 1 for keys b0 + from .. b0 + to - 1 into s[GROUP][ROW], which holds those
 * of the lines already, where the place has lines; back[rows][ROW]: terms of the block's keys, or NULL. */
static void fill_places(
    float *s, const float *back, const struct flash *f, int64_t i0, int64_t b0, int64_t from, int64_t to)
{
    const struct flash_place *p = f->place;
    for (int64_t r = 0; r < GROUP; r++, s += ROW) {
        int64_t i = i0 + r < f->n ? i0 + r : f->n - 1;
        const struct stretch in = band_of(p, i0 + r, b0, from, to);
        const float *x = p->score ? p->score + i * p->columns : NULL;
        fill_end(s + from, in.from - from, p, i, 0, back ? back + from : NULL);
        for (int64_t j = in.from; j < in.to && (!p->lines || back); j += LANES) {
            vmask m = vfirst(in.to - j);
            int64_t t = 1 + j - in.first;
            vec y = p->lines ? vload_some(m, s + j) :
                !x           ? vset(0) :
                p->column    ? vload_near(in.to - j, x, p->column + t, p->columns) :
                               vload_some(m, x + t);
            vstore_some(m, s + j, back ? vadd(y, vload_at(m, back + j, p->row + t, 1)) : y);
        }
        fill_end(s + in.to, to - in.to, p, i, p->width + 1, back ? back + in.to : NULL);
        if (p->marks)
            add_marks(s, p->marks + 2 * (i * f->m + b0), p->mark + 2 * i, from, to);
    }
}

/* s[r][k + r + t] = <q_r, line_t> for GROUP rows r and PANEL lines t; what falls outside a row is dropped. */
INLINE void line_scores(float *s, int64_t k, const float *q, const float *lines, int64_t units)
{
    vec acc[GROUP][NV];
    products(acc, q, lines, units, NV);
    const int inside = k >= 0 && k + GROUP + PANEL <= ROW;
#pragma GCC unroll 8
    for (int r = 0; r < GROUP; r++)
#pragma GCC unroll 4
        for (int c = 0; c < NV; c++) {
            int64_t at = k + r + c * LANES;
            if (inside)
                vstore(s + r * ROW + at, acc[r][c]);
            else if (at > -LANES && at < ROW)
                vstore_some(vbetween(-at, ROW - at), s + r * ROW + at, acc[r][c]);
        }
}

/* The terms of the lines for all groups of a tile, with q[groups][d][GROUP] packed and keys lo[g] .. hi[g] - 1 of group
 * g.  One panel of lines serves every group.  What is written beside a group's keys or behind the end of the band is
 * not read, or fill_places replaces it. */
static void fill_lines(float *s, const float *q, const struct flash *f, int64_t i0, int64_t groups, int64_t b0,
    const int64_t *lo, const int64_t *hi)
{
    const struct flash_place *p = f->place;
    int64_t least = p->width, most = 0, d = f->d;
    for (int64_t g = 0; g < groups; g++) { /* of the lines that the tile asks for */
        int64_t k = i0 + g * GROUP + p->at - b0;
        if (lo[g] < hi[g])
            least = at_most(least, lo[g] - k - GROUP + 1), most = at_least(most, hi[g] - k);
    }
    least = at_least(least, 0) / PANEL * PANEL, most = at_most(most, p->width);
    for (int64_t t = least; t < most; t += PANEL)
        for (int64_t g = 0; g < groups; g++) {
            int64_t k = i0 + g * GROUP + p->at - b0 + t;
            if (lo[g] < hi[g] && k < hi[g] && k + PANEL + GROUP - 1 > lo[g])
                line_scores(s + g * GROUP * ROW, k, q + g * GROUP * d, p->lines + t * d, d);
        }
}

/* acc[nv vectors] += sum over t < keys of s[t] value[t], where value has rows of E floats */
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

/* lanes[LANES] += s[from .. to - 1], by lane from `from` on */
INLINE void sum_end(float *lanes, const float *s, int64_t from, int64_t to)
{
    vec sum = vload(lanes);
    for (int64_t j = from; j < to; j += LANES)
        sum = vadd(sum, vload_some(vfirst(to - j), s + j));
    vstore(lanes, sum);
}

/* The band's vectors into their columns of acc; the ends' sums of weights into the last 2 LANES columns of its rows. */
static void gather_places(const struct flash *f, const struct gathering *g)
{
    const struct flash_place *p = f->place;
    int64_t columns = place_padded(f->e), E = g->E, ends = E - 2 * LANES;
    float *acc = g->acc + place_columns(f->e);
    const float *s = g->s;
    ends -= place_columns(f->e);
    for (int64_t r = 0; r < GROUP && g->i0 + r < g->i1; r++, acc += E, s += ROW) {
        const struct stretch in = band_of(p, g->i0 + r, g->b0, g->from, g->to);
        sum_end(acc + ends, s, g->from, in.from), sum_end(acc + ends + LANES, s, in.to, g->to);
        for (int64_t c = 0; c < f->e && in.from < in.to; c += PANEL) {
            const float *value = p->value + (1 + in.from - in.first) * columns + c;
            if (c + PANEL <= f->e)
                gather_band(acc + c, s + in.from, value, columns, in.to - in.from, NV);
            else
                for (int64_t l = c; l < f->e; l += LANES)
                    gather_band(acc + l, s + in.from, value + l - c, columns, in.to - in.from, 1);
        }
    }
}

/* A row's sums of weights beyond both ends, times the vectors that those keys share, join its columns of places, which
 * are the answer. */
INLINE const float *finish_places(float *row, int64_t E, const struct flash *f)
{
    float *acc = row + place_columns(f->e);
    const struct flash_place *p = f->place;
    const float *left = p->value, *right = left + (p->width + 1) * place_padded(f->e);
    vec x = vset(vtree(vload(row + E - 2 * LANES))), y = vset(vtree(vload(row + E - LANES)));
    for (int64_t c = 0; c < f->e; c += LANES)
        vstore(acc + c, vfma(y, vload(right + c), vfma(x, vload(left + c), vload(acc + c))));
    return acc;
}
#endif

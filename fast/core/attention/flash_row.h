/* Attention of few queries: keys and values are read once for each key head, as they lie, so memory sets the pace.  The
 * rows that read one key head are all its query heads times all queries; R of them together take a vector of a key or
 * of a value that is loaded, and widened, once.  Included after flash_tile.h.  What a row computes does not depend on
 * the rows beside it: a score is LANES accumulators over d, each of every LANES-th product of a vector, and a balanced
 * tree; totals and outputs are as in flash_tile.h.
 * Share of the machine's limit of reading (13 to 15 GB/s), one query, 32768 keys of 128, 8 key heads, 16 lanes:
 *                                                        32 query heads      8 query heads
 *                                                         f32    bf16         f32    bf16
 *   v0 row by row, bf16 lines fetched 8 keys ahead        0.25   0.22         0.88   0.69
 *   v1 4 rows and LANES / 4 keys in registers, whose
 *      LANES sums take one tree together                  0.68   0.61         0.90   0.73
 *   v2 lines fetched to the second cache, 32 keys ahead   0.88   0.64         1.03   0.71
 *   v3 and in their order in memory                       0.98   0.86         1.03   0.96
 * To the first cache, 16 keys ahead: 0.90, 0.78, 0.97, 0.78.  f16 as bf16: 0.87, 0.91.
 *   v4 all rows of a key head share in the fetching: 4 queries of 32 heads take 0.82 of their time, bf16 0.80
 * 8 rows in registers take 1.05 of the time, bf16 0.93: left out.
 * On a processor that reads twice as fast (35 to 40 GB/s), arithmetic takes as long as memory.  Time a number in ns,
 * with all in the caches, of scores and of values, 4 rows (fused operations alone: 0.031), then 16 rows; and the share
 * of the limit of reading from memory, 4 rows:
 *   v4                                                   bf16 0.056  0.049    0.208  0.186   0.71
 *   v5 two vectors at a time without a mask, bf16 as
 *      even and odd channels, one load of both halves         0.046  0.034    0.183  0.134   0.72
 *   v6 lines fetched to the first cache                                                      0.83
 * f16 as bf16.  32 to 96 keys ahead differ by less than the noise there; a tree of blends instead of permutations and
 * no fetching at all change the time of scores by less than a tenth.  Weights take 0.004 ns more; no line is fetched
 * meanwhile.
 * Against the tiles of flash_tile.h, 4096 keys, FLASH_FEW queries take 0.6 of the time with 4 query heads to a key head
 * and 0.5 with one; with 8 lanes, bf16 and 4 heads 0.9 (v4). */
#ifndef FLASH_ROW_H
#define FLASH_ROW_H
#include "attention/flash.h"
/* Keys that all rows take before the next ones are read, so that the others have them from the first cache; how many
 * keys ahead lines are fetched. */
enum { FEW_KEYS = 32, AHEAD = 32 };

/* Rows of key head g: row r is query (from + r) mod n of its query head (from + r) / n. */
struct few {
    int64_t g, from, rows, D, E; /* D, E: d and e in whole vectors */
    float *q, *s;                /* [rows][D]: queries, filled up with zeros; [rows][ROW]: scores, then weights */
    float *far;                  /* [rows][D]: the queries of far pairs; NULL: none */
    struct rows r;
    unsigned *zeros; /* [rows]: bit k where one of the weights k FEW_KEYS .. (k + 1) FEW_KEYS - 1 of a block is 0 */
};
/* Rows r .. r + R - 1 and keys first .. end - 1, whose scores are counted from key b0; whether a weight is 0. */
struct few_part { int64_t b0, first, end, r; int R; unsigned zeros; };

INLINE int64_t few_head(const struct flash *f, const struct few *x, int64_t r)
{
    return flash_query_head(f, x->g, (x->from + r) / f->n);
}
INLINE int64_t few_query(const struct flash *f, const struct few *x, int64_t r) { return (x->from + r) % f->n; }

/* Whole WIDEs of channels are loaded as two vectors.  bf16 gives its even channels and its odd ones, which takes two
 * operations on a vector where two vectors in order take four; queries and outputs lie in that order too. */
enum { WIDE = 2 * LANES };
INLINE void load_two(int32_t type, const void *x, int64_t at, vec *y)
{
    if (type == MER_BF16)
        vsplit_half((const uint16_t *)x + at, y, y + 1);
    else
        y[0] = load_whole(type, x, at), y[1] = load_whole(type, x, at + LANES);
}

/* The lines of the rows of an array, one after another: where the next one lies, how many bytes of its row are left
 * from there, bytes of a row in whole lines and from row to row; some are fetched each `every` times that they are
 * asked for, next after `wait` times. */
struct lines { const char *at; int64_t left, width, step, every, wait; };
/* What a part of the rows fetches of keys or values, an array whose next row to be fetched begins at element `from` and
 * has `width` elements, with `step` elements from row to row: its share of as many rows as the part has keys, so that
 * all parts keep memory at work alike. */
INLINE struct lines lines_of(
    const struct few *x, int32_t type, struct few_part p, const void *array, int64_t from, int64_t step, int64_t width)
{
    const int64_t size = (int64_t)mer_width(type), whole = (width * size + 63) / 64 * 64,
                  parts = x->rows / 4 + (x->rows % 4 > 1) + x->rows % 2,
                  skip = (p.r + 3) / 4 * (p.end - p.first) / parts;
    return (struct lines){ (const char *)array + (from + skip * step) * size, whole, whole, step * size, parts, 0 };
}
/* Asks for the next n lines to be brought to the caches.  It is a hint only: the address may lie beyond the
 * array.  Lines that are asked for in their order in memory come faster than in the order in which they are used. */
INLINE void fetch(struct lines *l, int n)
{
    if (l->wait-- > 0)
        return;
    l->wait = l->every - 1;
#pragma GCC unroll 32
    for (int k = 0; k < n; k++) {
        _mm_prefetch(l->at, _MM_HINT_T0);
        l->at += 64, l->left -= 64;
        if (l->left <= 0)
            l->at += l->step - l->width, l->left = l->width;
    }
}
/* Lines that n vectors of so many rows take, at least one. */
INLINE int lines_in(int32_t type, int rows, int n)
{
    const int lines = rows * n * LANES * (int)mer_width(type) / 64;
    return lines > 0 ? lines : 1;
}
/* Whether element `at` of a row is the first one of a line, if the row begins with one. */
INLINE int begins(int32_t type, int64_t at) { return at * (int64_t)mer_width(type) % 64 == 0; }

/* a[r][c] of R rows and keys c .. c + keys - 1 += the products of n vectors, 1 or 2, of their channels from t on. */
INLINE void few_products(
    vec *a, const struct few *x, struct few_part p, int c, int keys, int64_t t, const vec (*y)[2], int n)
{
    const int K = LANES / p.R;
#pragma GCC unroll 2
    for (int half = 0; half < n; half++)
#pragma GCC unroll 16
        for (int r = 0; r < p.R; r++) {
            const vec q = vload(x->q + (p.r + r) * x->D + t + half * LANES);
#pragma GCC unroll 16
            for (int k = 0; k < keys; k++)
                a[r * K + c + k] = vfma(q, y[k][half], a[r * K + c + k]);
        }
}
/* The scores of R rows by LANES / R keys at a time: s[r][j - b0] = <q_r, k_j>. */
INLINE void few_scores(const struct flash *f, int32_t type, const struct few *x, struct few_part p)
{
    enum { ALL = LANES };
    const int K = ALL / p.R, some = p.R < 4 ? 1 : K; /* keys whose vectors the registers have place for */
    const int64_t step = f->d + f->k_lay.row, whole = f->d / WIDE * WIDE;
    struct lines ahead = lines_of(x, type, p, f->k, flash_k(f, x->g, p.first + AHEAD), step, f->d);
    for (int64_t j = p.first; j < p.end; j += K) {
        const int64_t from = flash_k(f, x->g, j), most = p.end - 1 - j;
        vec a[ALL], y[ALL][2];
        int64_t at[ALL], t = 0;
        float score[ALL];
#pragma GCC unroll 16
        for (int c = 0; c < K; c++) /* beyond the last key, the last one again */
            at[c] = from + at_most(c, most) * step;
#pragma GCC unroll 16
        for (int c = 0; c < ALL; c++)
            a[c] = vset(0);
        for (; t < whole; t += WIDE) {
            if (begins(type, t))
                fetch(&ahead, lines_in(type, K, 2));
#pragma GCC unroll 16
            for (int c = 0; c < K; c += some) {
#pragma GCC unroll 16
                for (int k = 0; k < some; k++)
                    load_two(type, f->k, at[c + k] + t, y[k]);
                few_products(a, x, p, c, some, t, y, 2);
            }
        }
        for (; t < f->d; t += LANES) {
            if (begins(type, t))
                fetch(&ahead, K);
#pragma GCC unroll 16
            for (int c = 0; c < K; c++)
                y[0][0] = load_some(type, f->k, at[c] + t, f->d - t), few_products(a, x, p, c, 1, t, y, 1);
        }
        vstore(score, vtrees(a));
#pragma GCC unroll 16
        for (int r = 0; r < p.R; r++)
            memcpy(x->s + (p.r + r) * ROW + j - p.b0, score + r * K, (size_t)K * sizeof *score);
    }
}

/* acc[r][column ..] of nv vectors += the weighted values of these keys.  A hidden key has weight 0, and its value is
 * not read; only where p.zeros is one looked for.  next: the lines to be fetched meanwhile. */
INLINE void few_gather(const struct flash *f, int32_t type, const struct few *x, struct few_part p, int64_t column,
    int nv, struct lines *next)
{
    vec a[4][2 * NV], v[2 * NV];
    float *to = x->r.acc + p.r * x->E + column;
    const float *s = x->s + p.r * ROW + p.first - p.b0;
    const int64_t step = f->e + f->v_lay.row;
#pragma GCC unroll 16
    for (int r = 0; r < p.R; r++)
#pragma GCC unroll 8
        for (int c = 0; c < nv; c++)
            a[r][c] = vload(to + r * x->E + c * LANES);
    for (int64_t j = p.first, at = flash_v(f, x->g, j) + column; j < p.end; j++, at += step, s++) {
        if (begins(type, column))
            fetch(next, lines_in(type, 1, nv));
        if (nv == 1)
            v[0] = load_some(type, f->v, at, f->e - column);
#pragma GCC unroll 8
        for (int c = 0; c + 1 < nv; c += 2)
            load_two(type, f->v, at + c * LANES, v + c);
#pragma GCC unroll 16
        for (int r = 0; r < p.R; r++) {
            if (p.zeros && s[r * ROW] == 0 && flash_hidden(f, few_head(f, x, p.r + r), few_query(f, x, p.r + r), j))
                continue;
#pragma GCC unroll 8
            for (int c = 0; c < nv; c++)
                a[r][c] = vfma(vset(s[r * ROW]), v[c], a[r][c]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < p.R; r++)
#pragma GCC unroll 8
        for (int c = 0; c < nv; c++)
            vstore(to + r * x->E + c * LANES, a[r][c]);
}
/* The columns from `column` on that come in whole runs of nv vectors; the answer is the first one that is left. */
INLINE int64_t few_columns(const struct flash *f, int32_t type, const struct few *x, struct few_part p, int64_t column,
    int nv, struct lines *next)
{
    const struct few_part every = { p.b0, p.first, p.end, p.r, p.R, 0 };
    for (; column + (nv > 1 ? nv * LANES : 1) <= f->e; column += nv * LANES)
        if (p.zeros)
            few_gather(f, type, x, p, column, nv, next);
        else
            few_gather(f, type, x, every, column, nv, next);
    return column;
}
INLINE void few_values(const struct flash *f, int32_t type, const struct few *x, struct few_part p)
{
    const int64_t later = p.first + AHEAD;
    struct lines ahead = lines_of(x, type, p, f->v, flash_v(f, x->g, later), f->e + f->v_lay.row, f->e);
    int64_t column = 0;
    for (int r = 0; r < p.R; r++)
        p.zeros |= x->zeros[p.r + r] >> (p.first - p.b0) / FEW_KEYS & 1;
    if (p.R < 4) /* as many accumulators */
        column = few_columns(f, type, x, p, column, 2 * NV, &ahead);
    column = few_columns(f, type, x, p, column, NV, &ahead);
    few_columns(f, type, x, p, column, 1, &ahead);
}

/* Scores first .. end - 1 of a row, counted from b0, as softmax sees them, in place; the greatest of each lane. */
INLINE vec few_settle(const struct flash *f, const struct sight *rules, float *s, int64_t first, int64_t end)
{
    const int plain = !rules->keep && !(f->cap > 0);
    vec peak = vset(-INFINITY);
    for (int64_t j = first / LANES * LANES; j < end; j += LANES) {
        const int whole = plain && j >= first && j + LANES <= end && j >= rules->first && j + LANES <= rules->end;
        vec y;
        if (whole && !rules->bias)
            y = settle(f, SCALED, rules, vload(s + j), j);
        else if (whole)
            y = settle(f, BIASED, rules, vload(s + j), j);
        else
            y = settle(f, RULED, rules, vload_some(vbetween(first - j, end - j), s + j), j);
        peak = vmax(y, peak);
        vstore(s + j, y);
    }
    return peak;
}
/* The scores of row r, keys p.first .. p.end - 1, become weights exp(s - top) in place; the total and, where the
 * greatest score rises, all that was gathered follow.  zeros[r] tells which FEW_KEYS keys have a weight of 0. */
INLINE void few_weigh(const struct flash *f, const struct few *x, struct few_part p, int64_t r)
{
    const int64_t first = p.first - p.b0, end = p.end - p.b0;
    const struct sight rules = sight_of(f, RULED, few_head(f, x, r), few_query(f, x, r), p.b0);
    float *s = x->s + r * ROW, *top = x->r.top + r, *acc = x->r.acc + r * x->E;
    const float high = vtop(few_settle(f, &rules, s, first, end));
    vec total = vload(x->r.total + r * LANES);
    if (high > *top) {
        const vec by = vexp(vset(*top - high));
        *top = high, total = vmul(total, by);
        for (int64_t c = 0; c < x->E; c += LANES)
            vstore(acc + c, vmul(vload(acc + c), by));
    }
    const vec at = vset(*top == -INFINITY ? 0 : *top);
    x->zeros[r] = 0;
    for (int64_t j = first / LANES * LANES; j < end; j += LANES) {
        const vec w = vexp(vsub(vload(s + j), at));
        const vmask here = vbetween(first - j, end - j);
        total = vadd(total, w);
        vstore(s + j, w);
        x->zeros[r] |= (vbits(vunlike(here, w, vset(0))) != vbits(here) ? 1u : 0) << j / FEW_KEYS;
    }
    vstore(x->r.total + r * LANES, total);
}

/* Scores or, where `values`, values of R rows from p.r on. */
INLINE void few_part(const struct flash *f, int32_t type, const struct few *x, struct few_part p, int R, int values)
{
    const struct few_part some = { p.b0, p.first, p.end, p.r, R, 0 };
    if (values)
        few_values(f, type, x, some);
    else
        few_scores(f, type, x, some);
}
/* The same of all rows and all keys of a block: FEW_KEYS keys for 4, 2 or 1 rows, a constant of the loops, at a
 * time. */
INLINE void few_block(const struct flash *f, int32_t type, const struct few *x, struct few_part all, int values)
{
    for (struct few_part p = all; p.first < all.end; p.first = p.end) {
        p.end = at_most(p.b0 + ((p.first - p.b0) / FEW_KEYS + 1) * FEW_KEYS, all.end);
        for (p.r = 0; p.r + 4 <= x->rows; p.r += 4)
            few_part(f, type, x, p, 4, values);
        if (p.r + 2 <= x->rows)
            few_part(f, type, x, p, 2, values), p.r += 2;
        if (p.r < x->rows)
            few_part(f, type, x, p, 1, values);
    }
}

/* Scores and weighted values of a block, a function for each type of keys and values: they have much code, and the
 * compiler's time grows faster than the length of a function. */
static __attribute__((noinline)) void scores_f32(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_F32, x, p, 0);
}
static __attribute__((noinline)) void scores_f16(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_F16, x, p, 0);
}
static __attribute__((noinline)) void scores_bf16(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_BF16, x, p, 0);
}
static __attribute__((noinline)) void values_f32(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_F32, x, p, 1);
}
static __attribute__((noinline)) void values_f16(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_F16, x, p, 1);
}
static __attribute__((noinline)) void values_bf16(const struct flash *f, const struct few *x, struct few_part p)
{
    few_block(f, MER_BF16, x, p, 1);
}
typedef void few_all(const struct flash *f, const struct few *x, struct few_part p);
struct few_of_type { few_all *scores, *values; };
static struct few_of_type few_of_type(int32_t type)
{
    return type == MER_BF16 ? (struct few_of_type){ scores_bf16, values_bf16 } :
        type == MER_F16     ? (struct few_of_type){ scores_f16, values_f16 } :
                              (struct few_of_type){ scores_f32, values_f32 };
}

/* x[D]: query i of head h, filled up with zeros, and as load_two leaves it. */
INLINE void few_load(const struct flash *f, float *x, int64_t h, int64_t i)
{
    vec even, odd;
    for (int64_t t = 0; t < f->d; t += LANES)
        vstore(x + t, load_some(f->type, f->q, flash_q(f, h, i) + t, f->d - t));
    for (int64_t t = 0; f->type == MER_BF16 && t + WIDE <= f->d; t += WIDE)
        vload_pairs(LANES, x + t, &even, &odd), vstore(x + t, even), vstore(x + t + LANES, odd);
}
/* Outputs that were gathered by load_two, acc[E], in the order of their columns. */
INLINE void few_order(const struct flash *f, float *acc)
{
    for (int64_t c = 0; f->type == MER_BF16 && c < f->e / PANEL * PANEL; c += WIDE)
        vstore_pairs(LANES, acc + c, vload(acc + c), vload(acc + c + LANES));
}

/* The scores of a block where some pairs are far.  Keys that are far from every query come first, since scores are
 * written in vectors; a key that is far from some is taken by all as a near one, then by those as a far one. */
static void far_scores(const struct flash *f, const struct few *x, struct few_part all, few_all *dots)
{
    struct flash far = *f;
    struct few by = *x;
    const int64_t end = at_least(all.first, at_most(all.end, far_end(f, 0) + 1));
    far.k = f->far->k, by.q = x->far;
    if (end > all.first)
        dots(&far, &by, (struct few_part){ all.b0, all.first, end, 0, 0, 0 });
    if (end < all.end)
        dots(f, x, (struct few_part){ all.b0, end, all.end, 0, 0, 0 });
    for (int64_t r = 0; r < x->rows; r++)
        for (int64_t j = end; j < all.end && j <= far_end(f, few_query(f, x, r)); j++) {
            vec sum = vset(0);
            for (int64_t t = 0; t < f->d; t += LANES)
                sum = vfma(vload(by.q + r * x->D + t), load_some(MER_F32, far.k, j * f->d + t, f->d - t), sum);
            x->s[r * ROW + j - all.b0] = vtree(sum);
        }
}

/* Some rows, from their first key to their stored rows. */
static void few_rows(const struct flash *f, const struct few *x)
{
    const struct few_of_type of = few_of_type(f->type);
    struct flash of_far = *f;
    int64_t lo = f->m, hi = 0; /* the keys that any of them sees */
    of_far.q = x->far ? f->far->q : NULL;
    for (int64_t r = 0; r < x->rows; r++) {
        const int64_t h = few_head(f, x, r), i = few_query(f, x, r);
        few_load(f, x->q + r * x->D, h, i);
        if (x->far)
            few_load(&of_far, x->far + r * x->D, h, i);
        x->r.top[r] = f->sink ? f->sink[h] : -INFINITY;
        lo = flash_first(f, i) < lo ? flash_first(f, i) : lo, hi = flash_end(f, i) > hi ? flash_end(f, i) : hi;
    }
    memset(x->r.acc, 0, (size_t)(x->rows * x->E) * sizeof(float));
    memset(x->r.total, 0, (size_t)(x->rows * LANES) * sizeof(float));
    for (int64_t b0 = lo / FLASH_KEYS * FLASH_KEYS; b0 < hi; b0 += FLASH_KEYS) {
        const struct few_part all = { b0, lo > b0 ? lo : b0, at_most(b0 + FLASH_KEYS, hi), 0, 0, 0 };
        if (x->far)
            far_scores(f, x, all, of.scores);
        else
            of.scores(f, x, all);
        for (int64_t r = 0; r < x->rows; r++)
            few_weigh(f, x, all, r);
        of.values(f, x, all);
    }
    for (int64_t r = 0; r < x->rows; r++) {
        float *acc = x->r.acc + r * x->E;
        few_order(f, acc);
        finish_row(f, few_head(f, x, r), few_query(f, x, r), acc, NULL, vload(x->r.total + r * LANES), x->r.top[r]);
    }
}

/* The whole problem, at most FLASH_ROWS rows at a time.  MER_OK always. */
static int attend_rows(const struct flash *f)
{
    const int64_t all = f->g ? f->h / f->g * f->n : 0, most = at_most(all, FLASH_ROWS);
    struct few x = { .D = (f->d + LANES - 1) / LANES * LANES, .E = (f->e + LANES - 1) / LANES * LANES };
    float *room = f->scratch;
    x.q = take(&room, most * x.D), x.s = take(&room, most * ROW);
    x.r = (struct rows){ take(&room, most * x.E), take(&room, most * LANES), take(&room, most) };
    x.zeros = (unsigned *)(void *)take(&room, most);
    x.far = f->far ? take(&room, most * x.D) : NULL;
    for (x.g = 0; x.g < f->g; x.g++)
        for (x.from = 0; x.from < all; x.from += most) {
            x.rows = at_most(most, all - x.from);
            few_rows(f, &x);
        }
    return MER_OK;
}
#endif

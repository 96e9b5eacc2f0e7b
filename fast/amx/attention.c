/* Scaled dot-product attention of bf16 by TDPBF16PS: tiles of 16 queries by 64 keys or columns, and 32 channels or keys
 * in each product.  The order inside a product (Intel SDM vol. 2; tests/amx.c emulates it) is: even and odd channels in
 * two chains of fused operations from 0, then the sum of both, then that onto the accumulator; each rounded to nearest
 * even, with subnormals read and written as 0 and MXCSR ignored.  So a term passes at most 15 + 1 additions and one
 * more for each product: the height is at most 16 + d/32, with MOST channels 24, and 16 + 16 for the outputs of
 * FLASH_KEYS keys.  Weights are stored in bf16 for the value product; scale, softmax, rescaling and division are
 * float32 in 16 lanes.  Inputs with a subnormal, an infinity or a NaN go to slot avx512, whose float32 arithmetic lies
 * in the same profile.  The configuration of tiles belongs to the thread: each call loads it and releases it.
 * Useful GFLOP/s, one thread, 8 heads, 1024 keys, d 64, all visible; products alone would take a fifth of the time, the
 * rest is softmax:
 *   v0 the tiles of flash_tile.h with these products         246
 *   v1 queries copied as they lie, not unit by unit          414
 *   v2 once a sweep                                          417   (4096/128: 616)
 * The trap: gcc's tile loads do not tell the compiler that they read memory, hence the fences. */
#include <stdatomic.h>
#include "attention/flash_pairs.h"
/* A unit is two bf16 numbers; a tile has GROUP queries; a product takes DEPTH units; at most MOST channels. */
enum { PAIRS = 1, GROUP = 16, DEPTH = 16, MOST = 256 };
#include "attention/flash_settle.h"

/* 8 tiles of 16 rows of 64 bytes */
static const struct { uint8_t palette, start, none[14]; uint16_t bytes[16]; uint8_t rows[16]; } all_tiles =
    { 1, 0, { 0 }, { 64, 64, 64, 64, 64, 64, 64, 64 }, { 16, 16, 16, 16, 16, 16, 16, 16 } };

/* Tiles 0 .. nv - 1, each 16 columns of C, += A[16][units] B[units][16 nv]; the strides of rows are in floats. */
INLINE void tile_products(const float *a, int64_t a_row, const float *b, int64_t b_row, int64_t units, int nv)
{
    for (int64_t t = 0; t < units; t += DEPTH, a += DEPTH, b += DEPTH * b_row) {
        _tile_loadd(4, a, a_row * 4);
        _tile_loadd(5, b, b_row * 4);
        _tile_dpbf16ps(0, 4, 5);
        if (nv > 1) {
            _tile_loadd(6, b + 16, b_row * 4);
            _tile_dpbf16ps(1, 4, 6);
        }
        if (nv > 2) {
            _tile_loadd(7, b + 32, b_row * 4);
            _tile_dpbf16ps(2, 4, 7);
        }
        if (nv > 3) {
            _tile_loadd(5, b + 48, b_row * 4);
            _tile_dpbf16ps(3, 4, 5);
        }
    }
}
/* c[16][16 nv] = tiles 0 .. nv - 1, with rows `row` floats apart. */
INLINE void store_tiles(float *c, int64_t row, int nv)
{
    _tile_stored(0, c, row * 4);
    if (nv > 1)
        _tile_stored(1, c + 16, row * 4);
    if (nv > 2)
        _tile_stored(2, c + 32, row * 4);
    if (nv > 3)
        _tile_stored(3, c + 48, row * 4);
}

/* As scores of flash_product.h, without places. */
INLINE void scores(const struct flash *f, struct panel t, int nv, enum finish how)
{
    atomic_signal_fence(memory_order_seq_cst);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    tile_products(t.q, t.units, t.kt, PANEL, t.units, nv);
    store_tiles(t.s, ROW, nv);
    if (how == RULED)
        settle_rows(t.s, t.peak, nv, f, t.h, t.i0, t.j0);
    for (int r = 0; r < GROUP && how != RULED; r++) {
        struct sight x = sight_of(f, how, t.h, t.i0 + r, t.j0);
        vec most = vload(t.peak + r * LANES);
#pragma GCC unroll 4
        for (int c = 0; c < nv; c++) {
            vec y = settle(f, how, &x, vload(t.s + r * ROW + c * LANES), c * LANES);
            most = vmax(y, most);
            vstore(t.s + r * ROW + c * LANES, y);
        }
        vstore(t.peak + r * LANES, most);
    }
}

/* acc[16][E] += w[16][units] v[units][nv vectors].  A tile load asks that the units of a row lie together, so w.along
 * is 1 here. */
INLINE void gather(float *acc, int64_t E, struct weight_rows w, const float *v, int64_t units, int nv)
{
    atomic_signal_fence(memory_order_seq_cst);
    _tile_loadd(0, acc, E * 4);
    if (nv > 1)
        _tile_loadd(1, acc + 16, E * 4);
    if (nv > 2)
        _tile_loadd(2, acc + 32, E * 4);
    if (nv > 3)
        _tile_loadd(3, acc + 48, E * 4);
    tile_products(w.p, w.across, v, nv * LANES, units, nv);
    store_tiles(acc, E, nv);
}
#include "attention/flash_tile.h"
#include "kernels.h"

void flash_product_amx(float *c, const uint16_t *a, const uint16_t *b)
{
    _tile_loadconfig(&all_tiles);
    atomic_signal_fence(memory_order_seq_cst);
    _tile_loadd(0, c, 64);
    _tile_loadd(4, a, 64);
    _tile_loadd(5, b, 64);
    _tile_dpbf16ps(0, 4, 5);
    _tile_stored(0, c, 64);
    _tile_release();
}

/* Whether slot avx512, which reads keys and values as they lie, is faster (flash_row.h).  A tile takes as long for one
 * query as for 16; with 4 query heads to a key head, 4 queries take 0.82 of its time by rows, 6 take 1.18. */
static int few(const struct flash *f)
{
    return f->n <= 4 || (f->n <= FLASH_FEW && f->h / f->g * f->n <= 16);
}
static int attend(const struct flash *f)
{
    /* a process that never asked whether the slot is here has no permission yet: this asks */
    if (few(f) || f->d > MOST || !mer_tiles_permitted())
        return MER_SKIP;
    if (f->type != MER_BF16 || !plain(f))
        return flash_wide(f);
    _tile_loadconfig(&all_tiles);
    int rc = attend_tiles(f);
    _tile_release();
    return rc;
}
static int in_short(const struct mer_call *c) { return flash_run(c, FLASH_SHORT, attend); }
static int in_long(const struct mer_call *c) { return flash_run(c, FLASH_LONG, attend); }

#define STEPS \
    FLASH_EXTRAS "tanh=f32:5 dot=f32/h24 product=f32 score=f32 bias=f32 shift=f32 exp=f32:2.5 weight=bf16 " \
    "total=f32/lanes16 div=f32 log=f32:2 ftz=on "
/* No gauge is claimed, since none is derived; what is checked is the bound that the profile implies. */
const struct mer_kernel attention_amx[] = {
    { "attention", "o lse", "bf16", STEPS "sum=f32/h32", 0, in_short, flash_prepare, flash_release },
    { "attention", "o lse", "bf16", STEPS "sum=f32 route=online block=1 rescale=f32", 0, in_long, flash_prepare,
        flash_release },
    { 0 },
};

/* Multi-head attention in float32: dense products by gemm.h, attention by the best slot's tiles; no array of queries by
 * keys is made.
 *   q = x wq + bq    k = key wk + bk    v = value wv + bv    y = bo + concat_h(attention(q_h, k_h, v_h)) wo
 * Profile: MULTIHEAD_STEPS. */
#ifndef MULTIHEAD_H
#define MULTIHEAD_H
#include "attention/flash_grad.h"
#include "block/gemm.h"
#define MULTIHEAD_STEPS \
    "project=f32 collect=f32 dot=f32 product=f32 score=f32 shift=f32 exp=f32:2.5 sum=f32 total=f32 rescale=f32 " \
    "div=f32 store=f32 route=online block=1"
#define MULTIHEAD_BACK \
    "project=f32 collect=f32 dot=f32 product=f32 score=f32 shift=f32 exp=f32:2.5 sum=f32 total=f32 div=f32:3.01 " \
    "store=f32"

struct multihead {
    int64_t n, m, c;                    /* queries, keys, columns of x and y */
    const float *x, *key, *value;       /* [n][c], [m][wide[1]], [m][wide[2]] */
    int64_t wide[3], heads[3], width[3]; /* of q, k, v: columns before; heads and their width after */
    struct gemm_of w[3], wo;            /* [wide][heads width], [heads width of values][c] */
    const float *b[3], *bo;             /* NULL: none */
    int strided;                        /* column h + t H is a head's, not h d + t */
    /* causality, window, groups, scale, bias, keep: what the call says of attention */
    struct flash shape;
    struct mer_angles *angles;          /* NULL: no rotation; owned */
    const int64_t *pos;                 /* [n]; NULL: 0, 1, 2 .. */
    int layout;                         /* of the rotation: MER_HALF or MER_INTERLEAVED */
    /* o without rescaling, whatever the number of keys: what gradients are then declared with */
    int two_passes;
    float *room, *cos, *sin;            /* multihead_open's; owned */
};
/* What the parameters say ("heads=8 causal=bottomright .."); sizes n, m, c, wide are the caller's, and there already.
 * Only self-attention turns.  MER_OK, MER_SKIP for what only row attention's own kernels do (norms and temperatures of
 * queries), or MER_BAD without memory. */
int multihead_read(struct multihead *p, const struct mer_call *c, int self);
int multihead_open(struct multihead *p); /* scratch, once the sizes are there */
void multihead_close(struct multihead *p);
int multihead_run(float *y, const struct multihead *p); /* y[n][c]; overlaps nothing */
/* q[heads][n][width], k and v, turned; behind them room for as many outputs, and for one of the arrays as [rows][heads
 * width]. */
enum { MULTIHEAD_OUT = 3, MULTIHEAD_FLAT };
int multihead_attend(const struct multihead *p, struct flash *f);
int multihead_parts(const struct multihead *p, float *part[5]);
/* [rows][heads width] to [heads][rows][width] */
void multihead_cut(
    float *to, const float *from, const float *bias, int64_t rows, int64_t heads, int64_t width, int strided);
/* and back */
void multihead_join(float *to, const float *from, int64_t rows, int64_t heads, int64_t width, int strided);

/* Gradients for dy that of y (ref/core/layer/mha.h says which); what is NULL is not wanted.  dw[k] and dwo lie as the
 * weights do, strides included.  Where dkey or dvalue is dx,
 * what comes through keys and values is added there.  Profile: MULTIHEAD_BACK, of dwo with two_passes.  MER_OK, or
 * MER_BAD without memory. */
struct multihead_back {
    const float *dy;                    /* [n][c] */
    float *din[3];                      /* dx[n][wide[0]], dkey[m][wide[1]], dvalue[m][wide[2]] */
    float *dw[3], *db[3], *dwo;         /* [wide][heads width], [heads width]; [heads width of values][c] */
};
int multihead_back(const struct multihead *p, const struct multihead_back *g);
#endif

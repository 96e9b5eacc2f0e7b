/* Multi-head attention in float32 (Vaswani et al. 2017, section 3.2.2): dense products by gemm.h, attention by the
 * tiles of the best slot.  No array of queries by keys is made.
 *   q = x wq + bq    k = key wk + bk    v = value wv + bv    y = bo + concat_h(attention(q_h, k_h, v_h)) wo
 * Its profile is MULTIHEAD_STEPS. */
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
    /* of q, k, v: the columns before the projection; the heads and their width behind it */
    int64_t wide[3], heads[3], width[3];
    struct gemm_of w[3], wo;            /* [wide][heads width], [heads width of values][c] */
    const float *b[3], *bo;             /* NULL: none */
    int strided;                        /* 1: element t of head h is column h + t heads, not h width + t */
    /* what the call says of attention: causality, window, groups, scale, bias, keep; its scratch is owned */
    struct flash shape;
    struct mer_angles *angles;          /* NULL: no rotation; owned */
    const int64_t *pos;                 /* [n]: positions; NULL: 0, 1, 2 and so on */
    int layout;                         /* of the rotation: MER_HALF or MER_INTERLEAVED */
    /* 1: attention in two passes, without rescaling, whatever the number of keys; gradients are declared with that */
    int two_passes;
    float *room, *cos, *sin;            /* made by multihead_open; owned */
};
/* Sets what the parameters say ("heads=8 causal=bottomright .."); the caller has set n, m, c and wide before.  Only
 * self-attention is rotated.  MER_OK, MER_SKIP for what only the kernels of row attention do (norms and temperatures of
 * queries), or MER_BAD where a rotation cannot be made. */
int multihead_read(struct multihead *p, const struct mer_call *c, int self);
/* Makes memory, when all sizes are set.  MER_OK or MER_BAD.  multihead_close frees it, also after a failure. */
int multihead_open(struct multihead *p);
void multihead_close(struct multihead *p);
/* y[n][c], which overlaps nothing.  MER_OK or MER_BAD. */
int multihead_run(float *y, const struct multihead *p);
/* The parts of that, for gradients.  multihead_parts sets part[0 .. 2] to q, k and v, [heads][rows][width], rotated
 * where the call says so; part[MULTIHEAD_OUT] to room for the output of attention; part[MULTIHEAD_FLAT] to room for any
 * of these as [rows][heads width].  multihead_attend answers a problem over them. */
enum { MULTIHEAD_OUT = 3, MULTIHEAD_FLAT };
int multihead_attend(const struct multihead *p, struct flash *f);
int multihead_parts(const struct multihead *p, float *part[5]);
/* From [rows][heads width] to [heads][rows][width], adding bias[heads width], or NULL. */
void multihead_cut(
    float *to, const float *from, const float *bias, int64_t rows, int64_t heads, int64_t width, int strided);
/* And back. */
void multihead_join(float *to, const float *from, int64_t rows, int64_t heads, int64_t width, int strided);

/* Gradients for dy, that of y; ref/core/layer/mha.h says which.  What is NULL is not wanted.  dw[k] and dwo lie as the
 * weights do, with their strides.  Where dkey or dvalue is the same array as dx, what comes through keys or values is
 * added there.  The profile is MULTIHEAD_BACK, for dwo with two_passes.  MER_OK, or MER_BAD without memory. */
struct multihead_back {
    const float *dy;                    /* [n][c] */
    float *din[3];                      /* dx[n][wide[0]], dkey[m][wide[1]], dvalue[m][wide[2]] */
    float *dw[3], *db[3], *dwo;         /* [wide][heads width], [heads width]; [heads width of values][c] */
};
int multihead_back(const struct multihead *p, const struct multihead_back *g);
#endif

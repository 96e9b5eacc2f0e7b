/* Gradients of relative attention whose place vectors depend on j - i alone, one head at a time, float32.  All vectors
 * are laid out in lines by that distance: pair (i, j) takes line n - 1 - i + j of n + m - 1, so that the lines of a
 * query's keys lie one behind another, and a clipped table is repeated at both ends.
 *   s_ij = scale (<content_i, k_j> + <position_i, place> + <k_j, back>)      p = softmax
 *   dp_ij = <do_i, v_j + value>      D_i = sum p dp      ds = p (dp - D)
 *   dq_i += ds (k_j + place)      dk_j += ds (content_i + back)      dv_j += p do_i
 *   dplace += ds position_i       dback += ds k_j                    dvalue += p do_i
 * All but dv and dvalue are still to be multiplied by scale. */
#ifndef LINE_GRAD_H
#define LINE_GRAD_H
#include "meridian.h"

struct line_grad {
    int64_t n, m, d, e;
    float scale;
    /* Query i sees keys 0 .. shift + i, where that is bounded; keep[n][m]: and of these those that are not 0; NULL: all
     * of them. */
    int64_t shift;
    int bounded;
    const int64_t *keep;
    const float *content, *position;       /* [n][d]: the queries as they meet keys, and places; maybe the same */
    const float *k, *v, *seed;             /* [m][d], [m][e], do[n][e] */
    /* [n + m - 1][d], [n + m - 1][d] and [n + m - 1][e]; back NULL: keys meet no place; value NULL: values have none */
    const float *place, *back, *value;
    float *dq, *dk, *dv;                   /* [n][d], [m][d], [m][e]: what is added to, as to these of the lines */
    float *dplace, *dback, *dvalue;
    float *keys, *places;                  /* [d]: sums of ds k_j and of ds place over all pairs are added; NULL: not */
    float *room;                           /* line_grad_room floats, 64-byte aligned */
};
int64_t line_grad_room(const struct line_grad *g); /* floats of room that a head needs, by its sizes */
/* Adds what one head gives, by a slot's lanes.  All inputs are finite. */
typedef void line_grad_head(const struct line_grad *g);
line_grad_head line_grad_avx2, line_grad_avx512;

/* Answer the calls for gradients of these rows; MER_SKIP where an input is not finite, or where a call
 * asks for what the plain loops alone do. */
int line_grad_shaw(const struct mer_call *c, line_grad_head *head);
int line_grad_nezha(const struct mer_call *c, line_grad_head *head);
/* Keeps its table as c->state, which distance_release frees. */
int line_grad_prepare_nezha(struct mer_call *c);
int line_grad_txl(const struct mer_call *c, line_grad_head *head);
int line_grad_deberta(const struct mer_call *c, line_grad_head *head);
/* Their arithmetic, but for the partial sums of the total, which are as many as a slot's lanes. */
#define LINE_GRAD_STEPS "shift=f32 exp=f32:2.5 product=f32 sum=f32 div=f32 dot=f32/lanes1 score=f32 join=f32 "
#endif

/* Rotary attention at remapped distances on the attention tiles: within the window a pair is turned by its positions,
 * beyond it by far places (query(c) - key(j)) / divide.  Head by head, queries and keys are turned twice by the slot's
 * rotation of row rope, the keys of each kind only as far as there are pairs of it; then every key meets every query
 * once (struct flash_far).  Time beside plain rotation of q and k and plain attention, [4][4096][128], window 1024,
 * 16 lanes:
 *   v0 the definition, a turn for each pair: fast/rerope.c            some 45
 *   v1 this                                                           1.05 to 1.08
 *   v2 few queries take keys as they lie: one over 16384 keys, beside plain attention that turns its keys too 0.95 to
 *      1.04; rerope without a leak, whose far keys are not turned, beside one that has them turned already 1.12 */
#ifndef ROTARY_FAR_H
#define ROTARY_FAR_H
#include "attention/flash.h"

/* Where far pairs stand; key NULL: every key at 0.  a and b are the row's own. */
struct far_places {
    int64_t window, divide, a, b;
    int64_t (*query)(const struct far_places *p, int64_t c), (*key)(const struct far_places *p, int64_t j);
};
/* Make c->state, for the rows of these names. */
int prepare_rerope(struct mer_call *c);
int prepare_selfextend(struct mer_call *c);
/* rope: the kernels of row rope in the slot.  A MER_ answer; MER_SKIP where the numbers of queries and of keys are
 * another kernel's. */
int far_attend(
    const struct mer_call *c, const struct flash_slot *slot, const struct mer_kernel *rope, enum flash_which which);
void far_release(void *state);
/* The slots' kernels: of few or many queries, and of short or long rows of keys (enum flash_which). */
int far_few_short_avx2(const struct mer_call *c);
int far_few_long_avx2(const struct mer_call *c);
int far_many_short_avx2(const struct mer_call *c);
int far_many_long_avx2(const struct mer_call *c);
int far_few_short_avx512(const struct mer_call *c);
int far_few_long_avx512(const struct mer_call *c);
int far_many_short_avx512(const struct mer_call *c);
int far_many_long_avx512(const struct mer_call *c);
/* What a slot's profile says beside its total and its dot. */
#define FAR_STEPS \
    "rope.store=f32 turn=f32 turned=f32 score=f32 warm=f32 warmed=f32 shift=f32 exp=f32:2.5 div=f32 " \
    "log=f32:2 sum=f32/lanes1 "
/* block=1 bounds every block size: no blocks of keys have more rescalings. */
#define FAR_ONLINE "softmax=online block=1 rescale=f32 "
#endif

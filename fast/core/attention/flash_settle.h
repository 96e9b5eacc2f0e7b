/* From products to what softmax sees of them, a vector at a time: by the scale alone, with a bias too, or with every
 * rule of visibility too. */
#ifndef FLASH_SETTLE_H
#define FLASH_SETTLE_H
#include "attention/flash.h"
#include "attention/flash_pack.h"

#include "exp_lanes.h"

/* One register tile of scores: queries i0 .. i0 + GROUP - 1 of head h by the keys from j0 on. */
struct panel {
    float *s, *peak;      /* [GROUP][ROW]: where the scores go; [GROUP][LANES]: the greatest so far, by lane */
    const float *q, *kt;  /* the queries and the keys as pack_queries and pack_keys leave them */
    int64_t units;        /* of a product: units_of(d) */
    int64_t h, i0, j0;
};

/* A cap counts as a rule: its tanh in the other two would cost every tile a third. */
enum finish { SCALED, BIASED, RULED };
/* What the rules need of one query.  Everything counts keys from j0: keys first .. end - 1 are in reach, `last` is the
 * first key that does not exist, bias and keep are the query's own rows, or NULL. */
struct sight { int64_t first, end, last; const float *bias; const uint8_t *keep; float scale; };

/* A query beyond the last one, which fills up a tile, is given the rules of the last one. */
INLINE struct sight sight_of(const struct flash *f, enum finish how, int64_t h, int64_t i, int64_t j0)
{
    struct sight x = { 0 };
    i = i < f->n ? i : f->n - 1;
    if (how == RULED)
        x.first = flash_seen_first(f, i) - j0, x.end = flash_seen_end(f, i) - j0, x.last = f->m - j0,
        x.keep = f->keep ? f->keep + (h * f->n + i) * f->m + j0 : NULL;
    x.bias = how != SCALED && f->bias ? flash_bias(f, h, i) + j0 : NULL;
    x.scale = flash_scale(f, i);
    return x;
}

INLINE vec vcap(const struct flash *f, vec s) { return vmul(vset(f->cap), vtanh(vdiv(s, vset(f->cap)))); }
/* The scores of LANES keys from j0 + at on, from their products; -inf where softmax does not see a key. */
INLINE vec settle(const struct flash *f, enum finish how, const struct sight *x, vec dot, int64_t at)
{
    const vec scale = vset(x->scale), none = vset(-INFINITY);
    const int early = how == RULED && f->cap > 0 && !f->cap_last, late = how == RULED && f->cap > 0 && f->cap_last;
    vec s = vmul(dot, scale);
    if (how == SCALED)
        return s;
    vmask seen = how == RULED ? vbetween(x->first - at, x->end - at) : vfirst(LANES),
          there = how == RULED && flash_every(f) ? vfirst(x->last - at) : seen;
    if (how == RULED && x->keep)
        seen = vkept(seen, x->keep + at);
    if (!(how == RULED && flash_every(f)))
        there = seen;
    if (how == BIASED || x->bias) {
        vec b = how == BIASED ? vload(x->bias + at) : vload_some(there, x->bias + at);
        s = f->bias_first ? vmul(vadd(dot, b), scale) : s;
        s = f->bias_first ? early ? vcap(f, s) : s : vadd(early ? vcap(f, s) : s, b);
        if (late)
            seen = vunlike(seen, b, none);
        else
            there = vunlike(there, b, none); /* a bias of -inf must hide a NaN too */
    } else if (early)
        s = vcap(f, s);
    if (f->finite)
        s = vpick(seen, s, f->finite == FLASH_ADD ? vadd(s, vset(f->constant)) : vset(f->constant));
    if (late)
        s = f->finite ? vcap(f, s) : vpick(seen, vcap(f, s), vset(-f->cap));
    return vpick(there, s, none);
}

/* RULED, for GROUP rows and nv vectors of products in s[GROUP][ROW]; peak[GROUP][LANES] is raised.  Not inlined, so
 * that a slot has one copy and not one for each vector of every tile: the rules and two tanh are a page of
 * instructions, and few blocks of keys need them. */
static __attribute__((noinline)) void settle_rows(
    float *s, float *peak, int nv, const struct flash *f, int64_t h, int64_t i0, int64_t j0)
{
    for (int r = 0; r < GROUP; r++) {
        struct sight x = sight_of(f, RULED, h, i0 + r, j0);
        vec most = vload(peak + r * LANES);
        for (int c = 0; c < nv; c++) {
            vec y = settle(f, RULED, &x, vload(s + r * ROW + c * LANES), c * LANES);
            most = vmax(y, most); /* a NaN is passed over here and shows in the weights */
            vstore(s + r * ROW + c * LANES, y);
        }
        vstore(peak + r * LANES, most);
    }
}
#endif

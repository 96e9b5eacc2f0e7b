/* Selected keys of row sparse, and their mixing; see gather.h. */
#include "sparse/gather.h"
#include <math.h>
#include "row/shared_head.h"
#include "softmax/visible.h"

static const struct sparse *own(const struct ask *w) { return w->params; }
static long key_head(const struct ask *w, long h)
{
    return shared_head(w, own(w)->group != 0, h, dim_in(w, "q", 0), dim_in(w, "k", 0));
}
/* So many places an entry has: the keys of a block, or all keys where these are fewer. */
static long places(const struct ask *w)
{
    const long m = dim_in(w, "k", 1);
    return own(w)->block_size < m ? own(w)->block_size : m;
}
/* The block that entry x of query i selects for head h; -1: none. */
static long block_at(const struct ask *w, long h, long i, long x)
{
    const struct mer_array *a = array_in(w, "index");
    const long size = own(w)->block_size, blocks = (dim_in(w, "k", 1) + size - 1) / size;
    const long entry = site_written(w, x, a->dim[2]), at = (key_head(w, h) * a->dim[1] + i) * a->dim[2] + entry;
    const long named = entry < 0 ? -1 : counted(w, lround(array_get(a, at)));
    const int fault = w->arith->fault;
    return named >= 0 && named < blocks ? named : fault == FIRST ? 0 : fault == LAST ? blocks - 1 : -1;
}
/* The key in place j of what query i of head h has selected, entry by entry; -1: none. */
static long key_at(const struct ask *w, long h, long i, long j)
{
    const long each = places(w), block = block_at(w, h, i, i_div(w, j, each));
    const long first = w->arith->fault == TOKENS ? block : i_mul(w, block, own(w)->block_size);
    const long key = i_add(w, first, i_mod(w, j, each));
    return block < 0 || key < 0 || key >= dim_in(w, "k", 1) ? -1 : key;
}
bool sparse_in_sight(const struct ask *w, long i, long j, long n, long m)
{
    const struct sparse *p = own(w);
    const struct visible v = { .causal = p->causal, .offset = p->offset, .window = p->window, .left = NO_LIMIT,
        .right = NO_LIMIT, .length = NO_LIMIT };
    return visible_key(w, &v, 0, i, w->arith->fault == WHOLE ? j - j % p->block_size : j, n, m);
}
/* Has an entry before that of place j selected its key? */
static bool again(const struct ask *w, long h, long i, long j, long key)
{
    const long each = places(w);
    for (long l = j % each; l < j; l += each)
        if (key_at(w, h, i, l) == key)
            return true;
    return false;
}
bool sparse_sees(const struct ask *w, long h, long i, long j)
{
    const long key = key_at(w, h, i, j);
    return key >= 0 && b_true(w, own(w)->duplicates != ONCE || !again(w, h, i, j, key)) &&
        sparse_in_sight(w, i, key, dim_in(w, "q", 1), dim_in(w, "k", 1));
}
static const struct ball *scale_of(struct ask *w) { return mix_scale(w, own(w)->scale); }
/* An edit may ask for what stands in a place without a key: there it is 0. */
static const struct ball *product(struct ask *w, long h, long i, long j)
{
    const long key = key_at(w, h, i, j);
    if (key < 0)
        return b_si(w, 0);
    const struct span q = span(w, "q", h, i), k = span(w, "k", key_head(w, h), key);
    return mix_scaled(w, b_dot(w, PRODUCT, DOT, q, k, dim_in(w, "q", 2)), own(w)->scale);
}
static const struct ball *bent(struct ask *w, const struct ball *s)
{
    return b_step(w, TANH, b_tanh(w, b_step(w, QUOTIENT, b_div(w, s, b_held(w, QUOTIENT, b_q(w, own(w)->cap))))));
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct ball *s = product(w, h, i, j);
    const bool capped = b_true(w, mpq_sgn(own(w)->cap) != 0);
    return capped ? b_step(w, CAPPED, b_mul(w, b_held(w, CAPPED, b_q(w, own(w)->cap)), bent(w, s))) : s;
}
static const struct ball *slope(struct ask *w, long h, long i, long j) /* 1 - tanh^2 of the cap. */
{
    const struct ball *t = bent(w, product(w, h, i, j));
    return b_step(w, CAPPED, b_sub(w, b_si(w, 1), b_step(w, CAPPED, b_mul(w, t, t))));
}
static const struct ball *gathered(struct ask *w, const char *name, long h, long i, long j, long c)
{
    const long key = key_at(w, h, i, j);
    return key < 0 ? b_si(w, 0) : b_in(w, name, key_head(w, h), key, c);
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c) { return gathered(w, "v", h, i, j, c); }
const struct ball *sparse_key(struct ask *w, long h, long i, long j, long c) { return gathered(w, "k", h, i, j, c); }
struct mix sparse_mix(const struct ask *w)
{
    return mix_on(w, (struct mix){ dim_in(w, "index", 2) * places(w), score, value, sparse_sees,
        .empty = own(w)->empty }, &own(w)->tiles);
}
struct mix_grad sparse_grad(const struct ask *w)
{
    return (struct mix_grad){ sparse_mix(w), "do", scale_of, b_true(w, mpq_sgn(own(w)->cap) != 0) ? slope : NULL };
}
bool sparse_of_key(const struct ask *w, long h, long i, long j)
{
    return key_head(w, h) == w->at[0] && key_at(w, h, i, j) == w->at[1];
}

/* The mask that an attention row's parameters and masking inputs mean, for plug-ins: `struct mer_mask m = mer_mask_of(c,
 * n, k)`, then `mer_sees(&m, h, i, j)` for one key, or `mer_mask_fill(c, n, k, h, to)` for a whole matrix.  The rules are those of
 * ref/core/softmax/visible.h, written once more: they need this header and meridian.h alone.  A parameter that a row does
 * not have stands at the value that hides nothing.  What masks do to scores (mask=hide, add, fill) is not said here.
 * SPDX-License-Identifier: MIT */
#ifndef MERIDIAN_MASK_H
#define MERIDIAN_MASK_H
#include "meridian.h"

/* Parameters of the masks of a call with n queries and m keys; right -1: as `causal` says; left -1, window 0, chunk 0:
 * not limited; length: real keys.  keep, doc, query_doc, cu_q and cu_k are inputs of the call, borrowed, or NULL. */
struct mer_mask {
    int64_t n, m, offset, prefix, left, right, window, chunk, start, first, length;
    int causal, by_pack;
    char windows; /* the first letter of the parameter's word: p w c h u */
    const struct mer_array *keep, *doc, *query_doc, *cu_q, *cu_k;
};

static inline int64_t mer_int_or(const struct mer_call *c, const char *key, int64_t usual)
{
    return *mer_text(c, key) ? mer_int(c, key) : usual;
}

/* Element i of a dense array of integers. */
static inline int64_t mer_integer(const struct mer_array *a, int64_t i)
{
    return a->type == MER_I64 ? ((const int64_t *)a->data)[i] :
        a->type == MER_I32    ? ((const int32_t *)a->data)[i] :
                                ((const uint8_t *)a->data)[i];
}

static inline struct mer_mask mer_mask_of(const struct mer_call *c, int64_t n, int64_t m)
{
    struct mer_mask x;
    memset(&x, 0, sizeof x);
    x.n = n, x.m = m;
    x.causal = mer_is(c, "causal", "topleft") ? 1 : mer_is(c, "causal", "bottomright") ? 2 : mer_is(c, "causal", "offset") ? 3 : 0;
    x.offset = mer_int_or(c, "offset", 0), x.prefix = mer_int_or(c, "prefix", 0);
    x.left = mer_int_or(c, "left", -1), x.right = mer_int_or(c, "right", -1);
    x.window = mer_int_or(c, "window", 0), x.windows = *mer_text(c, "windows");
    x.chunk = mer_int_or(c, "chunk", 0), x.start = mer_int_or(c, "start", 0);
    x.first = mer_int_or(c, "first", 0), x.length = mer_int_or(c, "length", -1);
    x.by_pack = mer_is(c, "counted", "pack");
    x.keep = mer_in(c, "keep"), x.doc = mer_in(c, "doc"), x.query_doc = mer_in(c, "query_doc");
    x.cu_q = mer_in(c, "cu_seqlens_q"), x.cu_k = mer_in(c, "cu_seqlens_k");
    return x;
}

/* Whether a window lets a query see the key `delta` places before it. */
static inline int mer_in_window(const struct mer_mask *x, int64_t delta)
{
    const int64_t w = x->window, far = delta < 0 ? -delta : delta;
    return !w || (x->windows == 'w' ? far < w :
            x->windows == 'c'       ? far <= w :
            x->windows == 'h'       ? far <= w / 2 :
            x->windows == 'u'       ? delta < (w + 1) / 2 && -delta < w / 2 + 1 :
                                      delta < w);
}

static inline int64_t mer_chunk_of(const struct mer_mask *x, int64_t at)
{
    const int64_t from = at - x->start;
    return from >= 0 ? from / x->chunk : -((x->chunk - 1 - from) / x->chunk);
}

/* Whether query i of head h sees key j. */
static inline int mer_sees(const struct mer_mask *x, int64_t h, int64_t i, int64_t j)
{
    int64_t q0 = 0, k0 = 0, n = x->n, m = x->m; /* the document of query i: where its queries and keys begin, how many */
    for (int64_t s = 0; x->cu_q && x->cu_k && s + 1 < mer_count(x->cu_q); s++)
        if (i < mer_integer(x->cu_q, s + 1)) {
            q0 = mer_integer(x->cu_q, s), n = mer_integer(x->cu_q, s + 1) - q0;
            k0 = mer_integer(x->cu_k, s), m = mer_integer(x->cu_k, s + 1) - k0;
            break;
        }
    if (j < k0 || j >= k0 + m)
        return 0;
    if (x->by_pack)
        q0 = k0 = 0, n = x->n, m = x->m;
    const int64_t real = x->length >= 0 && x->length < m ? x->length : m, key = j - k0;
    const int64_t at = i - q0 + (x->causal == 2 ? real - n : x->causal == 3 ? x->offset : 0), own = k0 + at;
    if (key < x->first || key >= real)
        return 0;
    if (key >= x->prefix && (x->right >= 0 ? key > at + x->right : x->causal && key > at))
        return 0;
    if ((x->left >= 0 && key < at - x->left) || !mer_in_window(x, at - key))
        return 0;
    if (x->chunk && mer_chunk_of(x, key) != mer_chunk_of(x, at))
        return 0;
    if (x->doc && !x->query_doc && (own < 0 || own >= x->m))
        return 0; /* The query stands at no key, so nothing says which document is its own. */
    if (x->doc && mer_integer(x->doc, j) != (x->query_doc ? mer_integer(x->query_doc, i) : mer_integer(x->doc, own)))
        return 0;
    return !x->keep || (j < x->keep->dim[2] && mer_integer(x->keep, (h * x->n + i) * x->keep->dim[2] + j));
}

/* Writes the mask of h heads, n queries and m keys to to[h,n,m], as 1 where a query sees a key, else 0. */
static inline void mer_mask_fill(const struct mer_call *c, int64_t h, int64_t n, int64_t m, uint8_t *to)
{
    const struct mer_mask x = mer_mask_of(c, n, m);
    for (int64_t k = 0; k < h * n * m; k++)
        to[k] = (uint8_t)mer_sees(&x, k / (n * m), k / m % n, k % m);
}
#endif

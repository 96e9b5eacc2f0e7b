/* Rules of visibility: visible.h. */
#include "softmax/visible.h"
#include "softmax/mix.h"

static long real_keys(const struct visible *p, long m) { return p->length >= 0 && p->length < m ? p->length : m; }
static long floor_div(long x, long d) { return x >= 0 ? x / d : -((d - 1 - x) / d); }

/* By how much query i stands behind key i. */
static long ahead(const struct visible *p, long n, long m)
{
    return p->causal == BOTTOMRIGHT ? real_keys(p, m) - n : p->causal == OFFSET ? p->offset : 0;
}
long visible_place(const struct visible *p, long i, long n, long m) { return i + ahead(p, n, m); }

static bool in_window(const struct ask *w, const struct visible *p, long delta) /* delta = c - j */
{
    const long W = p->window, half = i_div(w, W, 2);
    switch (p->windows) {
    case WITHIN: return b_both(w, i_less(w, delta, W), i_less(w, -delta, W));
    case CLOSED: return b_both(w, i_at_most(w, delta, W), i_at_most(w, -delta, W));
    case HALVES: return b_both(w, i_at_most(w, delta, half), i_at_most(w, -delta, half));
    case UNEVEN: return b_both(w, i_less(w, delta, i_div(w, W + 1, 2)), i_less(w, -delta, half + 1));
    default: return i_less(w, delta, W);
    }
}

/* Do the rules position, causal, left, window and chunk let query i see key j? */
static bool reach(const struct ask *w, const struct visible *p, long i, long j, long n, long m)
{
    long at[] = { i, j };
    if (!site_indices(w, HERE, 2, at, (const long[]){ n, m }))
        return false;
    i = at[0], j = at[1];
    const long c = i_add(w, counted(w, i), counted(w, ahead(p, n, m)));
    const bool late = p->right >= 0 ? i_less(w, i_add(w, c, p->right), j) : p->causal != EVERY_KEY && i_less(w, c, j);
    return b_true(w, !late || j < p->prefix) && b_true(w, p->left < 0 || i_at_most(w, lag(w, c, p->left), j))
        && b_true(w, !p->window || in_window(w, p, lag(w, c, j)))
        && b_true(w, !p->chunk || floor_div(j - p->start, p->chunk) == floor_div(c - p->start, p->chunk));
}

/* Query i's document: its queries begin at q and are n, its keys begin at k and are m.  Without cumulative lengths:
 * everything. */
struct visible_document { long q, k, n, m; };
static struct visible_document document_of(const struct ask *w, long i, long n, long m)
{
    const struct mer_array *q = mer_in(w->call, "cu_seqlens_q"), *k = mer_in(w->call, "cu_seqlens_k");
    for (long s = 0; q && k && s + 1 < array_len(q); s++)
        if ((double)i < array_get(q, s + 1)) {
            const long from = (long)array_get(q, s), at = (long)array_get(k, s);
            return (struct visible_document){ from, at, (long)array_get(q, s + 1) - from,
                (long)array_get(k, s + 1) - at };
        }
    return (struct visible_document){ 0, 0, n, m };
}

long visible_position(const struct ask *w, const struct visible *p, long i, long n, long m)
{
    const struct visible_document d = document_of(w, i, n, m);
    return p->counted == BY_PACK ? visible_place(p, i, n, m) : visible_place(p, i - d.q, d.n, d.m);
}

/* Is key j of the document of query i, by doc and query_doc?  c is the key at the query's own place, if it is one of
 * the m keys. */
static bool same_id(const struct ask *w, long i, long j, long c, long m)
{
    const struct mer_array *doc = mer_in(w->call, "doc"), *own = mer_in(w->call, "query_doc");
    return !doc ||
        (own ? array_get(own, i) == array_get(doc, j) : c >= 0 && c < m && array_get(doc, c) == array_get(doc, j));
}

/* An edit may ask with query and key exchanged, or of others: places behind the last query have rules, too, but stand
 * in no input. */
static bool asked_pair(const struct ask *w, long *pair, long n, long m)
{
    const long most = n > m ? n : m;
    const bool some = site_indices(w, HERE, 2, pair, (const long[]){ most, most });
    return some && pair[1] < m && (pair[0] < n || !(mer_in(w->call, "keep") || mer_in(w->call, "query_doc")));
}

bool visible_key(const struct ask *w, const struct visible *p, long h, long i, long j, long n, long m)
{
    long pair[] = { i, j };
    if (!asked_pair(w, pair, n, m))
        return false;
    i = pair[0], j = pair[1];
    const struct visible_document d = document_of(w, i, n, m),
        in = p->counted == BY_PACK ? (struct visible_document){ 0, 0, n, m } : d;
    const long x = i - in.q, y = j - in.k;
    const long place = in.k + visible_place(p, x, in.n, in.m);
    const bool own = b_true(w, j >= d.k && j < d.k + d.m) && b_true(w, same_id(w, i, j, place, m)),
               real = b_true(w, y >= p->first && y < real_keys(p, in.m));
    return b_both(w, own && real && b_true(w, reach(w, p, x, y, in.n, in.m)), mix_kept(w, h, i, j));
}

/* Rules of visibility: visible.h. */
#include "visible.h"
#include "mix.h"

static long real_keys(const struct visible *p, long m) { return p->length >= 0 && p->length < m ? p->length : m; }
static long floor_div(long x, long d) { return x >= 0 ? x / d : -((d - 1 - x) / d); }

long visible_place(const struct visible *p, long i, long n, long m)
{
    return p->causal == BOTTOMRIGHT ? i + real_keys(p, m) - n : p->causal == OFFSET ? i + p->offset : i;
}

static bool in_window(const struct visible *p, long delta) /* delta = c - j */
{
    const long W = p->window;
    switch (p->windows) {
    case WITHIN: return delta < W && -delta < W;
    case CLOSED: return delta <= W && -delta <= W;
    case HALVES: return delta <= W / 2 && -delta <= W / 2;
    case UNEVEN: return delta < (W + 1) / 2 && -delta < W / 2 + 1;
    default: return delta < W;
    }
}

bool visible_reach(const struct visible *p, long i, long j, long n, long m)
{
    long c = visible_place(p, i, n, m);
    bool late = p->right >= 0 ? j > c + p->right : p->causal != EVERY_KEY && j > c;
    return (!late || j < p->prefix) && (p->left < 0 || j >= c - p->left) && (!p->window || in_window(p, c - j))
        && (!p->chunk || floor_div(j - p->start, p->chunk) == floor_div(c - p->start, p->chunk));
}

static bool same_document(const struct ask *w, const struct visible *p, long i, long j, long n, long m)
{
    const struct mer_array *doc = mer_in(w->call, "doc"), *own = mer_in(w->call, "query_doc");
    long c = visible_place(p, i, n, m);
    return !doc || (own ? array_get(own, i) == array_get(doc, j) : c >= 0 && c < m && array_get(doc, c) == array_get(doc, j));
}

bool visible_real(const struct ask *w, const struct visible *p, long h, long i, long j, long n, long m)
{
    return j >= p->first && j < real_keys(p, m) && same_document(w, p, i, j, n, m) && mix_kept(w, h, i, j);
}

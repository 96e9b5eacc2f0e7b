/* Signed distances and the rows of a table that they read; see signed.h. */
#include <stdlib.h>
#include "relative/signed.h"
#include "row/shared.h"
#include "edit/site.h"

enum { LINEAR, LOGARITHMIC };
enum { CLIPPED, OPEN };
enum { INTEGER, LOGARITHM };

/* The logarithmic bucket of |x|; with beyond=clipped, |x| is cut to M - 1 first. */
static struct bucket bucket_at(const struct ask *w, long x)
{
    const struct signed_rows *p = w->params;
    const bool far = b_true(w, p->beyond == CLIPPED) && i_at_most(w, p->max_position, labs(x));
    const long mid = p->span / 2;
    const struct bucket of = { { far ? p->max_position - 1 : labs(x), mid, p->max_position - 1, mid - 1 }, BUCKET_UP,
        .first = 0 };
    return bucket_counted(w, of);
}
static long bucket_of(const struct ask *w, long x) /* b(x) */
{
    const struct signed_rows *p = w->params;
    const struct bucket b = bucket_at(w, x);
    return p->distance == LINEAR ? x : i_less(w, x, 0) ? -bucket_number(&b) : bucket_number(&b);
}
long signed_row(const struct ask *w, long x)
{
    const struct signed_rows *p = w->params;
    return i_add(w, i_clip(w, bucket_of(w, counted(w, x)), -p->span, p->span - 1), p->span);
}

const struct ball *signed_bucket_ball(struct ask *w, struct bucket_steps s)
{
    const struct signed_rows *p = w->params;
    const long x = i_in(w, "relative_position", w->at[0], 0);
    const struct bucket b = bucket_at(w, x);
    if (p->route == INTEGER || p->distance == LINEAR || b.x.n <= b.x.exact)
        return b_si(w, bucket_of(w, x));
    const struct ball *y = bucket_ball(w, &b, s);
    return b_true(w, x < 0) ? b_neg(w, y) : y;
}
const struct ball *signed_row_ball(struct ask *w, struct bucket_steps s)
{
    const long span = ((const struct signed_rows *)w->params)->span;
    const struct ball *b = signed_bucket_ball(w, s);
    return b_add(w, b_max(w, b_si(w, -span), b_min(w, b_si(w, span - 1), b)), b_si(w, span));
}

const char *signed_refuse(const void *q)
{
    const struct signed_rows *p = q;
    return p->distance == LINEAR ? NULL :
        p->span < 2              ? "span: fewer than 2 buckets" :
        p->max_position - 1 <= p->span / 2 || p->max_position < p->span ?
                      "max_position: must exceed the exact range and reach span" :
                      NULL;
}

const struct param signed_params[] = {
    { "span", "4", "k: the tables have 2k rows; buckets of distance=log", INT, offsetof(struct signed_rows, span),
        .least = 1, .most = 4096 },
    { "max_position", "12", "M, where the last bucket of distance=log begins", INT,
        offsetof(struct signed_rows, max_position), .least = 2, .most = 1 << 30 },
    { .as = &param_memory, .at = offsetof(struct signed_rows, memory) },
    { "distance", "linear", "b(x): itself, or logarithmic buckets", ENUM, offsetof(struct signed_rows, distance),
        .choices = "linear log" },
    { "beyond", "clipped", "|x| >= max_position: clipped first, or not", ENUM, offsetof(struct signed_rows, beyond),
        .choices = "clipped open" },
    { 0 },
};
const struct param signed_route = { "route", "integer",
    "quantities bucket and row: powers of integers, or logarithms", ROUTE, .choices = "integer logarithm" };

/* What is kept lies in four tables, of which the oldest is given up first: one each for a line's own precision and its
 * first raise, under the exact and under the widened arithmetic. */
#include "row/memo.h"
#include <stdlib.h>
#include <string.h>
#include "arith/exactly.h"
#include "arith/mix64.h"
#include "row/param.h"

enum { TABLES = 4 };
struct memo_table {
    const struct param *t;   /* NULL: the table is empty. */
    void *params;            /* This is a copy of the parameters, owned. */
    mpfr_prec_t prec;
    enum how how;
    bool ftz;
    struct rounding at[STEPS];
    /* ball[n] of ball[room], owned, in the order in which they came, what[n], which each of them is, and place[2^bits],
     * owned, of indices into them + 1, 0 where there is none: open addressing, at most half of it in use. */
    struct ball *ball;
    long *what;
    uint32_t *place;
    size_t n, room;
    int bits;
};
/* A list of the things that memo_own made; release frees a thing, and no two of them have the same one. */
struct memo_own { void *thing; void (*release)(void *); struct memo_own *next; };
struct memo { struct memo_table table[TABLES]; int now, oldest; struct memo_own *own; };

/* Is x the table of these parameters in w's arithmetic and precision? */
static bool fits(const struct memo_table *x, const struct ask *w, const struct param *t, const void *params)
{
    bool same = x->t == t && x->prec == w->prec && x->how == w->arith->how && x->ftz == w->arith->ftz &&
        params_same(t, x->params, params);
    for (int s = 0; same && s < STEPS && x->how != EXACT; s++)
        same = rounding_same(&x->at[s], &w->arith->at[s]);
    return same;
}

/* Frees what x holds. */
static void empty(struct memo_table *x)
{
    for (size_t k = 0; k < x->n; k++)
        mpfr_clear(x->ball[k].mid);
    free(x->ball), free(x->what), free(x->place);
    if (x->t)
        params_clear(x->t, x->params);
    free(x->params);
}

static struct memo *memo_of(struct ask *w)
{
    if (!w->memo)
        w->memo = need(1, sizeof *w->memo), w->memo_free = memo_free;
    return w->memo;
}

void *memo_own(struct ask *w, size_t size, void (*release)(void *))
{
    struct memo *m = memo_of(w);
    struct memo_own *o = m->own;
    while (o && o->release != release)
        o = o->next;
    if (!o) {
        o = need(1, sizeof *o);
        *o = (struct memo_own){ need(1, size), release, m->own }, m->own = o;
    }
    return &o->thing;
}

/* The table of these parameters, which becomes the one that memo_put writes to; a new one where there is none. */
static struct memo_table *table_of(struct ask *w, const struct param *t, const void *params, size_t size)
{
    struct memo *m = memo_of(w);
    for (int k = 0; k < TABLES; k++)
        if (fits(&m->table[(m->now + k) % TABLES], w, t, params)) {
            m->now = (m->now + k) % TABLES;
            return &m->table[m->now];
        }
    m->now = m->oldest;
    m->oldest = (m->oldest + 1) % TABLES;
    struct memo_table *x = &m->table[m->now];
    empty(x);
    *x = (struct memo_table){ .t = t, .params = need(1, size), .prec = w->prec, .how = w->arith->how,
        .ftz = w->arith->ftz };
    memcpy(x->at, w->arith->at, sizeof x->at);
    params_copy(t, x->params, params);
    return x;
}

/* Where the index of `what` stands in x, or would stand. */
static uint32_t *place_of(const struct memo_table *x, long what)
{
    const size_t mask = ((size_t)1 << x->bits) - 1;
    size_t at = (size_t)mix64((uint64_t)what) & mask;
    while (x->place[at] && x->what[x->place[at] - 1] != what)
        at = (at + 1) & mask;
    return &x->place[at];
}

/* The ball of `what`; NULL: none is kept. */
static struct ball *kept_of(const struct memo_table *x, long what)
{
    if (!x->room)
        return NULL;
    const uint32_t index = *place_of(x, what);
    return index ? &x->ball[index - 1] : NULL;
}

/* Room for one more, and its ball. */
static struct ball *added(struct memo_table *x, long what)
{
    if (x->n == x->room) {
        x->room = x->room ? 2 * x->room : 32;
        /* mutant: constant 1997: a table of places that is wider than it has to be only takes memory. */
        x->bits = x->bits ? x->bits + 1 : 6;
        x->ball = need_more(x->ball, x->room, sizeof *x->ball);
        x->what = need_more(x->what, x->room, sizeof *x->what);
        free(x->place);
        x->place = need((size_t)1 << x->bits, sizeof *x->place);
        for (size_t k = 0; k < x->n; k++)
            *place_of(x, x->what[k]) = (uint32_t)k + 1;
    }
    *place_of(x, what) = (uint32_t)x->n + 1;
    x->what[x->n] = what;
    return &x->ball[x->n++];
}

/* Is anything kept?  Not on the exact path, nor where every time that the page makes a ball counts: where its
 * operations are noted, or an edit takes numbers elsewhere or means one of several times (edit/site.h). */
static bool keeps(const struct ask *w) { return !w->exact && !w->sites && !w->tape && !w->arith->edit.of; }

const struct ball *memo_get(struct ask *w, const struct param *t, const void *params, size_t size, long what)
{
    if (!keeps(w))
        return NULL;
    const struct ball *kept = kept_of(table_of(w, t, params, size), what);
    return kept ? b_widen(w, kept, (struct up){ 0, 0 }) : NULL;
}

const struct ball *memo_put(struct ask *w, long what, const struct ball *x)
{
    if (!keeps(w) || w->undecided || what < -MEMO_WORDS || what >= MEMO_MOST)
        return x;
    struct ball *kept = added(&w->memo->table[w->memo->now], what);
    *kept = (struct ball){ .rad = x->rad, .mag = x->mag, .n = x->n, .format = x->format, .lift = x->lift };
    mpfr_init2(kept->mid, mpfr_get_prec(x->mid));
    exactly(mpfr_set(kept->mid, x->mid, MPFR_RNDN));
    return x;
}

void memo_row(struct ask *w, const struct param *t, const void *params, size_t size, long x, long width,
    void (*make)(struct ask *w, long x, long width, const struct ball **R), const struct ball **R)
{
    const long far = MEMO_MOST / (2 * width) - 1,
               first = x > far || x < -far ? MEMO_MOST : (x >= 0 ? 2 * x : -2 * x - 1) * width;
    bool kept = true;
    for (long k = 0; k < width && kept; k++)
        kept = (R[k] = memo_get(w, t, params, size, first + k)) != NULL;
    if (kept)
        return;
    make(w, x, width, R);
    /* memo_get is asked again, since make may have asked it for other parameters in between. */
    if (!memo_get(w, t, params, size, first))
        for (long k = 0; k < width; k++)
            memo_put(w, first + k, R[k]);
}

void memo_free(struct memo *m)
{
    for (int k = 0; m && k < TABLES; k++)
        empty(&m->table[k]);
    for (struct memo_own *o = m ? m->own : NULL, *next; o; o = next)
        next = o->next, o->release(o->thing), free(o);
    free(m);
}

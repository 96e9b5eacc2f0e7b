/* Every line of dk, dv and of a table's gradient needs the weights of all queries: they are made once for all lines of one asker, and kept while the
 * question stays the same, byte for byte: inputs (numbers, or balls whole), parameters, arithmetic, precision.  Not on the exact path or with tangents. */
#include <limits.h>
#include <stdlib.h>
#include "backward.h"
#include "memo.h"

enum { KEPT = 3, MOST = 1 << 14 }; /* questions (a line's own precision, its first raise, ..); queries times keys of each */
struct text { char *at; size_t used, room; };
struct question { struct text text; long queries; struct backward *back; }; /* [queries], s.key NULL: not made */
struct kept { struct question at[KEPT]; struct text now; int newest; };

static void put(struct text *t, const void *x, size_t n)
{
    if (t->used + n > t->room)
        t->room = 2 * (t->used + n) + 256, t->at = need_more(t->at, t->room, 1);
    memcpy(t->at + t->used, x, n);
    t->used += n;
}
static void put_words(struct text *t, const char *s) { put(t, s, strlen(s) + 1); }

static void put_ball(struct text *t, const struct ball *x)
{
    const long head[] = { x->p, (long)mpfr_get_prec(x->mid), mpfr_signbit(x->mid) != 0, mpfr_regular_p(x->mid) ? (long)mpfr_get_exp(x->mid) : mpfr_zero_p(x->mid) ? LONG_MIN : mpfr_inf_p(x->mid) ? LONG_MAX : LONG_MAX - 1, x->rad.e, x->mag.e };
    const double more[] = { x->rad.m, x->mag.m, x->n };
    put(t, head, sizeof head), put(t, more, sizeof more);
    if (mpfr_regular_p(x->mid))
        put(t, x->mid->_mpfr_d, (size_t)((mpfr_get_prec(x->mid) + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS) * sizeof(mp_limb_t));
}

static bool spell(struct text *t, const struct ask *w, const struct mix_grad *g)
{
    const struct mix *m = &g->m;
    const struct mer_call *c = w->call;
    const long numbers[] = { m->keys, m->block, m->route, m->empty, m->slack, m->gather, (long)w->prec, (long)w->arith->how, (long)w->arith->fault, w->arith->ftz };
    if (w->exact || w->dual || m->given || !c->params)
        return false;
    t->used = 0;
    put(t, &m->score, sizeof m->score), put(t, &m->value, sizeof m->value), put(t, &m->visible, sizeof m->visible), put(t, numbers, sizeof numbers);
    put_words(t, g->seed), put_words(t, c->params);
    for (int s = 0; s < STEPS && w->arith->how != EXACT; s++) {
        const struct rounding *r = &w->arith->at[s];
        put(t, &r->f, sizeof r->f), put(t, &r->ulps, sizeof r->ulps), put(t, &r->lanes, sizeof r->lanes), put(t, &r->height, sizeof r->height);
    }
    for (int k = 0; k < c->n_in; k++) {
        const struct mer_array *a = &c->in[k];
        put_words(t, a->name), put(t, &a->type, sizeof a->type), put(t, a->dim, sizeof *a->dim * (size_t)a->rank);
        for (long i = 0; a->type == BALLS && i < array_len(a); i++)
            if (((const struct ball *const *)a->data)[i])
                put_ball(t, ((const struct ball *const *)a->data)[i]);
        if (a->type != BALLS)
            put(t, a->data, (size_t)array_len(a) * type_size(a->type));
    }
    return true;
}

static const struct ball *own(const struct ball *x)
{
    struct ball *b = need(1, sizeof *b);
    *b = *x;
    b->id = 0, b->d = NULL;
    mpfr_init2(b->mid, mpfr_get_prec(x->mid));
    mpfr_set(b->mid, x->mid, MPFR_RNDN);
    return b;
}
static void disown(const struct ball *x)
{
    if (x)
        mpfr_clear(((struct ball *)x)->mid), free((struct ball *)x);
}

static void forget(struct question *q)
{
    for (long k = 0; k < q->queries; k++) {
        struct backward *b = &q->back[k];
        for (long j = 0; b->s.key && j < b->s.n; j++)
            disown(b->p[j]), disown(b->dp[j]), disown(b->g[j]), disown(b->ds[j]);
        disown(b->D);
        b->kept = false;
        if (b->s.key)
            backward_close(b);
    }
    free(q->back), free(q->text.at);
    *q = (struct question){ .queries = 0 };
}
static void forget_all(void *with)
{
    struct kept *k = with;
    for (int q = 0; q < KEPT; q++)
        forget(&k->at[q]);
    free(k->now.at), free(k);
}

struct backward *backward_kept(struct ask *w, const struct mix_grad *g)
{
    const struct mer_array *seed = array_in(w, g->seed);
    const long queries = seed->dim[0] * seed->dim[1];
    if (queries * g->m.keys > MOST || queries == 0)
        return NULL;
    struct kept **slot = memo_own(w, OWN_BACKWARD, sizeof **slot, forget_all), *k = *slot;
    if (!spell(&k->now, w, g))
        return NULL;
    for (int q = 0; q < KEPT; q++) {
        struct question *old = &k->at[q];
        if (old->text.used == k->now.used && !memcmp(old->text.at, k->now.at, k->now.used))
            return old->back;
    }
    struct question *new = &k->at[k->newest = (k->newest + 1) % KEPT];
    forget(new);
    *new = (struct question){ .queries = queries, .back = need((size_t)queries, sizeof *new->back) };
    put(&new->text, k->now.at, k->now.used);
    return new->back;
}

void backward_keep(struct backward *kept, struct backward *b)
{
    for (long j = 0; j < b->s.n; j++)
        b->p[j] = own(b->p[j]), b->dp[j] = own(b->dp[j]), b->g[j] = own(b->g[j]), b->ds[j] = own(b->ds[j]);
    b->D = b->D ? own(b->D) : NULL;
    free(b->s.s), free(b->s.e); /* no sum over keys asks for these */
    b->s.s = b->s.e = NULL, b->s.max = b->s.top = b->s.total = NULL;
    b->kept = true;
    *kept = *b;
}

/* Spells a question as bytes, and keeps what was made for it; see question.h. */
#include "row/question.h"
#include "arith/exactly.h"
#include <limits.h>
#include <stdlib.h>
#include "row/memo.h"
#include "edit/shift.h"
#include "edit/tape.h"
#include "ball/stored.h"

static void put(struct spelling *t, const void *x, size_t n)
{
    if (t->used + n > t->room)
        t->room = 2 * (t->used + n) + 256, t->at = need_more(t->at, t->room, 1);
    memcpy(t->at + t->used, x, n);
    t->used += n;
}
static void put_words(struct spelling *t, const char *s) { put(t, s, strlen(s) + 1); }

/* Writes all of x but its name and tangent, which no kept question has; NULL is an element that is not read. */
static void put_ball(struct spelling *t, const struct ball *x)
{
    if (!x) {
        put(t, "", 1);
        return;
    }
    const long kind = mpfr_regular_p(x->mid) ? (long)mpfr_get_exp(x->mid) :
        mpfr_zero_p(x->mid)                  ? LONG_MIN :
        mpfr_inf_p(x->mid)                   ? LONG_MAX :
                                               LONG_MAX - 1;
    const long head[] = { x->format, x->lift, (long)mpfr_get_prec(x->mid), mpfr_signbit(x->mid) != 0, kind, x->rad.e,
        x->mag.e };
    const double more[] = { x->rad.m, x->mag.m, x->n };
    put(t, head, sizeof head), put(t, more, sizeof more);
    if (mpfr_regular_p(x->mid))
        put(t, x->mid->_mpfr_d,
            (size_t)((mpfr_get_prec(x->mid) + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS) * sizeof(mp_limb_t));
}

/* Writes what r says, but not where it was said; NULL is no rounding. */
static void put_rounding(struct spelling *t, const struct rounding *r)
{
    static const struct rounding none;
    r = r ? r : &none;
    put(t, &r->f, sizeof r->f), put(t, &r->ulps, sizeof r->ulps), put(t, &r->absolute, sizeof r->absolute);
    put(t, &r->lanes, sizeof r->lanes), put(t, &r->height, sizeof r->height), put(t, &r->block, sizeof r->block),
        put(t, &r->fraction, sizeof r->fraction), put(t, &r->every, sizeof r->every);
}

bool question_spell(struct spelling *t, const struct ask *w, const void *more, size_t n)
{
    const struct mer_call *c = w->call;
    const long numbers[] = { (long)w->prec, (long)w->arith->how, (long)w->arith->fault, w->arith->ftz,
        w->arith->divide_first, w->arith->dscale_first };
    if (w->exact || w->dual || !c->params)
        return false;
    t->used = 0;
    put(t, more, n), put(t, numbers, sizeof numbers), put_words(t, c->params);
    for (int s = 0; s < STEPS && w->arith->how != EXACT; s++)
        put_rounding(t, &w->arith->at[s]);
    if (w->arith->how != EXACT && w->arith->text) /* The text holds the words for the row's parts, too. */
        put_words(t, w->arith->text);
    for (int k = 0; k < c->n_in; k++) {
        const struct mer_array *a = &c->in[k];
        put_rounding(t, stored_as(w, a)), put_words(t, a->name), put(t, &a->type, sizeof a->type),
            put(t, a->dim, sizeof *a->dim * (size_t)a->rank);
        for (long i = 0; a->type == BALLS && i < array_len(a); i++)
            put_ball(t, ((const struct ball *const *)a->data)[i]);
        if (a->type != BALLS)
            put(t, a->data, (size_t)array_len(a) * type_size(a->type));
    }
    return true;
}

struct ball *balls_own(const struct ball *const *x, long n)
{
    size_t limbs = 0;
    for (long k = 0; k < n; k++)
        limbs += x[k] ? mpfr_custom_get_size(mpfr_get_prec(x[k]->mid)) : 0;
    struct ball *all = need(1, (size_t)n * sizeof *all + limbs);
    char *at = (char *)(all + n);
    for (long k = 0; k < n; k++) {
        if (!x[k])
            continue;
        const mpfr_prec_t prec = mpfr_get_prec(x[k]->mid);
        all[k] = *x[k];
        all[k].id = 0, all[k].d = NULL;
        mpfr_custom_init(at, prec);
        mpfr_custom_init_set(all[k].mid, MPFR_NAN_KIND, 0, prec, at);
        exactly(mpfr_set(all[k].mid, x[k]->mid, MPFR_RNDN));
        at += mpfr_custom_get_size(prec);
    }
    return all;
}

/* So many questions are kept: a layer's own and those of the layers that it calls, at two precisions.  Of long ones
 * there are fewer: MOST numbers in all, of some 150 bytes each, but always the newest few, among which are those of
 * both precisions that the lines of one output take in turns. */
enum { KEPT = 16, ALWAYS = 4, MOST = 1 << 18 };
/* A question as it is spelled, and all[n] that was made for it; both are owned. */
struct question_made { struct spelling text; struct ball *all; long n; };
/* The questions in a ring, where the next one replaces that behind the newest; they hold so many numbers. */
struct question_kept { struct question_made at[KEPT]; int newest; long numbers; };

static void forget(struct question_kept *k, int q)
{
    struct question_made *m = &k->at[q % KEPT];
    k->numbers -= m->n;
    free(m->all), free(m->text.at);
    *m = (struct question_made){ .all = NULL };
}
static void forget_all(void *with)
{
    struct question_kept *k = with;
    for (int q = 0; q < KEPT; q++)
        forget(k, q);
    free(k);
}

/* Keeps copies of all[n] for the question `text`, whose bytes it takes: `text` is empty then. */
static void keep(struct question_kept *k, struct spelling *text, const struct ball *const *all, long n)
{
    k->newest = (k->newest + 1) % KEPT;
    forget(k, k->newest);
    k->at[k->newest] = (struct question_made){ *text, balls_own(all, n), n };
    k->numbers += n;
    *text = (struct spelling){ 0 };
    for (int age = KEPT - 1; age >= ALWAYS && k->numbers > MOST; age--)
        forget(k, k->newest + KEPT - age);
}

/* Runs `make` for all[n], and keeps what it makes, unless that is undecided, or numbers are only recorded, or turns
 * only counted: what is played back (edit/tape.h), or has an edit in some turns (edit/shift.h), is made once they
 * are. */
static void made(
    struct ask *w, question_make *make, struct question_kept *k, struct spelling *text, const struct ball **all, long n)
{
    const bool open = w->undecided, outer = w->making;
    w->undecided = false, w->making = true;
    make(w, all);
    if (!w->undecided && !tape_records(w) && !site_counting(w))
        keep(k, text, all, n);
    w->undecided |= open, w->making = outer;
}

bool question_part(struct ask *w, question_make *make, long n, long from, const struct ball **y)
{
    struct question_kept **slot = memo_own(w, sizeof **slot, forget_all), *k = *slot;
    struct spelling now = { 0 };
    /* Rows of a family share `make`, and differ in what w->with says. */
    char who[sizeof make + sizeof w->with];
    memcpy(who, &make, sizeof make), memcpy(who + sizeof make, &w->with, sizeof w->with);
    if (!question_spell(&now, w, who, sizeof who))
        return false;
    w->whole = true;
    const struct question_made *found = NULL;
    for (int q = 0; q < KEPT && !found; q++)
        if (k->at[q].text.used == now.used && !memcmp(k->at[q].text.at, now.at, now.used))
            found = &k->at[q];
    for (long i = 0; found && i < w->len; i++)
        y[i] = b_widen(w, &found->all[from + i], (struct up){ 0, 0 });
    if (!found) {
        const struct ball **all = need((size_t)n + 1, sizeof *all);
        made(w, make, k, &now, all, n);
        memcpy(y, all + from, (size_t)w->len * sizeof *y);
        free(all);
    }
    free(now.at);
    return true;
}

void question_line(struct ask *w, question_make *make, long n, long from, const struct ball **y)
{
    if (question_part(w, make, n, from, y))
        return;
    const struct ball **all = need((size_t)n + 1, sizeof *all);
    make(w, all);
    memcpy(y, all + from, (size_t)w->len * sizeof *y);
    free(all);
}

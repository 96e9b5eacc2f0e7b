/* Columns of a state, operation by operation: what is lost at each step is a radius; what came before is carried by the
 * norm of the step's map, and each entry by the smaller of two bounds; see state.h and column.h. */
#include "state/column.h"
#include <stdlib.h>
#include "arith/exactly.h"

bool centred(const struct ask *w) { return w->arith->how != ROUND && !w->exact && !w->dual; }
bool shelved(const struct ask *w) { return !w->exact && !w->dual; }

/* The root of x, rounded up. */
static struct up root(struct up x)
{
    const long odd = x.e & 1;
    return up_above(sqrt(odd ? 2 * x.m : x.m), (x.e - odd) / 2);
}
static struct up square(struct up x) { return up_mul(x, x); }

struct state_column *columns_of(const struct state_rule *r)
{
    const long d = r->d, e = r->e;
    struct state_column *c = need((size_t)e + 1, sizeof *c);
    const struct ball **x = need((size_t)(d * e) + 1, sizeof *x);
    struct up *far = need((size_t)(d * e) + 1, sizeof *far);
    for (long k = 0; k < e; k++) /* mutant: loop 51a0: there is room for one more, which nobody reads. */
        c[k].x = x + k * d, c[k].far = far + k * d, c[k].c = k, c[k].all = e;
    return c;
}
void columns_free(struct state_column *c) { free(c[0].x), free(c[0].far), free(c); }

/* What is computed from here on is of that column, up to ask_whole. */
static void column_part(struct ask *w, const struct state_column *c)
{
    ask_part(w, c->c, c->all, "the columns of the state");
}

void column_set(struct ask *w, struct state_column *c, long i, const struct ball *x)
{
    c->x[i] = centred(w) ? b_at(w, x) : x;
    c->far[i] = centred(w) ? x->rad : (struct up){ 0, 0 };
}
void column_begun(struct state_column *c, long d)
{
    struct up all = { 0, 0 };
    for (long i = 0; i < d; i++)
        all = up_add(all, square(c->far[i]));
    c->norm = root(all);
}
const struct ball *column_entry(struct ask *w, const struct state_column *c, long i)
{
    return c->far[i].m == 0 ? c->x[i] : b_widen(w, c->x[i], c->far[i]);
}

void meeting_room(struct meeting *m, const struct state_rule *r)
{
    const struct ball **room = need((size_t)(3 * r->d + r->e) + 2, sizeof *room);
    *m = (struct meeting){ .t = { room, room + r->d, room + 3 * r->d + 1, room + 2 * r->d, NULL } };
}
void meeting_free(struct meeting *m) { free(m->t.q); }

/* A bound of the norm of x[d]. */
static struct up norm_of(const struct ball *const *x, long d)
{
    struct up all = { 0, 0 };
    for (long i = 0; i < d; i++)
        all = up_add(all, square(b_top(x[i])));
    return root(all);
}
void meeting_make(struct ask *w, struct meeting *m, const struct state_rule *r, long h, long t)
{
    r->token(w, r, h, t, &m->t);
    if (r->ones)
        m->t.v[r->e - 1] = b_si(w, 1);
    m->q = norm_of(m->t.q, r->d), m->k = norm_of(m->t.k, r->d), m->factor = up_d(1);
    m->a = (struct up){ 0, 0 };
    for (long i = 0; r->gated && i < (r->channels ? r->d : 1); i++)
        m->a = up_max(m->a, b_top(m->t.a[i]));
    if (!r->delta || !centred(w))
        return;
    /* The map I - beta k k^T has the eigenvalues 1 and 1 - beta |k|^2, the latter alone where d = 1; where the decay is
     * part of it, they lie between the extremes of a and those less beta |k|^2. */
    const struct ball *length = b_si(w, 0);
    for (long i = 0; i < r->d; i++)
        length = (b_add)(w, length, (b_mul)(w, m->t.k[i], m->t.k[i]));
    const struct ball *pull = (b_mul)(w, m->t.beta, length);
    if (state_late(r)) {
        m->factor = m->a;
        for (long i = 0; i < (r->channels ? r->d : 1); i++)
            m->factor = up_max(m->factor, b_top((b_sub)(w, m->t.a[i], pull)));
        return;
    }
    const struct up along = b_top((b_sub)(w, b_si(w, 1), pull));
    m->factor = r->d == 1 ? along : up_max(m->factor, along);
}

/* x as step s gives it, where an implementation's may lie `by` further from the centre: its rounding is larger for it.
 * x is fresh. */
static const struct ball *lost(struct ask *w, int s, const struct ball *x, struct up by)
{
    if (by.m == 0)
        return b_step_own(w, s, x);
    x = edit_value(w, s, x);
    struct ball *y = (struct ball *)b_widen(w, x, b_rounding(w, s, up_add(b_top(x), by)));
    b_becomes(y, b_format(w, s));
    return y;
}
/* The sum of t[n] at step s, where each term may lie by[k] further from its centre: what the additions lose is larger
 * for it; the terms' own distances are left to the caller. */
static const struct ball *added(struct ask *w, int s, const struct ball *const *t, const struct up *by, long n)
{
    const struct format *f = b_format(w, s);
    if (!f || edited(w, s))
        return b_sum(w, s, t, n);
    struct summand *terms = need((size_t)n + 1, sizeof *terms);
    const struct ball *y = t[0];
    for (long k = 0; k < n; k++) {
        terms[k] = b_summand(t[k], by[k], b_is(t[k]));
        y = k ? (b_add)(w, y, t[k]) : y;
    }
    struct ball *sum = (struct ball *)b_widen(w, y, sum_error(w, s, terms, n, false));
    b_becomes(sum, f);
    free(terms);
    return sum;
}

/* The column becomes y[d], fresh balls whose radii are what this operation lost; by[d] and `carried` bound what became
 * of the distances before it. */
static void settle(
    struct ask *w, struct state_column *c, const struct ball *const *y, const struct up *by, struct up carried, long d)
{
    struct up own = { 0, 0 }, all = { 0, 0 };
    for (long i = 0; i < d; i++) {
        c->x[i] = y[i];
        if (!centred(w))
            continue;
        own = up_add(own, square(y[i]->rad));
        c->far[i] = up_add(up_min(by[i], carried), y[i]->rad);
        all = up_add(all, square(c->far[i]));
        ((struct ball *)y[i])->rad = (struct up){ 0, 0 };
    }
    c->norm = up_min(up_add(carried, root(own)), root(all));
}

/* Room for a balls and a bound for each of d entries; the caller frees it. */
struct entries { const struct ball **y; struct up *by; };
static struct entries entries_of(long d)
{
    return (struct entries){ need((size_t)d + 1, sizeof(const struct ball *)), need((size_t)d + 1, sizeof(struct up)) };
}
static void entries_free(struct entries e) { free(e.y), free(e.by); }

void column_decay(struct ask *w, const struct state_rule *r, struct state_column *c, const struct meeting *m)
{
    struct entries e = entries_of(r->d);
    column_part(w, c);
    for (long i = 0; r->gated && i < r->d; i++) {
        const struct ball *a = m->t.a[r->channels ? i : 0];
        e.by[i] = up_error(b_top(a), c->far[i]);
        e.y[i] = lost(w, r->decay, b_mul(w, a, c->x[i]), e.by[i]);
    }
    if (r->gated)
        settle(w, c, e.y, e.by, up_error(m->a, c->norm), r->d);
    ask_whole(w), entries_free(e);
}

/* Products and sum of x^T y: the answer is the centre with what is lost here, and *by bounds what is carried. */
static const struct ball *product(struct ask *w, const struct state_rule *r, const struct state_column *c, int s,
    const struct ball *const *y, struct up norm, struct up *by)
{
    struct entries e = entries_of(r->d);
    struct up one = { 0, 0 };
    for (long i = 0; i < r->d; i++) {
        e.by[i] = up_error(b_top(y[i]), c->far[i]);
        one = up_add(one, e.by[i]);
        e.y[i] = lost(w, PRODUCT, b_mul(w, y[i], c->x[i]), e.by[i]);
    }
    const struct ball *sum = added(w, s, e.y, e.by, r->d);
    *by = up_min(one, up_error(norm, c->norm));
    entries_free(e);
    return sum;
}
const struct ball *column_read(struct ask *w, const struct state_rule *r, const struct state_column *c, int s,
    const struct ball *const *y, struct up norm)
{
    struct up by;
    column_part(w, c);
    const struct ball *sum = product(w, r, c, s, y, norm, &by);
    ask_whole(w);
    return by.m == 0 ? sum : b_widen(w, sum, by);
}

void column_correct(
    struct ask *w, const struct state_rule *r, struct state_column *c, const struct meeting *m, const struct ball *v)
{
    struct entries e = entries_of(r->d);
    struct up by;
    column_part(w, c);
    const struct ball *seen = product(w, r, c, DOT, m->t.k, m->k, &by);
    const struct ball *off = v ? lost(w, RESIDUAL, b_sub(w, v, seen), by) : b_neg(w, seen),
                      *write;
    by = up_error(b_top(m->t.beta), by);
    write = lost(w, CORRECT, b_mul(w, m->t.beta, off), by);
    const struct up carried = up_error(m->factor, c->norm);
    for (long i = 0; i < r->d; i++) {
        const struct up more = up_error(b_top(m->t.k[i]), by);
        const struct ball *term = lost(w, WRITE, b_mul(w, m->t.k[i], write), more), *x = c->x[i];
        const struct ball *a = r->gated && b_true(w, state_late(r)) ? m->t.a[r->channels ? i : 0] : NULL;
        const struct up far = a ? up_error(b_top(a), c->far[i]) : c->far[i];
        if (a)
            x = lost(w, r->decay, b_mul(w, a, x), far);
        e.by[i] = up_min(up_add(far, more), carried);
        e.y[i] = lost(w, STATE, b_add(w, x, term), e.by[i]);
    }
    settle(w, c, e.y, e.by, carried, r->d);
    ask_whole(w), entries_free(e);
}
void column_write(
    struct ask *w, const struct state_rule *r, struct state_column *c, const struct ball *const *k,
    const struct ball *v)
{
    struct entries e = entries_of(r->d);
    column_part(w, c);
    for (long i = 0; i < r->d; i++) {
        e.by[i] = c->far[i];
        e.y[i] = lost(w, STATE, b_add(w, c->x[i], b_step_own(w, WRITE, b_mul(w, k[i], v))), e.by[i]);
    }
    settle(w, c, e.y, e.by, c->norm, r->d);
    ask_whole(w), entries_free(e);
}

struct shelf shelf_of(const struct ask *w, long n)
{
    return shelved(w) ? (struct shelf){ need((size_t)n + 1, sizeof(struct ball)), n } : (struct shelf){ NULL, 0 };
}
const struct ball *shelf_put(const struct ask *w, struct shelf *s, long k, const struct ball *x)
{
    if (!shelved(w))
        return x;
    struct ball *to = &s->at[k];
    mpfr_t mid = { to->mid[0] };
    if (!mid->_mpfr_d)
        mpfr_init2(mid, mpfr_get_prec(x->mid));
    else if (mpfr_get_prec(mid) != mpfr_get_prec(x->mid))
        mpfr_set_prec(mid, mpfr_get_prec(x->mid));
    exactly(mpfr_set(mid, x->mid, MPFR_RNDN));
    *to = *x;
    to->mid[0] = mid[0], to->id = 0, to->d = NULL;
    return to;
}
const struct ball *shelf_taken(struct ask *w, const struct ball *x)
{
    return shelved(w) ? b_widen(w, x, (struct up){ 0, 0 }) : x;
}
void shelf_free(struct shelf *s)
{
    for (long k = 0; k < s->n; k++)
        if (s->at[k].mid->_mpfr_d)
            mpfr_clear(s->at[k].mid);
    free(s->at);
}

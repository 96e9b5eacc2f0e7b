/* Pages answered line by line: by their quantity, by another page, with an operation done differently, and at the
 * precision that decides; see row.h. */
#include "row/row.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ball/stored.h"
#include "edit/shift.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "row/called.h"

static void answer_nothing(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = b_nan(w);
}
static void answer_mixing(struct ask *w, const struct quantity *q, const struct ball **y)
{
    struct mix m = q->mix(w);
    w->with = m.with;
    if (mixing_undefined(w, &m, NULL))
        answer_nothing(w, y);
    else
        q->ask(w, &m, y);
}
static void answer_gradient(struct ask *w, const struct quantity *q, const struct ball **y)
{
    struct mix_grad g = q->back(w);
    w->with = g.m.with;
    if (mixing_undefined(w, &g.m, q->met.of))
        answer_nothing(w, y);
    else
        q->grad(w, &g, &q->met, y);
}
void line_again(struct ask *w, const struct quantity *q, const struct ball **y)
{
    w->of = q->of, w->form = q->form, w->with = NULL;
    if (q->page)
        q->page(w, y);
    else if (q->mix)
        answer_mixing(w, q, y);
    else if (q->back)
        answer_gradient(w, q, y);
    else if (q->layer)
        q->layer(w, q->around ? *q->around : q->around_of(w), y);
    else if (q->index)
        y[0] = b_si(w, q->index(w, w->at[0], w->at[1]));
    else
        for (long j = 0; j < w->len; j++)
            y[j] = q->term(w, w->at[0], w->at[1], j);
}
static void answer(struct ask *w, const struct quantity *q, const struct ball **y)
{
    if (q->through)
        q->through(w, q, y);
    else
        line_again(w, q, y);
}

void line_of(struct ask *w, struct page_of p, const long *at, long len, const struct ball **y)
{
    const struct called *x = read_call(w, p.row, p.out, p.params);
    if (!x) { /* There is no value, so the answer is the whole line, which no precision decides. */
        w->undecided = true;
        for (long k = 0; k < len; k++)
            y[k] = b_widen(w, b_si(w, 0), up_inf());
        return;
    }
    struct ask inner = *w;
    struct arith scoped = x->arith;
    struct mer_array copy[32]; /* A signature has at most so many inputs. */
    scoped.adverse = w->arith->adverse;
    if (p.n_in) /* Without inputs the array may be NULL, which memcpy does not take. */
        memcpy(copy, p.in, (size_t)p.n_in * sizeof *p.in);
    struct mer_call c = { .row = p.row->name, .params = p.params, .n_in = p.n_in, .in = copy };
    inner.params = x->params, inner.call = &c, inner.len = len, inner.arith = &scoped;
    for (int k = 0; k < MER_RANK; k++) /* The caller's array holds as many indices as stand before the bar. */
        inner.at[k] = at && k < x->lead ? at[k] : 0;
    struct stored own;
    /* A row that asks itself hands on inputs that its words are about already. */
    if (!w->call || !w->call->row || strcmp(w->call->row, p.row->name))
        stored_open(&own, &inner);
    answer(&inner, x->quantity, y);
    w->pool = inner.pool, w->used = inner.used, w->room = inner.room, w->undecided = inner.undecided,
    w->memo = inner.memo, w->memo_free = inner.memo_free, w->site_turns = inner.site_turns, w->made = inner.made;
}

/* The sum of all lines along that axis up to the one that is asked. */
static void answer_summed(
    struct ask *w, const struct quantity *q, const struct mer_array *out, int axis, const struct ball **y)
{
    const long last = w->at[axis];
    const struct ball **line = need((size_t)w->len + 1, sizeof *line);
    for (w->at[axis] = 0; w->at[axis] <= last; w->at[axis]++) {
        answer(w, q, line);
        for (long k = 0; k < w->len; k++)
            y[k] = w->at[axis] ? site_sum(w, out, y[k], line[k]) : line[k];
    }
    free(line);
}

/* The line at a place along that axis to which other lines are written: the last one, or their sum. */
static void answer_written(
    struct ask *w, const struct quantity *q, const struct mer_array *out, int axis, const struct ball **y)
{
    const bool added = w->arith->edit.way == ADDED_UP;
    const long n = out->dim[axis], at = w->at[axis];
    const struct ball **line = need((size_t)w->len + 1, sizeof *line);
    long from = site_writes(w, n, at, n);
    for (long k = 0; k < w->len; k++)
        y[k] = b_si(w, 0);
    for (bool some = false; from >= 0; from = added ? site_writes(w, from, at, n) : -1, some = true) {
        w->at[axis] = from;
        answer(w, q, line);
        for (long k = 0; k < w->len; k++)
            y[k] = some ? site_sum(w, out, y[k], line[k]) : line[k];
    }
    free(line);
}

/* Records what the operation gives at another place: the page runs for that place, for every place up to this one, or
 * for all lines along an axis or along every one. */
static void record_lines(
    struct ask *w, const struct quantity *q, const struct mer_array *out, int lead, const struct ball **y)
{
    const int axis = w->arith->edit.axis;
    long at[MER_RANK], first = 0, last = 0, all = 1;
    memcpy(at, w->at, sizeof at);
    for (int k = 0; k < lead; k++)
        all *= out->dim[k];
    if (axis < lead)
        site_lines(w, at[axis], out->dim[axis], &first, &last);
    else if (axis == AXIS_ALL)
        last = all - 1;
    for (long k = first; k <= last; k++) {
        long rest = k;
        for (int j = axis == AXIS_ALL ? lead - 1 : -1; j >= 0; rest /= out->dim[j], j--)
            w->at[j] = rest % out->dim[j];
        if (axis < lead)
            w->at[axis] = k;
        w->site_turns = 0, w->part = w->parts = 0;
        tape_begin(w->tape, false, k > first);
        if (site_moved(w, out, lead))
            answer(w, q, y);
    }
    memcpy(w->at, at, sizeof at);
}
/* What a recording of all lines along that axis is for. */
static struct recorded_for recorded_for(const struct ask *w, const struct quantity *q, int lead)
{
    const int axis = w->arith->edit.axis;
    struct recorded_for of = { .call = w->call, .arith = w->arith, .page = q, .prec = w->prec, .exact = w->exact,
        .len = w->len };
    for (int k = 0; k < lead && axis != AXIS_ALL; k++)
        of.at[k] = k == axis ? 0 : w->at[k];
    return of;
}
/* The answer with the numbers that an operation gives at another place.  What is recorded of all lines is the same for
 * each of them, and is kept. */
static void answer_taped(
    struct ask *w, const struct quantity *q, const struct mer_array *out, int lead, const struct ball **y)
{
    struct elsewhere own = { .out = out };
    const struct edit *e = &w->arith->edit;
    const struct recorded_for of = recorded_for(w, q, lead);
    w->tape = e->way >= ACROSS ? tape_kept(w, &of) : &own;
    w->tape->out = out;
    if (!w->tape->n) {
        const bool undecided = w->undecided;
        w->undecided = false;
        record_lines(w, q, out, lead, y);
        w->tape->undecided = w->undecided, w->undecided |= undecided;
    } else
        w->undecided |= w->tape->undecided;
    w->site_turns = 0, w->part = w->parts = 0;
    tape_begin(w->tape, true, false);
    answer(w, q, y);
    w->tape = NULL;
    tape_free(&own);
}

/* Counts how often the line meets the operation that is done differently: the page runs once as it is. */
static void count_turns(struct ask *w, const struct quantity *q, const struct ball **y)
{
    const bool undecided = w->undecided;
    w->site_all = SITE_COUNTING;
    answer(w, q, y);
    w->site_all = w->site_turns, w->site_turns = 0, w->part = w->parts = 0, w->undecided = undecided;
}

/* The same where an operation is done differently, which may be how the answer is given. */
static void answer_edited(struct ask *w, const struct quantity *q, const struct ball **y)
{
    struct sign s;
    long at[MER_RANK];
    sign_read(&s, q->sign);
    const struct mer_array *out = mer_find(w->call->out, w->call->n_out, s.out.name);
    memcpy(at, w->at, sizeof at);
    if (turns_counted(w))
        count_turns(w, q, y);
    const int summed = site_summed(w, out, s.out.lead), written = site_written_along(w, out, s.out.lead);
    if (out && site_taped(w))
        answer_taped(w, q, out, s.out.lead, y);
    else if (written >= 0)
        answer_written(w, q, out, written, y);
    else if (summed >= 0)
        answer_summed(w, q, out, summed, y);
    else if (site_before(w, out, s.out.lead, y))
        answer(w, q, y);
    memcpy(w->at, at, sizeof at);
    site_after(w, out, s.out.lead, y);
}

/* Is y known to 2^-12 of a unit in the last place of f, or no finite number at all? */
static bool sharp(const struct ball *y, const struct format *f)
{
    if (!mpfr_number_p(y->mid))
        return true;
    long e = mpfr_zero_p(y->mid) ? f->emin : mpfr_get_exp(y->mid) - 1;
    return !up_less((struct up){ 0.5, (e > f->emin ? e : f->emin) - f->p + 2 - 12 }, y->rad);
}

/* Has some ball of the line lost half of its bits, relative to 1 and to its terms?  That is no tie and no difference of
 * equal numbers, which the exact path is for, but a long recurrence: it takes more bits alone. */
static bool blurred(const struct ball *const *y, long n, mpfr_prec_t prec)
{
    for (long k = 0; k < n; k++) {
        const struct up size = up_max(up_d(1), y[k]->mag);
        if (up_less((struct up){ size.m, size.e - (long)prec / 2 }, y[k]->rad))
            return true;
    }
    return false;
}

void line_page(struct ask *w, const struct quantity *q, const struct format *f, const struct ball **y)
{
    const struct stored *outer = w->stored;
    struct stored own;
    stored_open(&own, w);
    if (sited(w))
        answer_edited(w, q, y);
    else
        answer(w, q, y);
    w->stored = outer;
    for (long k = 0; k < w->len && f; k++)
        y[k] = b_store(w, f, y[k]);
}

/* A line is asked with FIRST_BITS more bits than the format has, a bound with BOUND_BITS more than that, and neither
 * with more than CAP bits.  After EXACT_AFTER raises of the precision the exact path joins in, unless more bits are all
 * that is wanting, or serve all lines at once (on the exact path what is made for all of them is made for each);
 * after TIE_AFTER raises a sharp value is an answer even where its own rounding is open. */
enum { CAP = 4096, FIRST_BITS = 40, BOUND_BITS = 24, EXACT_AFTER = 2, TIE_AFTER = 4 };

static bool all(
    const struct ball **y, long n, const struct format *f, bool (*is)(const struct ball *, const struct format *))
{
    long k = 0;
    while (k < n && is(y[k], f))
        k++;
    return k == n;
}

enum { SECOND = 1000000000 }; /* in nanoseconds */
double clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * SECOND + (double)t.tv_nsec;
}
double thread_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* EXACT leaves no rounding inside the page, so a value that is sharp answers the question even where its own rounding
 * stays open (a tie that is not made of known numbers): that is counted, not refused.  Under ROUND an open rounding is
 * an open question, and what is answered is a number of the format. */
enum truth line_eval(struct ask *w, const struct quantity *q, const struct format *f, const struct ball **y)
{
    enum truth truth = UNDECIDED;
    mpfr_prec_t prec = f->p + FIRST_BITS;
    const bool from_start = w->exact;
    long raises = 0;
    bool rounding = false, wanting = false;
    const double start = thread_ns();
    for (;; raises++, prec = prec < CAP / 2 ? 2 * prec : CAP) {
        w->exact = from_start || (raises >= EXACT_AFTER && !(wanting && prec < CAP));
        ask_reset(w, prec);
        w->whole = false;
        line_page(w, q, f, y);
        const bool known = all(y, w->len, f, sharp);
        bool value = !w->undecided && known;
        wanting = !w->undecided && !known && (w->whole || blurred(y, w->len, prec));
        rounding = value && all(y, w->len, f, rounds_known);
        if (rounding || (value && (raises >= TIE_AFTER || prec == CAP))) {
            truth = YES;
            break;
        }
        if (prec == CAP)
            break;
    }
    if (w->cost) {
        struct cost *c = w->cost;
        c->elements += (uint64_t)w->len, c->retries += (uint64_t)raises, c->exact += w->exact && !from_start;
        c->ties += truth == YES && !rounding;
        c->prec = prec > c->prec ? (long)prec : c->prec, c->ns += thread_ns() - start;
    }
    w->exact = from_start;
    return truth;
}

/* The line at this precision, from the start. */
static void bounds_at(
    struct ask *w, mpfr_prec_t prec, const struct quantity *q, const struct format *f, const struct ball **y)
{
    ask_reset(w, prec);
    line_page(w, q, f, y);
}

/* Puts the radii of y into `before`; did any of them shrink by more than 2^-10 of itself? */
static bool still_shrinking(const struct ball *const *y, long n, struct up *before)
{
    bool any = false;
    for (long k = 0; k < n; k++) {
        any |= up_less(up_mul(y[k]->rad, up_d(1 + 0x1p-10)), before[k]);
        before[k] = y[k]->rad;
    }
    return any;
}

enum truth line_bounds(struct ask *w, const struct quantity *q, const struct format *f, bool integer,
    const struct ball *const *x, const struct ball **y)
{
    mpfr_prec_t taken = f->p + FIRST_BITS, prec = f->p + FIRST_BITS + BOUND_BITS;
    const struct format *store = integer ? NULL : f;
    for (long k = 0; k < w->len; k++)
        taken = mpfr_get_prec(x[k]->mid) > taken ? mpfr_get_prec(x[k]->mid) : taken;
    bounds_at(w, prec, q, store, y);
    if (taken == f->p + FIRST_BITS)
        return YES;
    struct up *radius = need((size_t)w->len + 1, sizeof *radius);
    still_shrinking(y, w->len, radius);
    bool more = true;
    while (more && prec < CAP) {
        prec = prec < CAP / 2 ? 2 * prec : CAP;
        bounds_at(w, prec, q, store, y);
        more = still_shrinking(y, w->len, radius);
    }
    free(radius);
    return more ? UNDECIDED : YES;
}

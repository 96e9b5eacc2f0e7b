/* Records numbers of a page, and plays them back; see tape.h. */
#include <stdlib.h>
#include <string.h>
#include "arith/exactly.h"
#include "edit/maps.h"
#include "edit/site_parts.h"
#include "edit/tape.h"

void tape_begin(struct elsewhere *t, bool playing, bool added)
{
    if (t->parts)
        memset(t->turn, 0, (size_t)t->parts * sizeof *t->turn);
    t->playing = playing, t->added = added, t->next = 0;
}
void tape_free(struct elsewhere *t)
{
    for (long k = 0; k < t->n; k++)
        mpfr_clear(t->at[k].x.mid);
    free(t->at), free(t->turn);
    *t = (struct elsewhere){ .n = 0 };
}

static void let_go(struct elsewhere *t) { tape_free(t), free(t); }
static bool same_recording(const struct recorded_for *x, const struct recorded_for *y)
{
    return x->call == y->call && x->arith == y->arith && x->page == y->page && x->prec == y->prec &&
        x->exact == y->exact && x->len == y->len && !memcmp(x->at, y->at, sizeof x->at);
}
struct elsewhere *tape_kept(struct ask *w, const struct recorded_for *of)
{
    if (!w->kept)
        w->kept = need(1, sizeof *w->kept), w->kept_free = let_go;
    if (!w->kept->n || !same_recording(&w->kept->of, of))
        tape_free(w->kept), w->kept->of = *of;
    return w->kept;
}

/* Counts a turn of the part, from 0. */
static long turn_of(struct elsewhere *t, long part)
{
    if (part >= t->parts) {
        t->turn = need_more(t->turn, (size_t)part + 1, sizeof *t->turn);
        memset(t->turn + t->parts, 0, (size_t)(part + 1 - t->parts) * sizeof *t->turn);
        t->parts = part + 1;
    }
    return t->turn[part]++;
}

/* The number of that part and turn; NULL: none was recorded.  They mostly come in the order in which they were. */
static struct number_taken *find(struct elsewhere *t, long part, long turn)
{
    for (long k = 0; k < t->n; k++) {
        struct number_taken *x = &t->at[(t->next + k) % t->n];
        if (x->part == part && x->turn == turn) {
            /* mutant: term 1f95: where the search begins only saves time. */
            t->next = (t->next + k + 1) % t->n;
            return x;
        }
    }
    return NULL;
}

static void record(struct ask *w, struct elsewhere *t, long part, long turn, const struct ball *x)
{
    struct number_taken *to = t->added ? find(t, part, turn) : NULL;
    const double value = b_value(x);
    const int way = w->arith->edit.way;
    x = !to                   ? x :
        way == ACROSS_LARGEST ? (b_max)(w, &to->x, x) :
        way == ACROSS_LEAST   ? (b_min)(w, &to->x, x) :
                                site_sum(w, t->out, &to->x, x);
    if (!to) {
        if (t->n == t->room)
            t->at = need_more(t->at, (size_t)(t->room = 2 * t->room + 32), sizeof *t->at);
        to = &t->at[t->n++];
        memset(to, 0, sizeof *to);
        mpfr_init2(to->x.mid, mpfr_get_prec(x->mid));
    }
    if (x != &to->x) { /* the larger of two may be the one that is there */
        mpfr_set_prec(to->x.mid, mpfr_get_prec(x->mid));
        exactly(mpfr_set(to->x.mid, x->mid, MPFR_RNDN));
        to->x.rad = x->rad, to->x.mag = x->mag, to->x.n = x->n, to->x.format = x->format, to->x.lift = x->lift;
    }
    to->part = part, to->turn = turn;
    to->varies |= t->added && value != to->last, to->last = value, to->lines++;
}

bool tape_records(const struct ask *w) { return w->tape && !w->tape->playing; }

static long turns_in(const struct elsewhere *t, long part)
{
    long n = 0;
    for (long k = 0; k < t->n; k++)
        n += t->at[k].part == part;
    return n;
}

/* All that was recorded of one turn of the parts up to this one, or of the turns of this part up to this one. */
static const struct ball *summed(struct ask *w, struct elsewhere *t, bool of_parts, long part, long turn)
{
    const struct ball *s = NULL;
    for (long k = of_parts ? 1 : 0; k <= (of_parts ? part : turn); k++) {
        struct number_taken *x = of_parts ? find(t, k, turn) : find(t, part, k);
        s = !x ? s : s ? site_sum(w, t->out, s, &x->x) : b_widen(w, &x->x, (struct up){ 0, 0 });
    }
    return s ? s : (b_si)(w, 0);
}

enum { ALL_PARTS = -1 };
/* What the numbers of all parts at that turn have in common: their largest, least, mean or total. */
static const struct ball *of_all_parts(struct ask *w, struct elsewhere *t, long turn)
{
    const int way = w->arith->edit.way;
    struct number_taken *known = find(t, ALL_PARTS, turn);
    const struct ball *s = NULL;
    long n = 0;
    if (known)
        return b_widen(w, &known->x, (struct up){ 0, 0 });
    for (long k = 1; k <= w->parts; k++) {
        struct number_taken *from = find(t, k, turn);
        const struct ball *x = from ? b_widen(w, &from->x, (struct up){ 0, 0 }) : NULL;
        s = !x                    ? s :
            !s                    ? x :
            way == ACROSS_LARGEST ? (b_max)(w, s, x) :
            way == ACROSS_LEAST   ? (b_min)(w, s, x) :
                                    site_sum(w, t->out, s, x);
        n += from ? from->lines : 0;
    }
    s = s && way == ACROSS_MEAN ? (b_div)(w, s, (b_si)(w, n)) : s;
    if (s)
        record(w, t, ALL_PARTS, turn, s); /* The pool may take back what this part leaves in it. */
    return s;
}

/* What the numbers of all lines at that place have in common; NULL: there are none. */
static const struct ball *of_all_lines(struct ask *w, const struct number_taken *from)
{
    const struct ball *all = from ? b_widen(w, &from->x, (struct up){ 0, 0 }) : NULL;
    return all && w->arith->edit.way == ACROSS_MEAN ? (b_div)(w, all, (b_si)(w, from->lines)) : all;
}

const struct ball *tape_across(struct ask *w, const struct ball *x, const struct ball *y)
{
    struct elsewhere *t = w->tape;
    const long turn = turn_of(t, w->part);
    if (!t->playing) {
        record(w, t, w->part, turn, x);
        return y;
    }
    const int axis = w->arith->edit.axis;
    if (axis == AXIS_PARTS || (axis == AXIS_ALL && w->part)) {
        const struct ball *all = of_all_parts(w, t, turn);
        return all ? all : y;
    }
    const struct ball *all = of_all_lines(w, find(t, w->part, turn));
    return all ? all : y;
}

const struct ball *tape_turn(struct ask *w, const struct ball *x)
{
    struct elsewhere *t = w->tape;
    const struct edit *e = &w->arith->edit;
    long part = w->part, turn = turn_of(t, part);
    if (!t->playing) {
        record(w, t, part, turn, x);
        return x;
    }
    const long parts = w->parts, turns = e->axis == AXIS_TURNS ? turns_in(t, part) : 0;
    if (e->axis == AXIS_PARTS && (part < 1 || part > parts))
        return x;
    if (e->axis >= AXIS_PARTS && e->way == SUMMED)
        return summed(w, t, e->axis == AXIS_PARTS, part, turn);
    if (e->axis == AXIS_PARTS)
        part = index_mapped(e->op, part - 1, parts), part += part >= 0;
    else if (e->axis == AXIS_TURNS && turn < turns)
        turn = index_mapped(e->op, turn, turns);
    struct number_taken *from = find(t, part, turn);
    if (from && e->axis < AXIS_PARTS && e->way == SUMMED && !from->varies)
        return x;
    if (from && e->way >= ACROSS)
        return of_all_lines(w, from);
    /* What was not computed there: of a part, 0, as of a key that is hidden there; else there is no such place. */
    return from ? b_widen(w, &from->x, (struct up){ 0, 0 }) :
        w->part || turn < 0 || !t->n ? (b_si)(w, 0) :
                                       x;
}

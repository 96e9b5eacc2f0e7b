/* Compares outputs with exact values and bounds, line by line; see compare.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "compare/answers.h"
#include "arith/exactly.h"
#include "ball/trace.h"
#include "compare/ball_share.h"
#include "compare/compare.h"
#include "core/data.h"
#include "trial/change.h"
#include "compare/line_at.h"
#include "trial/trial.h"

static const struct arith exact = { 0 };

/* The value of x with as many of 40 digits as the ball certifies: one fewer than |mid| / rad has.  A radius of 0 has a
 * logarithm of minus infinity, and leaves all 40 of them; 0 +- 0 leaves no number, and has one digit. */
static void write_digits(char *text, size_t n, const struct ball *x)
{
    double sure = log10(fabs(b_value(x))) - log10(b_radius(x)) - 1;
    mpfr_snprintf(text, n, "%.*Rg", sure >= 40 ? 40 : sure >= 1 ? (int)sure : 1, x->mid);
}

void tally_add(struct tally *y, const struct ball *x, const struct ball *b, double got, const struct format *f,
    const long *at, long k, const char *out)
{
    struct reading r = ruler_read(x, got, f);
    /* beyond the format's range the correctly rounded value is infinity */
    double bound = b_radius(b), ratio = isinf(got) && r.correct ? 0 : ball_share(b, got);
    y->n++;
    y->correct += r.correct;
    y->class[r.class]++;
    y->over += !(ratio <= 1);
    y->ulp = fmax(y->ulp, fabs(r.ulp));
    y->gauge = fmax(y->gauge, r.gauge);
    y->own = fabs(r.ulp) > 2 ? fmax(y->own, ratio) : y->own;
    if (x->mag.m > 0 && isfinite(x->mag.m) && isfinite(bound))
        y->derived = fmax(y->derived, up_double(up_div(b->rad, up_2exp(x->mag, -f->p))));
    if (ratio <= y->ratio && y->out)
        return;
    y->ratio = isnan(ratio) ? (double)INFINITY : ratio;
    memcpy(y->at, at, sizeof y->at);
    y->out = out, y->k = k, y->got = got, y->bound = bound;
    y->want = b_value(b->rad.m == 0 ? b : x); /* a contract wants its own number */
    write_digits(y->digits, sizeof y->digits, x);
}

/* The exact values of a line into x: YES, or undecided at the cap.  Keeps them in the cache and adds their cost to
 * *all. */
static enum truth real_numbers(struct ask *w, const struct quantity *q, const struct format *f,
    struct answers_asked *asked, long line, const struct ball **x, struct cost *all)
{
    struct cost one = { 0 };
    w->cost = &one;
    enum truth known = line_eval(w, q, f, x);
    if (known == YES)
        answers_keep(asked, line, x, &one);
    ask_trim(w, x, w->len);
    all->elements += one.elements, all->retries += one.retries, all->exact += one.exact, all->ties += one.ties,
        all->ns += one.ns;
    all->prec = one.prec > all->prec ? one.prec : all->prec;
    return known;
}

/* How many numbers a line may read: of every input, the axes that do not lead the output.  Axis 'g' groups axis 'h'. */
static double numbers_read(const struct trial *t, const struct sign *s)
{
    double all = 0;
    for (int k = 0; k < s->n_in; k++) {
        const struct mer_array *a = mer_in(&t->call, s->in[k].name);
        double one = a != NULL;
        for (int j = 0; a && j < s->in[k].rank; j++) {
            bool leads = false;
            for (int l = 0; l < s->out.lead; l++)
                leads |= s->out.axis[l] == s->in[k].axis[j] || (s->out.axis[l] == 'h' && s->in[k].axis[j] == 'g');
            one *= leads ? 1 : (double)a->dim[j];
        }
        all += one;
    }
    return all;
}

long lines_compared(const struct trial *t, const struct sign *s, long lines, long total)
{
    double most = fmax(1, LINES_READ / numbers_read(t, s)); /* infinite where nothing is read */
    /* mutant: compare a577: where both are equal, either is the same number. */
    long some = !lines ? total : most < (double)lines ? (long)most : lines; /* lines may be LONG_MAX, no double */
    return some < total ? some : total;
}

/* The line of the pick-th draw: 0 the first, 1 the last, others random (see lines_sampled). */
static long draw_line(const struct mer_array *out, int lead, int o, long pick, long total)
{
    long line = 0;
    if (pick < 2)
        return pick ? total - 1 : 0;
    for (int k = 0; k < lead; k++) {
        /* mutant: argument 20af: other draws are as random. */
        /* mutant: sign f965: draws of other numbers are as random, too. */
        const uint64_t x = gen_bits(1, (uint64_t)o, (uint64_t)pick * MER_RANK + (uint64_t)k);
        const long n = out->dim[k], at = (long)((x >> 8) % (uint64_t)n), edge = at / 16 * 16 - (long)(x >> 2 & 1);
        line = line * n + ((x & 1) == 0 ? at : (x & 2) ? n - 1 : edge < 0 ? 0 : edge);
    }
    return line;
}

long *lines_sampled(const struct mer_array *out, int lead, int o, long some, long total)
{
    enum { MARKED = 1 << 26 }; /* above so many lines duplicates are rare, and are not looked for */
    long *line = need((size_t)some + 1, sizeof *line);
    /* mutant: compare 49fe: one line more or less at which duplicates are looked for. */
    bool *seen = total <= MARKED ? need((size_t)total, sizeof *seen) : NULL;
    for (long pick = 0; pick < some; pick++) {
        line[pick] = some < total ? draw_line(out, lead, o, pick, total) : pick;
        while (seen && seen[line[pick]])
            line[pick] = (line[pick] + 1) % total;
        if (seen)
            seen[line[pick]] = true;
    }
    free(seen);
    return line;
}

/* What each_line calls for every line: w asks for it, q and out say of which output, integer whether that is
 * integers. */
typedef void visit(
    struct ask *w, const struct quantity *q, const struct mer_array *out, long line, bool integer, void *with);

/* Visits lines of every output of t as lines_sampled chooses them (a fixed stride would repeat itself along an
 * axis); lines = 0: all.  Answers how many lines there are. */
static long each_line(const struct trial *t, long lines, visit *f, void *with)
{
    long of = 0;
    /* one state for all outputs: what pages memorise of the question serves them all */
    struct ask w = { .params = t->params, .call = &t->call, .arith = &exact };
    for (int o = 0; o < t->call.n_out; o++) {
        const struct quantity *q = row_quantity(t->row, t->out[o].name);
        struct sign s;
        sign_read(&s, q->sign);
        const struct mer_array *out = &t->out[o];
        long total = 1, len = 1;
        for (int k = 0; k < out->rank; k++)
            *(k < s.out.lead ? &total : &len) *= out->dim[k];
        w.len = len;
        const long some = lines_compared(t, &s, lines, total);
        long *sample = lines_sampled(out, s.out.lead, o, some, total);
        for (long pick = 0; pick < some; pick++) {
            const long line = sample[pick];
            line_at(&w, out, s.out.lead, line);
            f(&w, q, out, line, s.out.integer, with);
        }
        free(sample);
        of += total;
    }
    ask_clear(&w);
    return of;
}

/* State of judge_outputs. wide: the same lines under the declared arithmetic; out: the output whose lines come now,
 * asked: its entry in the cache; y: the result. */
struct judging {
    const struct trial *t;
    const struct arith *a;
    struct tally *y;
    struct ask wide;
    const struct mer_array *out;
    struct answers_asked *asked;
};

/* The balls of the bound of line `line`, whose exact values are x, into b. */
static enum truth bounds(struct judging *j, const struct quantity *q, const struct format *f, long line, bool integer,
    const struct ball **x, const struct ball **b)
{
    if (answers_bounds(j->asked, j->t, j->a, line, b))
        return YES;
    const enum truth known = line_bounds(&j->wide, q, f, integer, x, b);
    if (known == YES && !*j->wide.trace->impossible) /* What is impossible is to be found again. */
        answers_keep_bounds(j->asked, j->t, j->a, line, b);
    return known;
}

/* Compares line `line` of the output that w asks quantity q for, and counts it into y. */
static void judge_line(struct judging *j, struct ask *w, const struct quantity *q, long line, bool integer)
{
    const struct mer_array *out = j->out;
    struct tally *y = j->y;
    struct ask *wide = &j->wide;
    struct sign s;
    sign_read(&s, q->sign);
    const struct format *f = integer ? &formats[0] : format_named(type_name[out->type], strlen(type_name[out->type]));
    const struct ball **x = need((size_t)w->len * 2 + 1, sizeof *x), **b = x + w->len;
    double start = thread_ns(), pages;
    enum truth known = answers_line(j->asked, line, x, &y->cost);
    if (known != YES)
        known = real_numbers(w, q, f, j->asked, line, x, &y->cost);
    pages = thread_ns();
    if (j->a->how != WIDEN)
        known = known == YES ? line_eval(wide, q, f, b) : known;
    /* the balls of the bound: every implementation with the arithmetic of the profile lies in them */
    else if (known == YES)
        known = bounds(j, q, f, line, integer, x, b);
    y->bounds_ns += thread_ns() - pages, y->judging_ns -= thread_ns() - start;
    for (long k = 0; k < w->len && known == YES; k++)
        tally_add(y, x[k], b[k], array_get(out, line * w->len + k), f, w->at, k, out->name);
    for (long k = 0; k < w->len && known == YES; k++)
        power_count(&y->power, j->t, &s, out, w->at, k, b[k], f);
    y->undecided += known != YES;
    y->lines++;
    ask_trim(wide, b, 0);
    y->judging_ns += thread_ns() - start;
    free(x);
}

static void judge_one(
    struct ask *w, const struct quantity *q, const struct mer_array *out, long line, bool integer, void *with)
{
    struct judging *j = with;
    struct ask *wide = &j->wide;
    wide->params = w->params, wide->call = w->call, wide->arith = j->a, wide->len = w->len;
    memcpy(wide->at, w->at, sizeof w->at);
    /* mutant: condition 2de5: the same entry of the cache is looked up again. */
    if (j->out != out)
        j->out = out, j->asked = answers_asked(j->t->answers, j->t, q, out, w->len);
    const long over = j->y->over;
    judge_line(j, w, q, line, integer);
    j->y->wrong[out - j->t->out] |= j->y->over > over;
}

/* Whether an array of t is not dense; pages read dense arrays, which trial_copy makes. */
static bool strided(const struct trial *t)
{
    bool any = false;
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++)
        any |= !mer_dense(k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in]);
    return any;
}

void judge_outputs(const struct trial *t, const struct arith *a, long lines, struct tally *y)
{
    struct trial dense;
    char err[200];
    if (strided(t)) {
        *y = (struct tally){ .undecided = 1 };
        if (!trial_copy(&dense, t, err, sizeof err))
            judge_outputs(&dense, a, lines, y);
        trial_close(&dense);
        return;
    }
    struct trace trace = { .impossible = "" };
    struct judging j = { .t = t, .a = a, .y = y, .wide.trace = &trace };
    *y = (struct tally){ 0 };
    y->lines_of = each_line(t, lines, judge_one, &j);
    memcpy(y->impossible, trace.impossible, sizeof y->impossible);
    ask_clear(&j.wide);
}

void tally_sharpen(const struct trial *t, struct tally *y)
{
    enum { BITS = 140 }; /* bits: 40 digits are 133 */
    const struct quantity *q = y->out ? row_quantity(t->row, y->out) : NULL;
    const struct mer_array *out = q ? mer_find((struct mer_array *)t->out, t->call.n_out, y->out) : NULL;
    const struct format sharp = { "digits", BITS, mpfr_get_emin(), mpfr_get_emax() };
    struct sign s;
    if (!out)
        return;
    sign_read(&s, q->sign);
    struct ask w = { .params = t->params, .call = &t->call, .arith = &exact, .len = 1 };
    for (int k = s.out.lead; k < out->rank; k++)
        w.len *= out->dim[k];
    memcpy(w.at, y->at, sizeof w.at);
    const struct ball **x = need((size_t)w.len + 1, sizeof *x);
    if (line_eval(&w, q, &sharp, x) == YES)
        write_digits(y->digits, sizeof y->digits, x[y->k]);
    free(x), ask_clear(&w);
}

static void write_one(
    struct ask *w, const struct quantity *q, const struct mer_array *out, long line, bool integer, void *with)
{
    struct mer_array *to = (struct mer_array *)with + 0;
    while (strcmp(to->name, out->name))
        to++;
    const struct format *f = integer ? &formats[0] : format_named(type_name[out->type], strlen(type_name[out->type]));
    const struct ball **y = need((size_t)w->len + 1, sizeof *y);
    mpfr_t r;
    bool known = line_eval(w, q, f, y) == YES; /* an undecided line is NaN, which fails every comparison */
    for (long k = 0; k < w->len; k++) {
        mpfr_init2(r, mpfr_get_prec(y[k]->mid));
        exactly(mpfr_set(r, y[k]->mid, MPFR_RNDN));
        round_to(r, f);
        array_put(to, line * w->len + k, known ? exact_double(r) : (double)NAN);
        mpfr_clear(r);
    }
    free(y);
}

struct writing { struct trial *t; const struct arith *a; };
static void write_in(
    struct ask *w, const struct quantity *q, const struct mer_array *out, long line, bool integer, void *with)
{
    const struct writing *v = with;
    w->arith = v->a;
    write_one(w, q, out, line, integer, v->t->out);
}

void reference_lines(struct trial *t, const struct arith *a, long lines)
{
    struct trial dense;
    char err[200];
    if (strided(t)) {
        if (!trial_copy(&dense, t, err, sizeof err))
            reference_lines(&dense, a, lines);
        for (int o = 0; o < t->call.n_out; o++)
            mer_move(&t->out[o], &dense.out[o]);
        trial_close(&dense);
        return;
    }
    struct writing v = { t, a };
    each_line(t, lines, write_in, &v);
}
void reference_run(struct trial *t, const struct arith *a) { reference_lines(t, a, 0); }

bool tally_passes(const struct tally *y) { return !*y->impossible && y->n > 0 && y->over == 0 && y->undecided == 0; }
const char *tally_verdict(const struct tally *y)
{
    return !tally_passes(y) ? "FAIL" : power_vacuous(&y->power) ? "VACUOUS" : "PASS";
}

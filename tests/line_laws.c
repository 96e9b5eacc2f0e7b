/* What row.h promises of a line that is asked, of pages that are made up here and count their runs: an operation taken
 * elsewhere, sums over lines, what a page calls, what is open, at which precision a line and its bound are answered,
 * what that costs, and where scores are no numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "row/question.h"
#include "row/row.h"
#include "trial/trial.h"

enum { HEADS = 2, QUERIES = 3, WIDTH = 2, LINES = HEADS * QUERIES };
/* Of the pages: how often they ran, at which precision, and the line that stays open (-1: none). */
static long runs, open_line = -1;
static mpfr_prec_t bits[20];
static bool exactly[20];
static void run(struct ask *w)
{
    exactly[runs % 20] = w->exact, bits[runs++ % 20] = w->prec;
    w->undecided |= open_line == w->at[0] * QUERIES + w->at[1];
}

enum { SUBTRACTS = __LINE__ + 5 };
static void subtract(struct ask *w, const struct ball **y)
{
    run(w);
    for (long k = 0; k < w->len; k++)
        y[k] = b_sub(w, b_in(w, "x", w->at[0], w->at[1], k), b_si(w, 100));
}
static double radius, middle;
static void fixed(struct ask *w, const struct ball **y)
{
    run(w);
    for (long k = 0; k < w->len; k++)
        y[k] = (b_widen)(w, isnan(middle) ? b_nan(w) : (b_si)(w, (long)middle),
            isinf(radius) ? up_inf() : up_d(radius));
}
/* 2^size, or 0, with the radius `radius` 2^(lost - precision); the elements beside the first are 1, known. */
static long size, lost;
static bool zero, half; /* half: and 1 more, halfway between two numbers of float32 where size is 24. */
static void shrinks(struct ask *w, const struct ball **y)
{
    const struct ball *one = (b_si)(w, 1);
    run(w);
    y[0] = zero ? (b_si)(w, 0) : size < 0 ? (b_ratio)(w, 1, 1L << -size) : (b_si)(w, 1L << size);
    y[0] = half ? (b_add)(w, y[0], one) : y[0];
    y[0] = (b_widen)(w, y[0], (struct up){ radius, lost - (long)w->prec });
    for (long k = 1; k < w->len; k++)
        y[k] = one;
}
/* The same, made once for all lines. */
static void at_once(struct ask *w, const struct ball **y) { question_line(w, shrinks, WIDTH, 0, y); }
static const struct param nothing[] = { { 0 } };
static const struct preset none[] = { { 0 } };
static const struct row made = { .name = "made", .steps = { "a" }, .declares = nothing, .presets = none,
    .q = { { .sign = "x[h,n,d] -> other[m|]", .page = fixed }, { .sign = "x[h,n,d] -> y[h,n|d]", .page = subtract },
        { .sign = "x[h,n,d] -> fixed[h,n|d]", .page = fixed },
        { .sign = "x[h,n,d] -> shrinks[h,n|d]", .page = shrinks },
        { .sign = "x[h,n,d] -> whole[h,n|d]", .page = at_once } } };

static double x[LINES * WIDTH], out[LINES * WIDTH];
static struct mer_array in[] = { { "x", MER_F64, 3, { HEADS, QUERIES, WIDTH }, x } };
static struct mer_array outs[] = { { "other", MER_F64, 1, { 7 }, out },
    { "y", MER_F64, 3, { HEADS, QUERIES, WIDTH }, out } };
static const struct mer_call call = { .row = "made", .params = "", .n_in = 1, .n_out = 2, .in = in, .out = outs };

/* An ask of these words; x are whole numbers, the larger the later. */
static void begin(struct ask *w, struct arith *a, const char *words, enum how how)
{
    for (long k = 0; k < LINES * WIDTH; k++)
        x[k] = (double)(3 * k * k + 1);
    cr_assert(!arith_scope(a, &made, &made, words, how), "%s", words);
    *w = (struct ask){ .call = &call, .arith = a, .len = WIDTH };
    runs = 0, open_line = -1;
}
/* Asks line h, i, and checks that the place stays, and that nothing borrowed does. */
static void ask(struct ask *w, const char *name, long h, long i, const struct ball **y)
{
    w->at[0] = h, w->at[1] = i;
    line_page(w, row_quantity(&made, name), NULL, y);
    cr_expect(w->at[0] == h && w->at[1] == i && !w->tape, "%ld %ld: now %ld %ld", h, i, w->at[0], w->at[1]);
}

/* The second number of a difference, as what the first ones of all lines, or of those along an axis, have in common:
 * the lines are run once for all, and then each line once. */
Test(line_laws, lines_have_numbers_in_common)
{
    static const char *const ways[] = { "total", "largest", "least" }, axes[] = "a01";
    for (int n = 0; n < 9; n++) {
        struct ask w;
        struct arith a;
        char word[100];
        snprintf(word, sizeof word, "edit=%s:%d:sub-right.%c:across-%s", __FILE__, SUBTRACTS, axes[n / 3], ways[n % 3]);
        begin(&w, &a, word, EXACT);
        for (long line = 0; line < LINES; line++) { /* along the axis, so that what is kept serves the next line */
            const long h = axes[n / 3] == '0' ? line % HEADS : line / QUERIES,
                       i = axes[n / 3] == '0' ? line / HEADS : line % QUERIES;
            const struct ball *y[WIDTH];
            const long of = n < 3 ? LINES : n < 6 ? HEADS : QUERIES, before = runs;
            ask_reset(&w, 80);
            ask(&w, "y", h, i, y);
            cr_expect_eq(runs - before, line % of ? 1 : of + 1, "%s, line %ld: %ld runs", word, line, runs - before);
            for (long k = 0; k < WIDTH; k++) {
                double all = n % 3 ? x[(h * QUERIES + i) * WIDTH + k] : 0;
                for (long l = 0; l < LINES; l++) {
                    const double one = x[l * WIDTH + k];
                    if ((n < 3 || n >= 6 || l % QUERIES == i) && (n < 6 || l / QUERIES == h))
                        all = n % 3 == 0 ? all + one : n % 3 == 1 ? fmax(all, one) : fmin(all, one);
                }
                cr_expect_eq(b_value(y[k]), x[(h * QUERIES + i) * WIDTH + k] - all, "%s, %ld %ld|%ld: %g", word, h, i,
                    k, b_value(y[k]));
            }
        }
        ask_clear(&w);
    }
}

/* Where one of these lines is open, so is each line that has to do with it, as often as it is asked, and no other;
 * what was open before does not stick to what is kept. */
Test(line_laws, what_is_open_elsewhere_is_open_here)
{
    for (long open = -1; open < LINES; open++) {
        struct ask w;
        struct arith a;
        char word[100];
        const struct ball *y[WIDTH];
        snprintf(word, sizeof word, "edit=%s:%d:sub-right.1:across-total", __FILE__, SUBTRACTS);
        begin(&w, &a, word, EXACT);
        open_line = open;
        for (long line = 0; line < LINES; line++)
            for (int pass = 0; pass < 2; pass++) {
                ask_reset(&w, 80);
                ask(&w, "y", line / QUERIES, line % QUERIES, y);
                cr_expect_eq(w.undecided, open >= 0 && open / QUERIES == line / QUERIES, "%ld, %ld", open, line);
            }
        open_line = -1;
        ask_reset(&w, 90), w.undecided = true;
        ask(&w, "y", 0, 0, y);
        cr_expect(w.undecided, "what is open stays open");
        ask_reset(&w, 90);
        ask(&w, "y", 0, 1, y);
        cr_expect(!w.undecided);
        ask_clear(&w);
    }
}

/* What an operation gives on the next line or at its next turn, and what is answered there; and the sum of all answers
 * up to a line. */
Test(line_laws, numbers_and_answers_are_taken_elsewhere)
{
    static const char *const form[] = { "edit=%s:%d:sub.0:roll", "edit=%s:%d:sub.1:roll", "edit=%s:%d:sub.t:roll",
        "edit=out:0:out.0:roll", "edit=out:0:out.1:roll", "edit=out:0:out.0:summed", "edit=out:0:out.1:summed" };
    for (int n = 0; n < 7; n++)
        for (long line = 0; line < LINES; line++) {
            struct ask w;
            struct arith a;
            char word[100];
            const struct ball *y[WIDTH];
            snprintf(word, sizeof word, form[n], __FILE__, SUBTRACTS);
            begin(&w, &a, word, EXACT);
            ask_reset(&w, 80);
            const long h = line / QUERIES, i = line % QUERIES;
            ask(&w, "y", h, i, y);
            for (long k = 0; k < WIDTH; k++) {
                const long to_h = n == 0 || n == 3 ? (h + 1) % HEADS : h,
                           to_i = n == 1 || n == 4 ? (i + 1) % QUERIES : i;
                double is = x[(to_h * QUERIES + to_i) * WIDTH + (n == 2 ? (k + 1) % WIDTH : k)] - 100;
                for (long g = 0; n == 5 && g < h; g++)
                    is += x[(g * QUERIES + i) * WIDTH + k] - 100;
                for (long j = 0; n == 6 && j < i; j++)
                    is += x[(h * QUERIES + j) * WIDTH + k] - 100;
                cr_expect_eq(b_value(y[k]), is, "%s, %ld %ld|%ld: %g, not %g", word, h, i, k, b_value(y[k]), is);
            }
            ask_clear(&w);
        }
}

/* Lines that are written to a place where others go, too, and numbers of a line: the last one stays, or all are added
 * up, and where nothing goes there is 0. */
Test(line_laws, answers_are_written_where_others_are)
{
    static const struct { const char *word; int axis; bool added; long to[4]; } list[] = {
        { "out.0:added-first", 0, true, { 0, 0, 0 } },
        { "out.0:written-last", 0, false, { HEADS - 1, HEADS - 1, HEADS - 1 } },
        { "out.1:added-half", 1, true, { 0, 0, 1, 1 } },
        { "out.1:written-even", 1, false, { 0, 0, 2, 2 } },
        { "out.2:added-first", 2, true, { 0, 0, 0, 0 } },
        { "out.2:written-first", 2, false, { 0, 0, 0, 0 } },
        { "out.1:added-before", 1, true, { 0, 0, 1, 2 } },
    };
    cr_assert(HEADS <= 4 && QUERIES <= 4 && WIDTH <= 4);
    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        for (long line = 0; line < LINES; line++) {
            struct ask w;
            struct arith a;
            char word[100];
            const struct ball *y[WIDTH];
            const long at[] = { line / QUERIES, line % QUERIES }, extent[] = { HEADS, QUERIES, WIDTH };
            snprintf(word, sizeof word, "edit=out:0:%s", list[n].word);
            begin(&w, &a, word, EXACT);
            ask_reset(&w, 80);
            ask(&w, "y", at[0], at[1], y);
            for (long k = 0; k < WIDTH; k++) {
                const long of[] = { at[0], at[1], k };
                double is = 0;
                for (long from = 0; from < extent[list[n].axis]; from++) {
                    long place[] = { at[0], at[1], k };
                    place[list[n].axis] = from;
                    const double one = x[(place[0] * QUERIES + place[1]) * WIDTH + place[2]] - 100;
                    if (list[n].to[from] == of[list[n].axis])
                        is = list[n].added ? is + one : one;
                }
                cr_expect_eq(b_value(y[k]), is, "%s, %ld %ld|%ld: %g, not %g", word, at[0], at[1], k, b_value(y[k]),
                    is);
            }
            ask_clear(&w);
        }
}

/* What a page calls is open to whoever calls it, and is work of its own; words that the row does not take leave the
 * line open, and no more than the line. */
Test(line_laws, a_call_is_part_of_the_question)
{
    for (int n = 0; n < 3; n++) {
        struct ask w;
        struct arith a;
        begin(&w, &a, "", EXACT);
        ask_reset(&w, 80);
        const struct ball *end = (b_si)(&w, 5), *y[WIDTH + 1] = { NULL, NULL, end };
        const double before = w.made;
        open_line = n == 1 ? 4 : -1;
        line_of(&w, (struct page_of){ &made, "y", n == 2 ? "nosuch=1" : "", in, 1 }, (const long[]){ 1, 1 }, WIDTH, y);
        cr_expect(w.undecided == (n > 0) && y[WIDTH] == end, "%d", n);
        for (long k = 0; k < WIDTH; k++)
            cr_expect(n < 2 ? b_value(y[k]) == x[4 * WIDTH + k] - 100 : isinf(y[k]->rad.m), "%d: %g", n, b_value(y[k]));
        cr_expect(w.made >= before + (n < 2 ? 3 * WIDTH : WIDTH), "%d: %g balls", n, w.made - before);
        ask_clear(&w);
    }
}

/* A value is an answer where it is known to 2^-12 of its last place, and not where it is known a little worse; what is
 * asked of it adds to the cost. */
Test(line_laws, a_value_is_known_to_a_part_of_its_last_place)
{
    static const struct { double middle, radius; enum how how; enum truth is; unsigned retries, ties; } list[] = {
        { 1, 0x1p-35, EXACT, YES, 0, 0 }, { 1, 0x1.000002p-35, EXACT, UNDECIDED, 6, 0 }, { 1, 0, EXACT, YES, 0, 0 },
        { 3, 0x1p-34, EXACT, YES, 0, 0 }, { 3, 0x1.000002p-34, EXACT, UNDECIDED, 6, 0 },
        { 0x1p24 + 1, 0x1p-11, EXACT, YES, 4, 1 }, { 0x1p24 + 1, 0, EXACT, YES, 0, 0 },
        { 0x1p24 + 1, 0, ROUND, YES, 0, 0 }, { NAN, 0, EXACT, YES, 0, 0 }, { NAN, INFINITY, ROUND, YES, 0, 0 },
    };
    for (size_t n = 0; n < sizeof list / sizeof *list; n++) {
        struct cost all = { 10, 20, 30, 40, 90, 50 };
        const struct ball *y[WIDTH];
        struct ask w;
        struct arith a;
        begin(&w, &a, "", list[n].how);
        w.cost = &all, radius = list[n].radius, middle = list[n].middle;
        const enum truth is = line_eval(&w, row_quantity(&made, "fixed"), &formats[MER_F32], y);
        cr_expect_eq(is, list[n].is, "%zu", n);
        cr_expect(all.elements == 10 + WIDTH && all.retries == 20 + list[n].retries && all.ties == 40 + list[n].ties &&
            all.exact == 30 + (list[n].retries > 1), "%zu: %llu retries, %llu ties", n,
            (unsigned long long)all.retries, (unsigned long long)all.ties);
        cr_expect(all.prec >= 90 && all.ns >= 50 && bits[0] == 64 && runs == 1 + (long)list[n].retries, "%zu: %ld bits",
            n, (long)bits[0]);
        w.cost = NULL;
        cr_expect_eq(line_eval(&w, row_quantity(&made, "fixed"), &formats[MER_F32], y), is, "%zu", n);
        ask_clear(&w);
    }
}

/* A page of `shrinks`, and what is expected of it: how often it runs, and the run that is the first on the exact path
 * (-1: none is). */
struct shrinking { long size, lost; double radius; bool zero; long runs, from; };
static void expect_runs(struct ask *w, const char *name, const struct shrinking *s)
{
    const struct ball *y[WIDTH];
    size = s->size, lost = s->lost, radius = s->radius, zero = s->zero, half = s->size == 24, runs = 0;
    cr_expect_eq(line_eval(w, row_quantity(&made, name), &formats[MER_F32], y), YES, "%s %ld %ld", name, size, lost);
    cr_expect_eq(runs, s->runs, "%s %ld %ld: %ld runs", name, size, lost, runs);
    for (long k = 0; k < runs; k++)
        cr_expect_eq(exactly[k], s->from >= 0 && k >= s->from, "%s %ld %ld: run %ld at %ld bits", name, size, lost, k,
            (long)bits[k]);
    half = false;
}

/* A line that has lost half of its bits, relative to 1 and to its terms, is asked with more bits and not on the exact
 * path, unless there are no more; one that is a difference of equal numbers, or small, goes there. */
Test(line_laws, where_bits_are_wanting_more_are_asked)
{
    static const struct shrinking list[] = {
        { 1, 20, 0.5, false, 1, -1 }, { 1, 40, 0.5, false, 2, -1 }, { 1, 100, 0.5, false, 3, -1 },
        { 1, 400, 0.5, false, 4, -1 }, { 1, 3000, 0.5, false, 7, 6 }, { 0, 0, 0.5, true, 3, 2 },
        /* Of 128 bits half are lost from 2^-64 on, where the terms are below 1. */
        { -62, 65, 0.5, false, 3, 2 }, { -62, 65, 0.5625, false, 3, -1 }, { -62, 66, 0.5, false, 3, -1 },
        { -62, 64, 0.75, false, 3, 2 },
    };
    for (size_t n = 0; n < sizeof list / sizeof *list; n++) {
        struct ask w;
        struct arith a;
        begin(&w, &a, "", EXACT);
        expect_runs(&w, "shrinks", &list[n]);
        ask_clear(&w);
    }
}

/* What is made at once for all lines takes more bits until it is known: on the exact path each line would make all of
 * it anew.  A number that is known, but as a tie, goes there.  Another page of the same ask is not made whole for it,
 * and who asks for the exact path has it from the first run on. */
Test(line_laws, what_serves_all_lines_is_not_made_for_each)
{
    static const struct shrinking list[] = { { 0, 0, 0.5, true, 3, -1 }, { -62, 65, 0.5, false, 3, -1 },
        { 1, 20, 0.5, false, 1, -1 }, { 24, 0, 0.5, false, 5, 2 } },
        /* 2^24 + 1, above, is halfway between two numbers of 24 bits. */
        alone = { 0, 0, 0.5, true, 3, 2 }, asked = { 0, 0, 0.5, true, 3, 0 };
    for (size_t n = 0; n < sizeof list / sizeof *list; n++) {
        struct ask w;
        struct arith a;
        begin(&w, &a, "", EXACT);
        expect_runs(&w, "whole", &list[n]), expect_runs(&w, "shrinks", &alone);
        w.exact = true;
        expect_runs(&w, "shrinks", &asked);
        cr_expect(w.exact);
        ask_clear(&w);
    }
}

/* A bound takes 64 bits more than its format; where some number of the line took more than 40, it is asked again until
 * no radius shrinks. Integers are not stored. */
Test(line_laws, a_bound_has_bits_enough)
{
    for (int n = 0; n < 8; n++) {
        struct ball known[WIDTH] = { { .n = 0 } };
        const struct ball *at[WIDTH], *y[WIDTH];
        const bool integer = n & 4;
        struct ask w;
        struct arith a;
        begin(&w, &a, "", WIDEN);
        radius = 0, middle = 0x1p24 + 1;
        for (int k = 0; k < WIDTH; k++)
            mpfr_init2(known[k].mid, n >> k & 1 ? 128 : 64), mpfr_set_si(known[k].mid, 1, MPFR_RNDN), at[k] = &known[k];
        cr_expect_eq(line_bounds(&w, row_quantity(&made, "fixed"), &formats[MER_F32], integer, at, y), YES);
        cr_expect(runs == (n & 3 ? 2 : 1) && bits[0] == 88 && (runs < 2 || bits[1] == 176), "%d: %ld runs, %ld bits", n,
            runs, (long)bits[0]);
        cr_expect_eq(b_radius(y[0]) == 0, integer, "%d: %g", n, b_radius(y[0]));
        for (int k = 0; k < WIDTH; k++)
            mpfr_clear(known[k].mid);
        ask_clear(&w);
    }
}

/* Is the answer of this line of t5 no number?  TRAINED positions have rows of the table, and query i stands at OFFSET +
 * i; dk and dv gather what the queries see of key i, dtable what they see of row `h` in head i. */
enum { TRAINED = 3, OFFSET = 1 };
static bool has_row(long i, long j) { return OFFSET + i < TRAINED && j < TRAINED; }
static bool none_of_t5(struct trial *t, const char *name, long h, long i)
{
    const struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep");
    const long head = strcmp(name, "dtable") ? h : i;
    bool is = false;
    for (long l = 0; l < keep->dim[1]; l++) {
        bool sees = false, gathers = false;
        for (long j = 0; j < keep->dim[2]; j++) {
            const bool kept = array_get(keep, (head * keep->dim[1] + l) * keep->dim[2] + j) != 0;
            sees |= kept && !has_row(l, j);
            gathers |= kept && (!strcmp(name, "dtable") ? has_row(l, j) && (OFFSET + l) * TRAINED + j == h :
                !strcmp(name, "dk") || !strcmp(name, "dv") ? j == i : l == i);
        }
        is |= sees && gathers;
    }
    return is;
}
/* Where a score has no row of the table, lines of queries that see it are certainly no numbers, nor are gradients that
 * gather what these see, whatever is done to scores; and nothing beside a line is written. */
Test(line_laws, what_has_no_row_of_the_table_is_no_number)
{
    static const char *const names[] = { "o", "lse", "weights", "dq", "dk", "dv", "dtable" };
    long numbers = 0, others = 0;
    for (int n = 0; n < 14; n++) {
        struct trial t;
        struct sign s;
        char err[300];
        const char *name = names[n % 7];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ "t5", "form=pairs trained=3 heads=2 offset=1", name, MER_F32,
            "n=3 m=4 h=2 d=2 e=2 keep", 3 }, err, sizeof err), 0, "%s: %s", name, err);
        sign_read(&s, row_quantity(t.row, name)->sign);
        struct arith a;
        struct ask w = { .params = t.params, .call = &t.call, .arith = &a, .len = 1 };
        cr_assert(!arith_scope(&a, t.row, t.row, n < 7 ? "" : "edit=score:zero", EXACT));
        for (int k = s.out.lead; k < t.out[0].rank; k++)
            w.len *= t.out[0].dim[k];
        for (long h = 0; h < t.out[0].dim[0]; h++)
            for (long i = 0; i < t.out[0].dim[1]; i++) {
                const struct ball *y[9] = { NULL };
                w.at[0] = h, w.at[1] = i;
                cr_expect_eq(line_eval(&w, row_quantity(t.row, name), &formats[MER_F32], y), YES);
                const bool is = none_of_t5(&t, name, h, i);
                for (long k = 0; k < w.len; k++)
                    cr_expect(isnan(b_value(y[k])) == is && (!is || b_radius(y[k]) == 0), "%s, %ld %ld|%ld: %g", name,
                        h, i, k, b_value(y[k]));
                cr_expect(!y[w.len]);
                numbers += !is, others += is;
            }
        ask_clear(&w), trial_close(&t);
    }
    cr_expect(numbers > 20 && others > 20, "%ld %ld", numbers, others);
}

/* The clock of what pages cost is the processor time of the thread.  Clocks are read in nanoseconds, behind the first
 * second as well, which that of the whole system shows. */
Test(line_laws, the_clock_of_a_thread_counts_nanoseconds)
{
    static const clockid_t clock[] = { CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID };
    for (int k = 0; k < 2; k++) {
        struct timespec t[2];
        clock_gettime(clock[k], &t[0]);
        const double ns = k ? thread_ns() : clock_ns(clock[k]);
        clock_gettime(clock[k], &t[1]);
        cr_expect(k || t[0].tv_sec > 0);
        cr_expect(ns >= (double)(t[0].tv_sec * 1000000000 + t[0].tv_nsec) &&
            ns <= (double)(t[1].tv_sec * 1000000000 + t[1].tv_nsec), "clock %d: %g", k, ns);
    }
}

/* Where a query sees a pair whose score is no number, its own line has no value, nor has one that gathers what it
 * sees.  `at`: the pair that is not defined, what is visible, and what is gathered, each as head, query and key. */
enum { KEYS = 4, PLACES = HEADS * QUERIES * KEYS };
static long hole, seen, also, gathered;
static bool beyond;
static bool is_defined(const struct ask *w, long i, long j)
{
    (void)w, beyond |= i < 0 || i >= QUERIES || j < 0 || j >= KEYS;
    return i * KEYS + j != hole % (QUERIES * KEYS);
}
static bool is_visible(const struct ask *w, long h, long i, long j)
{
    const long at = (h * QUERIES + i) * KEYS + j;
    (void)w, beyond |= h < 0 || h >= HEADS || i < 0 || i >= QUERIES || j < 0 || j >= KEYS;
    return at == seen || at == also;
}
static bool is_gathered(const struct ask *w, long h, long i, long j)
{
    (void)w;
    return (h * QUERIES + i) * KEYS + j == gathered;
}
Test(line_laws, what_sees_no_number_is_none)
{
    struct mer_array q[] = { { "q", MER_F64, 3, { HEADS, QUERIES, WIDTH }, x } };
    const struct mer_call of = { .row = "made", .params = "", .n_in = 1, .in = q };
    struct ask w = { .call = &of };
    const struct mix m = { .keys = KEYS, .visible = is_visible, .defined = is_defined }, all = { .keys = KEYS,
        .visible = is_visible };
    beyond = false;
    for (seen = 0; seen < PLACES; seen++)
        for (also = 0; also < PLACES; also++)
            for (hole = 0; hole < QUERIES * KEYS; hole++) {
                const bool bad[] = { seen % (QUERIES * KEYS) == hole, also % (QUERIES * KEYS) == hole };
                for (long line = 0; line < LINES; line++) {
                    w.at[0] = line / QUERIES, w.at[1] = line % QUERIES;
                    const bool is = (bad[0] && seen / KEYS == line) || (bad[1] && also / KEYS == line);
                    cr_assert(mixing_undefined(&w, &m, NULL) == is && !mixing_undefined(&w, &all, NULL));
                }
                gathered = also;
                const bool is = bad[1] || (bad[0] && seen / KEYS == also / KEYS);
                cr_assert(mixing_undefined(&w, &m, is_gathered) == is && !mixing_undefined(&w, &all, is_gathered),
                    "%ld %ld %ld", seen, also, hole);
            }
    cr_expect(!beyond, "a pair is asked that does not exist");
}

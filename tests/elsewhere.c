/* Numbers that are taken from another part of a line, from another turn of the operation or from other lines: each is
 * what was computed there, or the sum, the largest, the least or the mean of what was, counted here from a table of all
 * numbers of a small page. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "edit/maps.h"
#include "edit/reduced.h"
#include "edit/site.h"
#include "edit/site_parts.h"
#include "edit/tape.h"
#include "edit/whole.h"
#include "edit_as.h"

/* The page has LINES lines of PARTS parts; it makes the operation TURNS times in each, and BEFORE times before them,
 * which is part 0. */
enum { LINES = 4, PARTS = 4, TURNS = 3, BEFORE = 2, MOST = PARTS + 1 };

static int turns_of(int part) { return part ? TURNS : BEFORE; }
/* The number that line l computes at that part and turn.  At the first turn it is the same on every line, as a constant
 * of the page is. */
static int number(int l, int part, int turn)
{
    return turn ? (l * 37 + part * 53 + turn * 29 + l * part * 7) % 101 - 50 : part * 3 - 4;
}

/* The operation of that kind whose number is n: of a difference n - 1, of a negation -n, else n. */
static const struct ball *given_there(struct ask *w, enum site_kind kind, int n)
{
    const struct ball *x = (b_si)(w, n), *y = x;
    mpq_t q;
    mpq_init(q), mpq_set_si(q, n, 1);
    switch ((int)kind) {
    case SITE_SUB: y = site_two(w, here, kind, b_sub, x, (b_si)(w, 1)); break;
    case SITE_ADD: y = site_two(w, here, kind, b_add, x, (b_si)(w, 0)); break;
    case SITE_NEG: y = site_one(w, here, kind, b_neg, x); break;
    case SITE_SUM: y = site_terms(w, here, 0, &x, 1); break;
    case SITE_LARGEST:
    case SITE_AVERAGE: y = site_reduced(w, here, kind, &x, 1); break;
    case SITE_INTEGER: y = site_integer(w, here, n); break;
    case SITE_RATIO: y = site_ratio(w, here, n, 1); break;
    case SITE_RATIONAL: y = site_rational(w, here, q); break;
    case SITE_WHOLE: y = (b_si)(w, site_whole(w, here, n)); break;
    case SITE_PLUS: y = (b_si)(w, site_plus(w, here, n, 0)); break;
    case SITE_APART: y = (b_si)(w, site_apart(w, here, n, 0)); break;
    case SITE_CLIP: y = (b_si)(w, site_clip(w, here, n, -1000, 1000)); break;
    default: cr_assert(false, "kind %d", (int)kind);
    }
    mpq_clear(q);
    return y;
}

typedef double given[MOST][TURNS];
/* Runs the page of line l, of which the last `less` parts are missing, and keeps what the operation gives: of a sum,
 * the number itself; of a difference, how far 1000 is above what stands for its second number. */
static void run(struct ask *w, enum site_kind kind, int l, int less, given y)
{
    for (int part = 0; part <= PARTS - less; part++) {
        if (part)
            ask_part(w, part - 1, PARTS - less, "the keys");
        else
            ask_whole(w), w->parts = PARTS - less;
        for (int k = 0; k < turns_of(part); k++) {
            const struct ball *own = site_two(w, beside, kind, b_add, (b_si)(w, number(l, part, k)), (b_si)(w, 0));
            cr_assert_eq(b_value(own), number(l, part, k));
            const struct ball *got = given_there(w, kind, number(l, part, k));
            cr_assert_eq(b_radius(got), 0);
            /* While they are recorded, all numbers are what they are. */
            cr_assert(y || b_value(got) == (kind == SITE_NEG ? -1 : 1) * (number(l, part, k) - (kind == SITE_SUB)));
            if (y)
                y[part][k] = kind == SITE_SUB ? number(l, part, k) - b_value(got) :
                    kind == SITE_NEG          ? -b_value(got) :
                                                b_value(got);
        }
    }
}

/* Records lines first to last and plays them to line `at`. */
struct asked { const char *words; enum site_kind kind; int first, last, at, less; };
static void played(struct asked q, given y)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    struct arith a = { 0 };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t };
    a.edit = edit_as(q.words);
    ask_reset(&w, BITS);
    for (int l = q.first; l <= q.last; l++) {
        tape_begin(&t, false, l > q.first);
        cr_assert(tape_records(&w));
        run(&w, q.kind, l, q.less, NULL);
    }
    tape_begin(&t, true, false);
    cr_assert(!tape_records(&w));
    run(&w, q.kind, q.at, 0, y);
    tape_free(&t), ask_clear(&w);
}

/* What the words give at that part and turn of line `at`. */
typedef double from_table(int at, int part, int turn);
static void expect(struct asked q, from_table *want)
{
    given y;
    played(q, y);
    for (int part = 0; part <= PARTS; part++)
        for (int k = 0; k < turns_of(part); k++)
            cr_expect_eq(y[part][k], want(q.at, part, k), "%s, line %d, part %d, turn %d: %g, not %g", q.words, q.at,
                part, k, y[part][k], want(q.at, part, k));
}

static double next_part(int l, int p, int k) { return number(l, p ? p % PARTS + 1 : 0, k); }
static double part_backwards(int l, int p, int k) { return number(l, p ? PARTS + 1 - p : 0, k); }
static double but_last_part(int l, int p, int k) { return p < PARTS ? number(l, p, k) : 0; }
static double next_turn(int l, int p, int k) { return number(l, p, (k + 1) % turns_of(p)); }
static double but_last_turn(int l, int p, int k) { return k + 1 < turns_of(p) ? number(l, p, k) : 0; }
static double parts_so_far(int l, int p, int k)
{
    double s = p ? 0 : number(l, 0, k);
    for (int q = 1; q <= p; q++)
        s += number(l, q, k);
    return s;
}
static double turns_so_far(int l, int p, int k)
{
    double s = 0;
    for (int j = 0; j <= k; j++)
        s += number(l, p, j);
    return s;
}
static double lines_so_far(int l, int p, int k)
{
    double s = 0;
    for (int j = 0; j <= l; j++)
        s += number(j, p, k);
    return l && !k ? number(l, p, k) : s; /* what is the same on every line has no such axis */
}
static double of_line_2(int l, int p, int k) { return (void)l, number(2, p, k); }
static double of_line_2_but_last_part(int l, int p, int k) { return (void)l, p < PARTS ? number(2, p, k) : 0; }
Test(elsewhere, a_number_is_the_one_of_the_part_or_turn_that_is_taken)
{
    static const struct { const char *words; from_table *want; } list[] = { { "add.p:roll", next_part },
        { "add.p:reverse", part_backwards }, { "add.p:without-last", but_last_part }, { "add.t:roll", next_turn },
        { "add.t:without-last", but_last_turn }, { "add.p:summed", parts_so_far }, { "add.t:summed", turns_so_far } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int at = 0; at < LINES; at++)
            expect((struct asked){ list[k].words, SITE_ADD, at, at, at, 0 }, list[k].want);
    for (int at = 0; at < LINES; at++) {
        expect((struct asked){ "add.0:summed", SITE_ADD, 0, at, at, 0 }, lines_so_far);
        expect((struct asked){ "add.0:first", SITE_ADD, 2, 2, at, 0 }, of_line_2);
        expect((struct asked){ "add.0:first", SITE_ADD, 2, 2, at, 1 }, of_line_2_but_last_part);
    }
}

/* Whatever operation gives a number, it may be taken elsewhere. */
Test(elsewhere, every_kind_of_number_may_be_taken)
{
    static const struct { enum site_kind kind; const char *name; } kinds[] = { { SITE_ADD, "add" }, { SITE_SUM, "sum" },
        { SITE_NEG, "neg" }, { SITE_LARGEST, "largest" }, { SITE_AVERAGE, "average" }, { SITE_INTEGER, "integer" },
        { SITE_RATIO, "ratio" }, { SITE_RATIONAL, "rational" }, { SITE_WHOLE, "whole" }, { SITE_PLUS, "plus" },
        { SITE_CLIP, "clip" }, { SITE_APART, "apart" } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int at = 0; at < LINES; at++) {
            char words[40];
            snprintf(words, sizeof words, "%s.p:roll", kinds[k].name);
            expect((struct asked){ words, kinds[k].kind, at, at, at, 0 }, next_part);
            snprintf(words, sizeof words, "%s.t:without-last", kinds[k].name);
            expect((struct asked){ words, kinds[k].kind, at, at, at, 0 }, but_last_turn);
            snprintf(words, sizeof words, "%s.0:summed", kinds[k].name);
            expect((struct asked){ words, kinds[k].kind, 0, at, at, 0 }, lines_so_far);
        }
}

static double none_of_a_part(int l, int p, int k) { return p ? 0 : number(l, 0, k); }
Test(elsewhere, what_was_not_computed_is_0_in_a_part)
{
    given y;
    for (int at = 0; at < LINES; at++)
        expect((struct asked){ "add.p:summed", SITE_ADD, at, at, at, PARTS }, none_of_a_part);
    played((struct asked){ "sum.0:across-total", SITE_SUM, 0, LINES - 1, 1, 1 }, y);
    cr_expect(y[PARTS][0] == 0 && y[PARTS][1] == 0, "the last part was on no line: %g", y[PARTS][0]);
}

/* One of two numbers may be taken elsewhere alone, and the other stays. */
Test(elsewhere, one_of_two_numbers_is_taken_alone)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    static const struct { const char *words; double is; } list[] = { { "sub-left.0:first", 10 - 7 },
        { "sub-right.0:first", 12 - 4 }, { "apart-left.0:first", 10 - 7 }, { "apart-right.0:first", 12 - 4 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct arith a = { .edit = edit_as(list[k].words) };
        struct elsewhere t = { .out = &out };
        struct ask w = { .arith = &a, .tape = &t };
        double got = 0;
        ask_reset(&w, BITS);
        for (int play = 0; play < 2; play++) {
            const long x = play ? 12 : 10, y = play ? 7 : 4;
            tape_begin(&t, play, false);
            got = k < 2 ? b_value(site_two(&w, here, SITE_SUB, b_sub, (b_si)(&w, x), (b_si)(&w, y))) :
                          (double)site_apart(&w, here, x, y);
            cr_expect(play || got == 6, "%s: %g while it is recorded", list[k].words, got);
        }
        cr_expect_eq(got, list[k].is, "%s: %g", list[k].words, got);
        tape_free(&t), ask_clear(&w);
    }
}

/* A turn more than was recorded is none of the axis. */
Test(elsewhere, turns_beyond_those_recorded_are_nowhere)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    struct arith a = { 0 };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t };
    a.edit = edit_as("add.t:roll");
    ask_reset(&w, BITS), ask_part(&w, 0, 2, "the keys");
    tape_begin(&t, false, false);
    for (int k = 0; k < 2; k++)
        tape_turn(&w, (b_si)(&w, 20 + k));
    tape_begin(&t, true, false);
    for (int k = 0; k < 3; k++)
        cr_expect_eq(b_value(tape_turn(&w, (b_si)(&w, 30 + k))), k < 2 ? 21 - k : 0, "turn %d", k);
    tape_free(&t), ask_clear(&w);
}

/* All that is known of a number is taken with it. */
Test(elsewhere, what_is_known_of_a_number_goes_with_it)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    struct arith a = { 0 };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t };
    a.edit = edit_as("add.0:first");
    ask_reset(&w, 200);
    struct ball *x = (struct ball *)(b_ratio)(&w, 1, 3);
    x->rad = up_d(0x1p-9), x->mag = up_d(7), x->n = 5, x->lift = -3, x->format = 2;
    tape_begin(&t, false, false);
    cr_expect(tape_turn(&w, x) == x);
    tape_begin(&t, true, false);
    const struct ball *y = tape_turn(&w, (b_si)(&w, 8));
    cr_expect(mpfr_equal_p(x->mid, y->mid) && b_radius(y) == 0x1p-9 && up_double(y->mag) == 7 && y->n == 5);
    cr_expect(y->lift == -3 && y->format == 2);
    /* A second number that was not recorded: there is none of that turn. */
    cr_expect_eq(b_value(tape_turn(&w, (b_si)(&w, 8))), 8);
    tape_free(&t), ask_clear(&w);
}

/* What numbers have in common. */
enum way { LARGEST_OF, LEAST_OF, MEAN_OF, TOTAL_OF };
struct common { double largest, least, total; int n; };
static void count_in(struct common *c, double x)
{
    c->largest = c->n ? fmax(c->largest, x) : x, c->least = c->n ? fmin(c->least, x) : x, c->total += x, c->n++;
}
static double common_of(const struct common *c, enum way way)
{
    return way == LARGEST_OF ? c->largest : way == LEAST_OF ? c->least : c->total / (way == MEAN_OF ? c->n : 1);
}
static const char *const ways[] = { "across-largest", "across-least", "across-mean", "across-total" };

/* Over all parts of the line, all lines at the same part, or both; of what is of no part, over all lines, if any. */
Test(elsewhere, a_second_number_is_what_the_first_ones_have_in_common)
{
    for (int way = 0; way < 4; way++)
        for (int axis = 0; axis < 3; axis++)
            for (int at = 0; at < LINES; at++) {
                char words[40];
                given y;
                snprintf(words, sizeof words, "sub-right.%c:%s", "p0a"[axis], ways[way]);
                const int first = axis ? 0 : at, last = axis ? LINES - 1 : at;
                played((struct asked){ words, SITE_SUB, first, last, at, 0 }, y);
                for (int part = 0; part <= PARTS; part++)
                    for (int k = 0; k < turns_of(part); k++) {
                        struct common c = { 0 };
                        for (int l = first; l <= last; l++)
                            for (int p = 0; p <= PARTS; p++)
                                if (axis == 1 || (axis == 2 && !part) ? p == part : p > 0)
                                    count_in(&c, number(l, p, k));
                        const double want = common_of(&c, (enum way)way);
                        cr_expect_eq(y[part][k], want, "%s, line %d, part %d, turn %d: %g, not %g", words, at, part, k,
                            y[part][k], want);
                    }
            }
}

/* What all parts have in common is made for the first of them, and is there for the others. */
Test(elsewhere, what_all_parts_have_in_common_is_made_once)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    struct arith a = { .edit = edit_as("sub-right.p:across-total") };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t };
    uint64_t made[PARTS];
    ask_reset(&w, BITS);
    run(&w, SITE_SUB, 0, 0, NULL);
    tape_begin(&t, true, false);
    for (int part = 1; part <= PARTS; part++) {
        const uint64_t before = w.made;
        ask_part(&w, part - 1, PARTS, "the keys");
        given_there(&w, SITE_SUB, number(0, part, 0));
        made[part - 1] = w.made - before;
        cr_expect(part == 1 || made[part - 1] + PARTS <= made[0], "part %d makes %d balls", part, (int)made[part - 1]);
    }
    tape_free(&t), ask_clear(&w);
}

/* A sum over the terms of all lines, and its mean. */
Test(elsewhere, a_sum_is_that_of_all_lines)
{
    for (int way = MEAN_OF; way <= TOTAL_OF; way++)
        for (int axis = 0; axis < 2; axis++) {
            char words[40];
            given y;
            snprintf(words, sizeof words, "sum.%c:%s", "0a"[axis], ways[way]);
            played((struct asked){ words, SITE_SUM, 0, LINES - 1, 1, 0 }, y);
            for (int part = 0; part <= PARTS; part++)
                for (int k = 0; k < turns_of(part); k++) {
                    struct common c = { 0 };
                    for (int l = 0; l < LINES; l++)
                        count_in(&c, number(l, part, k));
                    cr_expect_eq(y[part][k], common_of(&c, (enum way)way), "%s, part %d, turn %d: %g, not %g", words,
                        part, k, y[part][k], common_of(&c, (enum way)way));
                }
        }
}

/* A recording is kept for the question that it was made for, and for no other. */
Test(elsewhere, a_recording_is_kept_for_its_question_alone)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    const struct arith a = { .edit = { .step = SITE_EDIT, .axis = -1 } };
    struct ask w = { .arith = &a };
    const struct recorded_for of = { .call = &out, .arith = &a, .page = &w, .prec = BITS, .len = 3, .at = { 1, 2 } };
    ask_reset(&w, BITS);
    for (int k = -1; k < 8; k++) {
        struct recorded_for other = of;
        w.tape = tape_kept(&w, &of), w.tape->out = &out;
        cr_assert_eq(w.tape->n, 0);
        tape_begin(w.tape, false, false);
        cr_expect_eq(b_value(tape_turn(&w, (b_si)(&w, 5))), 5);
        cr_expect(tape_kept(&w, &of) == w.tape && w.tape->n == 1, "it is there");
        k == 0       ? (void)(other.call = &w) :
            k == 1   ? (void)(other.arith = &w) :
            k == 2   ? (void)(other.page = &a) :
            k == 3   ? (void)(other.prec = 65) :
            k == 4   ? (void)(other.exact = true) :
            k == 5   ? (void)(other.len = 4) :
            k == 6   ? (void)(other.at[1] = 3) :
                       (void)(other.at[MER_RANK - 1] = 1);
        cr_expect_eq(tape_kept(&w, &other)->n, 0, "it is another question: %d", k);
    }
    w.tape = NULL;
    ask_clear(&w);
}

/* Of three parts the middle one has no number: the mean of all is that of two. */
Test(elsewhere, a_part_without_a_number_is_none_of_the_mean)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    const struct arith a = { .edit = edit_as("sub-right.p:across-mean") };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t };
    double got = 0;
    ask_reset(&w, BITS);
    for (int play = 0; play < 2; play++) {
        tape_begin(&t, play, false);
        for (int part = 1; part <= 3; part += 2) {
            ask_part(&w, part - 1, 3, "the keys");
            got = b_value(tape_across(&w, (b_si)(&w, 2 * part), (b_si)(&w, 9)));
        }
    }
    cr_expect_eq(got, 4, "the mean of 2 and 6 is not %g", got);
    tape_free(&t), ask_clear(&w);
}

/* On the exact path a sum over lines has more bits than the numbers that it is of. */
Test(elsewhere, a_sum_over_lines_keeps_all_its_bits)
{
    static const struct mer_array out = { "y", MER_I64, 2, { LINES, 1 }, NULL };
    const struct arith a = { .edit = edit_as("add.0:summed") };
    struct elsewhere t = { .out = &out };
    struct ask w = { .arith = &a, .tape = &t, .exact = true };
    ask_reset(&w, BITS);
    const struct ball *one = (b_si)(&w, 1), *small = (b_ratio)(&w, 1, 1L << 62), *least = (b_mul)(&w, small, small);
    for (int line = 0; line < 2; line++)
        tape_begin(&t, false, line > 0), tape_turn(&w, line ? least : one);
    tape_begin(&t, true, false);
    const struct ball *sum = tape_turn(&w, one), *rest = (b_sub)(&w, sum, one);
    cr_expect(mpfr_equal_p(rest->mid, least->mid) && b_radius(sum) == 0, "%g", b_value(rest));
    tape_free(&t), ask_clear(&w);
}

static long blocks; /* how many blocks MPFR has and has not given back */
static void *block(size_t n) { return blocks++, need(n, 1); }
static void *another(void *p, size_t old, size_t n) { return (void)old, need_more(p, n, 1); }
static void no_block(void *p, size_t n) { (void)n, blocks--, free(p); }
/* What an ask keeps of a recording it gives back with all else. */
Test(elsewhere, a_recording_that_is_kept_goes_with_its_ask)
{
    static const struct mer_array out = { "y", MER_F32, 2, { LINES, 1 }, NULL };
    const struct arith a = { .edit = edit_as("add.0:first") };
    balls_forget(), mpfr_mp_memory_cleanup();
    mp_set_memory_functions(block, another, no_block);
    struct ask w = { .arith = &a };
    ask_reset(&w, BITS);
    w.tape = tape_kept(&w, &(struct recorded_for){ .len = 1 }), w.tape->out = &out;
    tape_begin(w.tape, false, false);
    for (int k = 0; k < 3; k++)
        tape_turn(&w, (b_si)(&w, k));
    cr_expect(w.kept && w.kept->n == 3 && blocks >= 3);
    ask_clear(&w), balls_forget(), mpfr_mp_memory_cleanup();
    cr_expect_eq(blocks, 0, "%ld blocks are left", blocks);
}

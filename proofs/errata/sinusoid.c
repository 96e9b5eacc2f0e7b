/* Claims about the sinusoidal table: its inner products, periods and positions. p_t is (sin w_i t, cos w_i t) over all
 * i, and S(k) = sum_i cos(w_i k). */
#include <math.h>
#include <stdio.h>
#include "mat.h"

enum { WIDEST = 1024 };
/* Row t of the table under params, y[d]. */
static void at(struct claim *c, const char *params, long t, long d, const struct ball **y)
{
    law_row(c->w, row_named("sinusoid"), "p", params, NULL, (double)t, d, y);
}

/* The inner product <p_a, p_b>, of width d. */
static const struct ball *inner(struct claim *c, const char *params, long d, long a, long b)
{
    const struct ball *x[WIDEST], *y[WIDEST];
    size_t mark = c->w->used;
    at(c, params, a, d, x), at(c, params, b, d, y);
    return ask_keep(c->w, mark, law_dot(c->w, x, y, d));
}

static const struct ball *sum(struct claim *c, long d, long k) /* S(k), by adding the cosines of row k. */
{
    const struct ball *y[WIDEST], *s = b_si(c->w, 0);
    size_t mark = c->w->used;
    char params[40];
    snprintf(params, sizeof params, "dim=%ld", d);
    at(c, params, k, d, y);
    for (long i = 1; i < d; i += 2)
        s = b_add(c->w, s, y[i]);
    return ask_keep(c->w, mark, s);
}

/* "It falls with the distance" is asked of every k from `from` to `most` and given up at the first rise, which the
 * witness names.  What is right: S falls at first, and stays below S(0). */
static void falls(struct claim *c)
{
    static const long width[] = { 2, 64, 512 };
    long most = claim_int(c, "most", 1000), from = claim_int(c, "from", 0);
    c->written = c->corrected = YES;
    for (int a = 0; a < 3; a++) {
        const struct ball *last = sum(c, width[a], from), *next = last;
        enum truth down = YES;
        long k = from;
        while (down == YES && k < most) {
            last = next, next = sum(c, width[a], ++k);
            down = claim_less(next, last);
        }
        c->written = truth_and(c->written, down);
        c->corrected = truth_and(c->corrected, truth_of(down == YES || k > from + 1));
        if (down == NO)
            claim_say(c, "d = %ld: S(%ld) = %s < S(%ld) = %s; ", width[a], k - 1, claim_digits(c, last, 15), k,
                claim_digits(c, next, 15));
    }
    const struct ball *top = sum(c, 64, 0);
    for (long k = 1; k <= most; k++)
        c->corrected = truth_and(c->corrected, claim_less(sum(c, 64, k), top));
    claim_say(c, "S(k) < S(0) at d = 64 for k = 1 .. %ld", most);
}

/* Compares sin w of the last pair with sin 10^-4.  As w lies in (0, 1], where the sine is one-to-one, equal sines are
 * equal frequencies. */
static void longest_period(struct claim *c)
{
    static const long width[] = { 4, 16, 512 };
    const struct ball *y[WIDEST];
    const char *spacing = claim_is(c, "spacing=shifted") ? "shifted" : "paper",
               *saved = claim_is(c, "saved=paper") ? "paper" : "shifted";
    char params[80];
    mpq_t base;
    mpq_init(base);
    mpq_set_si(base, 10000, 1);
    c->conditional = true;
    c->written = c->within = c->corrected = YES;
    for (int a = 0; a < 3; a++) {
        long d = width[a];
        const struct ball *want = b_sin(c->w, b_ratio(c->w, 1, 10000)), *factor = b_root(c->w, base, d - 2, d);
        snprintf(params, sizeof params, "dim=%ld spacing=%s", d, spacing);
        at(c, params, 1, d, y);
        c->written = truth_and(c->written, claim_same(y[d - 2], want));
        c->corrected = truth_and(c->corrected, claim_same(y[d - 2], b_sin(c->w, b_div(c->w, b_si(c->w, 1), factor))));
        snprintf(params, sizeof params, "dim=%ld spacing=%s", d, saved);
        at(c, params, 1, d, y);
        c->within = truth_and(c->within, claim_same(y[d - 2], want));
        claim_say(c, "%sD = %ld: longest period %s 2 pi", a ? "; " : "", d, claim_digits(c, factor, 12));
    }
    mpq_clear(base);
}

enum { D = 6 };
static const struct ball *form(struct claim *c, struct mat m, long t, long s) /* The score p_t m p_s^T. */
{
    double pos[] = { (double)t, (double)s };
    struct mat p = mat_table(c->w, "dim=6", pos, 2, D);
    return mat_mul(c->w, mat_mul(c->w, mat_row(p, 0), m), mat_t(mat_row(p, 1))).a[0];
}

static void direction(struct claim *c)
{
    struct mat one = mat_unit(c->w, D), some = claim_is(c, "projection=identity") ? one : mat_made(c, D, D, 7);
    long t = 70001, k = 17;
    const struct ball *ahead = form(c, some, t, t + k), *behind = form(c, some, t, t - k);
    c->conditional = true;
    c->written = claim_same(ahead, behind);
    c->within = claim_same(
        form(c, claim_is(c, "plain=projected") ? mat_made(c, D, D, 8) : one, t, t + k), form(c, one, t, t - k));
    c->corrected = truth_not(c->written);
    claim_say(c,
        "d = 6, a made-up 6x6 W = W_Q W_K^T, t = %ld, k = %ld: p_t W p_(t+k) = %s, p_t W p_(t-k) = %s; with W = 1 both "
        "are %s",
        t, k, claim_digits(c, ahead, 12), claim_digits(c, behind, 12), claim_digits(c, form(c, one, t, t + k), 12));
}

static void broken_distance(struct claim *c)
{
    struct mat one = mat_unit(c->w, D), some = claim_is(c, "projection=identity") ? one : mat_made(c, D, D, 9);
    const struct ball *here = form(c, some, 3, 20), *there = form(c, some, 70001, 70018);
    c->written = truth_not(claim_same(here, there));
    c->corrected = claim_same(form(c, one, 3, 20), form(c, one, 70001, 70018));
    claim_say(c, "d = 6, a made-up W, distance 17: %s at t = 3, %s at t = 70001; with W = 1 both are %s",
        claim_digits(c, here, 12), claim_digits(c, there, 12), claim_digits(c, form(c, one, 3, 20), 12));
}

/* <q, R_t> and <q, R_-t> differ by twice the part of the sines. */
static void signed_distance(struct claim *c)
{
    double pos[] = { 17, -17 };
    struct mat r = mat_table(c->w, "dim=6", pos, 2, D), q = mat_made(c, 1, D, 10), s = mat_mul(c->w, q, mat_t(r)),
               cosines = q;
    const struct ball *odd = b_si(c->w, 0);
    for (int k = 0; k < D; k += 2) {
        cosines.a[k] = claim_is(c, "dropped=cosines") ? q.a[k] : b_si(c->w, 0),
        cosines.a[k + 1] = claim_is(c, "dropped=cosines") ? b_si(c->w, 0) : q.a[k + 1];
        odd = b_add(c->w, odd, b_mul(c->w, q.a[k], mat_get(r, 0, k)));
    }
    struct mat even = mat_mul(c->w, cosines, mat_t(r));
    c->written =
        truth_not(claim_is(c, "query=cosines") ? claim_same(even.a[0], even.a[1]) : claim_same(s.a[0], s.a[1]));
    c->corrected =
        truth_and(claim_same(even.a[0], even.a[1]), claim_same(b_sub(c->w, s.a[0], s.a[1]), b_add(c->w, odd, odd)));
    claim_say(c, "d = 6, a made-up query, distance 17: %s ahead, %s behind", claim_digits(c, s.a[1], 12),
        claim_digits(c, s.a[0], 12));
}

/* Rows counted from 1 against those counted from 0 are other vectors with the same inner products, and each is M(1)
 * times the other's. */
static void first_position(struct claim *c)
{
    const char *other = claim_is(c, "origin=0") ? "dim=10" : "dim=10 origin=1";
    const struct ball *x[10], *y[10], *zero[10], *one[10];
    long t = 70001;
    c->conditional = true;
    c->written = c->corrected = YES;
    at(c, "dim=10", t, 10, x), at(c, other, t, 10, y), at(c, "dim=10", 0, 10, zero), at(c, "dim=10", 1, 10, one);
    for (int k = 0; k < 10; k += 2) {
        c->written = truth_and(c->written, truth_and(claim_same(x[k], y[k]), claim_same(x[k + 1], y[k + 1])));
        c->corrected = truth_and(
            c->corrected, claim_same(y[k], b_add(c->w, b_mul(c->w, one[k + 1], x[k]), b_mul(c->w, one[k], x[k + 1]))));
        c->corrected =
            truth_and(c->corrected, truth_of(!b_cmp(zero[k], b_si(c->w, 0)) && !b_cmp(zero[k + 1], b_si(c->w, 1))));
    }
    c->within = claim_same(inner(c, "dim=10", 10, t, t + 17), inner(c, other, 10, t, t + 17));
    claim_say(c,
        "p = 0 gives 0, 1, 0, 1, ... exactly; the first token's first entry is %s counted from 1; <p_t, p_(t+17)> is "
        "the same from either",
        claim_digits(c, one[0], 12));
}

/* No two rows are equal.  All pairs are asked at once, since |p_a - p_b|^2 = d - 2 S(a - b).  Where angles have few
 * bits (bfloat16), those of neighbours become one number. */
static void one_to_one(struct claim *c)
{
    enum { WIDTH = 16, LENGTH = 2048 };
    const struct ball *y[2][WIDTH];
    char text[40];
    struct law_ask l;
    long equal = 0, first = -1;
    c->written = YES;
    const struct ball *top = sum(c, WIDTH, 0);
    size_t mark = c->w->used;
    for (long t = 1; t <= LENGTH && c->written != NO; t++) {
        at(c, "dim=16", t - 1, WIDTH, y[0]), at(c, "dim=16", t, WIDTH, y[1]);
        enum truth alike = YES;
        for (int k = 0; k < WIDTH; k++)
            alike = truth_and(alike, claim_same(y[0][k], y[1][k]));
        c->written = truth_and(c->written, truth_and(truth_not(alike), claim_less(sum(c, WIDTH, t), top)));
        c->w->used = mark;
    }
    snprintf(text, sizeof text, "phase=%s", claim_is(c, "angle=f64") ? "f64" : "bf16");
    struct claim low = { .w = law_open(&l, text, 256) };
    for (long t = 1; t <= LENGTH; t++) {
        at(&low, "dim=16", t - 1, WIDTH, y[0]), at(&low, "dim=16", t, WIDTH, y[1]);
        bool alike = true;
        for (int k = 0; k < WIDTH; k++)
            alike &= claim_same(y[0][k], y[1][k]) == YES;
        equal += alike, first = alike && first < 0 ? t - 1 : first;
        low.w->used = 0;
    }
    law_close(&l, true);
    c->corrected = truth_of(equal > 0);
    claim_say(c,
        "d = 16: S(k) < S(0) for k = 1 .. %d, so no two of %d rows are equal; with angles in bfloat16 %ld neighbours "
        "are, first rows %ld and %ld",
        LENGTH, LENGTH, equal, first, first + 1);
}

static void odd_width(struct claim *c)
{
    long a = 70001, k = 17;
    const struct ball *here = inner(c, "dim=9 odd=drop", 9, 0, k), *there = inner(c, "dim=9 odd=drop", 9, a, a + k);
    enum truth even = claim_same(inner(c, "dim=10", 10, 0, k), inner(c, "dim=10", 10, a, a + k));
    c->written = claim_is(c, "width=odd") ? claim_same(here, there) : even;
    c->corrected = truth_and(truth_not(claim_same(here, there)), claim_same(inner(c, "dim=9 odd=zero", 9, 0, k),
        inner(c, "dim=9 odd=zero", 9, a, a + k)));
    claim_say(c, "d = 10: <p_0, p_17> = <p_70001, p_70018>; d = 9, last cosine dropped: <p_0, p_17> = %s, <p_70001, "
        "p_70018> = %s", claim_digits(c, here, 12), claim_digits(c, there, 12));
}

static void sum_of_cosines(struct claim *c)
{
    bool drop = claim_is(c, "width=odd");
    const char *params = drop ? "dim=9 odd=drop" : "dim=10";
    long d = drop ? 9 : 10, a = 70001, k = 17;
    const struct ball *y[5], *s = b_si(c->w, 0), *x = inner(c, params, d, a, a + k);
    law_row(c->w, row_named("rope"), "cos", "dim=10", NULL, (double)k, 5, y);
    for (int i = 0; i < 5; i++)
        s = b_add(c->w, s, y[i]);
    c->written = claim_same(x, s);
    c->corrected = truth_and(
        claim_same(inner(c, params, d, a, a - k), x), claim_same(inner(c, params, d, a, a), b_ratio(c->w, d, 2)));
    claim_say(c, "d = 10, t = %ld, k = %ld: both are %s", a, k, claim_digits(c, x, 20));
}

/* Positions counted anew in each segment of `length` tokens: position r of every segment has row r.  Counted as
 * distances from one query of the last segment, they differ. */
static void segments(struct claim *c)
{
    long length = claim_int(c, "length", 512), r = 3, query = 2 * length + 5;
    bool global = claim_is(c, "numbering=global");
    const struct ball *x[10], *y[10], *near[10], *far[10];
    c->written = YES, c->corrected = NO;
    at(c, "dim=10", r, 10, x), at(c, "dim=10", global ? length + r : r, 10, y);
    at(c, "dim=10", query - r, 10, far), at(c, "dim=10", query - length - r, 10, near);
    for (int k = 0; k < 10; k++) {
        c->written = truth_and(c->written, claim_same(x[k], y[k]));
        c->corrected = truth_not(truth_and(truth_not(c->corrected), claim_same(near[k], far[k])));
    }
    claim_say(c,
        "d = 10, segments of %ld: position %ld of both has the row %s, %s, ...; seen from position %ld their distances "
        "are %ld and %ld, rows %s, ... and %s, ...",
        length, r, claim_digits(c, x[0], 8), claim_digits(c, x[1], 8), query, query - r, query - length - r,
        claim_digits(c, far[0], 8), claim_digits(c, near[0], 8));
}

const struct erratum sinusoid_errata[] = {
    { "E2", falls, "most=3", "from=5" },
    { "E3", longest_period, "spacing=shifted", "saved=paper" },
    { "E6", direction, "projection=identity", "plain=projected" },
    { "E13", first_position, "origin=0", "phase=f32" },
    { "E14", one_to_one, "phase=bf16", "angle=f64" },
    { "E30", odd_width, "width=odd", "phase=f32" },
    { "E31", sum_of_cosines, "phase=f32", "width=odd" },
    { "E51", segments, "numbering=global", "length=0" },
    { "E53", broken_distance, "projection=identity", "phase=f32" },
    { "E62", signed_distance, "query=cosines", "dropped=cosines" },
    { 0 },
};

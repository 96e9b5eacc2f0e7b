/* What the headers of harness/compare promise, at the places where each promise ends: infinities, trivial outputs,
 * which lines are asked, and what the cache of answers keeps. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/answers.h"
#include "compare/compare.h"

static const double inf = (double)INFINITY, nan_ = (double)NAN;
static const struct arith exact = { .how = EXACT };

static void make(struct trial *t, const char *row, const char *params, const char *outs, int type, const char *sizes)
{
    char err[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, params, outs, type, sizes, 5 }, err, sizeof err), 0, "%s",
        err);
}
static void profile(struct trial *t, const char *words, struct arith *a)
{
    char err[400];
    cr_assert_geq(trial_profile(t, words, a, WIDEN, err, sizeof err), 0, "%s", err);
}

/* An infinite factor leaves an infinity with the sign of the other one, and that may need more bits: here x_1 is below
 * the mean of its line by 2^-64, while the sum at the first precision is too small by more.  The other infinity is
 * wrong. */
Test(compare_laws, the_sign_of_an_infinity_is_decided)
{
    static const double unit = 0x1p-61, x[] = { 4, 1, 0.4 * 0x1p-61, 0.4 * 0x1p-61, -0.6 * 0x1p-61 };
    struct trial t;
    struct tally y;
    struct arith wide;
    double sum = 0;
    make(&t, "layernorm", "", "y", MER_F32, "n=1 d=5");
    for (long i = 0; i < 5; i++)
        array_put(mer_find(t.in, t.call.n_in, "x"), i, x[i]), array_put(mer_find(t.in, t.call.n_in, "gain"), i, inf),
            array_put(mer_find(t.in, t.call.n_in, "shift"), i, 0), sum += i > 1 ? x[i] / unit : 0;
    cr_assert(sum > 0.1, "the mean is above 1");
    reference_run(&t, &exact);
    profile(&t, "scale=f32", &wide);
    for (long i = 0; i < 5; i++) {
        const double is = i == 0 ? inf : -inf;
        cr_expect_eq(array_get(&t.out[0], i), is, "%ld: %g", i, array_get(&t.out[0], i));
        for (int k = 0; k < 4; k++) {
            array_put(&t.out[0], i, (double[]){ is, -is, 0, nan_ }[k]);
            judge_outputs(&t, &wide, 0, &y);
            cr_expect(y.n == 5 && y.over == (k > 0) && y.correct == 5 - (k > 0), "%ld, %d: %ld over", i, k, y.over);
        }
        array_put(&t.out[0], i, is);
    }
    trial_close(&t);
}

/* Beyond the largest number of a format the infinity is the number that it rounds to, whatever the bound is. */
Test(compare_laws, an_infinity_that_a_number_rounds_to_is_right)
{
    static const struct { double x, rad, got; bool right; } list[] = { { 0x1p130, 0x1p90, inf, true },
        { -0x1p130, 0, -inf, true }, { 0x1p130, 0x1p90, -inf, false }, { 0x1p120, 0x1p90, inf, false },
        { 0x1.ffffffp127, 0, inf, true }, { 0x1.fffffefp127, 0, inf, false } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct ball x = { .rad = { 0, 0 } };
        struct tally y = { 0 };
        mpfr_init2(x.mid, 60), mpfr_set_d(x.mid, list[k].x, MPFR_RNDN);
        x.mag = up_of(x.mid);
        struct ball b = x;
        b.rad = up_d(list[k].rad);
        tally_add(&y, &x, &b, list[k].got, &formats[MER_F32], (long[MER_RANK]){ 0 }, 0, "y");
        cr_expect(y.over == !list[k].right && y.correct == list[k].right && (y.ratio == 0) == list[k].right, "%zu: %g",
            k, y.ratio);
        mpfr_clear(x.mid);
    }
}

/* The cost of n lines, of which those from `hard` on, `many` of them, are means of values that nearly cancel. */
static struct cost cost_of(long n, long hard, long many)
{
    struct trial t;
    struct tally y;
    char sizes[40];
    snprintf(sizes, sizeof sizes, "n=%ld d=3", n);
    make(&t, "layernorm", "affine=none", "mean", MER_F32, sizes);
    for (long i = 0; i < n; i++)
        for (long c = 0; c < 3; c++) {
            const bool cancels = i >= hard && i < hard + many;
            array_put(mer_find(t.in, t.call.n_in, "x"), 3 * i + c,
                cancels ? (double[]){ 1, 0x1p-149, -1 }[c] : (double)c + 1);
        }
    reference_run(&t, &exact);
    judge_outputs(&t, &exact, 0, &y);
    cr_expect(y.n == n && y.correct == n, "%ld of %ld", y.correct, y.n);
    /* The bounds under exact arithmetic are the same values once more. */
    cr_expect(y.cost.ns > y.bounds_ns / 20, "%g beside %g ns", y.cost.ns, y.bounds_ns);
    trial_close(&t);
    return y.cost;
}

/* Costs of lines are added up; the precision is that of the line which needed most, wherever it stands. */
Test(compare_laws, costs_are_those_of_all_lines)
{
    const struct cost one = cost_of(1, 0, 1), easy = cost_of(1, 0, 0);
    cr_assert(one.prec > easy.prec && one.retries > 0 && one.exact == 1 && easy.retries == 0 && easy.exact == 0);
    for (long hard = 0; hard <= 57; hard += 19) {
        const struct cost all = cost_of(60, hard, 3);
        cr_expect(all.prec == one.prec && all.retries == 3 * one.retries && all.exact == 3 && all.elements == 60 &&
            all.ties == 0, "from line %ld: %ld bits, %llu retries", hard, (long)all.prec,
            (unsigned long long)all.retries);
    }
}

/* A number halfway between two of the format that is made of no known numbers is an answer, and counted:
 * gelu(u) - gelu(-u) is u, here 1 + 2^-24. */
Test(compare_laws, ties_of_all_lines_are_counted)
{
    struct trial t;
    struct tally y;
    make(&t, "feedforward", "act=gelu", "y", MER_F32, "n=3 d=1 f=2");
    for (int k = 0; k < t.call.n_in; k++)
        for (long i = 0; i < array_len(&t.in[k]); i++) {
            const double one = strcmp(t.in[k].name, "x") && i % 2 ? -1 : 1;
            array_put(&t.in[k], i, !strcmp(t.in[k].name, "b1") ? one * 0x1p-24 : strcmp(t.in[k].name, "b2") ? one : 0);
        }
    reference_run(&t, &exact);
    judge_outputs(&t, &exact, 0, &y);
    cr_expect(y.cost.ties == 3 && y.n == 3 && !y.undecided, "%llu ties", (unsigned long long)y.cost.ties);
    trial_close(&t);
}

/* Where the number itself stays open, so does the verdict, although a contract has an answer: x_1 is the mean of its
 * line, which the sum in float32 misses, and so 0 times infinity is infinity there. */
Test(compare_laws, a_contract_is_no_verdict_on_a_number_that_is_open)
{
    static const double x[] = { 0x1p24, 1, 2 - 0x1p24 };
    struct trial t;
    struct tally y;
    struct arith contract;
    char err[400];
    make(&t, "layernorm", "affine=gain", "y", MER_F32, "n=1 d=3");
    for (long c = 0; c < 3; c++)
        array_put(mer_find(t.in, t.call.n_in, "x"), c, x[c]), array_put(mer_find(t.in, t.call.n_in, "gain"), c,
            c == 1 ? inf : 1);
    cr_assert_geq(trial_profile(&t, "mean=f32", &contract, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &contract);
    cr_expect_eq(array_get(&t.out[0], 1), inf);
    judge_outputs(&t, &contract, 0, &y);
    cr_expect(y.n == 0 && y.undecided == 1 && !tally_passes(&y), "%ld, %ld", y.n, y.undecided);
    trial_close(&t);
}

/* What is impossible is found again where bounds are kept. */
Test(compare_laws, an_impossible_profile_is_said_every_time)
{
    struct exact_answers *kept = answers_open_bounds();
    struct trial t;
    struct arith wide;
    struct tally y;
    make(&t, "attention", "", "o", MER_F32, "h=1 g=1 n=3 m=2 d=40 e=2");
    reference_run(&t, &exact);
    profile(&t, "dot=f32/h3", &wide);
    t.answers = kept;
    for (int k = 0; k < 3; k++) {
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(*y.impossible && !tally_passes(&y), "time %d: '%s'", k, y.impossible);
    }
    trial_close(&t), answers_close(kept);
}

/* Weights may be divided first on every route but those that know the total after the last value, whatever is asked. */
Test(compare_laws, weights_are_divided_first_where_the_total_is_known)
{
    static const struct { const char *route; bool may; } list[] = { { "two-passes", true }, { "exp2", true },
        { "online", false }, { "lazy", false } };
    for (int k = 0; k < 8; k++) {
        struct trial t;
        struct arith wide;
        struct tally y;
        char words[80];
        snprintf(words, sizeof words, "route=%s divide=first weight=bf16", list[k / 2].route);
        make(&t, "attention", words, k & 1 ? "dq" : "o", MER_F32, "h=1 g=1 n=2 m=3 d=2 e=2");
        reference_run(&t, &exact);
        profile(&t, words, &wide);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(list[k / 2].may ? tally_passes(&y) : *y.impossible, "%s: '%s'", words, y.impossible);
        trial_close(&t);
    }
}

/* Whole numbers are not rounded: 2^24 + 1 is no float. */
Test(compare_laws, whole_numbers_are_compared_whole)
{
    struct trial t;
    struct tally y;
    make(&t, "learned", "past=16777216", "row", MER_F32, "n=4");
    reference_run(&t, &exact);
    cr_assert_eq(array_get(&t.out[0], 1), 16777217);
    judge_outputs(&t, &exact, 0, &y);
    cr_expect(y.n == 4 && y.correct == 4 && !y.over && y.ulp == 0, "%ld of %ld", y.correct, y.n);
    trial_close(&t);
}

/* The witness is read with all axes behind the bar; of nothing there is none. */
Test(compare_laws, a_witness_is_sharpened_where_it_stands)
{
    struct trial t;
    struct tally y = { .n = 0, .digits = "as it was" };
    struct arith wide;
    make(&t, "feedforward", "", "dw2", MER_F32, "n=2 d=3 f=4");
    tally_sharpen(&t, &y);
    cr_expect_str_eq(y.digits, "as it was");
    reference_run(&t, &exact);
    profile(&t, "product=f32", &wide);
    for (long k = 0; k < 12; k++) {
        const double is = array_get(&t.out[0], k);
        array_put(&t.out[0], k, is + 1);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(y.over == 1 && y.k == k, "%ld: %ld over", k, y.over);
        *y.digits = 0, tally_sharpen(&t, &y);
        cr_expect(*y.digits && (float)strtod(y.digits, NULL) == (float)is, "%ld: %s, not %g", k, y.digits,
            is);
        array_put(&t.out[0], k, is);
    }
    trial_close(&t);
}

/* A witness that nearly cancels has 40 digits as well, which takes more bits than the digits of others. */
Test(compare_laws, a_witness_has_40_digits_however_small_it_is)
{
    struct trial t;
    struct tally y;
    make(&t, "layernorm", "affine=none", "mean", MER_F64, "n=1 d=3");
    for (long c = 0; c < 3; c++)
        array_put(mer_find(t.in, t.call.n_in, "x"), c, (double[]){ 1, 0x1p-149, -1 }[c]);
    reference_run(&t, &exact);
    array_put(&t.out[0], 0, 1);
    judge_outputs(&t, &exact, 0, &y);
    *y.digits = 0, tally_sharpen(&t, &y);
    /* 2^-149 / 3 */
    cr_expect_str_eq(y.digits, "4.670994881082723569745765277633053770934e-46");
    trial_close(&t);
}

/* The place of a line has the indices that its output has, and zeros. */
Test(compare_laws, a_place_has_no_indices_of_another_output)
{
    struct trial t;
    struct tally y;
    struct arith wide;
    make(&t, "layernorm", "", "y dgain", MER_F32, "n=3 d=4");
    reference_run(&t, &exact);
    profile(&t, "product=f32", &wide);
    struct mer_array *a = mer_find(t.out, t.call.n_out, "dgain");
    array_put(a, 2, array_get(a, 2) + 1);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect(y.over == 1 && !strcmp(y.out, "dgain") && y.at[0] == 0 && y.at[1] == 0 && y.k == 2, "%s[%ld,%ld|%ld]",
        y.out, y.at[0], y.at[1], y.k);
    trial_close(&t);
}

/* Arrays with strides are copied first; a question that cannot be copied stays open. */
Test(compare_laws, what_cannot_be_copied_is_undecided)
{
    struct trial t;
    struct tally y;
    make(&t, "layernorm", "affine=none", "mean", MER_F32, "n=4 d=3");
    reference_run(&t, &exact);
    struct mer_array *x = mer_find(t.in, t.call.n_in, "x");
    x->stride[0] = 1, x->stride[1] = 4;
    judge_outputs(&t, &exact, 0, &y);
    cr_expect(y.n == 4 && !y.undecided, "%ld, %ld", y.n, y.undecided);
    snprintf(t.text, sizeof t.text, "place=nowhere");
    judge_outputs(&t, &exact, 0, &y);
    cr_expect(y.n == 0 && y.undecided && !tally_passes(&y), "%ld, %ld", y.n, y.undecided);
    memset(x->stride, 0, sizeof x->stride), trial_close(&t);
}

/* Every line that stays open is counted: 0 times infinity is no number, and no bits make it one. */
Test(compare_laws, lines_that_stay_open_are_counted)
{
    for (long sharp = 0; sharp < 3; sharp++) {
        struct trial t;
        struct tally y;
        make(&t, "layernorm", "", "y", MER_F32, "n=3 d=3");
        for (long i = 0; i < 9; i++)
            array_put(mer_find(t.in, t.call.n_in, "x"), i, i % 3 == 1 && i / 3 == sharp ? 0.5 : (double)(i % 3 - 1));
        for (long c = 0; c < 3; c++)
            array_put(mer_find(t.in, t.call.n_in, "gain"), c, c == 1 ? inf : 1);
        reference_run(&t, &exact);
        judge_outputs(&t, &exact, 0, &y);
        cr_expect(y.undecided == 2 && y.n == 3 && y.lines == 3 && y.correct == 3 && !tally_passes(&y),
            "%ld: %ld are open, %ld of %ld right", sharp, y.undecided, y.correct, y.n);
        struct arith wide; /* A bound of a number that is not known is none. */
        profile(&t, "scale=f32", &wide);
        judge_outputs(&t, &wide, 0, &y);
        cr_expect(y.undecided == 2 && y.n == 3 && y.lines == 3 && !tally_passes(&y), "%ld: %ld are open", sharp,
            y.undecided);
        for (long i = 0; i < 9; i++)
            cr_expect_eq(isnan(array_get(&t.out[0], i)), i / 3 != sharp, "%ld: %g", i, array_get(&t.out[0], i));
        trial_close(&t);
    }
}

/* A trivial output is admitted where the ball holds it up to half a unit of its own: 0, 1, and an input, here the
 * least float16 (a subnormal number has the unit of all of them). */
Test(compare_laws, a_ball_admits_trivial_outputs_up_to_half_a_unit)
{
    /* Half a unit at 1 is 2^-11, and one of a subnormal number 2^-25. */
    static const struct { double mid, rad; int fits[3], wide[3], loose[3]; } list[] = {
        { 1, 0, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 1 + 0x1p-11, 0, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 1 + 0x1.00001p-11, 0, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 1 - 0x1p-11, 0, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 1 + 0x3p-11, 0x1p-10, { 0, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 1, 0x1p-5, { 0, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } },
        { 1, 1, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } },
        { 0, 0, { 1, 0, 0 }, { 1, 0, 0 }, { 0, 0, 0 } },
        { 0, 0x1p-14, { 1, 0, 1 }, { 1, 0, 1 }, { 0, 0, 1 } },
        { 0, 0x1p-13, { 1, 0, 1 }, { 1, 0, 1 }, { 1, 0, 1 } },
        { 0x1p-30, 0x1p-31, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 0x1p-24 + 0x1p-25, 0, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } },
        { 0x1p-24 + 0x1.1p-25, 0, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { 0, INFINITY, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } },
        { INFINITY, 0, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { INFINITY, INFINITY, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
        { NAN, 0, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
    };
    static const char *const names[] = { "0", "1", "x" };
    struct trial t;
    struct sign s;
    make(&t, "layernorm", "affine=none", "y", MER_F16, "n=1 d=1");
    sign_read(&s, row_quantity(t.row, "y")->sign);
    array_put(mer_find(t.in, t.call.n_in, "x"), 0, 0x1p-24);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct power p = { .used = 0 };
        struct ball b = { .rad = isinf(list[k].rad) ? up_inf() : up_d(list[k].rad) };
        mpfr_init2(b.mid, 53), mpfr_set_d(b.mid, list[k].mid, MPFR_RNDN);
        power_count(&p, &t, &s, &t.out[0], (long[MER_RANK]){ 0 }, 0, &b, &formats[MER_F16]);
        cr_expect_eq(p.used, 3);
        for (int j = 0; j < p.used; j++) {
            cr_expect(!strcmp(p.at[j].name, names[j]) && !strcmp(p.at[j].out, "y") && p.at[j].n == 1);
            cr_expect(p.at[j].fits == list[k].fits[j] && p.at[j].wide == list[k].wide[j] &&
                p.at[j].loose == list[k].loose[j], "%zu, %s: %ld %ld %ld", k, names[j], p.at[j].fits, p.at[j].wide,
                p.at[j].loose);
        }
        mpfr_clear(b.mid);
    }
    trial_close(&t);
}

/* A line reads the inputs of its own signature, and no others of the question. */
Test(compare_laws, inputs_of_other_outputs_are_not_read)
{
    for (int n = 1; n <= 3; n++) {
        struct trial t;
        struct sign s;
        double bytes;
        char err[400];
        cr_assert_eq(trial_size(&t, &(struct trial_spec){ "attention", "", "o", MER_F32,
            "h=2 g=2 n=64 m=1048576 d=8 e=8", 1 }, &bytes, err, sizeof err), 0, "%s", err);
        sign_read(&s, row_quantity(t.row, "o")->sign);
        s.n_in = n; /* q, k, v: of q a line reads 8 numbers, and of both others all. */
        const long reads = 8 + (n - 1) * (8L << 20), most = LINES_READ / reads;
        cr_expect_eq(lines_compared(&t, &s, 60, 64), most < 60 ? most : 60, "%d inputs: %ld", n,
            lines_compared(&t, &s, 60, 64));
        s.out.lead = 0; /* Where no axis leads, a line reads all of its inputs: of q twice 64 lines. */
        cr_expect_eq(lines_compared(&t, &s, 1L << 20, 1L << 21), LINES_READ / (1024 + (n - 1) * (16L << 20)),
            "%d inputs", n);
        trial_close(&t);
    }
}

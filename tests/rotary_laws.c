/* What rotary.h, remap.h and fourier.h promise: frequencies that are kept are those of their parameters, bounds hold
 * what a program rounds on its way, other forms of a number are offered wherever it is computed, and places and numbers
 * of frequencies stay where there is room for them. */
#include <criterion/criterion.h>
#include "law.h"
#include "page_line.h"
#include "rotary/rope_words.h"
#include "rotary/rotary.h"

static const struct arith plain = { .how = ROUND };

static void rotary_read(struct rotary *f, const char *text)
{
    char err[300] = "";
    *f = (struct rotary){ 0 };
    cr_assert_eq(params_read(params_of(rotary_params), f, text, err, sizeof err), 0, "%s: %s", text, err);
}
/* A frequency that is known is copied, which is one ball, and it is that of its own parameters. */
Test(rotary_laws, a_frequency_is_made_once_for_its_parameters)
{
    static const char *const texts[] = { "dim=64 scaling=yarn factor=4 trained=4096",
        "dim=64 scaling=yarn factor=4 trained=4096 beta_fast=64",
        "dim=64 scaling=yarn factor=4 trained=4096 beta_slow=2",
        "dim=64 scaling=yarn factor=4 trained=4096 truncate=off", "dim=64 scaling=yarn factor=5 trained=4096" };
    enum { TEXTS = sizeof texts / sizeof *texts, PAIR = 15 };
    struct ask all = { .arith = &plain };
    ask_reset(&all, 128);
    for (int k = 0; k < TEXTS; k++) {
        struct rotary f;
        struct ask own = { .arith = &plain };
        ask_reset(&own, 128);
        rotary_read(&f, texts[k]);
        const struct ball *first = frequency_of(&all, &f, PAIR);
        const size_t mark = all.used;
        const struct ball *again = frequency_of(&all, &f, PAIR), *alone = frequency_of(&own, &f, PAIR);
        cr_expect_eq(all.used, mark + 1, "%s: %zu balls of what is known", texts[k], all.used - mark);
        cr_expect(mpfr_equal_p(first->mid, alone->mid) && mpfr_equal_p(again->mid, alone->mid),
            "%s: %.17g, %.17g, %.17g", texts[k], b_value(first), b_value(again), b_value(alone));
        params_clear(params_of(rotary_params), &f), ask_clear(&own);
    }
    ask_clear(&all);
}


/* The law of llama3 between both its wavelengths, in the operations of a program that rounds each constant and each
 * result: a bound is no sharper than that. */
Test(rotary_laws, a_bound_of_a_blended_frequency_holds_every_rounding)
{
    struct rotary f;
    struct arith a;
    char err[300];
    struct ask w = { .arith = &a };
    cr_assert_eq(arith_read(&a, row_named("rope"), "freq=f16", WIDEN, err, sizeof err), 1, "%s", err);
    rotary_read(&f, "dim=2 scaling=llama3 factor=8 trained=16");
    ask_reset(&w, 128);
    const struct ball *x = frequency_plain(&w, &f, 0), *one = b_si(&w, 1), *L = b_si(&w, 16),
                      *turn = b_mul(&w, b_si(&w, 2), b_inner(&w, FREQ, b_pi(&w))),
                      *wave = b_step(&w, FREQ, b_div(&w, turn, x)),
                      *far = b_step(&w, FREQ, b_div(&w, x, b_si(&w, 8))),
                      *share = b_step(&w, FREQ, b_sub(&w, b_step(&w, FREQ, b_div(&w, L, wave)), one)),
                      *s = b_step(&w, FREQ, b_div(&w, share, b_si(&w, 3)));
    const struct ball *want = b_step(&w, FREQ,
        b_add(&w, b_step(&w, FREQ, b_mul(&w, b_step(&w, FREQ, b_sub(&w, one, s)), far)),
            b_step(&w, FREQ, b_mul(&w, s, x))));
    const struct ball *y = frequency_scale(&w, &f, 0, x);
    cr_expect(b_overlap(y, want) && b_value(y) > 0.125 && b_value(y) < 1, "%.17g, not %.17g", b_value(y),
        b_value(want));
    cr_expect(b_radius(y) >= b_radius(want) && b_radius(want) > 0, "%g is sharper than %g", b_radius(y),
        b_radius(want));
    params_clear(params_of(rotary_params), &f), ask_clear(&w);
}

/* Yarn's ramp between two numbers of turns that are the same is a step of 1/1000 of a pair: those below it keep their
 * frequency, those above it have it divided by the factor.  Where the ask does not tell whether both numbers are the
 * same, no pair is decided. */
Test(rotary_laws, a_ramp_without_width_is_a_step)
{
    static const char *const slow[] = { "4", "3.99999999999999999999999999999999999999999999999999" };
    for (int k = 0; k < 2; k++) {
        struct rotary f;
        char text[300];
        struct ask w = { .arith = &plain };
        snprintf(text, sizeof text, "dim=16 scaling=yarn factor=8 trained=4096 truncate=off beta_fast=4 beta_slow=%s",
            slow[k]);
        rotary_read(&f, text), ask_reset(&w, 128);
        for (long pair = 0; pair < 8; pair += 7) {
            w.undecided = false;
            const struct ball *x = frequency_plain(&w, &f, pair), *y = frequency_scale(&w, &f, pair, x),
                              *want = pair ? b_div(&w, x, b_si(&w, 8)) : x;
            cr_expect_eq(w.undecided, k == 1, "pair %ld, beta_slow=%s", pair, slow[k]);
            cr_expect(k == 1 || (b_overlap(y, want) && b_radius(y) < 0x1p-80), "pair %ld: %.17g +- %g, not %.17g", pair,
                b_value(y), b_radius(y), b_value(want));
        }
        params_clear(params_of(rotary_params), &f), ask_clear(&w);
    }
}

/* The amplitude is the one that is given, where it is 1, too; without it yarn's is that of the factor alone unless both
 * mscale and mscale_all_dim are given, and a factor of 1 has none. */
Test(rotary_laws, an_amplitude_is_given_or_that_of_the_law)
{
    static const struct { const char *text; bool one; double is; } list[] = { { "attention_factor=1", true, 1 },
        { "attention_factor=1/2", false, 0.5 }, { "attention_factor=2", false, 2 },
        { "mscale_all_dim=1", false, 1.1386294361119891 }, { "mscale=1", false, 1.1386294361119891 },
        { "mscale=2 mscale_all_dim=2", false, 1 }, { "factor=1", true, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct rotary f;
        char text[200];
        struct ask w = { .arith = &plain };
        snprintf(text, sizeof text, "dim=8 scaling=yarn trained=64 factor=4 %s", list[k].text);
        rotary_read(&f, text), ask_reset(&w, 128);
        const double is = b_value(amplitude_of(&w, &f));
        cr_expect(amplitude_is_one(&f) == list[k].one && is == list[k].is, "%s: %.17g", list[k].text, is);
        params_clear(params_of(rotary_params), &f), ask_clear(&w);
    }
}

/* On how many lines a power that is done differently changes the frequency of a pair under these parameters. */
static int lines_of_powers(const char *params)
{
    int lines = 0;
    struct rotary f;
    rotary_read(&f, params);
    for (int line = 1; line < 400; line++) {
        char words[80], err[300];
        struct arith a;
        struct ask own = { .arith = &plain }, w = { .arith = &a };
        snprintf(words, sizeof words, "edit=rotary/rotary.c:%d:pow:left", line);
        if (arith_read(&a, row_named("rope"), words, ROUND, err, sizeof err) < 0)
            continue;
        ask_reset(&own, 128), ask_reset(&w, 128);
        lines += !b_overlap(frequency_plain(&own, &f, 1), frequency_plain(&w, &f, 1));
        ask_clear(&own), ask_clear(&w);
    }
    params_clear(params_of(rotary_params), &f);
    return lines;
}
/* A frequency in one power is another form of it wherever the base is the one that is given. */
Test(rotary_laws, one_power_is_a_form_of_every_law_that_leaves_the_base)
{
    static const char *const same[] = { "dim=8 scaling=linear factor=2 trained=8 length=16",
        "dim=8 scaling=longrope factor=2 trained=8 length=16 short_factor=1,1,1,1 long_factor=2,2,2,2",
        "dim=8 scaling=dynamic factor=2 trained=8 length=8" };
    const int lines = lines_of_powers("dim=8");
    cr_expect_eq(lines, 2, "%d", lines);
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        cr_expect_eq(lines_of_powers(same[k]), lines, "%s: %d", same[k], lines_of_powers(same[k]));
}

/* Two laws change the base, and the others leave it as it is given, however long the text: dynamic scaling does up to
 * the trained length, and rounds nothing of it there.  No float16 is 10001. */
Test(rotary_laws, two_laws_change_the_base)
{
    static const struct { const char *words; bool same; } list[] = { { "scaling=linear factor=2", true },
        { "scaling=yarn factor=2 length=16", true }, { "scaling=llama3 factor=2 length=16", true },
        { "scaling=linear factor=2 length=16", true }, { "scaling=dynamic factor=2 length=16", false },
        { "scaling=dynamic factor=2 length=8", true }, { "scaling=ntk factor=2", false },
        { "scaling=ntk factor=2 length=16", false } };
    struct arith a;
    char err[300];
    cr_assert_geq(arith_read(&a, row_named("rope"), "rebase=f16", ROUND, err, sizeof err), 0, "%s", err);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct rotary f, given;
        char text[200];
        struct ask w = { .arith = &a };
        snprintf(text, sizeof text, "dim=8 base=10001 trained=8 %s", list[k].words);
        rotary_read(&f, text), rotary_read(&given, "dim=8 base=10001"), ask_reset(&w, 128);
        const struct ball *x = frequency_plain(&w, &f, 1), *y = frequency_plain(&w, &given, 1);
        cr_expect_eq(b_overlap(x, y), list[k].same, "%s: %.17g, %.17g", text, b_value(x), b_value(y));
        params_clear(params_of(rotary_params), &f), params_clear(params_of(rotary_params), &given), ask_clear(&w);
    }
}

/* The distance of a far pair in groups of that size; line > 0: with twice the whole number that is written there. */
static double grouped_distance(const char *group, int line)
{
    const double zeros[2 * 8] = { 0 };
    const struct given in[] = { { "q", zeros, 3, { 1, 1, 8 } }, { "k", zeros, 3, { 1, 2, 8 } } };
    char words[80], params[80], err[300];
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[1];
    snprintf(params, sizeof params, "division=true window=5 memory=9 group=%s", group);
    snprintf(words, sizeof words, "edit=selfextend.c:%d:whole:double", line);
    cr_assert_geq(arith_read(&l.a, row_named("selfextend"), line ? words : "", ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("selfextend"), "distance", params }, (struct givens){ in, 2 }, NULL, 1,
        y);
    const double x = b_value(y[0]);
    law_close(&l, true);
    return x;
}
/* A place is a number of parts of a position, of which a line of waves has room for fewer than 2^20: an edit that makes
 * them more leaves as many as there is room for. */
Test(rotary_laws, an_edit_of_the_parts_of_a_position_is_held_to_their_room)
{
    int met = 0;
    for (int line = 1; line < 80; line++)
        if (grouped_distance("3", line) != grouped_distance("3", 0)) {
            cr_expect(grouped_distance("1048575", line) == grouped_distance("1048575", 0), "line %d: %.17g, not %.17g",
                line, grouped_distance("1048575", line), grouped_distance("1048575", 0));
            met++;
        }
    cr_expect_eq(met, 1, "%d", met);
}

/* A vector that is turned by tables of its row stands at one position: to read positions backwards changes nothing,
 * and to read pairs backwards does. */
Test(rotary_laws, a_vector_is_turned_at_one_position)
{
    static const char *const rows[] = { "xpos", "rope2d", "mla" }, *const outs[] = { "y", "y", "lse" };
    static const char *const sizes[] = { "h=1 n=1 d=8", "h=1 n=1 d=8", "h=1 n=1 m=2 r=8" };
    for (int r = 0; r < 3; r++) {
        int met[2] = { 0, 0 };
        double first = 0;
        for (int line = 0; line < 150; line++)
            for (int axis = 0; axis < 2; axis++) {
                struct page_line x;
                char words[60];
                snprintf(words, sizeof words, "edit=rope.c:%d:index.%d:reverse", line, axis);
                line_open(&x, &(struct trial_spec){ rows[r], "", outs[r], MER_F32, sizes[r], 3 }, words, ROUND);
                line_ask(&x);
                first = line ? first : b_value(x.y[0]);
                met[axis] += b_value(x.y[0]) != first;
                line_close(&x);
            }
        cr_expect(met[0] == 0 && met[1] > 0, "%s: %d lines read other positions, %d other pairs", rows[r], met[0],
            met[1]);
    }
}

/* Tables are those of pairs, wherever the channels of a pair lie: of two pairs the first one stays, and the second one
 * makes a quarter of a turn. */
Test(rotary_laws, a_table_turns_its_own_pair)
{
    static const struct { bool interleaved; double y[4]; } list[] = { { false, { 1, -4, 3, 2 } },
        { true, { 1, 2, -4, 3 } } };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        mpq_t base;
        mpq_init(base), mpq_set_ui(base, 10000, 1);
        line_open(&x, &(struct trial_spec){ "xpos", "", "y", MER_F32, "h=1 n=1 d=4", 3 }, "", ROUND);
        for (long c = 0; c < 4; c++)
            array_put(trial_in(&x.t, "x"), c, (double)(1 + c));
        ask_reset(&x.w, PAGE_LINE_BITS);
        const struct ball *zero = b_si(&x.w, 0), *one = b_si(&x.w, 1), *t[] = { one, zero, zero, one };
        rope_turn(&x.w, (struct rope_words){ 4, base, list[k].interleaved }, false, t, x.y);
        for (int c = 0; c < 4; c++)
            cr_expect_eq(b_value(x.y[c]), list[k].y[c], "interleaved %d, channel %d: %g", k, c, b_value(x.y[c]));
        mpq_clear(base), line_close(&x);
    }
}

/* As many frequencies may be kept as there are, and no more. */
Test(rotary_laws, no_more_frequencies_are_kept_than_there_are)
{
    for (int keep = 1; keep <= 5; keep++) {
        char words[40], why[300] = "";
        snprintf(words, sizeof words, "dim=8 keep=%d", keep);
        const int rc = row_takes(row_named("fope"), words, why, sizeof why);
        cr_expect(keep <= 4 ? !rc : rc == -1 && strstr(why, "keep: more than dim/2 frequencies"), "%d: %s", keep, why);
    }
}

/* Where the ask does not tell on which side of one of both wavelengths a pair lies, the line is not decided: here 2 pi,
 * the wavelength of the first pair, is 16 / low_freq_factor, or 16 / high_freq_factor, to 50 digits. */
Test(rotary_laws, a_wavelength_at_either_end_of_a_blend_is_open)
{
    static const char close_to[] = "2.54647908947032537230214021396022979255135433184743035";
    for (int k = 0; k < 3; k++) {
        struct rotary f;
        char text[300];
        struct ask w = { .arith = &plain };
        snprintf(text, sizeof text, "dim=2 scaling=llama3 factor=8 trained=16 low_freq_factor=%s high_freq_factor=%s",
            k == 1 ? close_to : "1", k == 2 ? close_to : "4");
        rotary_read(&f, text), ask_reset(&w, 100);
        frequency_scale(&w, &f, 0, frequency_plain(&w, &f, 0));
        cr_expect_eq(w.undecided, k > 0, "%s", text);
        params_clear(params_of(rotary_params), &f), ask_clear(&w);
    }
}

/* With both factors equal the law of llama3 is a step: a bound that does not know on which side of it the wavelength
 * lies holds the frequency and its part, and nothing beyond them, and says nothing new of whether the line is decided.
 */
Test(rotary_laws, a_bound_at_the_step_of_a_law_holds_both_its_sides)
{
    struct rotary f;
    struct arith a;
    char err[300];
    cr_assert_eq(arith_read(&a, row_named("rope"), "freq=f16", WIDEN, err, sizeof err), 1, "%s", err);
    /* 16 / 2.5465 is 2 pi in the 11 bits of float16, and it is the longest and the shortest blended wavelength. */
    rotary_read(&f, "dim=2 scaling=llama3 factor=8 trained=16 low_freq_factor=2.5465 high_freq_factor=2.5465");
    for (int undecided = 0; undecided < 2; undecided++) {
        struct ask w = { .arith = &a };
        ask_reset(&w, 128);
        w.undecided = undecided;
        const struct ball *x = frequency_plain(&w, &f, 0), *y = frequency_scale(&w, &f, 0, x);
        cr_expect(b_overlap(y, b_si(&w, 1)) && b_overlap(y, b_ratio(&w, 1, 8)), "%g +- %g", b_value(y), b_radius(y));
        cr_expect(!b_overlap(y, b_si(&w, 2)), "%g +- %g", b_value(y), b_radius(y));
        cr_expect_eq(w.undecided, undecided);
        ask_clear(&w);
    }
    params_clear(params_of(rotary_params), &f);
}

/* The law's frequency of pair 1, read from those words, in that arithmetic. */
static double frequency_in(const char *text, const char *words)
{
    struct rotary f;
    struct arith a;
    char err[300];
    struct ask w = { .arith = &a };
    cr_assert_geq(arith_read(&a, row_named("rope"), words, ROUND, err, sizeof err), 0, "%s", err);
    rotary_read(&f, text), ask_reset(&w, 128);
    const double is = b_value(frequency_of(&w, &f, 1));
    params_clear(params_of(rotary_params), &f), ask_clear(&w);
    return is;
}
/* Up to the trained length, and at it, the short factors divide; beyond it the long ones do. */
Test(rotary_laws, the_trained_length_itself_has_the_short_factors)
{
    static const struct { long length; double by; } list[] = { { 15, 2 }, { 16, 2 }, { 17, 8 } };
    const double plainly = frequency_in("dim=4", "");
    for (int k = 0; k < 3; k++) {
        char text[160];
        snprintf(text, sizeof text,
            "dim=4 scaling=longrope factor=4 trained=16 length=%ld short_factor=1,2 long_factor=4,8", list[k].length);
        const double is = frequency_in(text, "");
        cr_expect(fabs(is * list[k].by / plainly - 1) < 1e-15, "length %ld: %.17g", list[k].length, is);
    }
}
/* A frequency that is divided by its factor is a number of the step's format. */
Test(rotary_laws, a_divided_frequency_is_rounded_at_its_step)
{
    static const char *const text[] = { "dim=4 scaling=linear factor=3",
        "dim=4 scaling=longrope factor=4 trained=16 length=16 short_factor=1,3 long_factor=1,3" };
    for (int k = 0; k < 2; k++) {
        int e;
        const double is = frequency_in(text[k], "freq=bf16");
        const double part = frexp(is, &e);
        cr_expect_eq(rint(ldexp(part, 8)), ldexp(part, 8), "%s: %.17g", text[k], is);
    }
}

/* Exactly, an angle by repeated multiplication is that by powers, and the law scales it once. */
Test(rotary_laws, exactly_both_routes_to_an_angle_are_the_same)
{
    static const char *const law[] = { "dim=8", "dim=8 scaling=linear factor=4" };
    for (int k = 0; k < 2; k++) {
        struct page_line x[2];
        for (int iterated = 0; iterated < 2; iterated++) {
            char text[80];
            snprintf(text, sizeof text, "%s route=%s", law[k], iterated ? "iterated" : "powers");
            line_open(&x[iterated], &(struct trial_spec){ "rope", text, "angle", MER_F64, "n=1", 5 }, "", EXACT);
            array_put(trial_in(&x[iterated].t, "pos"), 0, 1000);
            line_ask(&x[iterated]);
        }
        for (int p = 0; p < 4; p++)
            cr_expect(b_overlap(x[0].y[p], x[1].y[p]) && b_value(x[0].y[p]) > 0.1, "%s, pair %d: %g, %g", law[k], p,
                b_value(x[0].y[p]), b_value(x[1].y[p]));
        line_close(&x[0]), line_close(&x[1]);
    }
}

/* A factor that the format of the step does not hold is rounded before the base is changed by it. */
Test(rotary_laws, the_factor_that_changes_the_base_is_rounded_to_its_step)
{
    static const char *const factors[] = { "9/8", "11/10" }; /* bfloat16 holds the first */
    double off[2];
    for (int k = 0; k < 2; k++) {
        struct arith a;
        struct rotary f;
        char text[100], err[300];
        struct ask w = { .arith = &a };
        cr_assert_geq(arith_read(&a, row_named("rope"), "rebase=bf16", WIDEN, err, sizeof err), 0, "%s", err);
        snprintf(text, sizeof text, "dim=8 base=256 scaling=ntk factor=%s", factors[k]);
        rotary_read(&f, text), ask_reset(&w, 128);
        const struct ball *x = frequency_plain(&w, &f, 1);
        off[k] = b_radius(x) / b_value(x);
        params_clear(params_of(rotary_params), &f), ask_clear(&w);
    }
    cr_expect(off[1] > 1.2 * off[0], "%g of a factor that is rounded, %g of one that is not", off[1], off[0]);
}

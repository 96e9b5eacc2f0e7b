/* What state.h, column.h and token.h promise of recurrences: distances are bounded by the smaller of two ways, a token
 * leaves no balls, both arithmetics agree on gradients, and what a call does not hold is not read. */
#include "told.h"
#include "given_ball.h"
#include "law.h"
#include "state/column.h"
#include "state/duality.h"
#include "state/duality_grad.h"
#include "state/turned.h"

static const struct arith exact = { .how = EXACT }, plain = { .how = ROUND };
static double size_of(struct up x) { return ldexp(x.m, (int)x.e); }

/* Entries that are up to 3 and 4 away are together 5 away; and each decays by its own channel, as the norm does, which
 * is no larger than what the entries allow. */
Test(recurrence_laws, a_distance_is_the_smaller_of_two_bounds)
{
    const struct state_rule r = { .d = 2, .e = 1, .gated = true, .channels = true };
    struct ask w = { .arith = &exact };
    struct meeting m;
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    for (long i = 0; i < 2; i++)
        column_set(&w, c, i, given_ball(&w, 1, (double)(3 + i)));
    column_begun(c, 2), meeting_room(&m, &r);
    cr_expect(size_of(c->norm) >= 5 && size_of(c->norm) < 5.001, "%g", size_of(c->norm));
    const struct ball *y[] = { b_si(&w, 1), b_si(&w, 0) };
    const double read = b_radius(column_read(&w, &r, c, DOT, y, up_d(1)));
    cr_expect(read >= 3 && read < 3.001, "%g", read);
    m.t.a[0] = b_ratio(&w, 1, 1024), m.t.a[1] = b_si(&w, 1), m.a = up_d(1);
    column_decay(&w, &r, c, &m);
    const double near = b_radius(column_entry(&w, c, 0)), far = b_radius(column_entry(&w, c, 1));
    cr_expect(near >= 0x3p-10 && near < 0x3.01p-10 && far >= 4 && far < 4.001, "%g, %g", near, far);
    cr_expect(size_of(c->norm) >= 4 && size_of(c->norm) < 4.001, "%g", size_of(c->norm));
    meeting_free(&m), columns_free(c), ask_clear(&w);
}

/* An entry that may have overflowed makes no number, and be it multiplied by 0. */
Test(recurrence_laws, no_distance_is_too_far_for_zero)
{
    const struct state_rule r = { .d = 1, .e = 1 };
    struct ask w = { .arith = &exact };
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    const struct ball *zero = b_si(&w, 0);
    column_set(&w, c, 0, given_ball(&w, 1, INFINITY)), column_begun(c, 1);
    cr_expect(isinf(b_radius(column_read(&w, &r, c, DOT, &zero, up_d(0)))));
    columns_free(c), ask_clear(&w);
}

/* The delta rule takes from one entry what another one is off: of (x_0, x_1), where x_0 may be 100 away, k = (3/5, 4/5)
 * and beta = 1, x_1 becomes up to 100 (3/5) (4/5) = 48 away, and x_0, whose own part of it is 36, no more than the norm
 * says, which no such map makes larger. */
Test(recurrence_laws, a_correction_carries_the_distance_of_one_entry_to_others)
{
    const struct state_rule r = { .d = 2, .e = 1, .delta = true };
    struct ask w = { .arith = &exact };
    struct meeting m;
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    for (long i = 0; i < 2; i++)
        column_set(&w, c, i, given_ball(&w, 1, i ? 0 : 100));
    column_begun(c, 2), meeting_room(&m, &r);
    m.t.k[0] = b_ratio(&w, 3, 5), m.t.k[1] = b_ratio(&w, 4, 5), m.t.beta = b_si(&w, 1);
    m.k = m.factor = up_d(1);
    column_correct(&w, &r, c, &m, NULL);
    const double own = b_radius(column_entry(&w, c, 0)), other = b_radius(column_entry(&w, c, 1));
    cr_expect(own >= 64 && own < 100.001, "%g", own);
    cr_expect(other >= 48 && other < 48.001, "%g", other);
    meeting_free(&m), columns_free(c), ask_clear(&w);
}

/* Numbers that are larger than their centres lose more where they are added up: an implementation that holds 1024 and
 * 1027 where the centres are 0 has 2052 of them in float16. */
Test(recurrence_laws, a_sum_loses_what_numbers_at_their_distances_lose)
{
    const struct state_rule r = { .d = 2, .e = 1 };
    struct arith a;
    char err[300];
    struct ask w = { .arith = &a };
    cr_assert_geq(arith_read(&a, row_named("linear"), "dot=f16", WIDEN, err, sizeof err), 0, "%s", err);
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    for (long i = 0; i < 2; i++)
        column_set(&w, c, i, given_ball(&w, 0, i ? 1027 : 1024));
    column_begun(c, 2);
    const struct ball *y[] = { b_si(&w, 1), b_si(&w, 1) };
    const double read = b_radius(column_read(&w, &r, c, DOT, y, up_d(1.5)));
    cr_expect(read >= 2052 && read < 2060, "%.17g", read);
    columns_free(c), ask_clear(&w);
}

/* So does an entry that decays: twice what may be 1025.5 is 2052 in float16, where the centre is 0, and it is a number
 * of that format.  What is exactly there, and whose product the format holds, loses nothing. */
Test(recurrence_laws, a_product_loses_what_a_number_at_its_distance_loses)
{
    const struct state_rule r = { .d = 1, .e = 1, .gated = true, .decay = DECAY };
    struct arith a;
    char err[300];
    struct ask w = { .arith = &a };
    struct meeting m;
    cr_assert_geq(arith_read(&a, row_named("gateddelta"), "decay=f16", WIDEN, err, sizeof err), 0, "%s", err);
    for (int exactly = 0; exactly < 2; exactly++) {
        ask_reset(&w, 64);
        struct state_column *c = columns_of(&r);
        column_set(&w, c, 0, given_ball(&w, exactly ? 3 : 0, exactly ? 0 : 1025.5)), column_begun(c, 1);
        meeting_room(&m, &r), m.t.a[0] = b_si(&w, 2), m.a = up_d(2);
        column_decay(&w, &r, c, &m);
        const double off = b_radius(column_entry(&w, c, 0));
        cr_expect(exactly ? off == 0 : off >= 2052 && off < 2060, "%.17g", off);
        cr_expect(b_value(c->x[0]) == 6 * exactly && b_is(c->x[0]) && b_is(c->x[0]) == b_format(&w, DECAY));
        meeting_free(&m), columns_free(c);
    }
    ask_clear(&w);
}

/* A token whose query is (3/64, 4/64), or 3/64 alone, whose key is 1/2 in its last entry, and whose decay and strength
 * the test says. */
static long quarters_of_a, quarters_of_beta;
static void met_token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    (void)h, (void)t;
    for (long i = 0; i < r->d; i++)
        x->q[i] = b_ratio(w, 3 + i, 64), x->k[i] = b_ratio(w, i + 1 == r->d, 2), x->v[0] = b_si(w, 1);
    x->a[0] = b_ratio(w, quarters_of_a, 4), x->beta = b_ratio(w, quarters_of_beta, 4);
}
/* What a token makes of a distance is no less than the largest eigenvalue of its map, and no more: those of I - beta k
 * k^T are 1 (where d > 1) and 1 - beta |k|^2, and those of a I - beta k k^T, where the decay follows the correction,
 * are a and a - beta |k|^2. */
Test(recurrence_laws, the_factor_of_a_token_is_its_largest_eigenvalue)
{
    static const struct { bool late; long d, a, beta; double factor; } list[] = { { false, 2, 1, 4, 1 },
        { false, 2, 1, 48, 2 }, { false, 1, 1, 12, 0.25 }, { true, 2, 1, 4, 0.25 }, { true, 2, 12, 4, 3 },
        { true, 1, 2, 16, 0.5 }, { true, 2, 1, 16, 0.75 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct state_rule r = { .d = list[k].d, .e = 1, .gated = true, .delta = true,
            .correct_first = list[k].late, .token = met_token };
        struct ask w = { .arith = &exact };
        struct meeting m;
        ask_reset(&w, 64), meeting_room(&m, &r);
        quarters_of_a = 40, quarters_of_beta = 40;
        meeting_make(&w, &m, &r, 0, 0); /* Of a token that was met before nothing stays. */
        quarters_of_a = list[k].a, quarters_of_beta = list[k].beta;
        meeting_make(&w, &m, &r, 0, 1);
        cr_expect(size_of(m.factor) >= list[k].factor && size_of(m.factor) < 1.001 * list[k].factor,
            "number %zu: %g, not %g", k, size_of(m.factor), list[k].factor);
        const double a = (double)list[k].a / 4, q = list[k].d == 2 ? 5.0 / 64 : 3.0 / 64;
        cr_expect(size_of(m.a) >= a && size_of(m.a) < 1.001 * a, "number %zu: a decay of %g", k, size_of(m.a));
        cr_expect(size_of(m.q) >= q && size_of(m.q) < 1.001 * q, "number %zu: a query of %g", k, size_of(m.q));
        cr_expect(size_of(m.k) >= 0.5 && size_of(m.k) < 0.501, "number %zu: a key of %g", k, size_of(m.k));
        meeting_free(&m), ask_clear(&w);
    }
}

/* A token whose channels decay by one quarter more each, or less: the largest decay is the last one's, or the first
 * one's. */
static bool falling;
static void fading_token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    (void)h, (void)t;
    for (long i = 0; i < r->d; i++)
        x->q[i] = x->k[i] = b_si(w, 0), x->a[i] = b_ratio(w, falling ? r->d - i : i + 1, 4);
    x->v[0] = b_si(w, 1);
}
Test(recurrence_laws, the_decay_of_a_token_is_that_of_its_slowest_channel)
{
    for (int k = 0; k < 2; k++) {
        const struct state_rule r = { .d = 3, .e = 1, .gated = true, .channels = true, .token = fading_token };
        struct ask w = { .arith = &exact };
        struct meeting m;
        ask_reset(&w, 64), meeting_room(&m, &r);
        falling = k, meeting_make(&w, &m, &r, 0, 0);
        cr_expect(size_of(m.a) >= 0.75 && size_of(m.a) < 0.751, "%g", size_of(m.a));
        meeting_free(&m), ask_clear(&w);
    }
}

/* A number is kept with all its bits, whatever stood in its place. */
Test(recurrence_laws, a_place_of_a_shelf_takes_numbers_of_any_precision)
{
    static const mpfr_prec_t bits[] = { 64, 256, 80 };
    struct ask w = { .arith = &exact };
    struct shelf s = shelf_of(&w, 1);
    for (size_t k = 0; k < sizeof bits / sizeof *bits; k++) {
        ask_reset(&w, bits[k]);
        const struct ball *x = b_ratio(&w, 1, 3), *kept = shelf_put(&w, &s, 0, x);
        cr_expect(kept != x && mpfr_equal_p(kept->mid, x->mid), "%ld bits", (long)bits[k]);
    }
    shelf_free(&s), ask_clear(&w);
}

/* What a step has rounded is a number of its format. */
Test(recurrence_laws, a_sum_that_is_read_is_a_number_of_its_format)
{
    const struct state_rule r = { .d = 2, .e = 1 };
    struct arith a;
    char err[300];
    struct ask w = { .arith = &a };
    cr_assert_geq(arith_read(&a, row_named("linear"), "dot=f32", WIDEN, err, sizeof err), 0, "%s", err);
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    for (long i = 0; i < 2; i++)
        column_set(&w, c, i, given_ball(&w, 1, 0));
    column_begun(c, 2);
    const struct ball *y[] = { b_si(&w, 1), b_si(&w, 3) }, *sum = column_read(&w, &r, c, DOT, y, up_d(4));
    cr_expect(b_is(sum) && b_is(sum) == b_format(&w, DOT));
    columns_free(c), ask_clear(&w);
}

/* A rule of n tokens, of small numbers that differ, and its call, which holds do alone. */
enum { MOST = 6, WIDE = 2 };
static double do_in[MOST][WIDE];
static struct mer_array given[] = { { "do", MER_F64, 3, { 1, MOST, WIDE }, do_in, { 0 } } };
static const struct mer_call call = { .n_in = 1, .in = given, .params = "" };
static void token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    for (long i = 0; i < WIDE; i++)
        x->q[i] = b_ratio(w, 3 * t - i, 8), x->k[i] = b_ratio(w, 2 * i - t, 4), x->v[i] = b_ratio(w, h + t + i, 2);
    if (r->delta)
        x->beta = b_ratio(w, 1 + t, 8);
    for (long i = 0; i < WIDE; i++)
        do_in[t][i] = (double)(1 + 2 * t - i);
}
static struct state_rule rule_of(long n, bool delta, bool at_end)
{
    return (struct state_rule){ .n = n, .d = WIDE, .e = WIDE, .delta = delta, .at_end = at_end, .token = token };
}
static struct ask asker(bool numbers)
{
    struct ask w = { .arith = numbers ? &plain : &exact, .call = &call, .exact = !numbers };
    return ask_reset(&w, 128), w;
}

/* The balls that a head takes for its last state alone, or for the gradient of its first state. */
static size_t balls_of(const struct state_rule *r, bool back)
{
    struct ask w = asker(true);
    const struct ball *y[WIDE * WIDE];
    if (back)
        state_backward(&w, r, 0, &(struct state_grads){ .state = y });
    else
        state_forward(&w, r, 0, NULL, y);
    const size_t used = w.used;
    return ask_clear(&w), used;
}
Test(recurrence_laws, a_token_gives_its_balls_back)
{
    for (int how = 0; how < 8; how++) {
        const struct state_rule few = rule_of(2, how & 1, how & 2), many = rule_of(MOST, how & 1, how & 2);
        cr_expect_eq(balls_of(&many, how & 4), balls_of(&few, how & 4), "%d: %zu balls of %d tokens, %zu of 2", how,
            balls_of(&many, how & 4), MOST, balls_of(&few, how & 4));
    }
}

/* Without tokens a head has no more balls than its first state, the gradient by its last one and the answer have
 * entries. */
Test(recurrence_laws, a_state_takes_a_ball_an_entry)
{
    const struct state_rule none = rule_of(0, true, false);
    cr_expect_leq(balls_of(&none, true), 3 * WIDE * WIDE, "%zu", balls_of(&none, true));
}

/* On the exact path, where every ball stays, the last state costs none of what tokens read. */
Test(recurrence_laws, a_last_state_alone_reads_nothing)
{
    const struct state_rule r = rule_of(3, false, false);
    size_t used[2];
    for (int k = 0; k < 2; k++) {
        const struct ball *y[MOST * WIDE];
        struct ask w = asker(false);
        state_forward(&w, &r, 0, k ? y : NULL, k ? NULL : y);
        used[k] = w.used, ask_clear(&w);
    }
    cr_expect_leq(used[0] + 3 * WIDE, used[1], "%zu, and %zu with outputs", used[0], used[1]);
}

/* The same gradients with and without the exact path. */
Test(recurrence_laws, gradients_are_the_same_on_both_paths)
{
    for (int how = 0; how < 4; how++) {
        const struct state_rule r = rule_of(3, how & 1, how & 2);
        struct ask w[2] = { asker(false), asker(true) };
        const struct ball *y[2][3][3 * WIDE];
        for (int k = 0; k < 2; k++)
            state_backward(&w[k], &r, 0, &(struct state_grads){ .q = y[k][0], .k = y[k][1], .v = y[k][2] });
        for (int k = 0; k < 3 * 3 * WIDE; k++) {
            const struct ball *x = y[0][k / (3 * WIDE)][k % (3 * WIDE)], *z = y[1][k / (3 * WIDE)][k % (3 * WIDE)];
            cr_expect_eq(b_value(x), b_value(z), "%d, %d: %g, %g", how, k, b_value(x), b_value(z));
        }
        ask_clear(&w[0]), ask_clear(&w[1]);
    }
}

/* Without a norm the gradient by a row is that by its unit vector. */
Test(recurrence_laws, no_norm_hands_its_gradient_on)
{
    struct ask w = asker(true);
    mpq_t eps;
    mpq_init(eps);
    const struct ball *up[] = { b_si(&w, 3), b_si(&w, 5) }, *y[WIDE];
    do_in[0][0] = 2, do_in[0][1] = 7;
    token_unit_back(&w, "do", 0, 0, (struct token_norm){ NORM_NONE, eps }, up, y);
    cr_expect(b_value(y[0]) == 3 && b_value(y[1]) == 5, "%g, %g", b_value(y[0]), b_value(y[1]));
    mpq_clear(eps), ask_clear(&w);
}

/* A row that is shorter than eps is divided by eps, whatever it is, and so is its gradient. */
Test(recurrence_laws, the_gradient_of_a_short_row_is_divided_by_eps)
{
    struct ask w = asker(true);
    mpq_t eps;
    mpq_init(eps), mpq_set_ui(eps, 64, 1);
    const struct ball *up[] = { b_si(&w, 3), b_si(&w, 5) }, *y[WIDE];
    do_in[0][0] = 2, do_in[0][1] = 7;
    token_unit_back(&w, "do", 0, 0, (struct token_norm){ NORM_MAX, eps }, up, y);
    cr_expect(b_value(y[0]) == 3.0 / 64 && b_value(y[1]) == 5.0 / 64, "%g, %g", b_value(y[0]), b_value(y[1]));
    mpq_clear(eps), ask_clear(&w);
}

/* The frequencies base^(-i / (d/2 - 1)) of a single pair are that of i = 0, which is 1. */
Test(recurrence_laws, a_single_pair_turns_by_its_position)
{
    struct ask w = { .arith = &exact };
    mpq_t base;
    mpq_init(base), mpq_set_ui(base, 10000, 1);
    ask_reset(&w, 128);
    const struct turned how = { .base = base, .spread = true };
    const struct ball *x[] = { b_si(&w, 1), b_si(&w, 0) }, *y[2];
    turned_line(&w, &how, 3, true, false, 2, x, y);
    cr_expect(b_overlap(y[0], b_cos(&w, b_si(&w, 3))) && b_overlap(y[1], b_sin(&w, b_si(&w, 3))), "%g, %g",
        b_value(y[0]), b_value(y[1]));
    cr_expect(b_radius(y[0]) < 1e-30 && b_radius(y[1]) < 1e-30);
    mpq_clear(base), ask_clear(&w);
}

static double of_one(const char *row, const char *out, const char *params, struct givens in, const char *profile)
{
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[1];
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named(row), profile, ROUND, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named(row), out, params }, in, NULL, 1, y);
    const double x = b_value(y[0]);
    return law_close(&l, true), x;
}
/* Without beta and a it is linear attention; and what has no gate has no gradient of a gate. */
Test(recurrence_laws, what_a_call_does_not_hold_is_not_read)
{
    const double q = 3, k = 5, v = 7, up = 2;
    const struct given in[] = { { "q", &q, 3, { 1, 1, 1 } }, { "k", &k, 3, { 1, 1, 1 } }, { "v", &v, 3, { 1, 1, 1 } },
        { "do", &up, 3, { 1, 1, 1 } } };
    cr_expect_eq(of_one("gateddelta", "o", "l2norm=none", (struct givens){ in, 3 }, ""), 105);
    cr_expect_eq(of_one("gateddelta", "dq", "l2norm=none", (struct givens){ in, 4 }, ""), 70);
    cr_expect_eq(of_one("gateddelta", "dk", "l2norm=none", (struct givens){ in, 4 }, ""), 42);
    cr_expect_eq(of_one("gateddelta", "ddt_bias", "l2norm=none", (struct givens){ in, 4 }, ""), 0);
    cr_expect_eq(of_one("gateddelta", "dA_log", "l2norm=none", (struct givens){ in, 4 }, ""), 0);
    cr_expect_eq(of_one("gateddelta", "dA_log", "l2norm=none gate=softplus", (struct givens){ in, 4 }, ""), 0);
    cr_expect_eq(of_one("gateddelta", "dq", "l2norm=none strength=sigmoid", (struct givens){ in, 4 }, ""), 70);
}

/* Under the fault "overwritten" the last term of a gradient's sum is all of it. */
Test(recurrence_laws, the_last_term_of_state_space_duality_overwrites)
{
    const double x[] = { 1, 2 }, dt[] = { 1, 1 }, A = 0, B[] = { 1, 1 }, D = 1, dy[] = { 3, 5 };
    const struct given in[] = { { "x", x, 3, { 1, 2, 1 } }, { "dt", dt, 2, { 1, 2 } }, { "A", &A, 1, { 1 } },
        { "B", B, 3, { 1, 2, 1 } }, { "C", B, 3, { 1, 2, 1 } }, { "D", &D, 1, { 1 } }, { "dy", dy, 3, { 1, 2, 1 } } };
    cr_expect_eq(of_one("ssd", "dD", "", (struct givens){ in, 7 }, ""), 13);
    cr_expect_eq(of_one("ssd", "dD", "", (struct givens){ in, 7 }, "fault=overwritten"), 10);
}

Test(recurrence_laws, gradients_of_state_space_duality_are_derivatives)
{
    const struct row *r = row_named("ssd");
    int asked = 0;
    for (const struct quantity *q = r->q; q->sign; q++) {
        struct adjoint a;
        if (adjoint_of(r, q, &a))
            asked += is_derivative(r, q, "", "y", "h=2 g=1 n=1 d=1 e=1 D dt_bias z state");
    }
    cr_expect_geq(asked, 3, "%d", asked);
}

/* Gradients stand behind one another from 0 on, as many as they are together; and what a call does not hold has 0. */
Test(recurrence_laws, gradients_of_state_space_duality_stand_behind_one_another)
{
    enum { H = 2, G = 1, N = 3, D = 2, E = 2, ALL = 2 * H * N * E + H * N + 3 * H + 2 * G * N * D + H * D * E };
    struct trial t;
    char err[400];
    long place[DUALITY_END];
    const struct ball *y[ALL + 1] = { NULL };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "ssd", "", "dx", MER_F32, "h=2 g=1 n=3 d=2 e=2", 5 }, err,
        sizeof err), 0, "%s", err);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact };
    ask_reset(&w, 128);
    const long all = duality_places(&w, place);
    cr_expect(all == ALL && place[DUALITY_DX] == 0 && place[DUALITY_DDT] == H * N * E, "%ld from %ld", all,
        place[DUALITY_DX]);
    cr_assert_leq(all, ALL + 1);
    duality_gradients(&w, y);
    for (long k = place[DUALITY_DZ]; k < place[DUALITY_DSTATE]; k++)
        cr_expect(y[k] && mpfr_zero_p(y[k]->mid) && y[k]->rad.m == 0, "dz, number %ld", k - place[DUALITY_DZ]);
    ask_clear(&w), trial_close(&t);
}

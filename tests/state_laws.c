/* What state.h promises of columns and of gradients: distances decay as their entries do, a step that is done
 * differently is so behind the first token, too, a factor that is a power of two rounds nothing, and the ask stays what
 * it was. */
#include "told.h"
#include "given_ball.h"
#include "law.h"
#include "page_line.h"
#include "state/column.h"
#include "state/delta.h"

/* Where the decay is part of the delta rule's map, each entry's distance is its own, decayed by its own channel. */
Test(state_laws, a_distance_decays_with_its_channel)
{
    static const struct arith exact = { .how = EXACT };
    const struct state_rule r = { .d = 2, .e = 1, .gated = true, .channels = true, .delta = true,
        .correct_first = true };
    struct ask w = { .arith = &exact };
    struct meeting m;
    ask_reset(&w, 64);
    struct state_column *c = columns_of(&r);
    for (long i = 0; i < 2; i++)
        column_set(&w, c, i, given_ball(&w, 3, 1));
    column_begun(c, 2), meeting_room(&m, &r);
    m.t.a[0] = b_si(&w, 1), m.t.a[1] = b_ratio(&w, 1, 1024);
    m.t.k[0] = m.t.k[1] = b_si(&w, 0), m.t.beta = b_si(&w, 1);
    m.k = m.q = (struct up){ 0, 0 }, m.a = m.factor = up_d(1);
    column_correct(&w, &r, c, &m, NULL);
    cr_expect(b_value(c->x[0]) == 3 && b_value(c->x[1]) == 3.0 / 1024);
    cr_expect(b_radius(column_entry(&w, c, 0)) >= 1, "%g", b_radius(column_entry(&w, c, 0)));
    const double near = b_radius(column_entry(&w, c, 1));
    cr_expect(near >= 0x1p-10 && near < 0x1p-9, "%g", near);
    meeting_free(&m), columns_free(c), ask_clear(&w);
}

/* The last state under these words, as bounds or as numbers. */
static const struct ball *final_state(
    struct ask *w, struct arith *a, const struct trial *t, const char *words, enum how how)
{
    char err[300];
    const struct ball *y[2];
    cr_assert_geq(arith_read(a, t->row, words, how, err, sizeof err), 0, "%s: %s", words, err);
    *w = (struct ask){ .arith = a, .params = t->params, .call = &t->call, .at = { 0, 1 }, .len = 2 };
    ask_reset(w, 128);
    line_page(w, row_quantity(t->row, "final"), NULL, y);
    return y[1];
}
Test(state_laws, a_bound_holds_the_steps_that_are_done_differently)
{
    static const char *const edits[] = { "edit=state:negate", "edit=write:double", "edit=decay:halve",
        "edit=correct:negate", "edit=residual:double", "edit=product:halve" };
    struct trial t;
    char why[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gateddelta", "", "final", MER_F32, "h=1 g=1 n=4 d=2 e=2 state",
        1 }, why, sizeof why), 0, "%s", why);
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        struct ask bound, as_it_is, edited;
        struct arith a, b, c;
        char words[500];
        snprintf(words, sizeof words, "%s %s", delta_contracts[0].text, edits[k]);
        const struct ball *y = final_state(&bound, &a, &t, words, WIDEN),
                          *z = final_state(&as_it_is, &b, &t, "", ROUND),
                          *want = final_state(&edited, &c, &t, edits[k], ROUND);
        cr_expect(b_overlap(y, want) && !b_overlap(y, z), "%s: %g in %g +- %g, and %g is not", edits[k], b_value(want),
            b_value(y), b_radius(y), b_value(z));
        ask_clear(&bound), ask_clear(&as_it_is), ask_clear(&edited);
    }
    trial_close(&t);
}

/* One key, query and value of 1: dq = 2 do, which a float32 rounds once, and twice it is as far from do. */
Test(state_laws, a_scale_that_is_a_power_of_two_rounds_nothing)
{
    const double one = 1, up = 1 + 0x1p-30;
    const struct given in[] = { { "q", &one, 3, { 1, 1, 1 } }, { "k", &one, 3, { 1, 1, 1 } },
        { "v", &one, 3, { 1, 1, 1 } }, { "do", &up, 3, { 1, 1, 1 } } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[1];
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("linear"), "slope=f32 gather=f32", WIDEN, err, sizeof err), 0, "%s", err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("linear"), "dq", "feature=identity normalise=none scale=2" },
        (struct givens){ in, 4 }, NULL, 1, y);
    cr_expect(fabs(b_value(y[0]) - 2 * up) <= b_radius(y[0]) && b_radius(y[0]) < 1.5 * 0x1p-23, "%.17g +- %g",
        b_value(y[0]), b_radius(y[0]));
    law_close(&l, true);
}

/* A query that is float32 already loses nothing more where scale is 2: o is as sharp as where its product with scale is
 * not rounded at all. */
Test(state_laws, a_query_times_a_power_of_two_rounds_nothing)
{
    static const struct { const char *row, *params, *words[2]; } list[] = {
        { "gateddelta", "scale=2", { "unit=f32", "unit=f32 query=f32" } },
        { "linear", "feature=exp normalise=none scale=2", { "phi=f32", "phi=f32 query=f32" } } };
    const double x[] = { 1, 2, 4 };
    const struct given in[] = { { "q", x, 3, { 1, 1, 3 } }, { "k", x, 3, { 1, 1, 3 } }, { "v", x, 3, { 1, 1, 1 } } };
    for (int k = 0; k < 2; k++) {
        double radius[2];
        for (int j = 0; j < 2; j++) {
            struct law_ask l = { .w = { .arith = &l.a } };
            const struct ball *y[1];
            char err[300];
            cr_assert_geq(arith_read(&l.a, row_named(list[k].row), list[k].words[j], WIDEN, err, sizeof err), 0, "%s",
                err);
            ask_reset(&l.w, 128);
            law_line(&l.w, (struct law_of){ row_named(list[k].row), "o", list[k].params }, (struct givens){ in, 3 },
                NULL, 1, y);
            radius[j] = b_radius(y[0]), law_close(&l, true);
        }
        cr_expect(radius[0] > 0 && radius[1] < 1.001 * radius[0], "%s: %g, %g", list[k].row, radius[0], radius[1]);
    }
}

/* Where the decay follows the correction, w and all its gradients are of the state as it was. */
Test(state_laws, gradients_of_either_order_of_decay_are_derivatives)
{
    static const char *const orders[] = { "gate=softplus order=decay-first", "gate=softplus order=correct-first" };
    const struct row *r = row_named("gateddelta");
    for (int k = 0; k < 2; k++) {
        int asked = 0;
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, orders[k], "o", "h=1 g=1 n=2 d=2 e=1 A_log dt_bias state");
        }
        cr_expect_geq(asked, 6, "%s: %d", orders[k], asked);
    }
}
/* Each gradient of a token is made once, in either order from as many products. */
Test(state_laws, either_order_of_decay_costs_as_many_products)
{
    static const char *const orders[] = { "order=decay-first", "order=correct-first" };
    long made[2];
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        struct sites all;
        line_open(&x, &(struct trial_spec){ "gateddelta", orders[k], "da", MER_F32, "h=1 g=1 n=2 d=2 e=2", 1 },
            "edit=nowhere:0:add:zero", ROUND);
        line_sites(&x, &all);
        made[k] = sites_made(&all, SITE_MUL, "state/state_grad.c", "", NULL);
        free(all.use), line_close(&x);
    }
    cr_expect(made[0] > 0 && made[0] == made[1], "%ld, %ld", made[0], made[1]);
}
/* A decay of all channels is made once a token, however many there are. */
Test(state_laws, a_decay_of_all_channels_is_made_once)
{
    static const char *const sizes[] = { "h=1 n=3 d=1 e=1", "h=1 n=3 d=4 e=1" };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        struct sites all;
        line_open(&x, &(struct trial_spec){ "retention", "", "o", MER_F32, sizes[k], 1 }, "edit=nowhere:0:add:zero",
            ROUND);
        line_sites(&x, &all);
        const long made = sites_made(&all, SITE_POW, "retention.c", "", NULL);
        cr_expect_eq(made, 3, "%s: %ld", sizes[k], made);
        free(all.use), line_close(&x);
    }
}

/* dq is made of the state that a token reads, be it the last one or the one before the token. */
Test(state_laws, gradients_of_every_order_of_reading_are_derivatives)
{
    static const char *const orders[] = { "causal=off", "causal=on", "read=before" };
    const struct row *r = row_named("linear");
    for (int k = 0; k < 3; k++) {
        int asked = 0;
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, orders[k], "o", "h=1 n=2 d=2 e=2 state z");
        }
        cr_expect_geq(asked, 3, "%s: %d", orders[k], asked);
    }
}

/* A state of many tokens leaves the exact path for itself alone. */
Test(state_laws, a_long_state_leaves_the_ask_on_its_path)
{
    for (int n = EXACT_TOKENS; n <= EXACT_TOKENS + 1; n++)
        for (int exact = 0; exact < 2; exact++) {
            struct trial t;
            struct arith a = { 0 };
            struct ask w = { .arith = &a, .exact = exact };
            const struct ball *y[1];
            char why[400], sizes[60];
            snprintf(sizes, sizeof sizes, "h=1 g=1 n=%d d=1 e=1", n);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gateddelta", "l2norm=none", "o", MER_F32, sizes, 1 },
                why, sizeof why), 0, "%s", why);
            ask_reset(&w, 64);
            w.params = t.params, w.call = &t.call, w.len = 1;
            delta_output(&w, y);
            cr_expect_eq(w.exact, exact, "%d tokens", n);
            ask_clear(&w), trial_close(&t);
        }
}

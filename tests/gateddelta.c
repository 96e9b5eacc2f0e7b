/* Rows of the recurrence, with the delta rule and without: digits of the specification, bounds over long sequences, and
 * impossible input refused in one line. */
#include "told.h"

/* u(s; h, t, i) = ((37 s + 23 h + 11 t + 5 i) mod 17 - 8) / 8 of the specification's golden numbers. */
static double u(long s, long h, long t, long i) { return (double)((37 * s + 23 * h + 11 * t + 5 * i) % 17 - 8) / 8; }

/* One question of four tokens, keys and values of width 2, of one head where sizes say no other.  given: beta and the
 * decay as they are, else logits and A_log = 1/2, dt_bias = -1/4. */
static const struct told { const char *row, *params, *out, *sizes; long h, line, k; bool given; const char *digits; }
    told[] = {
        { "gateddelta", "", "o", "state", 0, 3, 0, true, "-0.096505691123352222271" },
        { "gateddelta", "order=correct-first", "o", "state", 0, 3, 0, true, "-0.053574580952599464816" },
        { "gateddelta", "", "final", "state", 0, 1, 1, true, "0.16585830172824592185" },
        { "gateddelta", "gate=softplus strength=sigmoid", "o", "state A_log dt_bias", 0, 3, 0, false,
            "-0.052171949174525094667" },
        { "deltanet", "", "o", "", 0, 3, 0, true, "-0.21601418101951432345" },
        { "deltanet", "", "final", "", 0, 0, 1, true, "-0.42052290648887933786" },
        { "kda", "", "o", "state", 0, 3, 0, true, "-0.091816863139268396403" },
        { "kda", "", "final", "state", 0, 1, 0, true, "0.10034511463239394445" },
        { "kda", "gate=lower-bound strength=sigmoid", "o", "state A_log dt_bias", 0, 3, 0, false,
            "-0.061245415300367411681" },
        { "linear", "eps=0", "o", "", 0, 3, 0, true, "0.24514415782995889817" },
        { "linear", "eps=0", "final", "", 0, 1, 0, true, "1.2423192007556423759" },
        { "linear", "feature=relu causal=off", "o", "", 0, 2, 0, true, "0.49038413254485410968" },
        { "retention", "", "o", "h=2", 1, 3, 0, true, "0.084637404571394404403" },
        { "retention", "rotation=linspace", "o", "h=2 d=4", 1, 3, 0, true, "0.70639489882155971669" },
        { "gla", "", "o", "state", 0, 3, 0, true, "-0.25364772100109023532" },
        { "gla", "", "final", "state", 0, 1, 0, true, "0.31960667938189925263" },
        { "lightning", "layer=2 layers=5", "o", "h=3", 2, 3, 0, true, "1.1689704806669015539" },
        { "lightning", "layer=2 layers=5 slopes=power layers_of=transformers", "o", "h=3", 2, 3, 0, true,
            "1.4480322249268621385" },
        { "lightning", "layer=2 layers=5 slopes=linear layers_of=fla scale=0", "o", "h=3", 2, 3, 0, true,
            "0.20663909380395421313" },
    };

static void fill(struct trial *t, const char *name, long stream)
{
    struct mer_array *a = trial_in(t, name);
    const long last = a->dim[a->rank - 1], lines = a->rank == 3 ? a->dim[1] : 1;
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, a->rank == 3 ? u(stream, k / (lines * last), k / last % lines, k % last) : u(stream, 0, 0, k));
}
/* Fills the inputs of a question of one head as the specification has them. */
static void fill_all(struct trial *t, bool given)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, "a"), *beta = mer_find(t->in, t->call.n_in, "beta");
    fill(t, "q", 1), fill(t, "k", 2), fill(t, "v", 3);
    if (mer_find(t->in, t->call.n_in, "state"))
        fill(t, "state", 4);
    if (a)
        fill(t, "a", 5);
    if (beta)
        fill(t, "beta", 6);
    for (long k = 0; a && given && k < array_len(a); k++) {
        const long wide = a->rank == 3 ? a->dim[2] : 1;
        array_put(a, k, -(double)(1 + (2 * (k / wide) + k % wide) % 4) / 4);
    }
    for (long k = 0; beta && given && k < array_len(beta); k++)
        array_put(beta, k, (double)(1 + 3 * k % 5) / 8);
    if (mer_find(t->in, t->call.n_in, "A_log"))
        array_put(trial_in(t, "A_log"), 0, 0.5), array_put(trial_in(t, "dt_bias"), 0, -0.25);
    if (mer_find(t->in, t->call.n_in, "dt_bias") && array_len(trial_in(t, "dt_bias")) > 1)
        array_put(trial_in(t, "dt_bias"), 0, 0.25), array_put(trial_in(t, "dt_bias"), 1, -0.25);
}

static bool row_has_groups(const char *row) { return strchr(row_quantity(row_named(row), "o")->sign, 'g') != NULL; }

Test(gateddelta, the_digits_of_the_specification_are_its_own)
{
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct trial t;
        char err[400], sizes[80];
        const struct ball *y[2];
        struct arith exact = { 0 };
        struct ask w = { .arith = &exact };
        snprintf(sizes, sizeof sizes, "h=1 n=4 d=2 e=2 %s %s", row_has_groups(told[k].row) ? "g=1" : "", told[k].sizes);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ told[k].row, told[k].params, told[k].out, MER_F64, sizes, 1 },
            err, sizeof err), 0, "%s", err);
        fill_all(&t, told[k].given);
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[0] = told[k].h, w.at[1] = told[k].line, w.len = 2;
        line_page(&w, row_quantity(t.row, told[k].out), NULL, y);
        cr_expect(has_digits(y[told[k].k], told[k].digits), "%s, case %zu: %.20g",
            told[k].row, k, b_value(y[told[k].k]));
        ask_clear(&w), trial_close(&t);
    }
}

/* 2000 tokens whose decays are nearly 1 and whose strengths reach 2: keys all alike at first, then any.  Entry by entry
 * a ball would double with every token. */
Test(gateddelta, bounds_stay_useful_over_thousands_of_tokens)
{
    enum { N = 2000 };
    struct trial t;
    struct tally y;
    struct arith wide;
    char err[600];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "gateddelta", "", "o", MER_F32, "h=1 g=1 n=2000 d=4 e=2", 5 },
        err, sizeof err), 0, "%s", err);
    for (long k = 0; k < N; k++) {
        array_put(trial_in(&t, "a"), k, -(double)(k % 3) / 4096);
        array_put(trial_in(&t, "beta"), k, (double)(k % 5) / 2.1);
        for (long i = 0; i < 4 && k < N / 2; i++)
            array_put(trial_in(&t, "k"), 4 * k + i, (double)(1 + i));
    }
    extern const struct mer_kernel gateddelta_scalar[];
    cr_assert_eq(mer_ask(&gateddelta_scalar[0], &t.call), MER_OK);
    cr_assert_gt(trial_profile(&t, "f32", &wide, WIDEN, err, sizeof err), 0, "%s", err);
    /* The sum of the roundings of 2000 tokens, each within 2^-16 of a state of norm below 64. */
    struct ask w = { .arith = &wide };
    const struct ball *o[2];
    ask_reset(&w, 128);
    w.params = t.params, w.call = &t.call, w.at[1] = N - 1, w.len = 2;
    line_page(&w, row_quantity(t.row, "o"), NULL, o);
    for (int k = 0; k < 2; k++)
        cr_expect(b_radius(o[k]) < N * 0x1p-16 * 64 && b_radius(o[k]) > 0x1p-24, "%g +- %g", b_value(o[k]),
            b_radius(o[k]));
    const double last = b_radius(o[0]);
    ask_clear(&w);
    judge_outputs(&t, &wide, 24, &y);
    cr_expect(tally_passes(&y) && y.n == 48 && y.ulp < 0.51, "%ld over, ratio %g, ulp %g", y.over, y.ratio, y.ulp);
    array_put(&t.out[0], 2 * (N - 1), array_get(&t.out[0], 2 * (N - 1)) + 2 * last);
    judge_outputs(&t, &wide, 0, &y);
    cr_expect_eq(y.over, 1, "%ld", y.over);
    trial_close(&t);
}

Test(gateddelta, impossible_input_is_refused_in_one_line)
{
    static const struct refused bad[] = {
        { "eval gateddelta o --scale -1", "scale: must not be below 0" },
        { "eval gateddelta o --l2_eps 0", "l2_eps: must be greater than 0" },
        { "eval gateddelta o --strength sigmoid --beta_max 0", "beta_max: must be greater than 0" },
        { "eval gateddelta o --gate tanh", "gate" },
        { "eval gateddelta o --in beta=1,2 --sizes n=3", "beta" },
        { "eval linear o --eps -1", "eps: must not be below 0" },
        { "eval gla o --tau 0", "tau: must be greater than 0" },
        { "eval retention o --rotation rope --sizes d=3", "d=3 must be even" },
        { "eval retention o --base 1", "base: must be greater than 1" },
        { "eval lightning o --layer 8", "layer: must be below layers" },
        { "eval lightning o --layers 0", "layers" },
        { "eval lightning o --sizes h=1025", "1024 heads" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}

/* The same without a delta rule, where nothing is forgotten in 2000 tokens: a sum's roundings, and no more. */
Test(gateddelta, bounds_without_a_delta_rule_are_those_of_a_sum)
{
    enum { N = 2000 };
    static const struct { const char *row, *params; } asked[] = { { "linear", "normalise=none scale=0" },
        { "linear", "" }, { "retention", "" }, { "lightning", "layers_of=fla layer=7" }, { "gla", "gate=logsigmoid" } };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        struct arith wide;
        char err[600];
        const struct ball *o[2];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ asked[k].row, asked[k].params, "o", MER_F32,
            "h=1 n=2000 d=4 e=2", 5 }, err, sizeof err), 0, "%s", err);
        cr_assert_gt(trial_profile(&t, "product=f32 query=f32 write=f32 state=f32 output=f32", &wide, WIDEN, err,
            sizeof err), 0, "%s", err);
        struct ask w = { .arith = &wide };
        ask_reset(&w, 128);
        w.params = t.params, w.call = &t.call, w.at[1] = N - 1, w.len = 2;
        line_page(&w, row_quantity(t.row, "o"), NULL, o);
        for (int c = 0; c < 2; c++)
            cr_expect(b_radius(o[c]) < N * 0x1p-24 * 4 * N && b_radius(o[c]) > 0x1p-30, "%s %s: %g +- %g",
                asked[k].row, asked[k].params, b_value(o[c]), b_radius(o[c]));
        ask_clear(&w), trial_close(&t);
    }
}

/* Gradients of both outputs at once, each against dual numbers; tests/dual.c asks those of o alone. */
Test(gateddelta, gradients_of_the_last_state_are_its_derivatives)
{
    static const char *const rows[] = { "gateddelta", "deltanet", "kda", "linear", "retention", "gla", "lightning" };
    int asked = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct row *r = row_named(rows[k]);
        const bool sums = !strcmp(rows[k], "linear");
        char sizes[80];
        snprintf(sizes, sizeof sizes, "h=4 %s n=3 state dfinal%s", row_has_groups(rows[k]) ? "g=2" : "",
            sums ? " z dfinal_z" : "");
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, r->presets[sums ? 0 : 2].text, sums ? "o final final_z" : "o final",
                    sizes);
        }
    }
    cr_expect_eq(asked, 39, "%d", asked);
}

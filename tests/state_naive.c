/* Rows of the delta rule, computed here once more from their formulas, token by token on a matrix, in balls of many
 * bits; and their rounded arithmetic, wherever its roundings go, against the bound that the recurrence derives. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "ball/adverse.h"
#include "core/gen.h"
#include "trial/trial.h"

enum { BITS = 300, D = 4, E = 2, N = 5, H = 4, G = 2 };

/* One question: the row and what its parameters say, each as a word and as what it means here. */
enum norm { ADD, MAX, NO_NORM };
enum gate { AS_IT_IS, SOFTPLUS_OF, BOUNDED, NO_GATE };
static const struct naive {
    const char *row, *params;
    enum norm norm;
    double eps, scale, most, lower;
    enum gate gate;
    bool sigmoid, correct_first, tile, state;
} asked[] = {
    { "gateddelta", "", ADD, 1e-6, 0, 1, 0, AS_IT_IS, false, false, false, true },
    { "gateddelta", "order=correct-first scale=3/4", ADD, 1e-6, 0.75, 1, 0, AS_IT_IS, false, true, false, false },
    { "gateddelta", "gate=softplus strength=sigmoid beta_max=2", ADD, 1e-6, 0, 2, 0, SOFTPLUS_OF, true, false, false,
        true },
    { "gateddelta", "l2norm=max l2_eps=1/4 group=tile", MAX, 0.25, 0, 1, 0, AS_IT_IS, false, false, true, true },
    { "gateddelta", "l2norm=max l2_eps=64", MAX, 64, 0, 1, 0, AS_IT_IS, false, false, false, false },
    { "deltanet", "l2norm=none", NO_NORM, 0, 0, 1, 0, NO_GATE, false, false, false, true },
    { "deltanet", "l2_eps=2", ADD, 2, 0, 1, 0, NO_GATE, false, false, false, false },
    { "kda", "", ADD, 1e-6, 0, 1, 0, AS_IT_IS, false, false, false, true },
    { "kda", "gate=softplus l2norm=max", MAX, 1e-6, 0, 1, 0, SOFTPLUS_OF, false, false, false, false },
    { "kda", "gate=lower-bound lower_bound=-3 strength=sigmoid", ADD, 1e-6, 0, 1, -3, BOUNDED, true, false, false,
        true },
};

static const struct ball *number(struct ask *w, double x)
{
    struct ball *b = (struct ball *)b_si(w, 0);
    mpfr_set_d(b->mid, x, MPFR_RNDN);
    return b;
}
/* The decimal that a parameter has, which is no double. */
static const struct ball *eps_of(struct ask *w, const struct naive *p)
{
    return p->eps == 1e-6 ? b_ratio(w, 1, 1000000) : number(w, p->eps);
}
static const struct ball *at(struct ask *w, const struct trial *t, const char *name, long i, long j, long k)
{
    const struct mer_array *a = mer_find((struct mer_array *)t->in, t->call.n_in, name);
    const long m = a->rank > 1 ? a->dim[1] : 1, n = a->rank > 2 ? a->dim[2] : 1;
    return number(w, array_get(a, (i * m + j) * n + k));
}
static const struct ball *sigmoid(struct ask *w, const struct ball *x)
{
    return b_div(w, b_si(w, 1), b_add(w, b_si(w, 1), b_exp(w, b_neg(w, x))));
}
/* A row of q or k as a unit vector, or as it is. */
static void vector(struct ask *w, const struct trial *t, const struct naive *p, const char *name, long g, long n,
    const struct ball **y)
{
    const struct ball *square = p->norm == ADD ? eps_of(w, p) : b_si(w, 0), *by = b_si(w, 1);
    for (long i = 0; i < D; i++) {
        y[i] = at(w, t, name, g, n, i);
        square = b_add(w, square, b_mul(w, y[i], y[i]));
    }
    if (p->norm != NO_NORM)
        by = p->norm == ADD ? b_sqrt(w, square) : b_max(w, b_sqrt(w, square), eps_of(w, p));
    for (long i = 0; i < D; i++)
        y[i] = b_div(w, y[i], by);
}
/* The factor that entry (i, .) of the state decays by. */
static const struct ball *decay(struct ask *w, const struct trial *t, const struct naive *p, long h, long n, long i)
{
    const bool channels = !strcmp(p->row, "kda");
    if (p->gate == NO_GATE)
        return b_si(w, 1);
    const struct ball *a = at(w, t, "a", h, n, channels ? i : 0);
    if (p->gate == AS_IT_IS)
        return b_exp(w, a);
    const struct ball *rate = b_exp(w, at(w, t, "A_log", h, 0, 0)),
                      *x = b_add(w, a, at(w, t, "dt_bias", h, channels ? i : 0, 0));
    return b_exp(w, p->gate == BOUNDED ? b_mul(w, number(w, p->lower), sigmoid(w, b_mul(w, rate, x))) :
                                         b_neg(w, b_mul(w, rate, b_log(w, b_add(w, b_si(w, 1), b_exp(w, x))))));
}
/* o of the last token and the state behind it, of head h. */
static void recurrence(struct ask *w, const struct trial *t, const struct naive *p, long h, const struct ball **o,
    const struct ball *S[D][E])
{
    const long g = p->tile ? h % G : h * G / H;
    const struct ball *scale = p->scale > 0 ? number(w, p->scale) : b_div(w, b_si(w, 1), b_sqrt(w, b_si(w, D)));
    for (long i = 0; i < D; i++)
        for (long c = 0; c < E; c++)
            S[i][c] = p->state ? at(w, t, "state", h, i, c) : b_si(w, 0);
    for (long n = 0; n < N; n++) {
        const struct ball *q[D], *k[D], *v[E], *beta = at(w, t, "beta", h, n, 0);
        vector(w, t, p, "q", g, n, q), vector(w, t, p, "k", g, n, k);
        beta = p->sigmoid ? b_mul(w, number(w, p->most), sigmoid(w, beta)) : beta;
        for (int late = 0; late < 2; late++)
            if (late == p->correct_first)
                for (long i = 0; i < D; i++)
                    for (long c = 0; c < E; c++)
                        S[i][c] = b_mul(w, decay(w, t, p, h, n, i), S[i][c]);
            else
                for (long c = 0; c < E; c++) {
                    v[c] = at(w, t, "v", h, n, c);
                    for (long i = 0; i < D; i++)
                        v[c] = b_sub(w, v[c], b_mul(w, S[i][c], k[i]));
                    v[c] = b_mul(w, beta, v[c]);
                }
        for (long c = 0; c < E; c++) {
            o[c] = b_si(w, 0);
            for (long i = 0; i < D; i++) {
                S[i][c] = b_add(w, S[i][c], b_mul(w, k[i], v[c]));
                o[c] = b_add(w, o[c], b_mul(w, S[i][c], b_mul(w, q[i], scale)));
            }
        }
    }
}

static void make(struct trial *t, const struct naive *p, const char *out, uint64_t seed)
{
    char err[400], sizes[100];
    const bool learned = p->gate == SOFTPLUS_OF || p->gate == BOUNDED;
    const bool groups = strstr(row_quantity(row_named(p->row), "o")->sign, "[g,") != NULL;
    snprintf(sizes, sizeof sizes, "h=%d %s n=%d d=%d e=%d%s%s", H, groups ? "g=2" : "", N, D, E,
        p->state ? " state" : "", learned ? " A_log dt_bias" : "");
    cr_assert_eq(trial_make(t, &(struct trial_spec){ p->row, p->params, out, MER_F32, sizes, seed }, err, sizeof err),
        0, "%s %s: %s", p->row, p->params, err);
}
static void page(struct ask *w, const struct trial *t, const char *out, long h, long line, mpfr_prec_t bits,
    const struct ball **y)
{
    ask_reset(w, bits);
    w->params = t->params, w->call = &t->call, w->at[0] = h, w->at[1] = line, w->len = E;
    line_page(w, row_quantity(t->row, out), NULL, y);
}

Test(state_naive, the_delta_rule_is_its_formula)
{
    static const struct arith exact = { 0 };
    for (size_t n = 0; n < sizeof asked / sizeof *asked; n++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            struct trial t;
            make(&t, &asked[n], "o final", seed);
            for (long h = 0; h < H; h++) {
                struct ask w = { .arith = &exact }, own = { .arith = &exact };
                const struct ball *o[E], *S[D][E], *y[E];
                ask_reset(&own, BITS);
                recurrence(&own, &t, &asked[n], h, o, S);
                page(&w, &t, "o", h, N - 1, BITS, y);
                for (long c = 0; c < E; c++)
                    cr_expect(b_overlap(y[c], o[c]) && b_radius(y[c]) < 0x1p-200 && b_radius(o[c]) < 0x1p-200,
                        "%s %s, head %ld: %.17g, not %.17g", asked[n].row, asked[n].params, h, b_value(y[c]),
                        b_value(o[c]));
                for (long i = 0; i < D; i++) {
                    page(&w, &t, "final", h, i, BITS, y);
                    for (long c = 0; c < E; c++)
                        cr_expect(b_overlap(y[c], S[i][c]) && b_radius(y[c]) < 0x1p-200, "%s %s, state %ld %ld: %.17g",
                            asked[n].row, asked[n].params, i, c, b_value(y[c]));
                }
                ask_clear(&w), ask_clear(&own);
            }
            trial_close(&t);
        }
}

/* Every choice of roundings and orders that a contract allows lies in its ball: of all steps at once, and of each
 * alone, where nothing else gives room. */
static void lies_in_its_ball(const struct naive *p, const char *words, uint64_t seed)
{
    struct trial t;
    struct arith wide, round;
    char err[600];
    struct adverse choice = { .seed = seed };
    for (int s = 0; s < STEPS; s++)
        choice.way[s] = (unsigned char)(gen_bits(seed, 1, (uint64_t)s) % ADVERSE_WAYS),
        choice.tree[s] = (unsigned char)(gen_bits(seed, 2, (uint64_t)s) % ADVERSE_TREES);
    make(&t, p, "o final", seed);
    cr_assert_geq(trial_profile(&t, words, &wide, WIDEN, err, sizeof err), 0, "%s", err);
    cr_assert_geq(trial_profile(&t, words, &round, ROUND, err, sizeof err), 0, "%s", err);
    round.adverse = &choice;
    for (int out = 0; out < 2; out++)
        for (long h = 0; h < H; h++) {
            struct ask w = { .arith = &wide }, r = { .arith = &round };
            const struct ball *b[E], *y[E];
            const long line = out ? D - 1 : N - 1;
            page(&w, &t, out ? "final" : "o", h, line, 128, b), page(&r, &t, out ? "final" : "o", h, line, 200, y);
            for (long c = 0; c < E; c++) {
                const struct up off = up_far(y[c]->mid, b[c]->mid);
                cr_expect(!up_less(up_add(b[c]->rad, y[c]->rad), up_mul(off, up_gap(up_d(1), up_d(0x1p-50)))),
                    "%s %s '%s': %g from the middle of a ball of %g", p->row, p->params, words, up_double(off),
                    b_radius(b[c]));
            }
            ask_clear(&w), ask_clear(&r);
        }
    trial_close(&t);
}
Test(state_naive, every_choice_of_a_contract_lies_in_its_ball)
{
    static const char *const steps[] = { "decay", "product", "dot", "residual", "correct", "write", "state", "output",
        "square", "squares", "root", "unit", "query" };
    static const struct naive sums[] = { { "linear", "normalise=none scale=0" }, { "linear", "" },
        { "gla", "", .state = true }, { "gla", "gate=logsigmoid" }, { "retention", "" },
        { "lightning", "layer=2 layers=5" } };
    for (size_t n = 0; n < sizeof sums / sizeof *sums; n++) {
        for (uint64_t seed = 1; seed < 6; seed++)
            lies_in_its_ball(&sums[n], row_named(sums[n].row)->contracts[0].text, seed);
        lies_in_its_ball(&sums[n], "state=bf16", 20), lies_in_its_ball(&sums[n], "write=f16", 21);
        lies_in_its_ball(&sums[n], "output=f16", 22), lies_in_its_ball(&sums[n], "product=bf16", 23);
    }
    for (size_t n = 0; n < sizeof asked / sizeof *asked; n++) {
        for (uint64_t seed = 1; seed < 6; seed++)
            lies_in_its_ball(&asked[n], row_named(asked[n].row)->contracts[0].text, seed);
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            char words[40];
            snprintf(words, sizeof words, "%s=%s", steps[s], s % 2 ? "bf16" : "f16");
            if (s != 0 || asked[n].gate != NO_GATE)
                lies_in_its_ball(&asked[n], words, 9 + s);
        }
    }
}

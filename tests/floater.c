/* The matrix exponential against what is known of it; both tableaux against the formulas of torchdiffeq, written out;
 * biases; refusals. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "digits.h"
#include "flow/expm.h"
#include "core/gen.h"

Test(floater, exponentials_of_one_number_and_of_nilpotent_matrices_are_known)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 200);
    const struct ball *e[9], *one = b_si(w, 3), *shift[4] = { b_si(w, 0), b_si(w, -70001), b_si(w, 0), b_si(w, 0) };
    b_expm(w, &one, 1, e);
    cr_expect(digits_agree(e[0], "20.085536923187667740928529654581717896987907838554") && b_radius(e[0]) < 0x1p-180);
    one = b_si(w, -131071);
    b_expm(w, &one, 1, e);
    cr_expect(b_overlap(e[0], b_exp(w, one)) && mpfr_sgn(e[0]->mid) > 0 && b_radius(e[0]) > 0);
    b_expm(w, shift, 2, e);
    cr_expect(b_overlap(e[0], b_si(w, 1)) && b_overlap(e[1], shift[1]) && b_overlap(e[2], b_si(w, 0)) &&
        b_overlap(e[3], b_si(w, 1)));
    cr_expect(b_radius(e[0]) < 0x1p-100 && b_radius(e[1]) < 0x1p-90 && b_radius(e[2]) < 0x1p-100);
    law_close(&l, true);
}

/* The sum of exp(0) is exactly 1, and what is left of the series is at most 2 (1/2)^K / K! behind K terms, of which it
 * takes the fewest that bring that to half a unit of the last place and 16 bits more. */
Test(floater, the_rest_of_an_exponential_series_is_what_its_terms_leave)
{
    for (mpfr_prec_t prec = 53; prec < 400; prec += 31) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", prec);
        const struct ball *zero = b_si(w, 0), *e;
        double rest = 2;
        for (long k = 1; rest > ldexp(1, -(int)prec - 17); k++)
            rest /= 2 * (double)k;
        b_expm(w, &zero, 1, &e);
        cr_expect(b_value(e) == 1 && b_radius(e) >= rest && b_radius(e) <= rest * (1 + 0x1p-40), "%ld bits: %g, not %g",
            (long)prec, b_radius(e), rest);
        law_close(&l, true);
    }
}

Test(floater, the_exponential_of_minus_a_matrix_is_the_inverse)
{
    for (uint64_t seed = 1; seed < 12; seed++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 400);
        const struct ball *m[9], *minus[9], *e[9], *f[9];
        for (int k = 0; k < 9; k++)
            m[k] = b_ratio(w, (long)(gen_bits(seed, 1, (uint64_t)k) % 20001) - 10000, 1000), minus[k] = b_neg(w, m[k]);
        b_expm(w, m, 3, e), b_expm(w, minus, 3, f);
        for (int k = 0; k < 9; k++) {
            const struct ball *s = b_si(w, 0);
            for (int j = 0; j < 3; j++)
                s = b_add(w, s, b_mul(w, e[k / 3 * 3 + j], f[j * 3 + k % 3]));
            cr_expect(b_overlap(s, b_si(w, k % 4 == 0)) && b_radius(s) < 0x1p-250, "seed %d entry %d: %g +- %g",
                (int)seed, k, b_value(s), b_radius(s));
        }
        law_close(&l, true);
    }
}

Test(floater, a_ball_of_matrices_holds_the_exponentials_of_its_members_and_far_ones_are_the_whole_line)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *m[4] = { b_ratio(w, 1, 3), b_si(w, 2), b_si(w, -1), b_ratio(w, -1, 7) }, *wide[4], *e[4], *f[4];
    for (int k = 0; k < 4; k++)
        wide[k] = b_widen(w, m[k], up_d(0x1p-20));
    const struct ball *edge[4] = { b_add(w, m[0], b_ratio(w, 1, 1 << 20)), b_sub(w, m[1], b_ratio(w, 1, 1 << 20)), m[2],
        b_add(w, m[3], b_ratio(w, 1, 1 << 21)) };
    b_expm(w, wide, 2, e), b_expm(w, edge, 2, f);
    for (int k = 0; k < 4; k++) {
        struct up off = up_far(e[k]->mid, f[k]->mid);
        cr_expect(!up_less(up_add(e[k]->rad, f[k]->rad), off) && up_double(off) > 0x1p-24 && b_radius(e[k]) < 0x1p-14,
            "entry %d", k);
    }
    m[0] = b_mul(w, b_si(w, 1L << 60), b_si(w, 1000));
    b_expm(w, m, 2, e);
    cr_expect(isinf(b_radius(e[0])) && isinf(b_radius(e[3])));
    law_close(&l, true);
}

/* d = f = 1 and h(t, y) = 3/2 tanh(y/2 + t/4 + 1/8) - t/8 + 1/16. */
static const struct ball *h(struct ask *w, const struct ball *t, const struct ball *y)
{
    const struct ball *inner =
        b_add(w, b_add(w, b_mul(w, b_ratio(w, 1, 2), y), b_mul(w, b_ratio(w, 1, 4), t)), b_ratio(w, 1, 8));
    return b_add(
        w, b_add(w, b_mul(w, b_ratio(w, 3, 2), b_tanh(w, inner)), b_mul(w, b_ratio(w, -1, 8), t)), b_ratio(w, 1, 16));
}
static const struct ball *plus(struct ask *w, const struct ball *y, const struct ball *dt, const struct ball *k)
{
    return b_add(w, y, b_mul(w, dt, k));
}
/* One step of torchdiffeq's rk4_alt_step_func. */
static const struct ball *eighths(struct ask *w, const struct ball *t, const struct ball *dt, const struct ball *y)
{
    const struct ball *third = b_ratio(w, 1, 3), *k1 = h(w, t, y),
                      *k2 = h(w, plus(w, t, dt, third), plus(w, y, dt, b_mul(w, k1, third)));
    const struct ball *k3 = h(w, plus(w, t, dt, b_ratio(w, 2, 3)), plus(w, y, dt, b_sub(w, k2, b_mul(w, k1, third)))),
                      *k4 = h(w, b_add(w, t, dt), plus(w, y, dt, b_add(w, b_sub(w, k1, k2), k3)));
    return plus(
        w, y, dt, b_mul(w, b_add(w, b_add(w, k1, b_mul(w, b_si(w, 3), b_add(w, k2, k3))), k4), b_ratio(w, 1, 8)));
}
/* One step of torchdiffeq's rk4_step_func. */
static const struct ball *classic(struct ask *w, const struct ball *t, const struct ball *dt, const struct ball *y)
{
    const struct ball *half = b_mul(w, dt, b_ratio(w, 1, 2)), *k1 = h(w, t, y),
                      *k2 = h(w, b_add(w, t, half), plus(w, y, half, k1)),
                      *k3 = h(w, b_add(w, t, half), plus(w, y, half, k2)),
                      *k4 = h(w, b_add(w, t, dt), plus(w, y, dt, k3));
    return plus(w, y, dt, b_div(w, b_add(w, b_add(w, k1, b_mul(w, b_si(w, 2), b_add(w, k2, k3))), k4), b_si(w, 6)));
}
static const struct ball *middle(struct ask *w, const struct ball *t, const struct ball *dt, const struct ball *y)
{
    const struct ball *half = b_mul(w, dt, b_ratio(w, 1, 2));
    return plus(w, y, dt, h(w, b_add(w, t, half), plus(w, y, half, h(w, t, y))));
}
static const struct ball *euler(struct ask *w, const struct ball *t, const struct ball *dt, const struct ball *y)
{
    return plus(w, y, dt, h(w, t, y));
}

Test(floater, each_solver_is_its_formula_written_out)
{
    static const struct {
        const char *name;
        const struct ball *(*step)(struct ask *, const struct ball *, const struct ball *, const struct ball *);
    } t[] = { { "rk4_38", eighths }, { "rk4", classic }, { "midpoint", middle }, { "euler", euler } };
    const double start = 0.75, w1 = 0.5, t1 = 0.25, b1 = 0.125, w2 = 1.5, t2 = -0.125, b2 = 0.0625;
    const struct given in[] = { { "start", &start, 1, { 1 } }, { "w1", &w1, 2, { 1, 1 } }, { "t1", &t1, 1, { 1 } },
        { "b1", &b1, 1, { 1 } }, { "w2", &w2, 2, { 1, 1 } }, { "t2", &t2, 1, { 1 } }, { "b2", &b2, 1, { 1 } } };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 256);
        char params[100];
        const struct ball *y[1], *dt = b_ratio(w, 3, 14), *at = b_ratio(w, 3, 4);
        for (long i = 0; i < 6; i++) { /* Positions 0, 1 and 2, with two steps each. */
            snprintf(params, sizeof params, "solver=%s activation=tanh dt=3/7 substeps=2", t[k].name);
            if (i % 2 == 0) {
                law_line(w, (struct law_of){ row_named("floater"), "p", params }, (struct givens){ in, 7 },
                    (long[MER_RANK]){ i / 2 }, 1, y);
                cr_expect(b_overlap(y[0], at) && b_radius(y[0]) < 0x1p-200, "%s at %ld: %.17g, by hand %.17g",
                    t[k].name, i / 2, b_value(y[0]), b_value(at));
            }
            at = t[k].step(w, b_mul(w, b_si(w, i), dt), dt, at);
        }
        law_close(&l, true);
    }
}

Test(floater, one_dynamics_moves_the_biases_of_every_stream_and_layer)
{
    enum { D = 3, F = 2, L = 2 };
    double x[3][L][D], w1[F * D], w2[D * F], small[F + D];
    for (int k = 0; k < 3 * L * D; k++)
        x[k / (L * D)][k / D % L][k % D] = (double)(gen_bits(1, 1, (uint64_t)k) % 4096) / 1024 - 2;
    for (int k = 0; k < F * D; k++)
        w1[k] = (double)(gen_bits(1, 2, (uint64_t)k) % 4096) / 2048 - 1,
        w2[k] = (double)(gen_bits(1, 3, (uint64_t)k) % 4096) / 2048 - 1;
    for (int k = 0; k < F + D; k++)
        small[k] = 0.25 * k - 0.5;
    struct given in[] = { { "start", x[0][0], 3, { 3, L, D } }, { "w1", w1, 2, { F, D } }, { "t1", small, 1, { F } },
        { "b1", small + 1, 1, { F } }, { "w2", w2, 2, { D, F } }, { "t2", small + 1, 1, { D } },
        { "b2", small + 2, 1, { D } } };
    for (long s = 0; s < 3; s++)
        for (long layer = 0; layer < L; layer++) {
            struct law_ask l;
            struct ask *w = law_open(&l, "", 200);
            const struct ball *bias[D], *p[D];
            in[0] = (struct given){ "start", x[0][0], 3, { 3, L, D } };
            law_line(w, (struct law_of){ row_named("floater"), "bias", "dt=0.1" }, (struct givens){ in, 7 },
                (long[MER_RANK]){ 4, s, layer }, D, bias);
            in[0] = (struct given){ "start", x[s][layer], 1, { D } };
            law_line(w, (struct law_of){ row_named("floater"), "p", "dt=0.1" }, (struct givens){ in, 7 },
                (long[MER_RANK]){ 4 }, D, p);
            for (int c = 0; c < D; c++)
                cr_expect(
                    b_overlap(bias[c], p[c]) && b_value(bias[c]) != x[s][layer][c], "stream %ld layer %ld", s, layer);
            law_close(&l, true);
        }
}

Test(floater, impossible_settings_are_refused_in_one_line)
{
    static const struct {
        const char *args, *says;
    } t[] = { { "eval floater p --dt 0", "dt: must be greater than 0" }, { "eval floater p --dt -1", "dt" },
        { "eval floater p --substeps 0", "substeps" }, { "eval floater p --origin 65537", "origin" },
        { "eval floater p --origin 20000", "more than 65536 steps" }, { "eval floater p --solver exact", "solver" } };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        int rc = meridian("", t[k].args);
        cr_expect(rc == 2 && lines(err) == 1 && strstr(err, t[k].says) && !*out, "%s: exit %d, %s%s", t[k].args, rc,
            err, out);
    }
}

/* Of a matrix whose cube is 0 the exponential is I + t A + t^2 A^2 / 2. */
Test(floater, a_linear_flow_is_the_exponential_of_its_matrix_at_every_position)
{
    const double start[] = { 3, 5, 7 }, a[] = { 0, 1, 0, 0, 0, 2, 0, 0, 0 };
    const struct given in[] = { { "start", start, 1, { 3 } }, { "a", a, 2, { 3, 3 } } };
    for (long i = 0; i < 4; i++) {
        struct law_ask l;
        struct ask *w = law_open(&l, "", 128);
        const struct ball *y[3];
        const double t = 0.5 * (double)(i + 1);
        law_line(w, (struct law_of){ row_named("floater"), "linear", "dt=1/2 origin=1" }, (struct givens){ in, 2 },
            (long[MER_RANK]){ i }, 3, y);
        const double is[] = { 3 + t * 5 + t * t * 7, 5 + 2 * t * 7, 7 };
        for (int c = 0; c < 3; c++)
            cr_expect(fabs(b_value(y[c]) - is[c]) < 1e-12, "position %ld, %d: %.17g, not %g", i, c, b_value(y[c]),
                is[c]);
        law_close(&l, true);
    }
}

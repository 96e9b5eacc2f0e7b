/* Dual numbers, and by them every gradient quantity of every row; real inputs without a gradient stand in
 * data/gradients, with the reason. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "adjoint.h"
#include "part.h"
#include "ball/dual.h"
#include "golden/gradients.h"
#include "trial/trial.h"
#include "trial/valid.h"

static const struct arith exact = { 0 };

/* The chain rule: each operation at x = 7/8 + t, y = -5/4 - 3t, against its derivative by another formula of the same
 * balls. */
struct pair { const struct ball *x, *y; };
static const struct ball *constant(struct ask *w, long n, long d) { return b_ratio(w, n, d); }
static const struct ball *value(struct ask *w, int op, struct pair p)
{
    const struct ball *sin, *cos, *small = b_div(w, p.x, p.y);
    switch (op) {
    case 0: return b_add(w, p.x, p.y);
    case 1: return b_sub(w, p.x, p.y);
    case 2: return b_mul(w, p.x, b_mul(w, p.y, p.x));
    case 3: return small;
    case 4: return b_exp(w, p.y);
    case 5: return b_log(w, p.x);
    case 6: return b_sqrt(w, p.x);
    case 7: return b_sin(w, p.y);
    case 8: return b_cos(w, p.y);
    case 9: return b_tanh(w, p.y);
    case 10: return b_pow(w, p.x, p.y);
    case 11: return b_max(w, p.x, p.y);
    case 12: return b_min(w, p.x, p.y);
    case 13: return b_abs(w, p.y);
    case 14: return b_sincos(w, p.y, &sin, &cos), b_mul(w, sin, cos);
    case 15: return b_floor(w, p.y);
    case 17: return b_erf(w, p.x);
    case 18: return b_abs(w, p.x);
    case 16: return b_pow(w, p.y, b_si(w, 3)); /* A power of a negative number. */
    default: return b_neg(w, b_mul(w, p.y, b_si(w, 7)));
    }
}
enum { OPS = 20 };

Test(dual, every_operation_has_the_slope_of_its_central_difference)
{
    double at[] = { 0.875, -1.25 }, v[] = { 1, -3 };
    for (int op = 0; op < OPS; op++) {
        struct mer_array a = { "x", MER_F64, 1, { 2 }, at };
        struct dual d = { .in = { { &a, v } }, .n = 1 };
        struct ask w = { .arith = &exact, .dual = &d }, t = { .arith = &exact };
        ask_reset(&w, 400), ask_reset(&t, 400);
        const struct ball *y = value(&w, op, (struct pair){ b_element(&w, &a, 0), b_element(&w, &a, 1) }),
                          *h = constant(&t, 1, 1L << 40), *side[2];
        for (int k = 0; k < 2; k++) { /* (f(+h) - f(-h)) / 2h = f' + O(h^2), with h = 2^-40. */
            const struct ball *step = k ? b_neg(&t, h) : h;
            side[k] = value(&t, op,
                (struct pair){ b_add(&t, constant(&t, 7, 8), step),
                    b_sub(&t, constant(&t, -5, 4), b_mul(&t, step, b_si(&t, 3))) });
        }
        const struct ball *slope = b_div(&t, b_sub(&t, side[0], side[1]), b_mul(&t, h, b_si(&t, 2))),
                          *got = dual_tangent(&w, y);
        cr_expect(b_radius(got) <= 0x1p-380 && fabs(b_value(b_sub(&t, slope, got))) <= 0x1p-70,
            "operation %d: tangent %.17g +- %g, slope %.17g", op, b_value(got), b_radius(got), b_value(slope));
        ask_clear(&w), ask_clear(&t), dual_close(&d);
    }
}

/* At corners and jumps nothing is promised; where both sides vary alike, or nothing varies, there is none. */
Test(dual, where_nothing_is_differentiable_the_tangent_is_the_whole_line)
{
    double at[] = { 0, 3, 3, 0.5 }, v[] = { 1, 1, 2, 0 };
    struct mer_array a = { "x", MER_F64, 1, { 4 }, at };
    struct dual d = { .in = { { &a, v } }, .n = 1 };
    struct ask w = { .arith = &exact, .dual = &d };
    ask_reset(&w, 128);
    const struct ball *zero = b_element(&w, &a, 0), *three = b_element(&w, &a, 1), *faster = b_element(&w, &a, 2),
                      *still = b_element(&w, &a, 3);
    const struct ball *open[] = { b_max(&w, zero, b_si(&w, 0)), b_min(&w, three, faster), b_abs(&w, zero),
        b_sqrt(&w, zero), b_floor(&w, three), b_ceil(&w, three), b_div(&w, three, zero), b_sin(&w, b_log(&w, zero)),
        b_max(&w, b_log(&w, three), b_log(&w, faster)), b_widen(&w, three, up_d(0.5)) };
    for (size_t k = 0; k < sizeof open / sizeof *open; k++)
        cr_expect(isinf(b_radius(dual_tangent(&w, open[k]))), "%zu", k);
    const struct ball *known[] = { b_max(&w, three, three), b_floor(&w, still), b_abs(&w, b_si(&w, 0)),
        b_sqrt(&w, b_si(&w, 0)), b_at(&w, three), b_max(&w, zero, b_si(&w, -1)) };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        cr_expect(b_radius(dual_tangent(&w, known[k])) == 0 && b_value(dual_tangent(&w, known[k])) == (k % 5 ? 0 : 1),
            "%zu: %g", k, b_value(dual_tangent(&w, known[k])));
    ask_clear(&w), dual_close(&d);
}

/* Every gradient quantity, under every preset. */
static void hide_some(struct mer_array *keep)
{
    for (long k = 0; keep && k < array_len(keep); k++)
        array_put(keep, k, k % 5 != 2);
}

/* The size of the forward side; NaN where the gradient is not defined under this preset. */
static double agree(
    const struct row *r, const struct preset *p, const struct quantity *q, const char *sizes, uint64_t seed)
{
    struct sign s, y;
    struct trial t;
    struct adjoint a;
    char err[400], what[TEXT_MAX + 200], outs[200], all[200];
    sign_read(&s, q->sign);
    snprintf(outs, sizeof outs, "%s", s.out.name);
    adjoint_of(r, q, &a);
    for (int k = 0; k < a.n; k++) { /* The inputs of the outputs are needed, too. */
        sign_read(&y, a.of[k]->sign);
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), " %s", y.out.name);
    }
    snprintf(all, sizeof all, "%s %s", sizes, a.in); /* An optional input is given. */
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ r->name, p->text, outs, MER_F64, all, seed }, err, sizeof err), 0,
        "%s", err);
    if (!adjoint_reads(r, &a, t.params)) /* The input is not read under this preset. */
        return trial_close(&t), 0;
    hide_some(mer_find(t.in, t.call.n_in, "keep"));
    struct ask w = { .arith = &exact };
    const struct ball *forward, *backward;
    ask_reset(&w, 192);
    bool decided = adjoint_sides(&w, r, q, t.params, &t.call, seed + 17, &forward, &backward);
    double size = fmax(fabs(b_value(forward)), fabs(b_value(backward)));
    snprintf(
        what, sizeof what, "%s %s under %s (%s; %s, seed %d)", r->name, s.out.name, p->name, t.text, sizes, (int)seed);
    cr_expect(decided && b_overlap(forward, backward) && b_radius(forward) <= 0x1p-120 * (1 + size) &&
            b_radius(backward) <= 0x1p-120 * (1 + size),
        "%s: forward %.17g +- %g, adjoint %.17g +- %g%s", what, b_value(forward), b_radius(forward), b_value(backward),
        b_radius(backward), decided ? "" : ", undecided");
    ask_clear(&w), trial_close(&t);
    return size;
}

/* A third of the gradients of every PARTS-th row, from row number `part` on; the others on another day (part.h). */
enum { PARTS = 8 };
static void adjoints(int part)
{
    /* `headed` is for rows whose heads are a parameter, without groups. */
    static const char *const sizes[] = { "", "h=4 g=2 n=3 m=6 d=4 e=3 bias keep cos sin sink" },
                             *const headed = "n=3 m=6 d=4 e=3 bias keep cos sin sink";
    char err[400];
    int gradients = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign && (r - all_rows) % PARTS == part; q++) {
            struct adjoint a;
            double most = 0;
            if (!adjoint_of(*r, q, &a) || !is_due(r - all_rows + (q - (*r)->q), 3))
                continue;
            for (const struct preset *p = (*r)->presets; p->name; p++)
                for (int k = 0; k < 2; k++)
                    most = fmax(most,
                        agree(*r, p, q, !k || !valid_sizes(*r, "g=2", err, sizeof err) ? sizes[k] : headed,
                            (uint64_t)k + 1));
            cr_expect(most > 0x1p-20, "%s d%s: 0 in every case, which shows nothing", (*r)->name, a.in);
            gradients++;
        }
    cr_assert_geq(gradients, 3);
}
/* `make mutants` asks no test that takes longer than the seconds which it has for a mutant. */
#define ADJOINTS(k) Test(dual, every_gradient_is_the_adjoint_of_its_outputs_##k, .timeout = 240) { adjoints(k); }
ADJOINTS(0) ADJOINTS(1) ADJOINTS(2) ADJOINTS(3) ADJOINTS(4) ADJOINTS(5) ADJOINTS(6) ADJOINTS(7)

/* All scores are 0 and move differently: the maximum has a corner there, the softmax has none, and neither have its
 * gradients. */
Test(dual, a_softmax_has_no_corner_at_equal_scores)
{
    const struct row *r = row_named("attention");
    static const char *const out[] = { "dq", "dk", "dv" };
    for (int o = 0; o < 3; o++) {
        struct trial t;
        char err[400];
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ r->name, "", out[o], MER_F64, "h=2 g=1 n=3 m=4", 5 }, err,
            sizeof err), 0, "%s", err);
        /* For dk half of q is 0; of all of it nothing would reach dk. */
        for (long k = 0; k < array_len(trial_in(&t, "q")); k += o == 1 ? 2 : 1)
            array_put(trial_in(&t, "q"), k, 0);
        for (long k = 1; o == 1 && k < array_len(trial_in(&t, "k")); k += 2)
            array_put(trial_in(&t, "k"), k, 0.5);
        struct ask w = { .arith = &exact };
        const struct ball *forward, *backward;
        ask_reset(&w, 192);
        cr_expect(adjoint_sides(&w, r, row_quantity(r, out[o]), t.params, &t.call, 9, &forward, &backward) &&
                b_overlap(forward, backward) && b_radius(forward) <= 0x1p-150 && fabs(b_value(forward)) > 0x1p-20,
            "%s: %g +- %g, %g", out[o], b_value(forward), b_radius(forward), b_value(backward));
        ask_clear(&w), trial_close(&t);
    }
}

/* Real inputs without a gradient. */
static int unexplained(const struct hole *h, void *with)
{
    cr_expect(*h->why, "%s %s: no gradient of %s, and data/gradients does not say why", h->row->name, h->out, h->in);
    ++*(int *)with;
    return 0;
}
Test(dual, real_inputs_without_a_gradient_are_listed_with_the_reason)
{
    char err[800] = "";
    int holes = 0;
    cr_expect_eq(holes_each(unexplained, &holes, err, sizeof err), 0, "%s", err);
    cr_assert_gt(holes, 0);
}

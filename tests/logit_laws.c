/* What ref/core/logit/logit.h promises of the scores of row attention, stage by stage against its definition in
 * doubles: where cap, bias and mask stand, the temperature of a query, and constants that a step holds. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "compare/compare.h"

enum { N = 5, M = 6 };
static void make(struct trial *t, const char *params, const char *sizes)
{
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", params, "scores", MER_F64, sizes, 5 }, err,
        sizeof err), 0, "%s: %s", params, err);
}
static double element(const struct trial *t, const char *name, long k)
{
    return array_get(mer_find((struct mer_array *)t->in, t->call.n_in, name), k);
}

/* The scores of one head with causal=topleft: the query sees keys up to its own place. */
enum { HIDE, ADD, FILL };
static const double cap = 3 / 4.0, constant = -3;
struct scores { bool capped, after; int mask; const char *stage; };
static double bent(const struct scores *x, double s) { return x->capped ? cap * tanh(s / cap) : s; }
static double masked(const struct scores *x, double s, bool sees)
{
    return sees || x->mask == HIDE ? s : x->mask == ADD ? s + constant : constant;
}
static double defined(const struct scores *x, double product, double bias, bool sees)
{
    const bool hidden = x->mask == HIDE && !sees;
    const double minus = -(double)INFINITY;
    if (!strcmp(x->stage, "product"))
        return product;
    if (!strcmp(x->stage, "capped") && !x->after)
        return bent(x, product);
    if (!strcmp(x->stage, "capped")) /* Behind the mask: c tanh(-inf) is -c. */
        return !hidden ? bent(x, masked(x, product + bias, sees)) : x->capped ? -cap : minus;
    return hidden ? minus : masked(x, (x->after ? product : bent(x, product)) + bias, sees);
}

Test(logit_laws, every_stage_is_what_stands_before_it)
{
    static const char *const masks[] = { "hide", "add", "fill" }, *const stages[] = { "product", "capped", "biased" };
    for (int k = 0; k < 2 * 2 * 3 * 3; k++) {
        const struct scores x = { k % 2, k / 2 % 2, k / 4 % 3, stages[k / 12] };
        struct trial t;
        char params[200];
        snprintf(params, sizeof params, "causal=topleft scale=1 cap=%s cap_at=%s mask=%s constant=-3 stage=%s",
            x.capped ? "3/4" : "0", x.after ? "after" : "before", masks[x.mask], x.stage);
        make(&t, params, "h=1 g=1 n=5 m=6 d=3 bias");
        reference_run(&t, &(struct arith){ 0 });
        for (long i = 0; i < N; i++)
            for (long j = 0; j < M; j++) {
                double product = 0, is = array_get(&t.out[0], i * M + j);
                for (long c = 0; c < 3; c++)
                    product += element(&t, "q", i * 3 + c) * element(&t, "k", j * 3 + c);
                const double want = defined(&x, product, element(&t, "bias", i * M + j), j <= i);
                cr_expect(isinf(want) ? is == want : fabs(is - want) < 1e-12, "%s, [%ld,%ld]: %g, not %g", params, i, j,
                    is, want);
            }
        trial_close(&t);
    }
}

/* The temperature of query i at its position c, counted from 1: llama4 1 + a log(1 + floor(c / floor)), ssmax a log c,
 * logn log c / log trained beyond that length. */
Test(logit_laws, a_query_has_the_temperature_of_its_position)
{
    static const struct { const char *params; int kind; double a; long floor, start; } list[] = {
        { "temperature=llama4 floor=1 temper=1/10", 0, 0.1, 1, 0 },
        { "temperature=llama4 floor=2 temper=3", 0, 3, 2, 0 },
        { "temperature=llama4 floor=3 temper=1/2 warm_start=1", 0, 0.5, 3, 1 },
        { "temperature=llama4 floor=8192", 0, 0.1, 8192, 0 },
        { "temperature=ssmax temper=1/2", 1, 0.5, 0, 0 },
        { "temperature=logn trained=3", 2, 0, 3, 0 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char params[200];
        snprintf(params, sizeof params, "scale=1 %s", list[k].params);
        make(&t, params, "h=1 g=1 n=5 m=6 d=1");
        reference_run(&t, &(struct arith){ 0 });
        for (long i = 0; i < N; i++) {
            const long c = i + 1 - list[k].start > 1 ? i + 1 - list[k].start : 1;
            const double warm = list[k].kind == 0 ? 1 + list[k].a * log((double)(1 + c / list[k].floor)) :
                list[k].kind == 1 ? list[k].a * log((double)c) : fmax(1, log((double)c) / log((double)list[k].floor)),
                         want = warm * element(&t, "q", i) * element(&t, "k", 0), is = array_get(&t.out[0], i * M);
            cr_expect(fabs(is - want) < 1e-12, "%s, query %ld: %g, not %g", params, i, is, want);
        }
        trial_close(&t);
    }
}

/* x to the nearest number of bfloat16, where it is normal. */
static double bf16(double x)
{
    const double unit = ldexp(1, ilogb(x) - 7);
    return unit * nearbyint(x / unit);
}
/* Step quotient divides by the cap as its format holds it. */
Test(logit_laws, a_cap_is_held_in_the_format_of_its_quotient)
{
    struct trial t;
    struct arith a;
    char err[600];
    int told = 0;
    make(&t, "scale=1 cap=1/3 stage=capped", "h=1 g=1 n=5 m=6 d=1");
    cr_assert_geq(trial_profile(&t, "quotient=bf16", &a, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&t, &a);
    for (long i = 0; i < N; i++)
        for (long j = 0; j < M; j++) {
            const double s = element(&t, "q", i) * element(&t, "k", j), by = bf16(s / bf16(1 / 3.0)),
                         is = array_get(&t.out[0], i * M + j);
            cr_expect(fabs(is - tanh(by) / 3) < 1e-14, "%ld,%ld: %.17g, not %.17g", i, j, is, tanh(by) / 3);
            told += fabs(tanh(by) - tanh(bf16(3 * s))) > 1e-9;
        }
    cr_expect(told > 5, "%d tell it from the exact cap", told);
    trial_close(&t);
}

/* Routes are other ways to the same numbers: under exact arithmetic, and under a contract in which no step rounds, all
 * but for the last bits. */
Test(logit_laws, routes_give_the_same_numbers)
{
    static const char *const routes[] = { "route=exp2", "route=online block=2", "route=split block=3",
        "route=lazy block=2 slack=1" }, *const scores[] = { "", "cap=3/4", "cap=3/4 cap_at=after",
        "mask=add constant=-3 cap=2", "mask=fill constant=-1", "mask=add constant=-1 times=2",
        "cap=3/4 cap_at=after mask=fill constant=-2", "order=bias-first temperature=ssmax" };
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
        for (int route = 0; route < 4; route++) {
            struct trial t[3];
            struct arith a;
            char params[300], err[600];
            for (int j = 0; j < 3; j++) {
                snprintf(params, sizeof params, "causal=topleft %s %s", scores[k], j ? routes[route] : "");
                const struct trial_spec spec = { "attention", params, "o lse dq dk dbias dsink", MER_F64,
                    "h=2 g=1 n=4 m=5 d=2 e=2 bias sink", 5 };
                cr_assert_eq(trial_make(&t[j], &spec, err, sizeof err), 0, "%s: %s", params, err);
                cr_assert_geq(trial_profile(&t[j], "", &a, j < 2 ? EXACT : ROUND, err, sizeof err), 0, "%s", err);
                reference_run(&t[j], &a);
            }
            for (int o = 0; o < t[0].call.n_out; o++)
                for (long i = 0; i < array_len(&t[0].out[o]); i++) {
                    const double is = array_get(&t[0].out[o], i);
                    cr_expect(array_get(&t[1].out[o], i) == is, "%s: %s[%ld]: %g, not %g", params, t[0].out[o].name, i,
                        array_get(&t[1].out[o], i), is);
                    cr_expect(fabs(array_get(&t[2].out[o], i) - is) < 1e-13, "%s: %s[%ld]: %g, not %g", params,
                        t[0].out[o].name, i, array_get(&t[2].out[o], i), is);
                }
            for (int j = 0; j < 3; j++)
                trial_close(&t[j]);
        }
}

/* The loss <do, o> of the trial. */
static double loss(struct trial *forward, const struct trial *back)
{
    double y = 0;
    reference_run(forward, &(struct arith){ 0 });
    for (long i = 0; i < array_len(&forward->out[0]); i++)
        y += array_get(&forward->out[0], i) * element(back, "do", i);
    return y;
}
/* Every gradient is the slope of the loss by its input, through a norm and its gains, too. */
Test(logit_laws, every_gradient_is_the_slope_of_the_loss)
{
    static const char *const params[] = { "", "norm=rms", "norm=l2 eps=1/10", "norm=rms eps_at=outside gain=offset",
        "norm=l2 eps_at=clamp eps=1/8 cap=3/4", "order=bias-first cap=2 cap_at=after", "mask=fill causal=topleft" };
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        struct trial back, forward;
        char err[600];
        const char *sizes = "h=2 g=1 n=2 m=3 d=2 e=2 bias sink q_gain k_gain";
        const struct trial_spec of = { "attention", params[k], "dq dk dv dsink dbias dq_gain dk_gain", MER_F64, sizes,
            5 }, to = { "attention", params[k], "o", MER_F64, sizes, 5 };
        cr_assert_eq(trial_make(&back, &of, err, sizeof err), 0, "%s", err);
        cr_assert_eq(trial_make(&forward, &to, err, sizeof err), 0, "%s", err);
        for (int j = 0; j < forward.call.n_in; j++) /* Both are asked with the same numbers. */
            mer_move(&forward.in[j], mer_find(back.in, back.call.n_in, forward.in[j].name));
        reference_run(&back, &(struct arith){ 0 });
        for (int o = 0; o < back.call.n_out; o++) {
            struct mer_array *x = mer_find(forward.in, forward.call.n_in, back.out[o].name + 1);
            cr_assert(x, "%s", back.out[o].name);
            for (long i = 0; i < array_len(x); i++) {
                const double at = array_get(x, i), step = 0x1p-14, is = array_get(&back.out[o], i);
                array_put(x, i, at + step);
                const double above = loss(&forward, &back);
                array_put(x, i, at - step);
                const double slope = (above - loss(&forward, &back)) / (2 * step);
                array_put(x, i, at);
                cr_expect(fabs(slope - is) < 1e-6, "%s: %s[%ld]: %g, and the slope is %g", params[k], back.out[o].name,
                    i, is, slope);
            }
        }
        trial_close(&back), trial_close(&forward);
    }
}

/* A context is the output of one query that stands nowhere, with keys in columns and the same parameters. */
Test(logit_laws, a_context_is_the_output_of_one_query)
{
    static const char *const params[] = { "", "scale=1/3", "scale=2 cap=3/4", "group=tile softmax1=on" };
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        struct trial context, one;
        char err[600];
        const struct trial_spec of = { "attention", params[k], "context", MER_F64, "h=4 g=2 m=5 d=3 e=2", 7 },
                                to = { "attention", params[k], "o", MER_F64, "h=4 g=2 n=1 m=5 d=3 e=2", 7 };
        cr_assert_eq(trial_make(&context, &of, err, sizeof err), 0, "%s", err);
        cr_assert_eq(trial_make(&one, &to, err, sizeof err), 0, "%s", err);
        for (int j = 0; j < one.call.n_in; j++) {
            struct mer_array *x = &one.in[j];
            const bool keys = !strcmp(x->name, "k");
            for (long i = 0; i < array_len(x); i++) {
                const long from = keys ? i / 15 * 15 + i % 3 * 5 + i / 3 % 5 : i;
                array_put(x, i, element(&context, keys ? "kt" : x->name, from));
            }
        }
        for (int narrow = 0; narrow < 2; narrow++) { /* Keys may be stored in a narrower format. */
            struct arith a[2];
            const char *const words[] = { narrow ? "in.kt=bf16" : "", narrow ? "in.k=bf16" : "" };
            cr_assert_geq(trial_profile(&context, words[0], &a[0], ROUND, err, sizeof err), 0, "%s", err);
            cr_assert_geq(trial_profile(&one, words[1], &a[1], ROUND, err, sizeof err), 0, "%s", err);
            reference_run(&context, &a[0]), reference_run(&one, &a[1]);
            for (long i = 0; i < array_len(&one.out[0]); i++)
                cr_expect(array_get(&one.out[0], i) == array_get(&context.out[0], i), "%s, %d, %ld: %g, not %g",
                    params[k], narrow, i, array_get(&context.out[0], i), array_get(&one.out[0], i));
        }
        trial_close(&context), trial_close(&one);
    }
}

/* Inputs are known by their names, in whatever order they come, where their norm makes others of them. */
Test(logit_laws, inputs_are_known_by_their_names)
{
    struct trial t;
    double first[64];
    make(&t, "norm=rms scale=1", "h=1 g=1 n=5 m=6 d=3 bias");
    for (int way = 0; way < 2; way++) {
        reference_run(&t, &(struct arith){ 0 });
        for (long i = 0; i < array_len(&t.out[0]); i++) {
            first[i] = way ? first[i] : array_get(&t.out[0], i);
            cr_expect_eq(array_get(&t.out[0], i), first[i], "%ld", i);
        }
        const struct mer_array kept = t.in[0];
        t.in[0] = t.in[1], t.in[1] = kept;
    }
    trial_close(&t);
}

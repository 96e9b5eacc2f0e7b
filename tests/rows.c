/* Table-driven over every row, slot, preset: adding a row adds its tests. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include "part.h"
#include "compare/answers.h"
#include "compare/compare.h"
#include "kernels.h"
#include "law.h"
#include "trial/trial.h"

/* Indices, never pointers: Criterion runs each case in a fresh exec, where addresses differ. */
struct one { int row, preset; };
enum { SIZES = 5 };

ParameterizedTestParameters(rows, every_own_kernel_stays_within_its_claim_and_its_derived_bound)
{
    static struct one list[4096];
    size_t n = 0;
    for (int r = 0; all_rows[r]; r++)
        for (int p = 0; all_rows[r]->presets[p].name && n < sizeof list / sizeof *list; p++)
            list[n++] = (struct one){ r, p };
    return cr_make_param_array(struct one, list, n);
}

/* Asks one kernel of a slot one question; exact answers are those of the kernels before it. */
static void expect_within(
    const struct mer_kernel *kernel, const char *slot, const char *preset, const char *sizes,
    struct exact_answers *known)
{
    char err[400];
    struct trial t;
    struct tally y;
    struct arith a;
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ kernel->row, preset, kernel->out, type_named(kernel->type),
        sizes, 7 }, err, sizeof err), 0, "%s", err);
    cr_assert_gt(trial_profile(&t, kernel->profile, &a, WIDEN, err, sizeof err), 0, "%s: %s", kernel->row, err);
    const int rc = mer_ask(kernel, &t.call);
    if (rc == MER_OK) {
        t.answers = known;
        judge_outputs(&t, &a, 32, &y);
        cr_expect(tally_passes(&y), "%s %s %s: %ld over, ratio %g at %s %ld %ld | %ld got %a want %a", kernel->row,
            slot, t.text, y.over, y.ratio, y.out, y.at[0], y.at[1], y.k, y.got, y.want);
        cr_expect(!kernel->gauge || y.gauge <= kernel->gauge, "%s gauge %g, claimed %g", kernel->row, y.gauge,
            kernel->gauge);
    } else
        cr_expect_eq(rc, MER_SKIP);
    trial_close(&t);
}

ParameterizedTest(struct one *o, rows, every_own_kernel_stays_within_its_claim_and_its_derived_bound)
{
    char sizes[32];
    const struct row *row = all_rows[o->row];
    struct exact_answers *known = answers_open();
    for (int n = 0; n < SIZES; n++) {
        snprintf(sizes, sizeof sizes, "n=%d m=%d", (int[]){ 1, 2, 3, 17, 40 }[n], (int[]){ 1, 5, 3, 2, 9 }[n]);
        /* One of the sizes, another one under the next preset and on the next day; `check quick` asks others. */
        if (!is_due(o->row + o->preset + n, SIZES))
            continue;
        for (const struct slot *s = slots; s->name; s++)
            for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
                if (!strcmp(k->row, row->name))
                    expect_within(k, s->name, row->presets[o->preset].text, sizes, known);
    }
    answers_close(known);
}

Test(rows, every_law_holds_and_its_breaker_breaks_it)
{
    for (const struct laws *s = all_laws; s->row; s++)
        for (const struct law *l = s->law; l->says; l++) {
            char text[256];
            const struct row *r = row_named(s->row);
            for (uint64_t seed = 1; seed < 20; seed++) /* `check quick` asks each law as well. */
                if (is_due((long)seed, 3))
                    cr_expect_eq(l->holds(r, l->params, seed), YES, "%s: %s", s->row, l->says);
            if (!l->broken_by)
                continue;
            snprintf(text, sizeof text, "%s %s", l->params, l->broken_by);
            cr_expect_eq(l->holds(r, text, 3), NO, "%s: '%s' survives %s", s->row, l->says, l->broken_by);
        }
}

Test(rows, what_a_contract_computes_lies_in_the_ball_of_its_profile)
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct preset *c = (*r)->contracts; c && c->name; c++)
            for (const struct quantity *q = (*r)->q; q->sign; q++) {
                struct trial t;
                struct tally y;
                struct sign s;
                struct arith round = { 0 }, wide = { 0 };
                char err[400];
                sign_read(&s, q->sign);
                arith_read(&round, *r, c->text, ROUND, err, sizeof err);
                arith_read(&wide, *r, c->text, WIDEN, err, sizeof err);
                cr_assert_eq(trial_make(&t, &(struct trial_spec){ (*r)->name, c->text, s.out.name, MER_F32, "n=12", 5 },
                    err, sizeof err), 0, "%s", err);
                struct mer_array *pos = mer_find(t.in, t.call.n_in, "pos");
                for (long i = 0; pos && strstr(c->text, "position=f16") && i < array_len(pos); i++)
                    /* Beyond 65504 a position in float16 is infinite and has no bound; other tests ask that. */
                    array_put(pos, i, fmod(array_get(pos, i), 60000));
                reference_run(&t, &round);
                judge_outputs(&t, &wide, 64, &y);
                cr_expect(
                    tally_passes(&y), "%s.%s %s: %ld over, ratio %g", (*r)->name, s.out.name, c->name, y.over, y.ratio);
                trial_close(&t);
            }
}

Test(rows, every_contract_names_known_steps)
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct preset *c = (*r)->contracts; c && c->name; c++) {
            struct arith a;
            char err[400];
            cr_expect_gt(arith_read(&a, *r, c->text, ROUND, err, sizeof err), 0, "%s %s: %s", (*r)->name, c->name, err);
        }
}

Test(rows, no_step_is_named_like_a_parameter_and_unknown_words_name_the_known)
{
    size_t len;
    const char *s;
    char err[900];
    struct arith a;
    for (const struct row *const *r = all_rows; *r; r++)
        for (int k = 0; (s = row_step(*r, k, &len)); k++)
            for (const struct param *p = row_params(*r); p->name; p++)
                cr_expect(strlen(p->name) != len || strncmp(p->name, s, len), "%s: %s", (*r)->name, p->name);
    /* Nor may it have the name of one of a part, as a change of it could mean either. */
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct row *const *part = (*r)->parts; part && *part; part++)
            for (int k = 0; (s = row_step(*part, k, &len)); k++)
                for (const struct param *p = row_params(*r); p->name; p++)
                    cr_expect(strlen(p->name) != len || strncmp(p->name, s, len), "%s: %s is a step of %s", (*r)->name,
                        p->name, (*part)->name);
    cr_expect_eq(arith_read(&a, row_named("rope"), "phse=f32", WIDEN, err, sizeof err), -1);
    cr_expect(strstr(err, "'phse=f32'") && strstr(err, "freq cast amplitude position phase table store product sum"),
        "%s", err);
    cr_expect_eq(arith_read(&a, row_named("rope"), "phase=f31", WIDEN, err, sizeof err), -1);
    cr_expect_eq(arith_read(&a, row_named("rope"), "exp=f32", WIDEN, err, sizeof err), -1, "a step of another row");
}

/* Shared parameters and those of parts are written elsewhere than the struct that holds their values (param.h). */
Test(rows, every_parameter_has_a_name_and_a_place_of_its_own)
{
    const size_t size[] = { [INT] = sizeof(long), [RATIONAL] = sizeof(mpq_t), [ENUM] = sizeof(int),
        [LIST] = sizeof(struct list), [ROUTE] = sizeof(int) };
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct param *p = row_params(*r); p->name; p++) {
            cr_assert(p->value && p->help && !p->as && !p->list, "%s: %s", (*r)->name, p->name);
            cr_assert_eq(p->choices != NULL, p->kind == ENUM || p->kind == ROUTE, "%s: %s", (*r)->name, p->name);
            cr_assert_leq(p->at + size[p->kind], (*r)->size, "%s: %s lies outside", (*r)->name, p->name);
            for (const struct param *q = row_params(*r); q < p; q++)
                cr_assert(strcmp(p->name, q->name) &&
                        (p->at + size[p->kind] <= q->at || q->at + size[q->kind] <= p->at),
                    "%s: %s and %s share a name or a place", (*r)->name, q->name, p->name);
        }
}

Test(rows, a_scoped_step_wins_in_its_part_only)
{
    const struct row *inner = row_named("attention"), *outer = row_named("layer");
    struct arith a;
    char err[400];
    cr_assert_eq(arith_read(&a, outer, "attention.sum=bf16 sum=f32 collect=f16", WIDEN, err, sizeof err), 3, "%s", err);
    cr_expect_eq(a.at[1].f, format_named("f16", 3));
    arith_scope(&a, outer, inner, "attention.sum=bf16 sum=f32 collect=f16", WIDEN);
    for (int k = 0, sum = 0; k < STEPS; k++)
        cr_expect(!a.at[k].f || (a.at[k].f == format_named("bf16", 4) && !sum++));
    cr_expect_eq(arith_read(&a, outer, "t5.sum=f32", WIDEN, err, sizeof err), -1, "not a part of layer");
}

/* The definition is evaluated once for all routes of a quantity (answers.h), each route on its own.  Rows made of rows,
 * whose outputs are computed whole, are asked at a smaller size; a quarter of the quantities is asked (part.h). */
Test(rows, every_route_gives_the_same_real_number)
{
    struct exact_answers *answers = answers_open();
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct param *p = row_params(*r); p->name; p++)
            for (const struct quantity *q = (*r)->q; p->kind == ROUTE && q->sign; q++)
                for (const char *c = p->choices; *c; c += strcspn(c, " "), c += strspn(c, " ")) {
                    struct trial t;
                    struct tally y;
                    struct sign s;
                    struct arith exact = { 0 };
                    char text[96], err[200];
                    if (!is_due(r - all_rows + (q - (*r)->q), 4))
                        continue;
                    sign_read(&s, q->sign);
                    snprintf(text, sizeof text, "%s=%.*s", p->name, (int)strcspn(c, " "), c);
                    trial_make(&t, &(struct trial_spec){ (*r)->name, text, s.out.name, MER_F64,
                        (*r)->parts ? "n=5" : "n=12", 5 }, err, sizeof err);
                    reference_run(&t, &exact); /* The outputs, rounded to f64 by this route, */
                    trial_params(&t, "", err, sizeof err);
                    t.answers = answers;
                    judge_outputs(&t, &exact, 64, &y); /* are judged by the definition. */
                    cr_expect(
                        y.correct == y.n && y.n, "%s.%s %s: %ld of %ld", (*r)->name, s.out.name, text, y.correct, y.n);
                    trial_close(&t);
                }
    answers_close(answers);
}

Test(rows, the_ruler_tests_itself) { cr_assert_eq(ruler_self_test(), 0); }

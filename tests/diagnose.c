/* What a diagnosis says: the mistake with its evidence and repair, conventions apart from faults, one class where
 * inputs cannot tell, a mistake beside a coarser step, and nothing where nothing explains. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "core/gen.h"
#include "trial/change.h"

/* A subject with these changes (or noise where change is NULL), judged as f32 arithmetic on bf16 or f32 arrays. */
static struct diagnosis told(const char *row, const char *params, const char *out, const char *sizes, int type,
    const char *profile, const char *change, const char *second)
{
    struct trial t, wrong;
    struct arith a;
    struct diagnosis d;
    char err[900];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ row, params, out, type, sizes, 3 }, err, sizeof err), 0, "%s",
        err);
    cr_assert_eq(trial_copy(&wrong, &t, err, sizeof err), 0, "%s", err);
    /* The subject rounds as declared, and goes wrong besides. */
    snprintf(wrong.profile, sizeof wrong.profile, "%s", profile);
    cr_assert(!change || !trial_change(&wrong, change, err, sizeof err), "%s", err);
    cr_assert(!second || !trial_change(&wrong, second, err, sizeof err), "%s", err);
    cr_assert_gt(trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&wrong, &a);
    for (long k = 0; k < array_len(&t.out[0]); k++)
        array_put(&t.out[0], k,
            change ? array_get(&wrong.out[0], k) : (double)(gen_bits(5, 0, (uint64_t)k) >> 40) * 0x1p-23 - 1);
    snprintf(t.profile, sizeof t.profile, "%s", profile);
    diagnose(&t, &d);
    trial_close(&t);
    trial_close(&wrong);
    return d;
}
static const char soft[] = "dot=f32 product=f32 score=f32 shift=f32 exp=f32 sum=f32 total=f32 div=f32",
                  turn[] = "table=f32 product=f32 sum=f32";

Test(diagnose, a_single_mistake_is_named_with_evidence_and_repair_within_five_seconds)
{
    struct diagnosis d =
        told("attention", "causal=bottomright window=4", "o", "n=9 m=12", MER_F32, soft, "window+=1", NULL);
    const struct answer *a = d.answer;
    cr_expect(d.explained && diagnosis_holds(&d, "window+1"), "%s", a->m.id);
    cr_expect(a->n == d.n && a->explained == a->n && d.n > 90 && d.declared < d.n / 2 && a->worst > 0 && a->worst <= 1,
        "%ld of %ld, declared %ld", a->explained, a->n, d.declared);
    cr_expect_str_eq(a->repair, "pass window=3");
    cr_expect(strstr(a->m.cite, "#") && !a->convention);
    cr_expect_lt(d.seconds, 5.0, "%g s", d.seconds);
    d = told("rope", "dim=16", "y", "n=5", MER_BF16, turn, "pos*=-1", NULL);
    cr_expect(diagnosis_holds(&d, "direction") && !strcmp(d.answer[0].repair, "negate pos"), "%s: %s", d.answer[0].m.id,
        d.answer[0].repair);
}

Test(diagnose, a_number_that_stands_for_something_is_repaired_in_words)
{
    struct diagnosis d = told("attention", "", "o", "n=5 m=7", MER_F32, soft, "scale=1", NULL);
    cr_expect(diagnosis_holds(&d, "scale-missing"), "%s", d.answer[0].m.id);
    cr_expect_str_eq(d.answer[0].repair, "pass scale=0 (1/sqrt(d))");
}

Test(diagnose, another_convention_is_kept_apart_from_a_fault)
{
    struct diagnosis half = told("rope", "dim=16 layout=interleaved", "y", "n=5", MER_F32, turn, "layout=half", NULL),
                     off = told("rope", "dim=16", "y", "n=5", MER_F32, turn, "pos+=1", NULL);
    cr_expect(diagnosis_holds(&half, "half") && half.answer[0].convention, "%s", half.answer[0].m.id);
    cr_expect(strstr(half.answer[0].repair, "layout=half"), "%s", half.answer[0].repair);
    cr_expect(diagnosis_holds(&off, "position+1") && !off.answer[0].convention, "%s", off.answer[0].m.id);
    const struct row *attention = row_named("attention");
    cr_expect(change_is_convention(attention, "causal=topleft") &&
        !change_is_convention(attention, "group=tile scale=1") && !change_is_convention(attention, "norm=none") &&
        !change_is_convention(attention, "weight=bf16"));
}

Test(diagnose, a_convention_that_no_line_lists_is_found_among_the_parameters)
{
    struct diagnosis d = told("attention", "norm=rms eps=1/3", "o", "n=9 m=12", MER_F32, soft, "eps_at=clamp", NULL);
    cr_expect(
        diagnosis_holds(&d, "eps_at=clamp") && d.answer[0].convention && !d.answer[0].listed, "%s", d.answer[0].m.id);
    d = told("sinusoid", "dim=16", "p", "n=9", MER_F32, "table=f32",
        "layout=concat spacing=shifted odd=zero origin=2 padding=1", NULL);
    cr_expect(d.explained && d.answer[0].convention && strstr(d.answer[0].m.effect, "fairseq"), "%s: %s",
        d.answer[0].m.id, d.answer[0].m.effect);
    d = told("rope", "dim=16", "y", "n=5", MER_F32, turn, "layout=interleaved", NULL);
    cr_expect(d.explained && d.answer[0].listed, "a listed one goes before its twin among the parameters: %s",
        d.answer[0].m.id);
}

Test(diagnose, a_mistake_beside_a_coarser_step_is_named_with_it)
{
    struct diagnosis d =
        told("attention", "causal=bottomright window=4", "o", "n=9 m=12", MER_F32, soft, "window+=1", "weight=f16");
    cr_expect(d.explained && !strcmp(d.answer[0].m.id, "window+1") && !strcmp(d.answer[0].second, "weight=f16"),
        "%s with %s", d.answer[0].m.id, d.answer[0].second);
    d = told("attention", "", "o", "n=9 m=12", MER_F32, soft, "div=bf16", NULL);
    cr_expect(d.explained && !strcmp(d.answer[0].m.change, "div=bf16"), "a step alone: %s %s", d.answer[0].m.change,
        d.answer[0].second);
    cr_expect_str_eq(d.answer[0].repair, "round div to f32, or declare div=bf16");
}

Test(diagnose, what_nothing_explains_resembles_nothing)
{
    struct diagnosis d = told("attention", "causal=bottomright", "o", "n=9 m=12", MER_F32, soft, NULL, NULL),
                     r = told("rope", "dim=16", "y", "n=5", MER_BF16, turn, NULL, NULL);
    cr_expect(!d.explained && d.tried > 60, "%s %s of %d", d.answer[0].m.id, d.answer[0].second, d.tried);
    cr_expect(!r.explained && r.tried > 20, "%s %s of %d", r.answer[0].m.id, r.answer[0].second, r.tried);
}

Test(diagnose, what_inputs_cannot_tell_is_one_class_and_what_they_can_is_not)
{
    struct diagnosis d = told("rope", "dim=16 scaling=yarn factor=4 trained=512", "cos", "n=5", MER_F32, "table=f32",
        "scaling=default factor=1", NULL);
    cr_expect(diagnosis_holds(&d, "scaling-dropped") && diagnosis_holds(&d, "dynamic-fixed") &&
            !diagnosis_holds(&d, "dynamic") && !diagnosis_holds(&d, "half"),
        "%s; %s", d.answer[0].m.id, d.same);
    const double v[] = { 1, 2 }, r[] = { 0.5, 0 }, w[] = { 1.75, 2 }, s[] = { 0.25, 0 }, u[] = { 1.76, 2 },
                 nan[] = { 1, (double)NAN };
    cr_expect(says_same(v, r, w, s, 2) && !says_same(v, r, u, s, 2) && !says_same(v, r, nan, s, 2) &&
        says_same(nan, r, nan, s, 2));
}

/* The numbers of output `out` of line `line`, at most n, as a hypothesis says them. */
static bool says(struct hypothesis *h, int out, long line, double *v, double *r, long n)
{
    const struct place p = { out, line };
    cr_assert(place_len(h->t, &p) <= n, "%s: %ld", h->t->row->name, place_len(h->t, &p));
    return hypothesis_says(h, &p, v, r);
}
/* Has the question all inputs that the output must have, with as many axes? */
static bool has_inputs(const struct trial *t, const struct sign *s)
{
    for (int k = 0; k < s->n_in; k++) {
        const struct mer_array *a = mer_in(&t->call, s->in[k].name);
        if (!s->in[k].optional && (!a || a->rank != s->in[k].rank))
            return false;
    }
    return true;
}
/* Asks the last line of one output and then the first of another, which has fewer leading axes: the second has to say
 * what it says when it is asked alone.  false: no question has both outputs, or nothing was said. */
static bool leaves_nothing(const struct row *r, const struct sign *first, const struct sign *other)
{
    enum { MOST = 400 };
    static double v[3][MOST], w[3][MOST];
    struct trial t;
    struct hypothesis fresh, used;
    char err[900], outs[80];
    snprintf(outs, sizeof outs, "%s %s", first->out.name, other->out.name);
    const struct trial_spec of = { r->name, r->presets->text, outs, MER_F64, "n=3 m=3", 3 };
    if (trial_make(&t, &of, err, sizeof err) || !has_inputs(&t, first) || !has_inputs(&t, other))
        return trial_close(&t), false;
    long lines = 1;
    for (int k = 0; k < first->out.lead; k++)
        lines *= t.out[0].dim[k];
    const bool one = hypothesis_open(&fresh, &t, "", NULL), two = hypothesis_open(&used, &t, "", NULL);
    cr_assert(one && two, "%s %s", r->name, outs);
    says(&used, 0, lines - 1, v[0], w[0], MOST);
    const bool said = says(&fresh, 1, 0, v[1], w[1], MOST);
    cr_expect_eq(says(&used, 1, 0, v[2], w[2], MOST), said, "%s %s", r->name, outs);
    const size_t bytes = (size_t)place_len(&t, &(struct place){ 1, 0 }) * sizeof **v;
    cr_expect(!said || (!memcmp(v[1], v[2], bytes) && !memcmp(w[1], w[2], bytes)), "%s %s", r->name, outs);
    hypothesis_close(&fresh), hypothesis_close(&used), trial_close(&t);
    return said;
}
/* Of a question with two outputs of unlike shapes, what is said of a line of the second does not depend on which line
 * of the first was asked before. */
Test(diagnose, a_line_of_one_output_leaves_nothing_to_that_of_another)
{
    long asked = 0;
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign; q++) {
            struct sign first, other;
            sign_read(&other, q->sign);
            bool done = other.out.integer || row_quantity(*r, other.out.name) != q;
            for (const struct quantity *p = (*r)->q; p->sign && !done; p++) {
                sign_read(&first, p->sign);
                done = first.out.lead > other.out.lead && !first.out.integer && row_quantity(*r, first.out.name) == p &&
                    leaves_nothing(*r, &first, &other);
                asked += done;
            }
        }
    cr_expect(asked > 20, "%ld", asked);
}

/* Only the last of 300 keys is changed: 512 bytes at the end of 150 KiB. */
Test(diagnose, an_edit_of_the_end_of_a_large_input_is_another_question)
{
    struct trial t;
    struct hypothesis h;
    char err[900];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=none", "o", MER_F32,
        "h=1 g=1 n=1 m=300 d=128 e=1", 3 }, err, sizeof err), 0, "%s", err);
    snprintf(t.profile, sizeof t.profile, "%s", soft);
    cr_expect(hypothesis_open(&h, &t, "k@m=without-last", NULL), "taken for the declared question");
    hypothesis_close(&h);
    trial_close(&t);
}

/* What is said of t after so much work, as a text that the caller owns. */
static char *said(const struct trial *t, double work, struct diagnosis *d)
{
    char *text = NULL;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    cr_assert(f);
    diagnose_within(t, d, work);
    anatomy_read(t, &d->anatomy);
    diagnosis_say(f, t->row->name, d);
    fclose(f);
    return text;
}

/* A search that is cut off says the same beside busy processes as before and after them: where it stops is counted in
 * what was done, not in seconds. */
Test(diagnose, a_busy_machine_changes_no_word, .timeout = 120)
{
    enum { BUSY = 4 };
    static struct diagnosis d;
    struct trial t;
    char err[900];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", "causal=bottomright", "o", MER_F32, "n=9 m=12", 3 },
        err, sizeof err), 0, "%s", err);
    for (long k = 0; k < array_len(&t.out[0]); k++)
        array_put(&t.out[0], k, (double)(gen_bits(5, 0, (uint64_t)k) >> 40) * 0x1p-23 - 1);
    snprintf(t.profile, sizeof t.profile, "%s", soft);
    const double work = 3e5;
    char *quiet = said(&t, work, &d);
    const int tried = d.tried;
    cr_expect(tried > 20 && d.untried > 20, "%d tried, %d not: the search is not cut off", tried, d.untried);
    cr_expect(d.work >= work && !d.slow);
    pid_t busy[BUSY];
    for (int k = 0; k < BUSY; k++)
        if (!(busy[k] = fork()))
            for (volatile unsigned spin = 0;; spin++) {}
    char *beside = said(&t, work, &d);
    for (int k = 0; k < BUSY; k++)
        if (busy[k] > 0)
            kill(busy[k], SIGKILL), waitpid(busy[k], NULL, 0);
    cr_expect_eq(d.tried, tried);
    cr_expect_str_eq(beside, quiet);
    char *after = said(&t, work, &d);
    cr_expect_str_eq(after, quiet);
    free(quiet), free(beside), free(after);
    trial_close(&t);
}

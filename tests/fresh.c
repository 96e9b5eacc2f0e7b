/* A name is tried on fresh questions: what contradicts one of them is the cause of the first failure alone. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/names.h"
#include "compare/compare.h"
#include "diagnose/joint/failures.h"
#include "diagnose/joint/joint.h"
#include "diagnose/joint/part.h"
#include "examine/examine.h"
#include "examine/further.h"
#include "trial/change.h"

static const char f32[] = "exponent=f32 rebase=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 amplitude=f32 "
                          "product=f32 sum=f32";

/* Rope in pairs (2k, 2k+1) with x of this seed, the outputs times `by`, of a trial that declares pairs (k, k + K). */
static void turned(struct trial *t, uint64_t seed, float by)
{
    static const char sizes[] = "h=2 n=5";
    struct trial other;
    struct arith a;
    char err[600];
    const int bad = trial_make(&other, &(struct trial_spec){ "rope", "dim=12 layout=interleaved", "y", MER_F32, sizes,
        seed }, err, sizeof err);
    cr_assert(!trial_make(t, &(struct trial_spec){ "rope", "dim=12 layout=half", "y", MER_F32, sizes, seed }, err,
        sizeof err) && !bad);
    snprintf(other.profile, sizeof other.profile, "%s", f32), snprintf(t->profile, sizeof t->profile, "%s", f32);
    cr_assert_geq(trial_profile(&other, "", &a, EXACT, err, sizeof err), 0, "%s", err);
    reference_run(&other, &a);
    const float *from = other.out[0].data;
    float *to = t->out[0].data;
    for (long k = 0; k < array_len(&t->out[0]); k++)
        to[k] = by * from[k];
    trial_close(&other);
}

Test(fresh, a_name_that_another_question_contradicts_is_none)
{
    static const struct {
        const char *what;
        int asked; /* How many fresh questions were asked, */
        float by;  /* and by what their outputs are multiplied. */
        bool alone;
    } list[] = {
        { "nothing is asked again", 0, 1, false },
        { "the same mistake", 2, 1, false },
        { "another one", 1, -1, true },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static struct diagnosis d; /* Too large for the stack. */
        struct trial t;
        joint_begin(list[k].what);
        cr_assert(joint_first());
        for (int j = 0; j < list[k].asked; j++) {
            turned(&t, 100 + (uint64_t)j, list[k].by);
            joint_fresh(&t);
            trial_close(&t);
        }
        cr_expect(joint_first(), "%s: nobody was told of it", list[k].what);
        turned(&t, 7, 1);
        cr_expect(joint_diagnose(&t, &d), "%s", list[k].what);
        cr_expect(!joint_first());
        cr_expect_eq(d.alone, list[k].alone, "%s: %s", list[k].what, d.answer[0].m.id);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* A question of this row under these parameters, answered as `change` has it. */
static void wrong_by(struct trial *t, const char *row, const char *params, const char *out, const char *sizes,
    uint64_t seed, const char *change)
{
    struct trial other;
    struct arith a;
    char err[600];
    const char *said = row_named(row)->contracts[0].text;
    cr_assert(!trial_make(t, &(struct trial_spec){ row, params, out, MER_F32, sizes, seed }, err, sizeof err), "%s",
        err);
    cr_assert_gt(trial_profile(t, said ? said : "f32", &a, WIDEN, err, sizeof err), 0, "%s", err);
    cr_assert(!trial_copy(&other, t, err, sizeof err) && !trial_change(&other, change, err, sizeof err), "%s", err);
    cr_assert_geq(trial_profile(&other, other.profile, &a, ROUND, err, sizeof err), 0, "%s", err);
    reference_run(&other, &a);
    memcpy(t->out[0].data, other.out[0].data, (size_t)array_len(&t->out[0]) * sizeof(float));
    trial_close(&other);
}

/* How many ids a list has with ", " between them. */
static int ids(const char *list)
{
    int n = *list != 0;
    for (; (list = strchr(list, ',')); list++)
        n++;
    return n;
}

/* Causes that explain the same failure have different answers to another question, which leaves one of them; or the
 * same, in which case they are one in several words. */
Test(fresh, causes_are_told_apart_by_a_question_or_are_one)
{
    static const struct {
        const char *row, *out, *sizes, *change, *elsewhere;
        bool apart; /* The other question, of these sizes, tells causes apart. */
    } list[] = {
        /* Products that are lost behind the last whole block of 8 are all of them where d = 6, and not where d = 9. */
        { "shaw", "o", "h=2 n=5 m=7 d=6 e=5 normal", "q@=zero", "h=2 n=5 m=7 d=9 e=5 normal", true },
        { "shaw", "o", "h=2 n=5 m=7 d=6 e=5 normal", "q@=zero", "h=3 n=4 m=9 d=6 e=5 normal", false },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        static struct diagnosis d, was; /* Too large for the stack. */
        struct trial t, other;
        joint_begin(list[k].elsewhere);
        wrong_by(&t, list[k].row, "", list[k].out, list[k].sizes, 5, list[k].change);
        cr_assert(joint_diagnose(&t, &d), "%s", list[k].change);
        cr_assert_gt(ids(d.same), 2, "%s: %s", list[k].change, d.same);
        cr_expect(part_due(&d), "%s", list[k].change);
        was = d;
        wrong_by(&other, list[k].row, "", list[k].out, list[k].elsewhere, 6, list[k].change);
        cr_expect_eq(part_splits(&other), list[k].apart, "%s", list[k].change);
        part_by(&other, &t, &d);
        cr_expect(!d.alone && diagnosis_holds(&was, d.answer[0].m.id), "%s: %s", list[k].change, d.answer[0].m.id);
        cr_expect_eq(ids(d.same) < ids(was.same), list[k].apart, "%s: %s", list[k].change, d.same);
        part_spell(&t, true), part_spell(&other, false), part_spelt(&d);
        for (const char *id = d.same; *id; id = names_after(id))
            cr_expect(names_hold(d.spelt, id, strcspn(id, ",")), "%s: %s, of %s", list[k].change, d.spelt, d.same);
        cr_expect(!part_due(&d), "%s: nothing is left to tell", list[k].change);
        trial_close(&other), trial_close(&t);
    }
    joint_begin(NULL);
}

/* What contradicts another question of the kernel, a right answer included, is no name for it. */
Test(fresh, a_right_answer_contradicts_a_name)
{
    static struct diagnosis d;
    struct trial t, other;
    struct arith exact = { 0 };
    joint_begin("right elsewhere");
    wrong_by(&t, "shaw", "", "o", "h=2 n=5 m=7 d=6 e=5 normal", 5, "q@=zero");
    cr_assert(joint_diagnose(&t, &d) && !d.alone);
    wrong_by(&other, "shaw", "", "o", "h=2 n=5 m=7 d=6 e=5 normal", 6, "q@=zero");
    reference_run(&other, &exact);
    part_by(&other, &t, &d);
    cr_expect(d.alone);
    trial_close(&other), trial_close(&t);
    joint_begin(NULL);
}

/* A name of the class that a fresh question contradicts is none of it. */
Test(fresh, a_class_holds_what_no_question_contradicts)
{
    static struct diagnosis d;
    struct trial t, other;
    joint_begin("class");
    wrong_by(&other, "shaw", "", "o", "h=2 n=5 m=7 d=9 e=5 normal", 6, "q@=zero");
    joint_fresh(&other);
    wrong_by(&t, "shaw", "", "o", "h=2 n=5 m=7 d=6 e=5 normal", 5, "q@=zero");
    cr_assert(joint_diagnose(&t, &d) && !d.alone);
    cr_expect(diagnosis_holds(&d, "edit=dot:zero") && !diagnosis_holds(&d, "edit=dot:tail-8"), "%s", d.same);
    trial_close(&other), trial_close(&t);
    joint_begin(NULL);
}

/* Own scalar kernel of row shaw with queries behind the last whole block of 16 read as 0. */
static const struct mer_kernel *own_shaw(void)
{
    const struct slot *s = slots;
    while (strcmp(s->kernel->row, "shaw"))
        s++;
    return s->kernel;
}
static int lost_tail(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)s, (void)k, (void)why, (void)n;
    struct mer_array in[32];
    struct mer_call call = *c;
    memcpy(in, c->in, (size_t)c->n_in * sizeof *in);
    call.in = in;
    struct mer_array *q = mer_find(in, c->n_in, "q");
    const long rows = q->dim[1], width = q->dim[2], whole = rows / 16 * 16;
    float *kept = need((size_t)array_len(q), sizeof *kept);
    memcpy(kept, q->data, (size_t)array_len(q) * sizeof *kept);
    for (long h = 0; h < q->dim[0]; h++)
        memset(kept + (h * rows + whole) * width, 0, (size_t)((rows - whole) * width) * sizeof *kept);
    q->data = kept;
    const int rc = mer_ask(own_shaw(), &call);
    free(kept);
    return rc;
}

/* Of few queries all are lost, which has many names, none of them right; of larger sizes one cause is left. */
Test(fresh, larger_sizes_tell_a_lost_tail_from_what_is_lost_altogether)
{
    const struct mer_kernel list[] = { *own_shaw(), { 0 } };
    struct subject who = { .name = "lost", .kernel = list, .run = lost_tail };
    struct question q = { .subject = &who, .kernel = list, .params = "", .sizes = "n=10", .seed = 1, .lines = 16 };
    struct trial t;
    struct tally y;
    struct finding f;
    joint_kernel("lost", list);
    cr_assert_eq(examine(&q, &t, &y, &f), 1);
    cr_assert(f.word == FAILED && f.match, "%s: %s", word_name[f.word], f.reason);
    cr_expect_str_eq(f.match->change, "q@n=tail-16", "%s", f.match->change);
    trial_close(&t);
    joint_begin(NULL);
}

static int negated(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n)
{
    (void)s, (void)k, (void)why, (void)n;
    const int rc = mer_ask(own_shaw(), c);
    for (long i = 0; rc == MER_OK && i < array_len(c->out); i++)
        array_put(c->out, i, -array_get(c->out, i));
    return rc;
}
/* In a smaller failure a search tries more: it is kept first, with sizes that are not all alike.  Where sizes are
 * stated, there is no other. */
Test(fresh, a_failure_is_asked_again_with_fewer_numbers)
{
    const struct mer_kernel list[] = { *own_shaw(), { 0 } };
    struct subject who = { .name = "negated", .kernel = list, .run = negated };
    for (int stated = 0; stated < 2; stated++) {
        struct question q = { .subject = &who, .kernel = list, .params = "", .sizes = "n=10", .seed = 1, .lines = 16,
            .stated = stated };
        struct trial t;
        char err[400];
        joint_begin(NULL), joint_kernel("negated", list);
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list->row, "", "o", MER_F32, q.sizes, q.seed }, err,
            sizeof err), 0, "%s", err);
        cr_assert_eq(negated(&who, list, &t.call, err, sizeof err), MER_OK);
        fresh_failures(&q, &t);
        const struct failures *f = failures_here();
        cr_assert_gt(f->n, 0);
        const struct mer_array *o = &f->kept[0].out[0], *was = &t.out[0];
        cr_expect_eq(o->dim[1] < was->dim[1], !stated, "%d: %ld queries of %ld", stated, (long)o->dim[1],
            (long)was->dim[1]);
        cr_expect(stated || (3 * array_len(o) < array_len(was) && o->dim[1] != f->kept[0].size['m']),
            "%ld numbers of %ld, %ld queries, %ld keys", array_len(o), array_len(was), (long)o->dim[1],
            f->kept[0].size['m']);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* Outputs of short lines have many: those of the first output must leave room for those of the next, or what is wrong
 * in it is compared with nothing, and everything explains it. */
Test(fresh, no_output_leaves_another_without_a_line)
{
    enum { ROOM = 96 };
    struct place p[ROOM];
    struct trial t;
    char err[600];
    long of[2] = { 0, 0 };
    cr_assert(!trial_make(&t, &(struct trial_spec){ "t5", "", "o lse", MER_F32, "n=31 m=2 e=3", 1 }, err, sizeof err),
        "%s", err);
    const int n = places_of(&t, lines_for(&t, 24, ROOM), p, ROOM);
    for (int k = 0; k < n; k++)
        of[p[k].out]++;
    cr_expect(of[0] == ROOM / 2 && of[1] == ROOM / 2, "%ld and %ld of %d", of[0], of[1], n);
    trial_close(&t);
}

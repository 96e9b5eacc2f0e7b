/* Failures of one kernel are one story: a cause explains all of them, and is told by the next one from what explains
 * the first alone. */
#include <criterion/criterion.h>
#include <string.h>
#include "base/names.h"
#include "diagnose/joint/apart.h"
#include "diagnose/joint/explains.h"
#include "diagnose/joint/joint.h"
#include "diagnose/joint/part.h"
#include "edited.h"
#include "kernels.h"
#include "words/each.h"

/* A lost tail is all that a short axis has: the answer is 0 there, which has too many causes, and the cause is that of
 * another failure of the kernel.  By itself the first one has no name. */
Test(edits_joint, a_trivial_answer_has_the_name_of_the_other_failures, .timeout = 120)
{
    static struct diagnosis d;
    static const char lost[] = "edit=out:0:out.1:tail-8";
    struct trial t, other;
    joint_begin("short");
    cr_assert_eq(answered(&other, "alibi", "heads=6", "bias", "n=12 m=7", lost), 0);
    answered(&t, "alibi", "heads=6", "bias", "n=5 m=7", lost);
    cr_expect(diagnose(&t, &d) && diagnosis_holds(&d, "edit=out:0:out:zero") && !diagnosis_holds(&d, lost));
    joint_fresh(&other);
    cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, lost), "%s", d.answer[0].m.id);
    trial_close(&t), trial_close(&other);
    joint_begin(NULL);
}

/* The name of a cause is one of all failures where these are kept, which a cause that falls late needs. */
Test(edits_joint, dozens_of_failures_are_kept, .timeout = 120)
{
    struct trial t;
    joint_begin("many");
    cr_assert_eq(answered(&t, "rope", "dim=24", "y", "h=1 n=2 normal", "pos@n=reverse"), 0);
    struct failures *f = failures_here();
    for (int k = 0; k < 60; k++)
        failures_keep(f, &t, false);
    f->failures = 61;
    cr_expect(failures_all_kept(f));
    for (int k = 0; k < 60; k++)
        failures_keep(f, &t, false);
    f->failures = 121;
    cr_expect(!failures_all_kept(f) && f->n < 120, "of more than there is room for, some are gone");
    trial_close(&t);
    joint_begin(NULL);
}

/* One cause of several outputs of a row: what stands for one of them is found for the next without a search, of the
 * same subject alone. */
Test(edits_joint, what_stands_for_one_output_is_the_cause_of_another, .timeout = 120)
{
    static const struct mer_kernel bias = { .row = "t5", .out = "bias", .type = "f32" },
                                   bucket = { .row = "t5", .out = "bucket", .type = "f32" };
    static const char params[] = "buckets=16 max_distance=32", *const subjects[] = { "one", "one", "another" };
    static struct diagnosis d;
    struct sought want = { "buckets.c:", ":whole:more" };
    struct trial t;
    char err[600];
    static const struct place some[] = { { 0, 0 }, { 0, 3 } };
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "t5", params, "bias", MER_F32, "n=30 m=33", 5 }, err, sizeof err),
        0, "%s", err);
    edits_of_sites(&t, some, 2, WORDS_ALL, keep_first, &want);
    trial_close(&t);
    for (int k = 0; k < 3; k++) {
        joint_kernel(subjects[k], k ? &bucket : &bias);
        cr_assert_eq(answered(&t, "t5", params, k ? "bucket" : "bias", k ? "n=60" : "n=30 m=33", want.change), 0, "%s",
            want.change);
        cr_expect(joint_diagnose(&t, &d) && diagnosis_holds(&d, want.change), "%s: %s", want.change, d.answer[0].m.id);
        cr_expect((d.work > 0) == (k != 1), "%s: work %g", subjects[k], d.work);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* Failures of one kernel are one story: what explains the first and not the second is no name for both. */
Test(edits_joint, a_name_explains_all_failures_of_a_kernel, .timeout = 120)
{
    static struct diagnosis d;
    static const char *const sizes[] = { "h=2 g=2 n=4 m=7 d=8 e=5 normal", "h=2 g=2 n=6 m=9 d=7 e=5 normal" };
    struct trial t;
    joint_begin("one");
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(answered(&t, "attention", "", "o", sizes[k], "k@m=reverse"), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, "k@m=reverse"), "%s", d.answer[0].m.id);
        trial_close(&t);
    }
    cr_assert_eq(answered(&t, "attention", "", "o", sizes[0], "q@d=roll"), 0);
    joint_diagnose(&t, &d);
    cr_expect(d.alone && !diagnosis_holds(&d, "k@m=reverse"), "%s", d.answer[0].m.id);
    trial_close(&t);
    joint_begin("another");
    cr_assert_eq(answered(&t, "attention", "", "o", sizes[0], "q@d=roll"), 0);
    cr_expect(joint_diagnose(&t, &d) && !d.alone, "%s", d.answer[0].m.id);
    trial_close(&t);
    joint_begin(NULL);
}

/* A kernel that computes with a number of its own, whatever is declared: the first failure alone cannot tell it from a
 * number that is one too large, and the second one does. */
Test(edits_joint, a_number_of_its_own_is_told_from_one_more, .timeout = 120)
{
    static const struct { const char *declared, *is; } asked[] = {
        { "causal=bottomright window=3", "window=4" },
        { "causal=bottomright window=6", "window=4" },
    };
    static const char *const names[] = { "window+1", "window=4" }, sizes[] = "h=2 g=2 n=7 m=12 d=8 e=5 normal";
    static struct diagnosis d;
    struct trial t;
    joint_begin("four");
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(answered(&t, "attention", asked[k].declared, "o", sizes, asked[k].is), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && diagnosis_holds(&d, names[k]), "%s", d.answer[0].m.id);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* A kernel that exchanges two layouts is one story under both, said by the name that each of them has. */
Test(edits_joint, an_exchanged_layout_has_a_name_under_both, .timeout = 120)
{
    static const struct { const char *declared, *is; } asked[] = {
        { "dim=24 layout=half", "layout=interleaved" },
        { "dim=24 layout=interleaved", "layout=half" },
        { "dim=24 layout=half base=500", "layout=interleaved" },
    };
    static struct diagnosis d;
    struct trial t;
    joint_begin("exchanged");
    for (int k = 0; k < 3; k++) {
        cr_assert_eq(answered(&t, "rope", asked[k].declared, "y", "h=2 n=7 normal", asked[k].is), 0);
        cr_expect(joint_diagnose(&t, &d) && !d.alone && !strcmp(d.answer[0].m.change, asked[k].is), "%s: %s",
            asked[k].declared, d.answer[0].m.change);
        trial_close(&t);
    }
    joint_begin(NULL);
}

/* The tables of one question, cosines of one wrong variant and sines of another. */
static void answered_apart(struct trial *t, const char *sizes, const char *of_cos, const char *of_sin)
{
    struct trial other;
    cr_assert_eq(answered(t, "rope", "dim=12", "cos sin", sizes, of_cos), !*of_cos, "%s", of_cos);
    cr_assert_eq(answered(&other, "rope", "dim=12", "cos sin", sizes, of_sin), !*of_sin, "%s", of_sin);
    memcpy(t->out[1].data, other.out[1].data, (size_t)array_len(&t->out[1]) * sizeof(float));
    trial_close(&other);
}
static const char *cause_in(const struct diagnosis *d, const char *out)
{
    for (int k = 0; k < d->answers; k++)
        if (names_hold(d->answer[k].of, out, strlen(out)))
            return d->answer[k].m.id;
    return "";
}

/* Two loops of a kernel are wrong in two ways: no cause explains both outputs, and each of them has its own, for all
 * failures.  One that is right has none, one that is 0 or was never written says no more than that, and a failure that
 * a cause does not explain ends it for good. */
Test(edits_joint, each_output_may_have_a_cause_of_its_own, .timeout = 120)
{
    static const bool both[] = { true, true }, second[] = { false, true };
    static const char *const sizes[] = { "n=7", "n=11", "n=9" };
    static struct diagnosis d;
    struct trial t;
    joint_begin("two loops");
    for (int k = 0; k < 3; k++) {
        answered_apart(&t, sizes[k], "pos@n=roll", "pos@n=reverse");
        cr_expect(!joint_diagnose(&t, &d) || d.alone, "%d: %s", k, d.answer[0].m.id);
        cr_expect(apart_diagnose(&t, both, &d) && d.apart && d.explained && d.answers == 2, "%d", k);
        cr_expect_str_eq(cause_in(&d, "cos"), "pos@n=roll");
        cr_expect_str_eq(cause_in(&d, "sin"), "pos@n=reverse");
        cr_expect(d.of_all && !strcmp(d.each, "cos: pos@n=roll; sin: pos@n=reverse"), "%s", d.each);
        cr_expect(d.answer[0].n == array_len(&t.out[0]) && d.n == 2 * d.answer[0].n, "%ld, %ld", d.answer[0].n, d.n);
        trial_close(&t);
    }
    answered_apart(&t, sizes[1], "pos@n=first", "pos@n=reverse");
    cr_expect(!apart_diagnose(&t, both, &d), "another fault of the cosines");
    trial_close(&t);
    answered_apart(&t, sizes[1], "pos@n=roll", "pos@n=reverse");
    cr_expect(!apart_diagnose(&t, both, &d), "what has fallen does not stand again");
    trial_close(&t);

    joint_begin("one loop");
    answered_apart(&t, sizes[0], "", "pos@n=reverse");
    memset(t.out[1].data, 0, (size_t)array_len(&t.out[1]) * sizeof(float));
    joint_diagnose(&t, &d);
    cr_expect(apart_diagnose(&t, second, &d) && d.answers == 1 && !*cause_in(&d, "cos"));
    cr_expect_str_eq(cause_in(&d, "sin"), "edit=out:0:out:zero");
    trial_close(&t);
    joint_begin("no loop");
    answered_apart(&t, sizes[0], "pos@n=roll", "");
    memset(t.out[1].data, 0xff, (size_t)array_len(&t.out[1]) * sizeof(float));
    joint_diagnose(&t, &d);
    cr_expect(apart_diagnose(&t, both, &d) && d.answers == 2);
    cr_expect_str_eq(cause_in(&d, "sin"), "unwritten");
    trial_close(&t);

    joint_begin("one output");
    cr_assert_eq(answered(&t, "rope", "dim=12", "cos", sizes[0], "pos@n=roll"), 0);
    d = (struct diagnosis){ 0 };
    cr_expect(!apart_diagnose(&t, both, &d), "one output has no other");
    trial_close(&t);
    joint_begin(NULL);
    answered_apart(&t, sizes[0], "pos@n=roll", "pos@n=reverse");
    cr_expect(!apart_diagnose(&t, both, &d), "of no kernel nothing is known");
    trial_close(&t);
}

/* What explains each output of one kernel is tried on the kernel of another type before anything is searched. */
Test(edits_joint, causes_of_outputs_are_those_of_a_sibling, .timeout = 120)
{
    static const struct mer_kernel kernels[] = { { .row = "rope", .out = "cos sin", .type = "f32" },
        { .row = "rope", .out = "cos sin", .type = "bf16" } };
    static const bool both[] = { true, true };
    static struct diagnosis d;
    struct trial t;
    for (int k = 0; k < 3; k++) {
        joint_kernel(k < 2 ? "one" : "another", &kernels[k % 2]);
        answered_apart(&t, k ? "n=11" : "n=7", "pos@n=roll", "pos@n=roll");
        memset(t.out[1].data, 0, (size_t)array_len(&t.out[1]) * sizeof(float));
        joint_diagnose(&t, &d);
        cr_expect(apart_diagnose(&t, both, &d) && d.answers == 2, "%d", k);
        cr_expect_str_eq(d.each, "cos: pos@n=roll; sin: edit=out:0:out:zero");
        cr_expect_eq(failures_here()->apart.searches > 0, k != 1, "%d: %d", k, failures_here()->apart.searches);
        trial_close(&t);
    }
    joint_begin(NULL);
}

static bool stands(const char *change)
{
    const struct failures *f = failures_here();
    for (int k = 0; k < f->standings; k++)
        if (!strcmp(f->standing[k].m.change, change))
            return true;
    return false;
}
/* What a kernel answers rightly is evidence, too: a cause under which the answer would be wrong is none, and of two
 * that explain a failure alike the one stays that leaves it as it is. */
Test(edits_joint, right_answers_tell_causes_apart, .timeout = 120)
{
    static struct diagnosis d;
    struct trial t, right;
    joint_begin("always interleaved");
    answered(&right, "rope", "dim=24 layout=interleaved", "y", "h=2 n=5 normal", "");
    cr_assert_eq(answered(&t, "rope", "dim=24 layout=half", "y", "h=2 n=7 normal", "layout=interleaved"), 0);
    cr_expect(joint_diagnose(&t, &d) && !d.alone && stands("layout=interleaved") && stands("layout+=1"));
    cr_expect(part_untried(&d) && !part_untried(&d), "once for each kernel");
    part_by(&right, &t, &d);
    cr_expect(!d.alone && stands("layout=interleaved") && !stands("layout+=1"), "%s", d.answer[0].m.id);
    cr_expect(failures_here()->n == 2 && !failures_here()->right[0] && failures_here()->right[1]);
    trial_close(&t);

    joint_begin("right elsewhere");
    cr_assert_eq(answered(&t, "rope", "dim=24 layout=half", "y", "h=2 n=7 normal", "pos@n=reverse"), 0);
    for (int k = 0; k < 2; k++) {
        const bool is = joint_diagnose(&t, &d);
        cr_expect(is && d.alone == (k > 0), "%d: %s", k, d.answer[0].m.id);
        cr_expect_eq(part_untried(&d), !k);
        if (!k)
            part_by(&right, &t, &d);
        cr_expect(d.alone, "%d: a right answer contradicts it", k);
    }
    trial_close(&t), trial_close(&right);
    joint_begin(NULL);
    d = (struct diagnosis){ .explained = true };
    cr_expect(!part_untried(&d), "of no kernel nothing is known");
}

/* What explains a failure ends its search, unless right answers contradict that: then some of an operation's turns are
 * tried as well, and a tail that is all of an axis here. */
Test(edits_joint, what_right_answers_contradict_ends_no_search, .timeout = 120)
{
    static const char some[] = "edit=rope.c:75:mul.p:tail-16:2of4";
    static struct diagnosis d;
    struct trial t, right;
    joint_begin("some of a tail");
    answered(&right, "rope", "dim=32", "y", "h=2 n=5 normal", some);
    cr_assert_eq(answered(&t, "rope", "dim=24", "y", "h=2 n=5 normal", some), 0);
    cr_expect(joint_diagnose(&t, &d) && !d.alone && part_untried(&d), "%s", d.answer[0].m.id);
    part_by(&right, &t, &d);
    cr_expect(!d.alone && stands(some), "%s", d.answer[0].m.id);
    trial_close(&t), trial_close(&right);
    joint_begin(NULL);
}

/* The same of causes of single outputs: they fall by an answer that is right, and by an output that is wrong and has
 * none. */
Test(edits_joint, causes_of_outputs_explain_what_is_right, .timeout = 120)
{
    static const bool both[] = { true, true }, second[] = { false, true };
    static struct diagnosis d;
    for (int k = 0; k < 4; k++) {
        struct trial t, other;
        joint_begin(k == 0 ? "right" : k == 1 ? "wrong" : k == 2 ? "as found" : "another output");
        answered_apart(&t, "n=7", k == 3 ? "" : "pos@n=roll", "pos@n=reverse");
        joint_diagnose(&t, &d);
        cr_assert(apart_diagnose(&t, k == 3 ? second : both, &d));
        cr_expect(part_untried(&d) && !d.alone);
        answered_apart(&other, "n=9", k == 0 ? "" : "pos@n=roll", k == 1 ? "pos@n=first" : "pos@n=reverse");
        cr_expect_eq(apart_by(&other, &d), k == 2, "%d", k);
        cr_expect(d.alone == (k != 2) && failures_here()->apart.fallen == (k != 2), "%d", k);
        trial_close(&t), trial_close(&other);
    }
    joint_begin(NULL);
}

/* One output of several is a question of its own: what the others alone read is foreign to it. */
Test(edits_joint, an_output_alone_is_a_question, .timeout = 120)
{
    static struct trial view; /* large */
    long outputs = 0;
    for (int slot = 0; slots[slot].name; slot++)
        for (const struct mer_kernel *k = slots[slot].kernel; k->row && !strcmp(slots[slot].name, "scalar"); k++) {
            struct trial t;
            char err[600];
            const bool made = strchr(k->out, ' ') && !trial_make(&t, &(struct trial_spec){ k->row, "", k->out,
                type_named(k->type), NULL, 3 }, err, sizeof err);
            for (int o = 0; made && o < t.call.n_out; o++, outputs++) {
                output_alone(&t, o, &view);
                cr_expect_eq(trial_check(&view, err, sizeof err), 0, "%s.%s: %s", k->row, t.out[o].name, err);
            }
            if (strchr(k->out, ' '))
                trial_close(&t);
        }
    cr_expect_gt(outputs, 300, "%ld", outputs);
}

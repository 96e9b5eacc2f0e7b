/* What a coarser step explains and one number of the page explains as well: then the step is no name.  Where the step
 * is what is wrong, no number explains it, or the number is that of a constant, and the step is the name. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diagnose/diagnose.h"
#include "diagnose/joint/joint.h"
#include "diagnose/causes.h"
#include "named.h"

/* What is wrong with the subject below. */
enum wrong { TOTAL_ADDED, TOTAL_ROUNDED, SCALE_ROUNDED, SCORE_ROUNDED };

/* x with p bits. */
static float rounded(float x, int p)
{
    int e;
    const double m = frexp((double)x, &e);
    return (float)ldexp(rint(ldexp(m, p)), e - p);
}

/* softmax(q k^T / sqrt d) v in float32; where `causal`, query i sees the keys up to i + m - n, and those that see none
 * have a total of 0, before it is done wrong. */
static void attend(struct trial *t, enum wrong w, float by, bool causal)
{
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k"), *v = trial_in(t, "v");
    const long n = q->dim[1], m = k->dim[1], d = q->dim[2], e = v->dim[2], bits = (long)by;
    float *s = calloc((size_t)m, sizeof *s), scale = 1 / sqrtf((float)d);
    if (w == SCALE_ROUNDED)
        scale = rounded(scale, (int)bits);
    for (long row = 0; row < q->dim[0] * n; row++) {
        float top = -INFINITY, total = 0;
        const long seen = !causal ? m : row % n + m - n + 1 < 0 ? 0 : row % n + m - n + 1;
        for (long j = 0; j < seen; j++) {
            float x = 0;
            for (long c = 0; c < d; c++)
                x += (float)array_get(q, row * d + c) * (float)array_get(k, (row / n * m + j) * d + c);
            s[j] = w == SCORE_ROUNDED ? rounded(x * scale, (int)bits) : x * scale;
            top = fmaxf(top, s[j]);
        }
        for (long j = 0; j < seen; j++)
            total += s[j] = expf(s[j] - top);
        total = w == TOTAL_ADDED ? total + by : w == TOTAL_ROUNDED ? rounded(total, (int)bits) : total;
        for (long c = 0; c < e; c++) {
            float y = 0;
            for (long j = 0; j < seen; j++)
                y += s[j] * (float)array_get(v, (row / n * m + j) * e + c);
            array_put(&t->out[0], row * e + c, (double)(y / total));
        }
    }
    free(s);
}

static const char soft[] = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:6 sum=f32 total=f32 div=f32";

static void ask(enum wrong w, float by, struct diagnosis *d)
{
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=9 d=11 e=6 normal", soft);
    attend(&t, w, by, false);
    cr_expect(diagnose(&t, d), "nothing explains %d, %g", w, (double)by);
    trial_close(&t);
}

Test(rivals, a_number_that_explains_as_much_leaves_a_coarser_step_no_name, .timeout = 120)
{
    static const float numbers[] = { 0.000731f, -0.00093f };
    static struct diagnosis d;
    int steps = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        ask(TOTAL_ADDED, numbers[k], &d);
        const bool step = d.all[0].stepped;
        cr_log_info("%g: %s; %s", (double)numbers[k], d.answer[0].m.id, d.rival);
        cr_expect(step ? *d.rival && strstr(d.rival, " is larger by ") : strstr(d.answer[0].m.id, ":plus-") != NULL,
            "%g: %s; %s", (double)numbers[k], d.answer[0].m.id, d.rival);
        steps += step;
        if (!step)
            continue;
        char *text = NULL;
        size_t len;
        FILE *f = open_memstream(&text, &len);
        struct causes s = { 0 };
        diagnosis_say(f, "attention", &d);
        causes_count(&s, "attention.o f32", "attention", &d.answer[0].m, &d);
        causes_say(&s, 1, false, f), causes_free(&s), fclose(f);
        cr_expect(strstr(text, "consistent with attention.") && strstr(text, "why: 1 of 1 failures are consistent") &&
            !strstr(text, "match") && !strstr(text, "repair:"), "%s", text);
        free(text);
    }
    cr_expect_gt(steps, 0, "no coarser step explains any of them");
}

/* Failures of one kernel, of other sizes.  The number of the first explains the second, and is the cause; where a
 * query that sees no key is to have NaN, the total that is wrong is that of hidden keys as well, and no longer 0. */
Test(rivals, a_number_that_explains_two_failures_is_their_cause, .timeout = 120)
{
    static const struct { const char *params, *sizes[3], *ends; bool causal; } list[] = {
        { "", { "h=2 g=2 n=6 m=9 d=11 e=6 normal", "h=2 g=2 n=5 m=14 d=13 e=5 normal",
            "h=3 g=3 n=4 m=7 d=11 e=6 normal" }, "", false },
        { "causal=bottomright empty=nan", { "h=2 g=2 n=9 m=7 d=11 e=6 normal", "h=2 g=2 n=16 m=14 d=13 e=5 normal",
            "h=3 g=3 n=8 m=7 d=11 e=6 normal" }, ":hidden", true },
    };
    static struct diagnosis d;
    for (int k = 0; k < 6; k++) {
        const char *ends = list[k / 3].ends;
        struct trial t;
        if (k % 3 == 0)
            joint_begin(*ends ? "a total with more, of nothing, too" : "a total with more");
        named_make(&t, "attention", list[k / 3].params, "o", list[k / 3].sizes[k % 3], soft);
        attend(&t, TOTAL_ADDED, 0.000731f, list[k / 3].causal);
        cr_expect(joint_diagnose(&t, &d), "%d has no cause", k);
        const char *id = d.answer[0].m.id;
        const bool number = strstr(id, ":plus-0.00073") && (!*ends || strstr(id, ends));
        cr_expect(k % 3 ? number && d.of_all && !*d.rival : number || *d.rival, "%d: %s, %s; %s", k, id, d.same,
            d.rival);
        trial_close(&t);
    }
    joint_begin("scores in half precision");
    for (int k = 0; k < 2; k++) {
        struct trial t;
        named_make(&t, "attention", "", "o", list[0].sizes[k], soft);
        attend(&t, SCORE_ROUNDED, 11, false);
        cr_expect(joint_diagnose(&t, &d) && d.of_all && !*d.rival && strstr(d.answer[0].m.id, "f16"), "%d: %s; %s", k,
            d.answer[0].m.id, d.rival);
        trial_close(&t);
    }
    joint_begin(NULL);
}

Test(rivals, a_coarser_step_that_is_the_cause_has_its_name, .timeout = 120)
{
    static const struct { enum wrong w; float bits; const char *format; } list[] = {
        { TOTAL_ROUNDED, 11, "f16" },
        { TOTAL_ROUNDED, 8, "bf16" },
        { SCALE_ROUNDED, 11, "f16" },
        { SCALE_ROUNDED, 8, "bf16" },
        { SCORE_ROUNDED, 11, "f16" },
        { SCORE_ROUNDED, 8, "bf16" },
    };
    static struct diagnosis d;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        ask(list[k].w, list[k].bits, &d);
        const char *id = d.answer[0].m.id, *ends = id + strlen(id) - strlen(list[k].format);
        cr_expect(ends > id && !strcmp(ends, list[k].format) && strchr("=:", ends[-1]) && !*d.rival, "%d, %s: %s; %s",
            list[k].w, list[k].format, id, d.rival);
    }
}

/* The row's list names scores of bfloat16 at once; but where the work is done before all structure was tried, something
 * else may be the cause, and the step is no name. */
Test(rivals, a_coarser_step_is_no_name_before_all_structure_was_tried, .timeout = 60)
{
    static struct diagnosis d;
    struct trial t;
    named_make(&t, "attention", "", "o", "h=2 g=2 n=6 m=9 d=11 e=6 normal", soft);
    attend(&t, SCORE_ROUNDED, 8, false);
    cr_expect(diagnose_within(&t, &d, diagnosis_work / 30) && d.untried && strstr(d.answer[0].m.id, "bf16"), "%s, %d",
        d.answer[0].m.id, d.untried);
    cr_expect(strstr(d.rival, "before all that could be its cause was tried"), "%s", d.rival);
    cr_expect(diagnose(&t, &d) && !d.untried && !*d.rival, "%s: %d, %s", d.answer[0].m.id, d.untried, d.rival);
    trial_close(&t);
}

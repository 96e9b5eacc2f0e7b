/* Index maps as they are printed and as two libraries compute them; recordings, whole; padding; the mask decoder; what
 * is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "command.h"
#include "compare/compare.h"
#include "kernels.h"
#include "pack/open.h"
#include "relative/buckets.h"
#include "row/row.h"
#include "subject/subject.h"
#include "trial/trial.h"

extern const struct mer_kernel deberta_scalar[];
enum { FAR = 4096 };
enum { RATIO_STEP, LOG_STEP, QUOTIENT_STEP, SPAN_STEP }; /* of a row that is made up here */

static const struct mer_kernel *kernel_of(const char *out)
{
    const struct mer_kernel *k = deberta_scalar;
    while (k->row && strcmp(k->out, out))
        k++;
    cr_assert(k->row, "no kernel of '%s'", out);
    return k;
}

static void make(struct trial *t, const char *params, const char *out, const char *sizes)
{
    char text[300];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "deberta", params, out, MER_F32, sizes, 5 }, text, sizeof text), 0,
        "%s", text);
}

Test(deberta, buckets_and_rows_of_distances_to_4096_and_of_far_ones_are_exact)
{
    static const int size[][2] = { { 2, 3 }, { 3, 3 }, { 4, 4 }, { 4, 12 }, { 8, 20 }, { 33, 50 }, { 32, 128 },
        { 64, 512 }, { 256, 512 }, { 256, 256 }, { 512, 100000 } };
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int open = 0; open < 2; open++) {
            struct trial t;
            struct tally y;
            char params[100];
            snprintf(params, sizeof params, "distance=log span=%d max_position=%d beyond=%s", size[k][0], size[k][1],
                open ? "open" : "clipped");
            make(&t, params, "bucket row", "n=8193");
            for (long i = 0; i <= 2 * FAR; i++)
                array_put(&t.in[0], i, (double)((i - FAR) * (i % 1000 ? 1 : 12345678901)));
            cr_assert_eq(mer_ask(kernel_of("bucket row"), &t.call), MER_OK);
            judge_outputs(&t, &(struct arith){ 0 }, 2 * FAR + 1, &y);
            cr_expect(tally_passes(&y) && y.correct == y.n && y.n == 4 * FAR + 2, "%s: %ld over, at %ld got %g want %g",
                params, y.over, y.at[0] - FAR, y.got, y.want);
            trial_close(&t);
        }
}

/* L = 3, k = 2: the released code reads both tables with one matrix, the paper the query table with its transpose. */
Test(deberta, the_paper_and_the_released_code_differ_by_a_transpose)
{
    static const double code[] = { 2, 1, 0, 3, 2, 1, 3, 3, 2 }, paper[] = { 2, 3, 3, 1, 2, 3, 0, 1, 2 };
    for (int is_code = 0; is_code < 2; is_code++) {
        struct trial t;
        make(&t, is_code ? "span=2 p2c_index=code" : "span=2", "index", "n=3 m=3");
        for (int own = 0; own < 2; own++) {
            if (own)
                cr_assert_eq(mer_ask(kernel_of("index"), &t.call), MER_OK);
            else
                reference_run(&t, &(struct arith){ 0 });
            for (long k = 0; k < 9; k++) {
                cr_expect_eq(array_get(&t.out[0], 2 * k), code[k]);
                cr_expect_eq(array_get(&t.out[0], 2 * k + 1), is_code ? code[k] : paper[k]);
            }
        }
        trial_close(&t);
    }
}

/* Every recorded distance, not a sample: Hugging Face's float32 logarithms agree with the integers; clipping as
 * Microsoft does moves the far future alone. */
Test(deberta, recorded_buckets_are_the_exact_ones_and_differ_from_the_clipped_ones_in_the_far_future_alone)
{
    char text[900];
    struct subject s;
    struct trial t;
    int judged = 0, got;
    cr_assert_eq(subject_open(&s, "data/peers/hf-deberta", text, sizeof text), 0, "%s", text);
    while ((got = s.next(&s, &t, text, sizeof text)) != 0) {
        cr_assert_eq(got, 1, "%s", text);
        for (long k = 0;
             t.in[0].type == MER_I64 && !strcmp(t.in[0].name, "relative_position") && k < array_len(&t.in[0]);
             k++, judged++) {
            double x = array_get(&t.in[0], k), exact[2][2]; /* exact[open or clipped][bucket or row]. */
            for (int clipped = 0; clipped < 2; clipped++) {
                struct trial one;
                char params[TEXT_MAX + 30];
                snprintf(params, sizeof params, "%s beyond=%s", t.text, clipped ? "clipped" : "open");
                make(&one, params, "bucket row", "n=1");
                array_put(&one.in[0], 0, x);
                reference_run(&one, &(struct arith){ 0 });
                for (int o = 0; o < 2; o++)
                    exact[clipped][o] = array_get(&one.out[o], 0);
                trial_close(&one);
            }
            long far = mer_int(&t.call, "max_position");
            for (int o = 0; o < 2; o++)
                cr_expect_eq(array_get(&t.out[o], k), exact[0][o], "%s at %g", t.id, x);
            cr_expect_eq(exact[0][1] - exact[1][1], x <= -(double)far ? -1 : 0, "%s at %g", t.id, x);
        }
        trial_close(&t);
    }
    s.close(&s);
    cr_expect_eq(judged, 2 * 2049 + 513);
}

/* Visible where mask_i mask_j = 1: what a padded token holds moves nobody else, and its own row is the declared
 * policy. */
Test(deberta, a_padded_token_moves_no_other_and_has_the_declared_row)
{
    static const char *const policy[] = { "zero", "nan", "mean" };
    for (int k = 0; k < 3; k++) {
        struct trial a, b;
        char params[60];
        snprintf(params, sizeof params, "p2c_index=code empty=%s", policy[k]);
        make(&a, params, "layer_heads", "n=4 c=6 h=2 d=4 e=3 mask"),
            make(&b, params, "layer_heads", "n=4 c=6 h=2 d=4 e=3 mask");
        struct mer_array *x = trial_in(&b, "x");
        for (long i = 0; i < 4; i++)
            array_put(trial_in(&a, "mask"), i, i != 2), array_put(trial_in(&b, "mask"), i, i != 2);
        for (long c = 0; c < 6; c++)
            array_put(x, 2 * 6 + c, (double)c * 3 - 7);
        reference_run(&a, &(struct arith){ 0 }), reference_run(&b, &(struct arith){ 0 });
        for (long i = 0; i < 24; i++) {
            double p = array_get(&a.out[0], i), q = array_get(&b.out[0], i);
            if (i / 6 != 2)
                cr_expect(p == q && p != 0, "%s: %ld", policy[k], i);
            else
                cr_expect(k == 0 ? p == 0 :
                        k == 1   ? isnan(p) :
                                   isfinite(p) && p != q,
                    "%s: %ld is %g", policy[k], i, p);
        }
        trial_close(&a), trial_close(&b);
    }
}

Test(deberta, sequences_of_none_one_and_two_tokens_are_answered)
{
    for (int n = 0; n < 3; n++)
        for (int m = 0; m < 3; m++) {
            struct trial t;
            struct tally y;
            struct arith a;
            char text[300];
            make(&t, "memory=65537 distance=log", "o lse", "n=1 m=1");
            for (int k = 0; k < t.call.n_in + t.call.n_out; k++) {
                struct mer_array *x = k < t.call.n_in ? &t.in[k] : &t.out[k - t.call.n_in];
                x->dim[1] = !strcmp(x->name, "q") || k >= t.call.n_in ? n :
                    !strcmp(x->name, "k") || !strcmp(x->name, "v")    ? m :
                                                                        x->dim[1];
                free(x->data), x->data = calloc((size_t)array_len(x) + 1, sizeof(float));
                for (long j = 0; k < t.call.n_in && j < array_len(x); j++)
                    array_put(x, j, (double)((j * j * 7 + k) % 11) / 8 - 0.5);
            }
            cr_assert_eq(mer_ask(&deberta_scalar[0], &t.call), MER_OK);
            cr_assert_gt(trial_profile(&t, deberta_scalar[0].profile, &a, WIDEN, text, sizeof text), 0, "%s", text);
            judge_outputs(&t, &a, 64, &y);
            cr_expect(n ? tally_passes(&y) : y.n == 0, "n=%d m=%d: %ld over of %ld", n, m, y.over, y.n);
            if (n && !m)
                cr_expect(array_get(&t.out[0], 0) == 0 && array_get(&t.out[1], 0) == (double)-INFINITY);
            trial_close(&t);
        }
}

Test(deberta, impossible_configurations_are_refused_in_one_line)
{
    static const struct { const char *params, *says; } t[] = {
        { "--distance log --span 1", "fewer than 2 buckets" },
        { "--distance log --span 8 --max_position 5", "max_position: must exceed" },
        { "--distance log --span 2 --max_position 2", "max_position: must exceed" },
        { "--span 0", "span" }, { "--p2c_index seed", "p2c_index" } };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        char args[200];
        snprintf(args, sizeof args, "eval deberta bucket --relative_position 1 %s", t[i].params);
        cr_expect_eq(meridian("", args), 2, "%s", args);
        cr_expect(strstr(err, t[i].says) && lines(err) == 1, "%s: %s", args, err);
    }
}

/* Rounded up, the distance at which logarithms begin is still its own bucket: what is done to a logarithm is not done
 * to it. */
Test(deberta, the_last_exact_distance_knows_no_logarithm)
{
    const struct bucket_steps steps = { RATIO_STEP, RATIO_STEP, LOG_STEP, QUOTIENT_STEP, SPAN_STEP };
    const struct row made = { .name = "made", .steps = { "ratio log quotient span" },
        .declares = (struct param[]){ { 0 } }, .q = { { .sign = "x[n] -> y[n]" } } };
    struct arith a;
    struct ask w = { .arith = &a };
    cr_assert(!arith_scope(&a, &made, &made, "edit=quotient:one", ROUND));
    ask_reset(&w, 64);
    for (long n = 3; n <= 5; n++) {
        const struct bucket b = { { n, 4, 16, 6 }, BUCKET_UP, 6, 10 };
        const long is = mpfr_get_si(bucket_ball(&w, &b, steps)->mid, MPFR_RNDN);
        cr_expect(is == (n > 4 ? 10 + 4 + 6 : 10 + n), "%ld: %ld", n, is);
    }
    ask_clear(&w);
}

/* The bias of a projection of rel is refused where its weight is missing, of queries as of keys. */
Test(deberta, a_bias_without_its_projection_is_refused)
{
    static const char *const names[] = { "bkr", "bqr" };
    for (int k = 0; k < 2; k++) {
        struct trial t;
        char text[300] = "", says[80];
        snprintf(says, sizeof says, "%s is the bias of w%s, which is missing", names[k], names[k] + 1);
        const struct trial_spec of = { "deberta", "", "layer_heads", MER_F32, names[k], 5 };
        const int rc = trial_make(&t, &of, text, sizeof text);
        cr_expect(rc && strstr(text, says), "%s: %d, %s", names[k], rc, text);
        trial_close(&t);
    }
}

/* Made-up arrays: each named fill is what it says, whatever the order; and nobody's kernel is asked twice. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "compare/compare.h"
#include "kernels.h"
#include "trial/change.h"
#include "trial/trial.h"

static void make(struct trial *t, const char *row, const char *outs, int type, const char *sizes, uint64_t seed)
{
    char why[400];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ row, "", outs, type, sizes, seed }, why, sizeof why), 0, "%s",
        why);
}

static double deviation(const struct mer_array *a, double *mean)
{
    double sum = 0, square = 0, n = (double)array_len(a);
    for (long i = 0; i < array_len(a); i++)
        sum += array_get(a, i), square += array_get(a, i) * array_get(a, i);
    *mean = sum / n;
    return sqrt(square / n - *mean * *mean);
}

Test(inputs, each_name_has_its_spread_in_every_format)
{
    static const struct {
        const char *word;
        double q, v;
    } list[] = { { "", 0.57735, 0.57735 }, { "normal", 1, 1 }, { "small", 0.32, 0.1 }, { "probe", 1.5, 0 } };
    for (int k = 0; k < 4; k++)
        for (int type = MER_F32; type <= MER_BF16; type++) {
            char sizes[80];
            double mean;
            snprintf(sizes, sizeof sizes, "h=3 g=3 n=70 m=50 d=33 e=41 %s", list[k].word);
            struct trial t;
            make(&t, "attention", "o lse", type, sizes, 5);
            struct mer_array inner = *trial_in(&t, "q");
            /* In the probe's own column every third query is far below, exactly in the type. */
            for (long i = 32; i < array_len(&inner) && k == 3; i += 33) {
                cr_expect_eq(array_get(&inner, i), i / 33 % 70 % 3 ? 0 : -2048);
                array_put(&inner, i, array_get(&inner, i - 1));
            }
            double q = deviation(&inner, &mean), v;
            cr_expect(fabs(q / list[k].q - 1) < 0.04 && fabs(mean) < 0.06, "%s %s: q deviates %g from %g", list[k].word,
                type_name[type], q, mean);
            v = deviation(trial_in(&t, "v"), &mean);
            cr_expect(list[k].v == 0 || fabs(v / list[k].v - 1) < 0.04, "%s %s: v deviates %g", list[k].word,
                type_name[type], v);
            trial_close(&t);
        }
}

Test(inputs, a_probe_reads_the_weights_out)
{
    struct trial t;
    make(&t, "attention", "o", MER_BF16, "h=4 g=2 n=5 m=11 d=7 e=3 probe", 5);
    const struct mer_array *v = trial_in(&t, "v"); /* v[2][11][3]. */
    for (long g = 0; g < 2; g++)
        for (long j = 0; j < 11; j++)
            for (long c = 0; c < 3; c++)
                cr_expect_eq(array_get(v, (g * 11 + j) * 3 + c), c == j % 3 ? 1 + g : 0, "v[%ld,%ld,%ld] = %g", g, j, c,
                    array_get(v, (g * 11 + j) * 3 + c));
    trial_close(&t);
    /* dv averages do; v is a factor there. */
    make(&t, "attention", "dv", MER_F32, "h=2 g=1 n=5 m=11 d=7 e=3 probe", 5);
    cr_expect_eq(array_get(trial_in(&t, "do"), 1 * 3 + 1), 1);
    cr_expect_eq(array_get(trial_in(&t, "do"), 1 * 3 + 2), 0);
    cr_expect_neq(array_get(trial_in(&t, "v"), 2), 0);
    trial_close(&t);
    make(&t, "rope", "y", MER_F32, "n=5 probe", 5); /* Here x is rotated, not averaged. */
    for (long i = 0; i < 8; i++)
        cr_expect_neq(array_get(trial_in(&t, "x"), i), 0);
    trial_close(&t);
    make(&t, "attention", "lse", MER_F32, "h=2 g=1 n=5 m=4 d=7 probe", 5);
    cr_expect_eq(array_get(trial_in(&t, "k"), 7 * 3 + 6), 64);
    cr_expect_eq(array_get(trial_in(&t, "q"), 7 * 3 + 6), -2048);
    trial_close(&t);
}

Test(inputs, a_fill_is_a_function_of_seed_name_and_place)
{
    struct trial a, b, c;
    make(&a, "attention", "o", MER_F64, "h=2 g=1 n=5 m=11 normal", 5);
    make(&b, "attention", "lse o", MER_F64, "n=5 m=11 g=1 h=2 normal", 5);
    make(&c, "attention", "o", MER_F64, "h=2 g=1 n=5 m=11 normal", 6);
    const struct mer_array *x = trial_in(&a, "k"), *y = trial_in(&b, "k"), *z = trial_in(&c, "k");
    long same = 0;
    cr_assert_eq(array_len(x), array_len(y));
    for (long i = 0; i < array_len(x); i++) {
        cr_expect_eq(array_get(x, i), array_get(y, i));
        same += array_get(x, i) == array_get(z, i);
    }
    cr_expect_eq(same, 0, "another seed repeats %ld numbers", same);
    trial_close(&a), trial_close(&b), trial_close(&c);
}

/* The score of a query line and a key, scale <q, k>, with one key head and d = 32. */
static double score(struct trial *t, long line, long key)
{
    double s = 0;
    for (long x = 0; x < 32; x++)
        s += array_get(trial_in(t, "q"), line * 32 + x) * array_get(trial_in(t, "k"), key * 32 + x);
    return s / sqrt(32);
}

/* Scores of hidden keys are filled with -1e4.  Only the probe's far queries lie below that, so that only there a finite
 * constant shows; an ordinary fill does not reach it. */
Test(inputs, a_finite_mask_constant_shows_on_a_probe_and_nowhere_else)
{
    static const char *const fill[] = { "normal", "small", "probe" };
    for (int type = MER_F32; type <= MER_BF16; type++)
        for (int f = 0; f < 3; f++) {
            char sizes[80], why[400];
            struct arith a;
            struct tally y;
            snprintf(sizes, sizeof sizes, "h=2 g=1 n=7 m=11 d=32 e=9 bias %s", fill[f]);
            struct trial t, finite;
            make(&t, "attention", "o", type, sizes, 5);
            struct mer_array *bias = trial_in(&t, "bias");
            cr_expect(f < 2 || array_get(bias, 10) > -100, "the last key's bias is %g", array_get(bias, 10));
            for (long i = 0; i < array_len(bias); i++)
                array_put(bias, i, i % 11 > 6 ? -(double)INFINITY : array_get(bias, i));
            cr_assert_eq(trial_copy(&finite, &t, why, sizeof why), 0, "%s", why);
            for (long i = 0; i < array_len(bias); i++)
                array_put(
                    trial_in(&finite, "bias"), i, i % 11 > 6 ? -1e4 - score(&t, i / 11, i % 11) : array_get(bias, i));
            reference_run(&finite, &(struct arith){ 0 });
            memcpy(t.out[0].data, finite.out[0].data, (size_t)array_len(&t.out[0]) * type_size(type));
            cr_assert_gt(trial_profile(&t,
                             "dot=f32 product=f32 score=f32 bias=f32 shift=f32 exp=f32:2 sum=f32 total=f32 div=f32", &a,
                             WIDEN, why, sizeof why),
                0, "%s", why);
            judge_outputs(&t, &a, 64, &y);
            cr_expect(y.n > 0 && (f == 2 ? y.over > 0 : y.over == 0), "%s %s: %ld of %ld over", type_name[type],
                fill[f], y.over, y.n);
            trial_close(&t), trial_close(&finite);
        }
}

/* The questions to kernels of an output that a day asks, kept in all[n] where they are new; each is asked once a
 * day. */
enum { QUESTIONS = 400 };
struct asked { char *all[QUESTIONS]; long n; };
static long day_asks(int day, const char *row, const char *output, struct asked *all)
{
    struct asked today = { .n = 0 };
    char before[80], args[120], key[80];
    snprintf(before, sizeof before, "SEED=%d MERIDIAN_ISA=scalar", day);
    snprintf(args, sizeof args, "check quick --row %s --json --checks none", row);
    snprintf(key, sizeof key, "\"quantity\":\"%s\"", output);
    cr_assert_eq(meridian(before, args), 0, "%s", err);
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        const char *from = strstr(line, "--params"), *to = strstr(line, " --lines");
        long k = 0;
        if (!strstr(line, "\"subject\":\"own:scalar\"") || !strstr(line, key))
            continue;
        cr_assert(from && to && from < to && today.n < QUESTIONS && all->n < QUESTIONS, "%s", line);
        char *question = strndup(from, (size_t)(to - from));
        for (long j = 0; j < today.n; j++)
            cr_expect(strcmp(today.all[j], question), "asked twice: %s", question);
        today.all[today.n++] = question;
        while (k < all->n && strcmp(all->all[k], question))
            k++;
        if (k == all->n)
            all->all[all->n++] = strdup(question);
    }
    for (long k = 0; k < today.n; k++)
        free(today.all[k]);
    return today.n;
}

/* A day asks a part of the pairs of preset and size, and a few days ask them all. */
Test(inputs, every_preset_is_asked_at_every_size_within_a_few_days)
{
    enum { DAYS = 4, SIZES = 6 };
    struct asked all = { .n = 0 };
    long presets = 0, most = 0;
    while (row_named("expansion")->presets[presets].name)
        presets++;
    for (int day = 0; day < DAYS; day++) {
        const long n = day_asks(day, "expansion", "o lse", &all);
        most = n > most ? n : most;
    }
    cr_expect_eq(all.n, presets * SIZES, "%ld questions of %ld presets", all.n, presets);
    cr_expect_lt(most, all.n, "a day asks all");
    for (long k = 0; k < all.n; k++)
        free(all.all[k]);
}

/* Faults of whole arrays, as kernels in array languages have them: a sum or a largest number over more axes than it
 * should be, another reduction in its place, a condition or a total of another head, and lines without keys that are
 * computed as all others are.  Each is planted in an attention that is written here, and has to have its name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "diagnose/joint/joint.h"
#include "named.h"

static const char soft[] = "dot=f32 product=f32 score=f32:2 shift=f32 exp=f32:6 sum=f32 total=f32 div=f32 log=f32:6";

/* RIGHT: none.  TOTAL: over all heads, queries and keys.  POINT: the reference point is the largest of all scores.
 * LEAST, MEAN: it is that of a query's scores.  NEXT_SUMS: the sums of values are those of the next head, divided by
 * the own total, or by 1 where that is 0.  SEEN: whether a query sees a key is asked of the next head.  LOG: the
 * log- sum-exp has the logarithm of the next head's total.  LEAST_VALUE: where no key is seen, the least value.
 * HALF_POINT: weights are of a reference point in half precision. SQUARED: the log-sum-exp is squared, and then
 * brought to base 2.  AVERAGE: the total is the mean of its terms, of hidden keys, too. */
enum wrong { RIGHT, TOTAL, POINT, LEAST, MEAN, NEXT_SUMS, SEEN, LOG, LEAST_VALUE, HALF_POINT, SQUARED, AVERAGE };

/* What attention makes of h heads of n queries: scores s[h][n][m], and of each query the reference point, the total and
 * the e sums of values. */
struct arrays { long h, n, m, e; float *s, *top, *total, *sum; };

static void read_scores(struct trial *t, struct arrays *a)
{
    const struct mer_array *q = trial_in(t, "q"), *k = trial_in(t, "k");
    const struct mer_array *keep = mer_find((struct mer_array *)t->in, t->call.n_in, "keep");
    const long d = q->dim[2];
    for (long at = 0; at < a->h * a->n * a->m; at++) {
        const long line = at / a->m, key = line / a->n * a->m + at % a->m;
        float x = 0;
        for (long c = 0; c < d; c++)
            x += (float)array_get(q, line * d + c) * (float)array_get(k, key * d + c);
        a->s[at] = keep && array_get(keep, at) == 0 ? -INFINITY : x / sqrtf((float)d);
    }
}
/* The reference point of a line's scores s[m], or of all of them where the fault says so; 0 for an infinite one. */
static float point(const float *s, long m, enum wrong fault)
{
    float y = s[0];
    for (long j = 1; j < m; j++)
        y = fault == MEAN ? y + s[j] : fault == LEAST ? fminf(y, s[j]) : fmaxf(y, s[j]);
    y = fault == MEAN ? y / (float)m : y;
    return isinf(y) ? 0 : y;
}
static float half(float x)
{
    uint16_t kept = 0;
    struct mer_array a = { .type = MER_F16, .rank = 1, .dim = { 1 }, .data = &kept };
    array_put(&a, 0, (double)x);
    return (float)array_get(&a, 0);
}
static void read_sums(struct trial *t, struct arrays *a, enum wrong fault)
{
    const struct mer_array *v = trial_in(t, "v");
    float all = 0;
    for (long l = 0; l < a->h * a->n; l++) {
        const float *s = a->s + l * a->m;
        a->top[l] = fault == POINT ? point(a->s, a->h * a->n * a->m, fault) : point(s, a->m, fault);
        const float top = fault == HALF_POINT ? half(a->top[l]) : a->top[l];
        for (long j = 0; j < a->m; j++) {
            const float w = expf(s[j] - top);
            a->total[l] += w, all += w;
            for (long c = 0; c < a->e; c++)
                a->sum[l * a->e + c] += w * (float)array_get(v, (l / a->n * a->m + j) * a->e + c);
        }
    }
    for (long l = 0; l < a->h * a->n; l++)
        a->total[l] = fault == TOTAL ? all : fault == AVERAGE ? a->total[l] / (float)a->m : a->total[l];
}
static float least_value(struct trial *t, long head, long c)
{
    const struct mer_array *v = trial_in(t, "v");
    float y = INFINITY;
    for (long j = 0; j < v->dim[1]; j++)
        y = fminf(y, (float)array_get(v, (head * v->dim[1] + j) * v->dim[2] + c));
    return y;
}
static void answer_line(struct trial *t, const struct arrays *a, long l, enum wrong fault)
{
    const long next = (l + a->n) % (a->h * a->n), sums = fault == NEXT_SUMS ? next : l;
    const bool sees = fault == NEXT_SUMS || a->total[fault == SEEN ? next : l] > 0;
    if (!strcmp(t->out[0].name, "lse")) {
        const float y = logf(a->total[fault == LOG ? next : l]) + a->top[l];
        const float is = fault == SQUARED ? y * y / logf(2) : y;
        array_put(&t->out[0], l, (double)(sees ? is : -INFINITY));
        return;
    }
    for (long c = 0; c < a->e; c++) {
        const float none = fault == LEAST_VALUE ? least_value(t, l / a->n, c) : 0;
        const float y = a->sum[sums * a->e + c] / (a->total[l] > 0 ? a->total[l] : 1);
        array_put(&t->out[0], l * a->e + c, sees ? (double)y : (double)none);
    }
}
static void attend(struct trial *t, enum wrong fault)
{
    const struct mer_array *v = trial_in(t, "v"), *q = trial_in(t, "q");
    struct arrays a = { q->dim[0], q->dim[1], v->dim[1], v->dim[2], NULL, NULL, NULL, NULL };
    const size_t lines = (size_t)(a.h * a.n);
    a.s = calloc(lines * (size_t)a.m, sizeof *a.s), a.sum = calloc(lines * (size_t)a.e, sizeof *a.sum);
    a.top = calloc(lines, sizeof *a.top), a.total = calloc(lines, sizeof *a.total);
    read_scores(t, &a), read_sums(t, &a, fault);
    for (long l = 0; l < (long)lines; l++)
        answer_line(t, &a, l, fault);
    free(a.s), free(a.sum), free(a.top), free(a.total);
}
/* Makes every query `larger` times as large, and hides all keys from the second query of the first head. */
static void ask(struct trial *t, double larger)
{
    struct mer_array *q = mer_find(t->in, t->call.n_in, "q"), *keep = mer_find(t->in, t->call.n_in, "keep");
    for (long i = 0; i < array_len(q); i++)
        array_put(q, i, array_get(q, i) * larger);
    for (long j = 0; keep && j < keep->dim[2]; j++)
        array_put(keep, keep->dim[2] + j, 0);
}
#define PLAIN "h=3 g=3 n=4 m=5 d=4 e=3 normal"
#define KEPT "h=3 g=3 n=4 m=5 d=4 e=3 keep normal"

/* Every one is right as a subject, and has its name as a fault; scores are large where that alone shows it. */
Test(reductions, of_whole_arrays_have_names, .timeout = 120)
{
    static const struct { const char *out, *params, *sizes; double larger; enum wrong fault; const char *name; }
        asked[] = {
            { "o", "", PLAIN, 1, TOTAL, ":sum.a:across-total" },
            { "lse", "", KEPT, 1, TOTAL, ":sum.a:across-total" },
            { "o", "empty=mean", KEPT, 1, TOTAL, ":sum.a:across-total" },
            { "o", "", PLAIN, 200, POINT, ":largest.a:across-largest" },
            { "o", "", PLAIN, 60, LEAST, ":largest:least" },
            { "o", "", PLAIN, 60, MEAN, ":largest:mean" },
            { "o", "", KEPT, 1, NEXT_SUMS, ":sum.0:roll:guarded" },
            { "o", "", KEPT, 1, SEEN, ":truth.0:roll" },
            { "lse", "", KEPT, 1, SEEN, ":truth.0:roll" },
            { "lse", "", KEPT, 1, LOG, ":log.0:roll" },
            { "lse", "", PLAIN, 1, HALF_POINT, ":sub-right:f16" },
            { "lse", "base=2", PLAIN, 1, SQUARED, ":add:square" },
            { "o", "empty=mean", KEPT, 1, LEAST_VALUE, ":average:least" },
        };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        struct trial t;
        named_make(&t, "attention", asked[k].params, asked[k].out, asked[k].sizes, soft);
        ask(&t, asked[k].larger), attend(&t, asked[k].fault);
        named_expect(&t, asked[k].name);
    }
}

/* Without hidden keys the least score of a query is one cause, and with hidden keys another one, of which both failures
 * are. */
Test(reductions, a_cause_of_failures_with_and_without_hidden_keys, .timeout = 60)
{
    static struct diagnosis d; /* large */
    joint_begin("reductions");
    for (int k = 0; k < 2; k++) {
        struct trial t;
        named_make(&t, "attention", "", "o", k ? KEPT : PLAIN, soft);
        ask(&t, 60), attend(&t, LEAST);
        const bool is = joint_diagnose(&t, &d);
        cr_expect(is && !d.alone && strstr(d.answer[0].m.id, ":largest:least"), "%s", d.answer[0].m.id);
        trial_close(&t);
    }
    cr_expect(strstr(d.answer[0].m.id, ":hidden"), "%s", d.answer[0].m.id);
    joint_begin(NULL);
}

/* A line without keys that is divided by 1 has a number to be told, unlike one that is divided by its total of 0. */
Test(reductions, a_total_of_zero_is_guarded, .timeout = 60)
{
    static struct diagnosis d; /* large */
    struct trial t;
    named_make(&t, "attention", "", "o", KEPT, soft);
    ask(&t, 1), attend(&t, NEXT_SUMS);
    const bool is = diagnose(&t, &d);
    cr_expect(is && strstr(d.answer[0].m.id, ":guarded") && !d.answer[0].open, "%s says nothing of %ld",
        d.answer[0].m.id, d.answer[0].open);
    trial_close(&t);
}

/* Where no line is without keys, nothing tells how one would be divided: both are said, as another failure may tell. */
Test(reductions, a_guard_that_no_line_needs_is_named_beside_none, .timeout = 60)
{
    static struct diagnosis d; /* large */
    struct trial t;
    named_make(&t, "attention", "", "o", KEPT, soft);
    for (long l = 0; l < 12; l++)
        array_put(mer_find(t.in, t.call.n_in, "keep"), 5 * l + l % 5, 1);
    attend(&t, AVERAGE);
    const bool is = diagnose(&t, &d);
    const char *first = d.answer[0].m.id, *others = d.same;
    cr_expect(is && strstr(first, ":sum:mean:"), "%s", first);
    cr_expect((strstr(first, ":guarded") || strstr(others, ":sum:mean:guarded")) &&
            (strstr(first, ":hidden") || strstr(others, ":sum:mean:hidden")),
        "%s, %s", first, others);
    trial_close(&t);
}

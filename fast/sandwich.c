/* Sandwich (Chi et al. 2023, arXiv:2212.10356): sums of cosines of distances, the cosines correctly rounded to double
 * (tables of libmeridian), their sum in double, one rounding for each element.  The sum is a function of i - j and of
 * no head, so that all heads are one line of sums, divided; a row of a head is a slice of its line.
 * v0  one line of n + m - 1 sums for all heads: d/2 cosines for each distance, not for each element of each head */
#include <stdio.h>
#include <stdlib.h>
#include "libmeridian.h"
#include "odd.h"
#include "relative/slices.h"

enum { BLOCK = 64 };        /* distances whose cosines are made at a time */
enum { LIMIT = 1 << 16 };   /* distances that have anchors; others cost about 0.4 us a term */
/* angles are those of t = 0 .. K - 1; last, where the sum starts at t = 1, has t = K as its pair 0: frequency 1/base.
 * cos and sin are [BLOCK][K]. */
struct sandwich_state { struct mer_angles *angles, *last; int64_t K, first; double *cos, *sin; };

static void release(void *with)
{
    struct sandwich_state *s = with;
    mer_angles_free(s->angles), mer_angles_free(s->last);
    free(s->cos), free(s->sin);
    free(s);
}

static int prepare(struct mer_call *c)
{
    char words[400];
    struct sandwich_state *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    c->state = s;
    s->K = mer_int(c, "width") / 2, s->first = mer_int(c, "first");
    const size_t room = (size_t)(BLOCK * s->K) * sizeof(double);
    s->cos = malloc(room), s->sin = malloc(room);
    snprintf(words, sizeof words, "dim=%lld base=%.300s", (long long)(2 * s->K), mer_text(c, "base"));
    if (!s->cos || !s->sin || mer_angles_new(&s->angles, "sinusoid", words, LIMIT, NULL, 0))
        return MER_BAD;
    snprintf(words, sizeof words, "dim=2 scaling=linear factor=%.300s", mer_text(c, "base"));
    return s->first && mer_angles_new(&s->last, "rope", words, LIMIT, NULL, 0) ? MER_BAD : MER_OK;
}

/* y[count]: S of these distances. */
static int sums(const struct mer_call *c, double *y, const int64_t *distance, int64_t count)
{
    const struct sandwich_state *s = c->state;
    const double centre = mer_is(c, "centre", "half") ? (double)s->K : 0;
    for (int64_t b = 0; b < count; b += BLOCK) {
        const int64_t some = count - b < BLOCK ? count - b : BLOCK;
        double end[BLOCK], unused[BLOCK];
        if (mer_table_at_f64(s->cos, s->sin, s->angles, distance + b, some) ||
            (s->first && mer_table_at_f64(end, unused, s->last, distance + b, some)))
            return MER_BAD;
        for (int64_t k = 0; k < some; k++) {
            double sum = 0;
            for (int64_t t = s->first; t < s->K; t++)
                sum += s->cos[k * s->K + t];
            y[b + k] = (s->first ? sum + end[k] : sum) - centre;
        }
    }
    return MER_OK;
}

static int bias(const struct mer_call *c)
{
    struct mer_array *b = mer_out(c, "bias"); /* [h][n][m] */
    const int64_t n = b->dim[1], m = b->dim[2], offset = mer_int(c, "offset"), count = n + m - 1;
    const int causal = mer_is(c, "form", "causal");
    const size_t size = size_of(b->type), row = (size_t)m * size;
    const double max = (double)mer_int(c, "max"), heads = (double)mer_int(c, "heads");
    if (offset > INT64_C(1) << 52 || offset < -(INT64_C(1) << 52))
        return MER_SKIP;
    int64_t *distance = malloc((size_t)count * (sizeof *distance + sizeof(double) + size));
    double *sum = (double *)(void *)(distance + (distance ? count : 0));
    char *line = (char *)(sum + (distance ? count : 0)), *y = b->data; /* line[k]: where i - j = n - 1 - k */
    if (!distance)
        return MER_BAD;
    for (int64_t k = 0; k < count; k++) {
        int64_t d = offset + n - 1 - k;
        distance[k] = causal && d < 0 ? 0 : d;
    }
    int rc = sums(c, sum, distance, count);
    for (int64_t h = 0; h < b->dim[0] && rc == MER_OK; h++) {
        for (int64_t k = 0; k < count; k++)
            store_once(line, k, sum[k] * heads / (max * (double)(h + 1)), b->type);
        for (int64_t i = 0; i < n; i++, y += row)
            slice_plain(y, line + (size_t)(n - 1 - i) * size, row, 0);
    }
    free(distance);
    return rc;
}

static int similarity(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "similarity"); /* [n] */
    const int64_t *from = mer_in(c, "distance")->data;
    const int causal = mer_is(c, "form", "causal");
    int rc = MER_OK;
    for (int64_t i = 0; i < y->dim[0] && rc == MER_OK; i++) {
        const int64_t d = causal && from[i] < 0 ? 0 : from[i];
        double sum;
        if (d < -(INT64_C(1) << 53) || d > INT64_C(1) << 53)
            return MER_SKIP;
        rc = sums(c, &sum, &d, 1);
        store_once(y->data, i, sum, y->type);
    }
    return rc;
}

/* Cosines round once to double, the sum is a chain of doubles, and a product and a quotient are 2 half-ulps of the
 * ratio. */
#define SANDWICH_STEPS "table=f64 sum=f64 shift=f64 ratio=f64:2 "
const struct mer_kernel sandwich_scalar[] = {
    { "sandwich", "bias", "f32", SANDWICH_STEPS "bias=f32:1.001", 0, bias, prepare, release },
    { "sandwich", "bias", "f16", SANDWICH_STEPS "bias=f16:1.001", 0, bias, prepare, release },
    { "sandwich", "bias", "bf16", SANDWICH_STEPS "bias=bf16:1.001", 0, bias, prepare, release },
    { "sandwich", "similarity", "f32", SANDWICH_STEPS, 0, similarity, prepare, release },
    { 0 },
};

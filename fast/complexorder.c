/* Complex-order word embeddings, float32: angle, sine and cosine in double, rounded once at the end.
 * v0  by the C library; the waves of the keys are made once in a call, that of a query once in a row */
#include <math.h>
#include "meridian.h"

struct complexorder_tables { const float *amplitude, *frequency, *theta; int64_t words, d; }; /* each [words][d] */
static struct complexorder_tables tables_of(const struct mer_call *c)
{
    const struct mer_array *a = mer_in(c, "amplitude");
    return (struct complexorder_tables){ a->data, mer_in(c, "frequency")->data, mer_in(c, "theta")->data, a->dim[0],
        a->dim[1] };
}

/* re[d] and im[d] of a word at a position.  MER_BAD where there is no such word, or |pos| > 2^53. */
static int wave(double *re, double *im, const struct complexorder_tables *t, int64_t word, int64_t pos)
{
    if (word < 0 || word >= t->words || pos < -(INT64_C(1) << 53) || pos > INT64_C(1) << 53)
        return MER_BAD;
    for (int64_t k = word * t->d; k < (word + 1) * t->d; k++) {
        double angle = (double)t->frequency[k] * (double)pos + (double)t->theta[k], r = (double)t->amplitude[k];
        *re++ = r * cos(angle), *im++ = r * sin(angle);
    }
    return MER_OK;
}

/* The gradients of the tables, sums over the positions in double, in their order, rounded once. */
static int gradients(const struct mer_call *c)
{
    const struct mer_array *word = mer_in(c, "word"), *f = mer_in(c, "frequency"), *amplitude = mer_in(c, "amplitude");
    /* [words][d]; each may be absent */
    struct mer_array *da = mer_out(c, "damplitude"), *df = mer_out(c, "dfrequency"), *dt = mer_out(c, "dtheta");
    const int64_t words = f->dim[0], d = f->dim[1];
    const float *theta = mer_in(c, "theta")->data, *re = mer_in(c, "dre")->data, *im = mer_in(c, "dim")->data;
    double *sum = calloc(3 * (size_t)(words * d) + 1, sizeof *sum);
    for (int64_t i = 0; sum && i < word->dim[0]; i++) {
        const int64_t at = ((const int64_t *)word->data)[i], pos = ((const int64_t *)mer_in(c, "pos")->data)[i];
        if (at < 0 || at >= words || pos < -(INT64_C(1) << 53) || pos > INT64_C(1) << 53)
            return free(sum), MER_BAD;
        for (int64_t k = 0; k < d; k++) {
            double angle = (double)((const float *)f->data)[at * d + k] * (double)pos + (double)theta[at * d + k];
            double x = cos(angle), y = sin(angle),
                   r = amplitude ? (double)((const float *)amplitude->data)[at * d + k] : 0;
            double gx = (double)re[i * d + k], gy = (double)im[i * d + k], turned = r * x * gy - r * y * gx;
            double *to = sum + 3 * (at * d + k);
            to[0] += x * gx + y * gy, to[1] += r * x * gy * (double)pos - r * y * gx * (double)pos, to[2] += turned;
        }
    }
    for (int64_t k = 0; sum && k < words * d; k++) {
        if (da)
            ((float *)da->data)[k] = (float)sum[3 * k];
        if (df)
            ((float *)df->data)[k] = (float)sum[3 * k + 1];
        if (dt)
            ((float *)dt->data)[k] = (float)sum[3 * k + 2];
    }
    free(sum);
    return sum ? MER_OK : MER_BAD;
}

static int encode(const struct mer_call *c)
{
    const struct complexorder_tables t = tables_of(c);
    const struct mer_array *word = mer_in(c, "word");
    const struct mer_array *re = mer_out(c, "re"), *im = mer_out(c, "im"); /* [n][d]; one of them or both */
    double *both = malloc(2 * (size_t)t.d * sizeof *both + 1);
    int rc = both ? MER_OK : MER_BAD;
    for (int64_t i = 0; i < word->dim[0] && rc == MER_OK; i++) {
        rc = wave(both, both + t.d, &t, ((const int64_t *)word->data)[i], ((const int64_t *)mer_in(c, "pos")->data)[i]);
        for (int64_t k = 0; k < t.d && rc == MER_OK; k++) {
            if (re)
                ((float *)re->data)[i * t.d + k] = (float)both[k];
            if (im)
                ((float *)im->data)[i * t.d + k] = (float)both[t.d + k];
        }
    }
    free(both);
    return rc;
}

static int score(const struct mer_call *c)
{
    const struct complexorder_tables t = tables_of(c);
    const int64_t *word = mer_in(c, "word")->data, *pos = mer_in(c, "pos")->data, *key = mer_in(c, "key")->data,
                  *key_pos = mer_in(c, "key_pos")->data;
    struct mer_array *y = mer_out(c, "score"); /* [n][m] */
    const int64_t n = y->dim[0], m = y->dim[1], d = t.d;
    const int conj = mer_is(c, "pairing", "conjugated"), modulus = mer_is(c, "value", "modulus"),
              twice = mer_is(c, "imaginary", "twice");
    /* re and im of the query, [2][d], then those of the keys, [m][2][d] */
    double *a = malloc(2 * (size_t)((m + 1) * d) * sizeof *a + 1), *b = a + 2 * d;
    int rc = a ? MER_OK : MER_BAD;
    for (int64_t j = 0; j < m && rc == MER_OK; j++)
        rc = wave(b + 2 * j * d, b + (2 * j + 1) * d, &t, key[j], key_pos[j]);
    for (int64_t i = 0; i < n && rc == MER_OK; i++) {
        rc = wave(a, a + d, &t, word[i], pos[i]);
        for (int64_t j = 0; j < m && rc == MER_OK; j++) {
            const double *qr = a, *qi = a + d, *kr = b + 2 * j * d, *ki = kr + d;
            double re = 0, im = 0;
            for (int64_t k = 0; k < d; k++) {
                double cross = qr[k] * ki[k], other = twice ? cross : qi[k] * kr[k];
                re = re + qr[k] * kr[k] + (conj ? qi[k] * ki[k] : -(qi[k] * ki[k]));
                im = im + (conj ? -cross : cross) + other;
            }
            ((float *)y->data)[i * m + j] = (float)(modulus ? sqrt(re * re + im * im) : re);
        }
    }
    free(a);
    return rc;
}

const struct mer_kernel complexorder_scalar[] = {
    { "complexorder", "re im", "f32", "phase=f64 wave=f64:2 product=f64", 0, encode },
    { "complexorder", "score", "f32", "phase=f64 wave=f64:2 product=f64 term=f64 sum=f64 root=f64", 0, score },
    { "complexorder", "damplitude dfrequency dtheta", "f32", "phase=f64 wave=f64:2 product=f64 term=f64 sum=f64", 0,
        gradients },
    { 0 },
};

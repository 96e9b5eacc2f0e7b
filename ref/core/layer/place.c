/* Sinusoids of distances, their projection by head, and the products with a bias of the head; see place.h. */
#include <stdlib.h>
#include "layer/place.h"
#include "layer/project.h"
#include "rotary/sine_row.h"

static struct sine_row wave_words(struct place_waves s, long c)
{
    return (struct sine_row){ c, { s.base[0] }, s.interleaved ? INTERLEAVED : CONCAT, SPACED_BY_HALF, ODD_ZERO,
        s.logarithm };
}
void wave_row(struct ask *w, struct place_waves s, long x, long c, const struct ball **R)
{
    struct sine_row row = wave_words(s, c);
    sine_row(w, &row, x, R);
}
int wave_misfit(struct place_waves s, long c, char *why, size_t n)
{
    struct sine_row row = wave_words(s, c);
    char of[300];
    return sine_row_takes(&row, of, sizeof of) ? snprintf(why, n, "the sinusoids are %ld wide: %s", c, of), -1 : 0;
}

struct span span_of(struct mer_array *line, const struct ball *const *x, long d)
{
    *line = (struct mer_array){ .type = BALLS, .rank = 1, .dim = { d } };
    memcpy(&line->data, &x, sizeof x);
    return (struct span){ line, 0 };
}

void wave_project(struct ask *w, const struct ball *const *R, long h, int product, int sum, const struct ball **r)
{
    const struct mer_array *wr = array_in(w, "wr"), *br = mer_in(w->call, "br");
    long c = wr->dim[1], d = wr->dim[2];
    struct mer_array line,
        bias = br ? head_of(br, h, (struct mer_array){ .rank = 1, .dim = { d } }) : (struct mer_array){ 0 };
    struct linear l = { head_of(wr, h, (struct mer_array){ .rank = 2, .dim = { c, d } }), br ? &bias : NULL, product,
        sum };
    span_of(&line, R, c), line.rank = 2, line.dim[0] = 1, line.dim[1] = c;
    struct mer_array all = project(w, "r", &line, &l, 1, 0, 1);
    memcpy(r, all.data, (size_t)d * sizeof *r);
    free(all.data);
}

const struct ball *biased_dot(struct ask *w, long h, long i, bool query, const char *bias, int step, struct span what)
{
    long d = array_in(w, "q")->dim[2];
    const struct ball **x = need((size_t)d, sizeof *x), *s;
    struct mer_array line;
    for (long k = 0; k < d; k++) {
        const struct ball *b = bias ? b_in(w, bias, h, k, 0) : NULL;
        x[k] = !query ? b : b ? b_step(w, step, b_add(w, b_in(w, "q", h, i, k), b)) : b_in(w, "q", h, i, k);
    }
    s = b_dot(w, PRODUCT, DOT, span_of(&line, x, d), what, d);
    free(x);
    return s;
}

const struct ball *wave_dot(struct ask *w, struct wave_steps s,
    void (*row)(struct ask *w, long at, long c, const struct ball **R), long at, long h, long i, bool query,
    const char *bias)
{
    long c = dim_in(w, "wr", 1), d = dim_in(w, "wr", 2);
    size_t mark = w->used;
    const struct ball **R = need((size_t)(c + d), sizeof *R), **r = R + c;
    struct mer_array line;
    row(w, at, c, R);
    wave_project(w, R, h, s.product, s.sum, r);
    const struct ball *y = biased_dot(w, h, i, query, bias, s.bias, span_of(&line, r, d));
    free(R);
    return ask_keep(w, mark, y);
}

const struct ball *wave_entry(struct ask *w, wave_of *row, long at, long c)
{
    const long width = dim_in(w, "wr", 1);
    const struct ball **R = need((size_t)width, sizeof *R), *y;
    row(w, at, width, R);
    y = R[c];
    free(R);
    return y;
}

const struct ball *wave_projected(struct ask *w, wave_of *row, long at, int product, int sum, long h, long c)
{
    const long width = dim_in(w, "wr", 1);
    const struct ball **t = need((size_t)width, sizeof *t), *y;
    row(w, at, width, t);
    for (long k = 0; k < width; k++)
        t[k] = b_step(w, product, b_mul(w, t[k], b_in(w, "wr", h, k, c)));
    y = b_sum(w, sum, t, width);
    free(t);
    return y;
}

const char *wave_refuse(mpq_srcptr base, mpq_srcptr scale, mpq_srcptr eps)
{
    return mpq_cmp_ui(base, 1, 1) <= 0 ? "base: must be greater than 1" :
        mpq_sgn(scale) < 0             ? "scale: must not be below 0" :
        mpq_sgn(eps) < 0               ? "eps: must not be below 0" :
                                         NULL;
}

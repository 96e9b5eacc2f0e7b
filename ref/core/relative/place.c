/* Vectors of places, their projection by head, products with a query and the biases of its head; see place.h. */
#include <stdlib.h>
#include "relative/place.h"
#include "layer/project.h"
#include "rotary/sine_row.h"

extern const struct row row_sinusoid;
const struct row *const place_parts[] = { &row_sinusoid, NULL };

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

/* The columns of R: those of wr, or of the queries where R is r itself. */
static bool projected(const struct ask *w) { return has_in(w, "wr"); }
static long width_of(const struct ask *w) { return projected(w) ? dim_in(w, "wr", 1) : dim_in(w, "q", 2); }

/* Balls as a span; *line is the room for it. */
static struct span span_of(struct mer_array *line, const struct ball *const *x, long d)
{
    *line = (struct mer_array){ .type = BALLS, .rank = 1, .dim = { d } };
    memcpy(&line->data, &x, sizeof x);
    return (struct span){ line, 0 };
}

/* r[d] = sum_c R[c] wr[h][c][.], and br[h] where that is there. */
static void wave_project(struct ask *w, const struct placed *p, const struct ball *const *R, long h,
    const struct ball **r)
{
    const struct mer_array *wr = array_in(w, "wr"), *br = mer_in(w->call, "br");
    long c = wr->dim[1], d = wr->dim[2];
    struct mer_array line,
        bias = br ? head_of(br, h, (struct mer_array){ .rank = 1, .dim = { d } }) : (struct mer_array){ 0 };
    struct linear l = { head_of(wr, h, (struct mer_array){ .rank = 2, .dim = { c, d } }), br ? &bias : NULL, p->project,
        p->collect };
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

const struct ball *placed_dot(
    struct ask *w, const struct placed *p, long at, long h, long i, bool query, const char *bias)
{
    const long c = width_of(w), d = dim_in(w, "q", 2);
    const size_t mark = w->used;
    const struct ball **R = need((size_t)(c + d), sizeof *R), **r = R;
    struct mer_array line;
    p->row(w, at, c, R);
    if (projected(w))
        wave_project(w, p, R, h, r = R + c);
    const struct ball *y = biased_dot(w, h, i, query, bias, p->bias, span_of(&line, r, d));
    free(R);
    return ask_keep(w, mark, y);
}

void placed_terms(struct ask *w, const struct placed *p, long h, long i, long j, const struct ball **y)
{
    const long at = counted(w, p->at(w, i, j));
    y[CONTENT_TERM] = mix_qk(w, h, i, j);
    y[PLACE_TERM] = placed_dot(w, p, at, h, i, true, NULL);
    y[KEY_BIAS_TERM] = b_dot(w, PRODUCT, DOT, span(w, "u", h, 0), span(w, "k", h, j), dim_in(w, "q", 2));
    y[PLACE_BIAS_TERM] = placed_dot(w, p, at, h, i, false, p->v);
}

const struct ball *placed_wave(struct ask *w, const struct placed *p, long at, long c)
{
    const long width = width_of(w);
    const struct ball **R = need((size_t)width, sizeof *R), *y;
    p->row(w, at, width, R);
    y = R[c];
    free(R);
    return y;
}

/* The projected vector of a place, r[c] = sum_k R[k] wr[h][k][c] + br[h][c]; R[c] itself where there is no wr. */
const struct ball *placed_r(struct ask *w, long h, long i, long j, long c)
{
    const struct placed *p = w->with;
    const long width = width_of(w);
    const size_t mark = w->used;
    if (!projected(w))
        return placed_wave(w, p, p->at(w, i, j), c);
    const bool shifted = has_in(w, "br");
    const struct ball **t = need((size_t)width + 1, sizeof *t), *y;
    p->row(w, p->at(w, i, j), width, t);
    for (long k = 0; k < width; k++)
        t[k] = b_step(w, p->project, b_mul(w, t[k], b_in(w, "wr", h, k, c)));
    if (shifted)
        t[width] = b_in(w, "br", h, c, 0);
    y = b_sum(w, p->collect, t, width + shifted);
    free(t);
    return ask_keep(w, mark, y);
}

static const struct ball *biased(struct ask *w, const char *bias, long h, long i, long c)
{
    const struct placed *p = w->with;
    return b_step(w, p->bias, b_add(w, mix_q(w, h, i, c), b_in(w, bias, h, c, 0)));
}
const struct ball *placed_key(struct ask *w, long h, long i, long j, long c)
{
    const struct placed *p = w->with;
    return b_step(w, p->join, b_add(w, mix_k(w, h, i, j, c), placed_r(w, h, i, j, c)));
}
const struct ball *placed_query(struct ask *w, long h, long i, long c) { return biased(w, "u", h, i, c); }
const struct ball *placed_column(struct ask *w, long h, long i, long j, long c)
{
    const struct placed *p = w->with;
    (void)h, (void)c;
    return placed_wave(w, p, p->at(w, i, j), w->at[1]);
}
const struct ball *placed_query_v(struct ask *w, long h, long i, long j, long c)
{
    (void)j;
    return biased(w, ((const struct placed *)w->with)->v, h, i, c);
}

const struct ball *placed_value(struct ask *w, long h, long i, long j, long c)
{
    const struct placed *p = w->with;
    return b_step(w, p->join, b_add(w, mix_v(w, h, i, j, c), placed_wave(w, p, p->at(w, i, j), c)));
}
void placed_output(struct ask *w, const struct mix *m, int gather, const struct ball **y)
{
    const struct placed *p = m->with;
    const long h = w->at[0], i = w->at[1], e = w->len;
    struct mix places = *m;
    /* Line j of t is R, or v_j + R: it is made once for all columns. */
    const struct ball **t = need((size_t)(m->keys * e) + 1, sizeof *t);
    for (long j = 0; j < m->keys; j++) {
        p->row(w, p->at(w, i, j), e, t + j * e);
        for (long c = 0; c < e && !gather && m->visible(w, h, i, j); c++)
            t[j * e + c] = b_step(w, p->join, b_add(w, m->value(w, h, i, j, c), t[j * e + c]));
    }
    places.given = t, places.gather = gather;
    if (gather)
        mix_apart(w, m, &places, p->join, y);
    else
        mix_output(w, &places, y);
    free(t);
}

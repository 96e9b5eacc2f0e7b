/* Outputs and gradients of decayed linear attention, head by head; see decayed.h. */
#include "state/decayed.h"
#include <stdlib.h>
#include "state/delta.h"

void decayed_line(struct ask *w, const char *name, long h, long t, const struct ball **y)
{
    for (long i = 0, n = dim_in(w, name, 2); i < n; i++)
        y[i] = b_in(w, name, h, t, i);
}
static void vector(struct ask *w, const struct decayed *p, const char *name, long h, long t, const struct ball **y)
{
    (p->vector ? p->vector : decayed_line)(w, name, h, t, y);
}

static void token(struct ask *w, const struct state_rule *r, long h, long t, struct state_token *x)
{
    const struct decayed *p = r->with;
    const struct ball *scale = token_scale(w, DECAYED_QUERY, p->scale, r->d);
    vector(w, p, "q", h, t, x->q), vector(w, p, "k", h, t, x->k), vector(w, p, "v", h, t, x->v);
    for (long i = 0; i < r->d; i++)
        x->q[i] = b_scaled(w, DECAYED_QUERY, x->q[i], scale);
    for (long i = 0; r->gated && i < (r->channels ? r->d : 1); i++)
        x->a[i] = p->factor(w, h, t, i);
}
/* y[e - 1] = n / (z + eps), where n and z are what a token reads of the columns. */
static void quotients(
    struct ask *w, const struct decayed *p, long e, const struct ball *const *read, const struct ball **y)
{
    const struct ball *by = b_step(w, p->total, b_add(w, read[e - 1], b_given(w, p->total, b_q(w, p->eps))));
    for (long c = 0; c < e - 1; c++)
        y[c] = b_step(w, p->divide, b_div(w, read[c], by));
}
/* From do, with o = n / (z + eps): do / (z + eps) of each n, and -<do, o> / (z + eps) of z.  Where nothing is divided:
 * do of each n, and 0 of z. */
static void up(struct ask *w, const struct state_rule *r, const struct state_token *x, const struct ball *const *s,
    long h, long t, const struct ball **to)
{
    const struct decayed *p = r->with;
    const long e = r->e, d = r->d;
    if (!p->eps) {
        for (long c = 0; c < e; c++)
            to[c] = c < e - 1 ? b_in(w, "do", h, t, c) : b_si(w, 0);
        return;
    }
    const struct ball **terms = need((size_t)(d + 3 * e) + 1, sizeof *terms), **read = terms + d + e, **o = read + e;
    for (long c = 0; c < e; c++) {
        for (long i = 0; i < d; i++)
            terms[i] = b_step(w, PRODUCT, b_mul(w, x->q[i], s[c * d + i]));
        read[c] = b_sum(w, OUTPUT, terms, d);
    }
    quotients(w, p, e, read, o);
    const struct ball *by = b_step(w, p->total, b_add(w, read[e - 1], b_given(w, p->total, b_q(w, p->eps))));
    for (long c = 0; c < e - 1; c++) {
        const struct ball *g = b_in(w, "do", h, t, c);
        to[c] = b_step(w, SLOPE, b_div(w, g, by));
        terms[c] = b_step(w, SLOPE, b_mul(w, to[c], o[c]));
    }
    to[e - 1] = b_neg(w, b_sum(w, GATHER, terms, e - 1));
    free(terms);
}
static struct state_rule rule(const struct ask *w, const struct decayed *p)
{
    return (struct state_rule){ .n = dim_in(w, "v", 1), .d = dim_in(w, "k", 2),
        .e = dim_in(w, "v", 2) + p->keys, .gated = p->factor != NULL, .channels = p->channels,
        .read_before = p->read_before, .at_end = p->at_end,
        .ones = p->keys, .decay = DECAYED_OWN, .with = p, .token = token, .up = p->keys ? up : NULL };
}

/* What the row is that w->with names. */
static struct decayed of_call(const struct ask *w) { return ((const struct decayed_row *)w->with)->of(w); }
/* Every o[h,n,e], then every final[h,d,e], then every final_z[h,d]. */
static void make(struct ask *w, const struct ball **all)
{
    const struct decayed of = of_call(w), *p = &of;
    const struct state_rule r = rule(w, p);
    const long heads = dim_in(w, "v", 0), e = dim_in(w, "v", 2);
    const struct ball **o = need((size_t)((r.n + r.d) * r.e) + 1, sizeof *o), **last = o + r.n * r.e;
    const struct ball **final = all + heads * r.n * e, **z = final + heads * r.d * e;
    for (long h = 0; h < heads; h++) {
        state_forward(w, &r, h, o, last);
        for (long t = 0; t < r.n; t++)
            if (p->eps)
                quotients(w, p, r.e, o + t * r.e, all + (h * r.n + t) * e);
            else
                memcpy(all + (h * r.n + t) * e, o + t * r.e, (size_t)e * sizeof *o);
        for (long i = 0; i < r.d; i++) {
            memcpy(final + (h * r.d + i) * e, last + i * r.e, (size_t)e * sizeof *o);
            z[h * r.d + i] = r.ones ? last[i * r.e + e] : b_si(w, 0);
        }
    }
    free(o);
}
/* Where each quantity begins, behind one another: the outputs, and the gradients, each from 0 on. */
static void places(const struct ask *w, long place[DECAYED_END], long *outputs, long *slopes)
{
    const long heads = dim_in(w, "v", 0), n = dim_in(w, "v", 1), e = dim_in(w, "v", 2), d = dim_in(w, "k", 2);
    const long size[] = { heads * n * e, heads * d * e, heads * d, heads * n * d, heads * n * d, heads * n * e,
        heads * n * d, heads * d * e, heads * d };
    *outputs = *slopes = 0;
    for (int k = 0; k < DECAYED_END; k++) {
        long *end = k < DECAYED_DQ ? outputs : slopes;
        place[k] = *end, *end += size[k];
    }
}
/* The gradients of lines [n][wide] of head h, from those by what the lines became, [n][step]. */
static void of_lines(struct ask *w, const struct decayed *p, const char *name, long h, long n, long step,
    const struct ball *const *from, const struct ball **to)
{
    const long wide = dim_in(w, name, 2);
    for (long t = 0; t < n; t++)
        if (p->back)
            p->back(w, name, h, t, from + t * step, to + t * wide);
        else
            memcpy(to + t * wide, from + t * step, (size_t)wide * sizeof *to);
}
/* Every gradient. */
static void gradients(struct ask *w, const struct ball **all)
{
    const struct decayed of = of_call(w), *p = &of;
    const struct state_rule r = rule(w, p);
    const long heads = dim_in(w, "v", 0), e = dim_in(w, "v", 2), n = r.n, d = r.d;
    long place[DECAYED_END], outputs, slopes;
    places(w, place, &outputs, &slopes);
    const struct ball **q = need((size_t)(n * (3 * d + r.e) + d * r.e) + 1, sizeof *q), **k = q + n * d,
                      **a = k + n * d, **v = a + n * d, **state = v + n * r.e,
                      *scale = token_scale(w, SLOPE, p->scale, d);
    for (long h = 0; h < heads; h++) {
        state_backward(w, &r, h, &(struct state_grads){ q, k, v, NULL, a, state });
        for (long x = 0; x < n * d; x++)
            q[x] = b_scaled(w, SLOPE, q[x], scale);
        of_lines(w, p, "q", h, n, d, q, all + place[DECAYED_DQ] + h * n * d);
        of_lines(w, p, "k", h, n, d, k, all + place[DECAYED_DK] + h * n * d);
        of_lines(w, p, "v", h, n, r.e, v, all + place[DECAYED_DV] + h * n * e);
        for (long x = 0; x < n * d; x++) {
            const struct ball **to = all + place[DECAYED_DA] + h * n * d;
            to[x] = !r.channels ? b_si(w, 0) :
                p->slope        ? b_step(w, SLOPE, b_mul(w, a[x], p->slope(w, h, x / d, x % d))) :
                                  a[x];
        }
        for (long i = 0; i < d; i++) {
            memcpy(all + place[DECAYED_DSTATE] + (h * d + i) * e, state + i * r.e, (size_t)e * sizeof *all);
            all[place[DECAYED_DZ] + h * d + i] = r.ones ? state[i * r.e + e] : b_si(w, 0);
        }
    }
    free(q);
}
void decayed_page(struct ask *w, const struct decayed_row *r, const struct ball **y)
{
    long place[DECAYED_END], outputs, slopes;
    places(w, place, &outputs, &slopes);
    const bool one = w->of == DECAYED_DZ || w->of == DECAYED_FINAL_Z, forward = w->of < DECAYED_DQ;
    const long rows = w->of == DECAYED_DSTATE || w->of == DECAYED_FINAL ? dim_in(w, "k", 2) : dim_in(w, "v", 1);
    const long line = one ? w->at[0] : w->at[0] * rows + w->at[1];
    w->with = r;
    delta_part(w, forward ? make : gradients, forward ? outputs : slopes, place[w->of] + line * w->len, y);
}

/* The ball of a softmax mean whose weights are divided first.  In the words of soft.c: the computed exponentials are
 * w'_j, their sum with its own roundings
 * T' = W' + l, |l| <= lost, W' = sum w'.  The stored weights are
 *     q_j = w'_j / T' + r_j        |r_j|: half an ulp of step div at w'_j / T', and half an ulp of step weight on top
 * and nothing divides by their sum again, so that what r_j adds does not cancel:
 *     sum q_j v_j = o'' W' / T' + sum r_j v_j        o'' = sum w'_j v_j / W'
 * o'' - o is soft.c's (1) and (2); |W' / T' - 1| <= lost / (low - lost); the r_j, the products' roundings and the sum's
 * are absolute errors of o, not relative to the total.  So weights that the format of step weight rounds may move o by
 * sum |r_j| |v_j|, up to twice of what rounding the exponentials moves it by: those are divided by what they add up to,
 * and an error that all of them share cancels. */
#include "softmax/divided.h"
#include <stdlib.h>
#include "ball/trace.h"

bool divided(const struct ask *w, const struct mix *m)
{
    if (!w->arith->divide_first || w->arith->how == EXACT)
        return false;
    trace_word(w->trace, w->arith->divide_word, false);
    if (m->block)
        trace_impossible(w,
            "divide=first contradicts the route: online and lazy know the total of the weights only after the last "
            "value");
    return !m->block;
}

void divided_weights(struct ask *w, const struct soft *s, const struct ball **p)
{
    for (long j = 0; j < s->n; j++)
        p[j] = b_step(w, WEIGHT, b_step(w, DIV, b_div(w, s->e[j], s->total)));
}

/* Bounds of one weight: top of the stored one, rounded of |r_j|, far of its distance from the real e_j / total. */
struct quotient { struct up top, rounded, far; };
static struct quotient quotient(
    struct ask *w, const struct weights *x, const struct ball *e, struct up D, const struct ball *p)
{
    struct up total = up_gap(x->low, x->lost), top = up_div(up_add(b_top(e), D), total), div = b_rounding(w, DIV, top);
    struct up weight = b_rounding(w, WEIGHT, up_add(top, div)), r = up_add(div, weight);
    /* |w' / T' - p| = |w' - w - p (T' - Z)| / T' */
    struct up moved = up_div(up_add(D, up_mul(b_top(p), up_add(x->sum, x->lost))), total);
    return (struct quotient){ up_add(top, r), r, up_add(moved, r) };
}

static const struct ball *one_column(struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x,
    const struct quotient *q, const struct ball *const *p, long c, struct up *own)
{
    const struct ball **v = need((size_t)s->n, sizeof *v), *o = NULL, *most = NULL, *least = NULL;
    struct summand *t = need((size_t)m->keys, sizeof *t);
    struct up moved = { 0, 0 }, blur = moved, lost = moved;
    for (long j = 0; j < s->n; j++) {
        v[j] = mix_value(w, m, s->key[j], c);
        const struct ball *y = b_mul(w, p[j], b_at(w, v[j]));
        o = j ? b_add(w, o, y) : y;
        most = !j || mpfr_greater_p(v[j]->mid, most->mid) ? v[j] : most;
        least = !j || mpfr_less_p(v[j]->mid, least->mid) ? v[j] : least;
    }
    for (long j = 0; j < s->n; j++) {
        struct up V = b_top(v[j]), product = b_rounding(w, PRODUCT, up_mul(q[j].top, V)),
                  in = up_mul(q[j].top, v[j]->rad);
        moved = up_add(moved, up_mul(x->D[j], up_add(up_far(v[j]->mid, o->mid), o->rad)));
        blur = up_add(blur, in);
        lost = up_add(lost, up_add(up_mul(q[j].rounded, V), product));
        t[j] = b_summand(
            b_mul(w, p[j], b_at(w, v[j])), up_add(up_mul(q[j].far, V), up_add(in, product)), b_format(w, PRODUCT));
    }
    struct up range =
        up_mul(up_far(most->mid, least->mid), x->underflow ? up_d(1) : up_min(up_d(1), up_2exp(x->most, -1)));
    struct up off = up_min(up_div(moved, x->low), range);
    lost = up_add(lost, up_mul(up_add(b_top(o), off), up_div(x->lost, up_gap(x->low, x->lost))));
    lost = up_add(lost, up_add(blur, keys_error(w, s, NULL, mix_sum(m), t, m->keys)));
    free(v), free(t);
    if (own)
        *own = lost;
    struct ball *y = (struct ball *)b_widen(w, o, up_add(off, lost));
    b_becomes(y, b_format(w, mix_sum(m)));
    return y;
}

void divided_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own)
{
    struct weights x = weigh(w, m, s);
    const struct ball **p = need((size_t)s->n, sizeof *p);
    struct quotient *q = need((size_t)s->n, sizeof *q);
    for (long j = 0; j < s->n; j++) {
        p[j] = b_div(w, s->e[j], s->total);
        q[j] = quotient(w, &x, s->e[j], x.D[j], p[j]);
    }
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        o[c] = ask_keep(w, mark, one_column(w, m, s, &x, q, p, c, own ? own + c : NULL));
    }
    free(p), free(q), weights_free(&x);
}

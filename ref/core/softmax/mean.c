/* Means with their balls, column by column; (1) and (2) are those of soft.c. */
#include "softmax/mean.h"
#include <stdlib.h>
#include "softmax/plain_mean.h"

/* What weight j is at most while it is held relative to an earlier reference point; 0 where it never is. */
static struct up high_of(const struct mix *m, const struct weights *x, long j)
{
    return x->R[j] > 0 || m->route == LAZY ? x->high : (struct up){ 0, 0 };
}

static struct column column_by_balls(struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x,
    const struct up *stored, const struct ball **v, long c)
{
    const struct ball *hi = NULL, *lo = NULL, *sum = NULL;
    for (long j = 0; j < s->n; j++) {
        v[j] = mix_value(w, m, s->key[j], c);
        const struct ball *t = b_mul(w, s->e[j], b_at(w, v[j]));
        sum = j ? b_add(w, sum, t) : t;
        hi = !j || mpfr_greater_p(v[j]->mid, hi->mid) ? v[j] : hi;
        lo = !j || mpfr_less_p(v[j]->mid, lo->mid) ? v[j] : lo;
    }
    struct column y = { .known = soft_known_mean(w, s, v),
        .o = b_div(w, sum, s->total),
        .range = up_far(hi->mid, lo->mid) };
    struct summand *t = w->arith->how == WIDEN ? need((size_t)m->keys, sizeof *t) : NULL;
    struct up *sizes = need((size_t)s->n, sizeof *sizes);
    for (long j = 0; j < s->n; j++) {
        struct up size = up_add(b_top(s->e[j]), x->D[j]), V = b_top(v[j]), high = high_of(m, x, j);
        const struct up top = up_mul(up_add(size, stored[j]), V);
        struct up more = up_add(up_mul(stored[j], V),
            soft_rounding(w, x, PRODUCT, top, up_mul(high, V)));
        more = up_add(more, up_mul(up_mul(size, V), up_expm1(up_mul(up_si(x->R[j]), b_unit(w, RESCALE)))));
        y.moved = up_add(y.moved, up_mul(x->D[j], up_add(up_far(v[j]->mid, y.o->mid), y.o->rad)));
        y.blur = up_add(y.blur, up_mul(size, v[j]->rad));
        y.lost = up_add(y.lost, more);
        if (t)
            sizes[j] = V, t[j] = b_summand(b_mul(w, s->e[j], b_at(w, v[j])),
                up_add(up_mul(x->D[j], V), up_add(up_mul(size, v[j]->rad), more)), b_format(w, PRODUCT));
    }
    if (t)
        y.lost = soft_overflows(w, s, x, mix_sum(m), sizes) ?
            up_inf() :
            up_add(y.lost, soft_sum_error(w, s, x, mix_sum(m), t, m->keys));
    free(t), free(sizes);
    return y;
}

/* The output o with its ball, by (1), (2), the values' own radii and the roundings.  own: NULL, or gets the part of the
 * radius that is not the weights' doing. */
static const struct ball *mean(struct ask *w, const struct weights *x, struct column y, struct up *own)
{
    if (y.known)
        return y.known;
    struct up range = up_mul(y.range, x->underflow ? up_d(1) : up_min(up_d(1), up_2exp(x->most, -1)));
    struct up off = up_add(up_min(up_div(y.moved, x->low), range), up_div(y.blur, x->low));
    y.lost = up_add(y.lost, up_mul(up_si(x->rescales), b_absolute(w, RESCALE)));
    y.lost = up_add(y.lost, up_mul(up_add(b_top(y.o), off), x->lost));
    struct up rest = up_div(y.lost, up_gap(x->low, x->lost));
    const struct ball *o = b_widen(w, y.o, up_add(off, rest));
    if (own)
        *own = up_add(up_add(up_div(y.blur, x->low), rest), b_rounding(w, DIV, b_top(o)));
    return b_step(w, DIV, o);
}

/* The roundings of the weights as step WEIGHT stores them, [n] by visible key.  The caller frees them. */
static struct up *stored_errors(struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x)
{
    struct up *stored = need((size_t)s->n, sizeof *stored);
    for (long j = 0; j < s->n; j++)
        stored[j] = soft_rounding(w, x, WEIGHT, up_add(b_top(s->e[j]), x->D[j]), high_of(m, x, j));
    return stored;
}

void soft_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own)
{
    struct weights x = weigh(w, m, s);
    struct up *stored = stored_errors(w, m, s, &x);
    struct plain *plain = plain_open(w, m, s, &x, stored);
    const struct ball **v = NULL;
    if (plain) /* mutant: condition a922: only memory is given back later. */
        free(stored), stored = NULL; /* Long lines are plain: hold no more than they need. */
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        struct column y;
        if (!plain || !plain_column(w, plain, c, &y)) {
            stored = stored ? stored : stored_errors(w, m, s, &x), v = v ? v : need((size_t)s->n, sizeof *v);
            y = column_by_balls(w, m, s, &x, stored, v, c);
        }
        o[c] = ask_keep(w, mark, mean(w, &x, y, own ? own + c : NULL));
    }
    plain_free(plain), free(v), free(stored), weights_free(&x);
}

/* max + log Z does not depend on the maximum subtracted either: |log Z' - log Z| <= sum D / (Z - sum D). */
const struct ball *soft_lse(struct ask *w, const struct mix *m, struct soft *s)
{
    struct weights x = weigh(w, m, s);
    const struct ball *log_total = b_log(w, s->total);
    struct up off = up_add(up_div(x.sum, x.low), up_div(x.lost, up_gap(x.low, x.lost)));
    off = up_add(off, x.shared);
    struct up top = up_add(b_top(log_total), up_add(off, x.common));
    off = up_add(off, b_rounding(w, LOG, m->route == LAZY ? up_add(top, up_si(m->slack)) : top));
    if (m->route == EXP2) { /* The maximum's way back from base 2 is rounded, too, and so is the constant ln 2. */
        off = up_add(off, up_mul(b_top(s->max), ln2_error(w)));
        off = up_add(off, b_rounding(w, LOG, up_add(b_top(s->max), off)));
    }
    weights_free(&x);
    return b_step(w, LOG, b_widen(w, b_add(w, b_at(w, s->max), log_total), off));
}

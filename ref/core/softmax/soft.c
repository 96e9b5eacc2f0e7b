/* The ball of a softmax mean that keeps the correlation: numerator and denominator see the same perturbed weights.
 * w_j = exp(s_j - max), Z = sum w, o = sum w_j v_j / Z.  The computed weights, whatever maximum was subtracted, are
 * proportional to
 *     w'_j = w_j e^{t_j} + a_j        |t_j| <= T_j: score radius, rounding of s - max, relative error of exp
 *     a_j: underflow
 * with |w'_j - w_j| <= D_j = w_j (e^{T_j} - 1) + A_j.  As sum w_j (v_j - o) = 0,
 *     o' - o = sum (w'_j - w_j)(v_j - o) / sum w'_j   |o' - o| <= sum D_j |v_j - o| / (Z - sum D)   (1)
 * and o' is a mean of v: |o' - o| <= (max v - min v) min(1, T/2) for T = max T_j and A = 0, as tanh(T/2) <= T/2.   (2)
 * Each further rounding is counted once:  (|numerator's| + |o'| |total's|) / (Z - sum D - total's), then the division's
 * own. Online route: a term passes R_j rescalings after it joined; the arguments of their exponentials add up to at
 * most max - s_j. Lazy: a score is at most slack above its reference point r, and r <= max: |s_j - r| <= max(max - s_j,
 * slack), and with rescalings the arguments add up to at most max - s_j + 2 slack.  Everything may be held at another
 * power of two (x->moving); w' e^(max - r) >= w', so an underflow weighs less than counted. An absolute error of a step
 * (f32+1e-7) is in units of the reference point at hand, which is at most the maximum, so that it weighs no more than
 * counted; but one of an exponential that rescales multiplies weights of up to e^slack.  It adds to a_j (exp), to T_j
 * for each exponential (shift), or to what the accumulators lose (rescale).
 * exp2: s - max is rounded in base 2, (s - max) log2 e, and T_j takes log 2 of that. */
#include <stdlib.h>
#include "softmax/plain.h"

static void count_rescalings(const struct mix *m, struct ask *w, const struct soft *s, struct weights *x)
{
    /* run is the largest score so far; point is the lazy route's reference point, NULL where it is not certain. */
    const struct ball *run = NULL, *point = NULL;
    for (long j = 0; m->block && j < s->n; j += m->block) {
        const struct ball *top = s->s[j];
        for (long l = j; l < s->n && l < j + m->block; l++)
            top = b_max(w, top, s->s[l]);
        int passed = !run ? 0 : b_cmp(top, m->route == LAZY && point ? b_add(w, point, b_si(w, m->slack)) : run);
        x->rescales += passed > 0; /* It counts what certainly or possibly rescales. */
        point = passed == 2 ? NULL : !run || (point && passed == 1) ? top : point;
        for (long l = j; l < s->n && l < j + m->block; l++)
            x->R[l] = x->rescales;
        run = run ? b_max(w, run, top) : top;
    }
    for (long j = 0; j < s->n; j++)
        x->R[j] = x->rescales - x->R[j];
}

static const struct ball *sum_of(struct ask *w, const struct ball *const *t, long n)
{
    const struct ball *y = t[0];
    size_t mark = w->used;
    for (long k = 1; k < n; k++)
        y = ask_keep(w, mark, b_add(w, y, t[k]));
    return y;
}

struct up keys_error(const struct ask *w, const struct soft *s, int step, struct summand *t, long keys, bool scaled)
{
    struct up error = sum_error(w, step, t, s->n, scaled);
    if ((w->arith->at[step].lanes < 2 && !w->arith->at[step].block) || s->n == keys)
        return error;
    for (long j = s->n - 1, key = keys - 1; key >= 0; key--)
        t[key] = j >= 0 && s->key[j] - s->from == key ? t[j--] : (struct summand){ 0 };
    return up_max(error, sum_error(w, step, t, keys, scaled));
}

/* One rounding of a value up to top.  Before a rescaling it was held at another power of two: then u top, not half an
 * ulp. */
static struct up rounding_of(const struct ask *w, int step, struct up top, bool scaled)
{
    return scaled ? up_add(up_mul(b_unit(w, step), top), b_rounding(w, step, (struct up){ 0, 0 })) :
                    b_rounding(w, step, top);
}

/* Scores that are certainly the same number as the maximum share its error t*, and e^{t*} cancels in (1): then T of
 * those is 0, T of the others grows by |t*|, and the log-sum-exp takes |t*| once (x->shared). */
static struct up own_error(const struct soft *s, const struct weights *x, long j)
{
    return x->shared.m == 0     ? s->s[j]->rad :
        b_same(s->s[j], s->max) ? (struct up){ 0, 0 } :
                                  up_add(s->s[j]->rad, x->shared);
}

struct up exp_error(const struct ask *w) { struct up u = b_unit(w, EXP); return up_div(u, up_gap(up_d(1), u)); }

struct weights weigh(struct ask *w, const struct mix *m, struct soft *s)
{
    size_t n = (size_t)s->n;
    struct weights x = { .D = need(n, sizeof *x.D), .R = need(n, sizeof *x.R) };
    struct up each_exp = exp_error(w),
              beside =
                  up_mul(b_absolute(w, EXP), m->route == LAZY ? up_add(up_expm1(up_si(m->slack)), up_d(1)) : up_d(1));
    const struct ball *max = b_at(w, s->max);
    x.shared = w->arith->how == EXACT && s->max->id ? s->max->rad : (struct up){ 0, 0 };
    if (w->arith->how == WIDEN)
        count_rescalings(m, w, s, &x);
    x.moving = x.rescales || m->route == LAZY;
    for (long j = 0; j < s->n; j++) {
        size_t mark = w->used;
        const struct ball *z = b_sub(w, b_at(w, s->s[j]), max);
        struct up far = up_add(b_top(z), up_add(s->s[j]->rad, s->max->rad));
        if (m->route == LAZY)
            far = x.R[j] ? up_add(far, up_si(2 * m->slack)) : up_max(far, up_si(m->slack));
        struct up shift = x.moving ?
            up_add(up_mul(b_unit(w, SHIFT), far), up_mul(up_si(1 + x.R[j]), b_absolute(w, SHIFT))) :
            m->route == EXP2 ?
            up_mul(b_rounding(w, SHIFT, up_mul(far, up_d(1.442695040888964))), up_d(0.6931471805599454)) :
            b_rounding(w, SHIFT, far);
        struct up T = up_add(own_error(s, &x, j), up_add(shift, up_mul(up_si(1 + x.R[j]), each_exp)));
        s->e[j] = b_exp(w, z);
        struct up top = up_add(b_top(s->e[j]), x.D[j] = up_mul(b_top(s->e[j]), up_expm1(T)));
        /* Then this exponential, or one that rescales it, may be subnormal. */
        if (up_less(top, b_smallest(w, EXP))) {
            x.D[j] = up_add(x.D[j], up_mul(up_si(1 + x.R[j]), b_rounding(w, EXP, (struct up){ 0, 0 })));
            x.underflow = true;
        }
        if (beside.m > 0) {
            x.D[j] = up_add(x.D[j], up_mul(up_si(1 + x.R[j]), beside));
            x.underflow = true;
        }
        x.sum = up_add(x.sum, x.D[j]);
        x.most = up_max(x.most, T);
        s->e[j] = ask_keep(w, mark, s->e[j]); /* mutant: statement 17c3: only memory is given back later. */
    }
    s->total = sum_of(w, s->e, s->n);
    x.low = up_gap(up_gap(up_below(s->total->mid), s->total->rad), x.sum);
    struct summand *t = need((size_t)m->keys, sizeof *t);
    for (long j = 0; j < s->n; j++) {
        struct up top = up_add(b_top(s->e[j]), x.D[j]),
                  scaled = up_mul(top, up_expm1(up_mul(up_si(x.R[j]), b_unit(w, RESCALE))));
        t[j] = b_summand(
            s->e[j], up_add(x.D[j], up_add(scaled, up_mul(up_si(x.R[j]), b_absolute(w, RESCALE)))), b_format(w, EXP));
        x.lost = up_add(x.lost, scaled);
    }
    x.lost = up_add(x.lost, up_mul(up_si(x.rescales), b_absolute(w, RESCALE)));
    x.lost = up_add(x.lost, keys_error(w, s, TOTAL, t, m->keys, x.moving));
    free(t);
    return x;
}

static bool exact_all(const struct ball *const *v, long n)
{
    long j = 0;
    while (j < n && v[j]->rad.m == 0)
        j++;
    return j == n;
}

static bool all_equal(const struct ball *const *v, long n)
{
    long j = 0;
    while (j < n && mpfr_equal_p(v[j]->mid, v[0]->mid))
        j++;
    return j == n;
}

/* S_a / n_a if every group a of equal scores has that mean: then the weights do not matter.  All v are exact, so sums
 * and products are. */
static const struct ball *mean_of_groups(struct ask *w, const struct soft *s, const struct ball *const *v)
{
    const struct ball *first = NULL, *count = NULL;
    bool *done = need((size_t)s->n, sizeof *done), same = true;
    for (long j = 0; j < s->n && same; j++) {
        if (done[j])
            continue;
        const struct ball *sum = v[j], *n;
        long members = 1;
        for (long l = j + 1; l < s->n; l++)
            if (!done[l] && b_same(s->s[l], s->s[j]))
                done[l] = true, members++, sum = b_add(w, sum, v[l]);
        n = b_si(w, members);
        same = !first || b_same(b_mul(w, first, n), b_mul(w, sum, count));
        first = first ? first : sum, count = count ? count : n;
    }
    free(done);
    return same ? b_div(w, first, count) : NULL;
}

/* The mean where it is known whatever the weights, else NULL. */
static const struct ball *known_mean(struct ask *w, const struct soft *s, const struct ball *const *v)
{
    if (w->arith->how != EXACT || w->dual || !exact_all(v, s->n))
        return NULL;
    return all_equal(v, s->n) ? v[0] : w->exact ? mean_of_groups(w, s, v) : NULL;
}

const struct ball *soft_mean(struct ask *w, const struct soft *s, const struct ball *const *v)
{
    const struct ball *known = known_mean(w, s, v), *sum = b_mul(w, s->e[0], v[0]);
    for (long j = 1; j < s->n; j++)
        sum = b_add(w, sum, b_mul(w, s->e[j], v[j]));
    return known ? known : b_div(w, sum, s->total);
}

static struct column column_by_balls(struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x,
    const struct up *stored, const struct ball **v, long c)
{
    const struct ball *hi = NULL, *lo = NULL, *sum = NULL;
    for (long j = 0; j < s->n; j++) {
        v[j] = mix_value(w, m, s->key[j], c);
        const struct ball *t = b_mul(w, s->e[j], v[j]->rad.m > 0 ? b_at(w, v[j]) : v[j]);
        sum = j ? b_add(w, sum, t) : t;
        hi = !j || mpfr_cmp(v[j]->mid, hi->mid) > 0 ? v[j] : hi;
        lo = !j || mpfr_cmp(v[j]->mid, lo->mid) < 0 ? v[j] : lo;
    }
    struct column y = { .known = known_mean(w, s, v), .o = b_div(w, sum, s->total), .range = up_far(hi->mid, lo->mid) };
    struct summand *t = w->arith->how == WIDEN ? need((size_t)m->keys, sizeof *t) : NULL;
    for (long j = 0; j < s->n && !y.known; j++) {
        bool held = x->R[j] > 0 || m->route == LAZY;
        struct up size = up_add(b_top(s->e[j]), x->D[j]), V = b_top(v[j]);
        struct up more =
            up_add(up_mul(stored[j], V), rounding_of(w, PRODUCT, up_mul(up_add(size, stored[j]), V), held));
        if (x->R[j]) /* mutant: condition e46e: without rescalings 0 is added. */
            more = up_add(more, up_mul(up_mul(size, V), up_expm1(up_mul(up_si(x->R[j]), b_unit(w, RESCALE)))));
        y.moved = up_add(y.moved, up_mul(x->D[j], up_add(up_far(v[j]->mid, y.o->mid), y.o->rad)));
        y.blur = up_add(y.blur, up_mul(size, v[j]->rad));
        y.lost = up_add(y.lost, more);
        if (t)
            t[j] = b_summand(b_mul(w, s->e[j], b_at(w, v[j])),
                up_add(up_mul(x->D[j], V), up_add(up_mul(size, v[j]->rad), more)), b_format(w, PRODUCT));
    }
    if (t)
        y.lost = up_add(y.lost, keys_error(w, s, mix_sum(m), t, m->keys, x->moving));
    free(t);
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

void weights_free(struct weights *x) { free(x->D), free(x->R); }

/* The roundings of the weights as step WEIGHT stores them, [n] by visible key.  The caller frees them. */
static struct up *stored_errors(struct ask *w, const struct mix *m, const struct soft *s, const struct weights *x)
{
    struct up *stored = need((size_t)s->n, sizeof *stored);
    for (long j = 0; j < s->n; j++)
        stored[j] = rounding_of(w, WEIGHT, up_add(b_top(s->e[j]), x->D[j]), x->R[j] > 0 || m->route == LAZY);
    return stored;
}

void soft_output(struct ask *w, const struct mix *m, struct soft *s, const struct ball **o, struct up *own)
{
    struct weights x = weigh(w, m, s);
    struct up *stored = stored_errors(w, m, s, &x);
    struct plain *plain = plain_open(w, m, s, &x, stored);
    const struct ball **v = NULL;
    if (plain)
        free(stored), stored = NULL; /* Long lines are plain: hold no more than they need. */
    for (long c = 0; c < w->len; c++) {
        size_t mark = w->used;
        struct column y = { 0 };
        if (!plain || !plain_column(w, plain, c, &y)) {
            stored = stored ? stored : stored_errors(w, m, s, &x), v = v ? v : need((size_t)s->n, sizeof *v);
            y = column_by_balls(w, m, s, &x, stored, v, c);
        }
        o[c] = ask_keep(w, mark, mean(w, &x, y, own ? own + c : NULL));
    }
    plain_close(plain), free(v), free(stored), weights_free(&x);
}

/* max + log Z does not depend on the maximum subtracted either: |log Z' - log Z| <= sum D / (Z - sum D). */
const struct ball *soft_lse(struct ask *w, const struct mix *m, struct soft *s)
{
    struct weights x = weigh(w, m, s);
    const struct ball *log_total = b_log(w, s->total);
    struct up off = up_add(up_div(x.sum, x.low), up_div(x.lost, up_gap(x.low, x.lost)));
    off = up_add(off, x.shared);
    struct up top = up_add(b_top(log_total), off);
    off = up_add(off, b_rounding(w, LOG, m->route == LAZY ? up_add(top, up_si(m->slack)) : top));
    if (m->route == EXP2) /* The maximum's way back from base 2 is rounded, too. */
        off = up_add(off, b_rounding(w, LOG, up_add(b_top(s->max), off)));
    weights_free(&x);
    return b_step(w, LOG, b_widen(w, b_add(w, b_at(w, s->max), log_total), off));
}

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
#include "softmax/soft.h"
#include <stdlib.h>
#include "edit/reduced.h"

struct soft soft_room(long keys)
{
    return (struct soft){ .key = need((size_t)keys + 1, sizeof(long)), .s = need((size_t)keys + 1, sizeof(void *)),
        .e = need((size_t)keys + 1, sizeof(void *)) };
}
void soft_free(struct soft *s) { free(s->key), free(s->s), free(s->e); }

void soft_join(struct ask *w, struct soft *s, long key, const struct ball *score)
{
    s->key[s->n] = key;
    s->s[s->n] = score;
    s->max = s->n ? (b_max)(w, s->max, score) : score;
    s->n++;
}

/* Sets top, which is NULL before, to the one score that is certainly the largest, whose weight is exactly 1; it stays
 * NULL where that is open. */
void soft_find_top(struct soft *s)
{
    for (long j = 0, best = 0; j < s->n; j++) {
        best = mpfr_greater_p(s->s[j]->mid, s->s[best]->mid) ? j : best;
        s->top = s->s[best];
    }
    for (long j = 0; s->top && j < s->n; j++)
        s->top = s->s[j] != s->top && b_cmp(s->top, s->s[j]) != 1 ? NULL : s->top;
}

struct soft soft_gather(struct ask *w, const struct mix *m)
{
    struct soft s = soft_room(m->keys);
    bool left_out = false;
    for (long j = 0; j < m->keys; j++) {
        size_t mark = w->used;
        mix_part(w, j, m->keys);
        const struct ball *score = mix_masked(w, m, j);
        left_out |= !score;
        if (score)
            soft_join(w, &s, j, ask_keep(w, mark, score));
    }
    ask_whole(w);
    site_left_out(w, left_out);
    if (sited(w)) /* mutant: condition ee82: kernels mostly take it of all scores at once, and it is the same. */
        s.max = b_largest(w, s.s, s.n);
    /* Where the largest score is infinite, a kernel takes 0 in its place. */
    if (s.n && (site_hides(w) || w->tape) && mpfr_inf_p(s.max->mid))
        s.max = b_si(w, 0);
    soft_find_top(&s);
    /* The weights do not depend on the reference point, and a constant one has no corner at ties. */
    if (w->dual && s.n)
        s.max = b_at(w, s.max), s.top = NULL;
    return s;
}

const struct ball *soft_weight(struct ask *w, const struct mix *m, const struct ball *s, const struct ball *max)
{
    const struct ball *z = b_sub(w, s, max);
    /* A profile's scores are natural ones, and what is rounded are the differences of those in base 2. */
    const bool back = m->route == EXP2 && w->arith->how == WIDEN && mpfr_number_p(z->mid);
    z = b_step(w, SHIFT, back ? (b_div)(w, z, b_ln2(w)) : z);
    return b_step(w, EXP, mix_base_2(w, m) || back ? b_pow(w, b_si(w, 2), z) : b_exp(w, z));
}

void soft_two_passes(struct ask *w, const struct mix *m, struct soft *s)
{
    for (long j = 0; j < s->n; j++) {
        size_t mark = w->used;
        const bool one = s->s[j] == s->top && !sited(w); /* An edit may be of what makes it 1. */
        mix_part(w, s->key[j], m->keys);
        s->e[j] = ask_keep(w, mark, one ? b_step(w, EXP, b_si(w, 1)) : soft_weight(w, m, s->s[j], s->max));
    }
    ask_whole(w);
    s->total = b_sum(w, TOTAL, s->e, s->n);
}

long soft_block_end(const struct mix *m, const struct soft *s, long j, bool placed)
{
    long l = j;
    while (l < s->n && (placed ? s->key[l] / m->block == s->key[j] / m->block : l < j + m->block))
        l++;
    return l;
}

/* Blocks count the visible keys or, where hidden ones are computed and then left out, are placed: all keys.  What a
 * key's number of rescalings grows to is the worse of both. */
static void count_rescalings(
    const struct mix *m, struct ask *w, const struct soft *s, struct weights *x, bool placed)
{
    /* run is the largest score so far; point is the lazy route's reference point, NULL where it is not certain. */
    const struct ball *run = NULL, *point = NULL;
    const size_t mark = w->used;
    long all = 0, *passed_at = need((size_t)s->n, sizeof *passed_at);
    for (long j = 0, end; j < s->n; j = end) {
        const struct ball *top = s->s[j];
        end = soft_block_end(m, s, j, placed);
        for (long l = j; l < end; l++)
            top = b_max(w, top, s->s[l]);
        int passed = !run ? 0 : b_cmp(top, m->route == LAZY && point ? b_add(w, point, b_si(w, m->slack)) : run);
        all += passed > 0; /* It counts what certainly or possibly rescales. */
        point = passed == 2 ? NULL : !run || (point && passed == 1) ? top : point;
        for (long l = j; l < end; l++)
            passed_at[l] = all;
        run = run ? b_max(w, run, top) : top;
    }
    for (long j = 0; j < s->n; j++) /* mutant: loop dd8e: behind the last key nothing is rescaled. */
        x->R[j] = all - passed_at[j] > x->R[j] ? all - passed_at[j] : x->R[j];
    x->rescales = all > x->rescales ? all : x->rescales;
    w->used = mark; /* mutant: statement bfef: of what was compared no ball is kept; only memory is given back later. */
    free(passed_at);
}

static const struct ball *sum_of(struct ask *w, const struct ball *const *t, long n)
{
    const struct ball *y = t[0];
    size_t mark = w->used;
    for (long k = 1; k < n; k++)
        y = ask_keep(w, mark, b_add(w, y, t[k]));
    return y;
}

struct up keys_error(
    const struct ask *w, const struct soft *s, const struct weights *x, int step, struct summand *t, long keys)
{
    const long block = x ? x->block : 0;
    const bool scaled = x && x->moving;
    struct up error = parts_error(w, step, t, s->n, block, scaled);
    /* mutant: term: where no key is hidden, both are the same sum. */
    if ((w->arith->at[step].lanes < 2 && !w->arith->at[step].block) || s->n == keys)
        return error;
    for (long j = s->n - 1, key = keys - 1; key >= 0; key--)
        t[key] = j >= 0 && s->key[j] - s->from == key ? t[j--] : (struct summand){ 0 };
    return up_max(error, parts_error(w, step, t, keys, block, scaled));
}

/* Scores that are certainly the same number as the maximum share its error t*, and e^{t*} cancels in (1): then T of
 * those is 0, T of the others grows by |t*|, and the log-sum-exp takes |t*| once (x->shared). */
static struct up own_error(const struct soft *s, const struct weights *x, long j)
{
    return b_same(s->s[j], s->max) ? (struct up){ 0, 0 } : up_add(s->s[j]->rad, x->shared);
}

/* 1 and what is common to all weights. */
static struct up together(const struct weights *x) { return up_add(up_d(1), x->common); }
/* r, and what is common to all weights of it: r itself where nothing is. */
static struct up shared_by_all(const struct weights *x, struct up r) { return up_add(r, up_mul(r, x->common)); }

struct up soft_sum_error(
    const struct ask *w, const struct soft *s, const struct weights *x, int step, struct summand *t, long keys)
{
    for (long j = 0; j < s->n; j++)
        t[j].rad = up_add(t[j].rad, up_mul(up_add(up_d(fabs(t[j].mid)), t[j].rad), x->common));
    return up_mul(together(x), keys_error(w, s, x, step, t, keys));
}

struct up soft_rounding(const struct ask *w, const struct weights *x, int step, struct up top, struct up high)
{
    if (high.m == 0)
        return shared_by_all(x, b_rounding(w, step, shared_by_all(x, top)));
    return isinf(b_rounding(w, step, high).m) ?
        up_inf() :
        up_add(up_mul(b_unit(w, step), top), b_rounding(w, step, (struct up){ 0, 0 }));
}

/* Is a running sum of that size a finite number, at its own step and where it is rescaled? */
static bool holds(const struct ask *w, int step, struct up size)
{
    return !isinf(b_rounding(w, step, size).m) && !isinf(b_rounding(w, RESCALE, size).m);
}

bool soft_overflows(const struct ask *w, const struct soft *s, const struct weights *x, int step, const struct up *V)
{
    struct up most = { 0, 0 }, all = most, sizes = most, low = most;
    if (!x->moving)
        return false;
    const struct up each = up_mul(up_si(s->n), up_add(b_unit(w, step), b_unit(w, RESCALE))),
                    once = up_add(b_unit(w, WEIGHT), b_unit(w, PRODUCT)),
                    grown = up_mul(up_mul(x->high, together(x)), up_add(up_d(1), up_expm1(up_add(each, once))));
    for (long k = 0; k < s->n; k++)
        sizes = up_add(sizes, V ? V[k] : up_d(1));
    if (holds(w, step, up_mul(sizes, grown)))
        return false;
    /* Behind key k the sum is that of w_j |v_j|, j <= k, over the largest of those w_j. */
    for (long k = 0; k < s->n; k++) {
        all = up_add(all, up_mul(up_add(b_top(s->e[k]), x->D[k]), V ? V[k] : up_d(1)));
        low = up_max(low, up_gap(up_gap(up_below(s->e[k]->mid), s->e[k]->rad), x->D[k]));
        most = up_max(most, up_div(all, low));
    }
    return !holds(w, step, up_mul(most, grown));
}

/* What weighs most at hand: 1 where the reference point follows at once.  The lazy one is at least the first block's
 * maximum, and no score is more than slack above it. */
static struct up highest(struct ask *w, const struct mix *m, const struct soft *s)
{
    struct up above = { 0, 0 };
    if (m->route == LAZY) {
        const struct ball *first = s->s[0];
        for (long l = 1; l < s->n && l < m->block; l++)
            first = b_max(w, first, s->s[l]);
        /* mutant: argument 0f8a: only the size of the difference is read. */
        above = up_min(b_top(b_sub(w, s->max, first)), up_si(m->slack));
    }
    above = up_add(up_mul(above, up_add(up_d(1), b_unit(w, SHIFT))), up_add(b_absolute(w, SHIFT), exp_error(w)));
    return up_add(up_add(up_d(1), up_expm1(above)), b_absolute(w, EXP));
}

struct up exp_error(const struct ask *w) { struct up u = b_unit(w, EXP); return up_div(u, up_gap(up_d(1), u)); }

struct weights weigh(struct ask *w, const struct mix *m, struct soft *s)
{
    size_t n = (size_t)s->n;
    struct weights x = { .D = need(n, sizeof *x.D), .R = need(n, sizeof *x.R), .block = m->block };
    struct up each_exp = exp_error(w),
              beside =
                  up_mul(b_absolute(w, EXP), m->route == LAZY ? up_add(up_expm1(up_si(m->slack)), up_d(1)) : up_d(1));
    const struct ball *max = b_at(w, s->max);
    x.shared = s->max->id ? s->max->rad : (struct up){ 0, 0 };
    x.common = s->max->id ? (struct up){ 0, 0 } : up_expm1(s->max->rad);
    if (m->block)
        count_rescalings(m, w, s, &x, false), count_rescalings(m, w, s, &x, true);
    x.moving = x.rescales || m->route == LAZY;
    x.high = highest(w, m, s);
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
        if (up_less(top, up_mul(together(&x), b_smallest(w, EXP)))) {
            const struct up lost = up_mul(together(&x), b_rounding(w, EXP, (struct up){ 0, 0 }));
            x.D[j] = up_add(x.D[j], up_mul(up_si(1 + x.R[j]), lost));
            x.underflow = true;
        }
        if (beside.m > 0) {
            x.D[j] = up_add(x.D[j], up_mul(up_si(1 + x.R[j]), beside));
            x.underflow = true;
        }
        x.sum = up_add(x.sum, x.D[j]);
        x.most = up_max(x.most, T);
        s->e[j] = ask_keep(w, mark, s->e[j]);
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
    x.lost = up_add(x.lost, soft_sum_error(w, s, &x, TOTAL, t, m->keys));
    if (soft_overflows(w, s, &x, TOTAL, NULL) || isinf(b_rounding(w, EXP, x.high).m))
        x.lost = up_inf();
    free(t);
    return x;
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

const struct ball *soft_known_mean(struct ask *w, const struct soft *s, const struct ball *const *v)
{
    long exact = 0, equal = 0;
    if (w->arith->how != EXACT || w->dual)
        return NULL;
    for (long j = 0; j < s->n; j++)
        exact += v[j]->rad.m == 0, equal += mpfr_equal_p(v[j]->mid, (*v)->mid) != 0;
    return exact < s->n ? NULL : equal == s->n ? *v : w->exact ? mean_of_groups(w, s, v) : NULL;
}

const struct ball *soft_mean(struct ask *w, const struct soft *s, const struct ball *const *v)
{
    const struct ball *known = soft_known_mean(w, s, v), *sum = b_mul(w, s->e[0], v[0]);
    for (long j = 1; j < s->n; j++)
        sum = b_add(w, sum, b_mul(w, s->e[j], v[j]));
    return known ? known : b_div(w, sum, s->total);
}

bool soft_has_no_numbers(const struct ask *w, const struct soft *s)
{
    bool any = false;
    for (long j = 0; j < s->n && w->arith->how == WIDEN; j++)
        any |= isinf(s->s[j]->rad.m) != 0;
    return any;
}

void weights_free(struct weights *x) { free(x->D), free(x->R); }

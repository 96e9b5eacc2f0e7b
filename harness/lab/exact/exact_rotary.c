/* Topics about rotary encodings, t_i = b^(-2i/d); see exact_facts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "lab/exact/exact_abel.h"
#include "lab/exact/exact_base.h"
#include "lab/exact/exact_facts.h"
#include "law.h"

enum { PAIRS = 512, FAR = 1 << 14 }; /* FAR: distances are searched up to there */
/* cases: a width, a base, and lengths or distances */
struct exact_waves { long dim; const char *base; long n, at[12]; };

/* Calls `one` for the topic's own cases, or for the one case that is asked. */
static void each(struct facts *f, const struct fact_for *a, const struct exact_waves *own, int n,
    void (*one)(struct facts *, long dim, const char *base, const struct ball *const *t, const long *at, long count))
{
    static const struct ball *t[PAIRS];
    for (int k = 0; k < n; k++) {
        const bool asked = a->dim || a->lengths || a->base;
        const long dim = a->dim ? a->dim : own[k].dim;
        const char *base = a->base ? a->base : own[k].base;
        if (asked && k)
            return;
        waves_of(f, dim, base, t);
        one(f, dim, base, t, a->lengths ? a->length : own[k].at, a->lengths ? a->lengths : own[k].n);
    }
}

/* Pair i makes a full turn in 2 pi / t_i positions.  Where that is more than L, some angles occur at no trained
 * position. */
static void unseen(struct facts *f, long dim, const char *base, const struct ball *const *t, const long *at, long count)
{
    const struct ball *turn = b_mul(f->w, b_si(f->w, 2), b_pi(f->w));
    fact_number(f, "longest wavelength", b_div(f->w, turn, t[dim / 2 - 1]), "d=%ld b=%s", dim, base);
    for (long k = 0; k < count; k++) {
        long n = 0;
        for (long i = 0; i < dim / 2; i++)
            n += fact_sign(f, turn, b_mul(f->w, b_si(f->w, at[k]), t[i])) > 0;
        fact_integer(f, "pairs with unseen angles", n, "d=%ld b=%s L=%ld", dim, base, at[k]);
        fact_integer(f, "critical dimension", dim - 2 * n, "d=%ld b=%s L=%ld", dim, base, at[k]);
    }
}
void topic_angles(struct facts *f, const struct fact_for *a)
{
    static const struct exact_waves own[] = { { 16, "10000", 3, { 64, 512, 4096 } },
        { 64, "10000", 6, { 64, 512, 1024, 4096, 32768, 131072 } },
        { 128, "10000", 5, { 512, 2048, 4096, 8192, 131072 } }, { 128, "500000", 3, { 4096, 8192, 131072 } } };
    each(f, a, own, 4, unseen);
}

static const struct ball *mean_cosine(struct ask *w, const struct ball *const *t, long n, long s)
{
    const size_t mark = w->used;
    const struct ball *sum = b_si(w, 0);
    for (long i = 0; i < n; i++)
        sum = b_add(w, sum, b_cos(w, b_mul(w, b_si(w, s), t[i])));
    return ask_keep(w, mark, b_div(w, sum, b_si(w, n)));
}

/* The cosine integral Ci(x) = gamma + ln x + sum over k of (-x^2)^k / (2k (2k)!).  The terms alternate, and decrease
 * once 2k > x; the largest are about e^x, which costs 1.45 x bits of precision. */
static const struct ball *cosine_integral(struct ask *w, const struct ball *x)
{
    const mpfr_prec_t prec = w->prec;
    const double size = up_double(b_top(x));
    w->prec += 64 + (long)(1.5 * size);
    struct ball gamma = { .rad = { 0.5, -(long)w->prec } }; /* gamma < 1 */
    mpfr_init2(gamma.mid, w->prec), mpfr_const_euler(gamma.mid, MPFR_RNDN), gamma.mag = up_of(gamma.mid);
    const size_t mark = w->used;
    const struct ball *sum = b_add(w, &gamma, b_log(w, x)), *term = b_si(w, 1), *square = b_neg(w, b_mul(w, x, x)),
                      *part = term;
    for (long k = 1; (double)(2 * k) < size + 2 || !up_less(b_top(part), (struct up){ 0.5, -(long)prec }); k++) {
        term = b_div(w, b_mul(w, term, square), b_si(w, (2 * k - 1) * 2 * k));
        part = b_div(w, term, b_si(w, 2 * k));
        sum = b_add(w, sum, part);
    }
    w->prec = prec;
    mpfr_clear(gamma.mid);
    /* the rest is less than its first term, which is less than the last one added */
    return ask_keep(w, mark, b_widen(w, sum, b_top(part)));
}

static void cosines(
    struct facts *f, long dim, const char *base, const struct ball *const *t, const long *at, long count)
{
    enum { SERIES = 4096 };
    struct ask *w = f->w;
    mpq_t b;
    mpq_init(b), mpq_set_str(b, base, 10), mpq_canonicalize(b);
    for (long k = 0; k < count; k++) {
        fact_number(f, "mean cosine", mean_cosine(w, t, dim / 2, at[k]), "d=%ld b=%s s=%ld", dim, base, at[k]);
        if (at[k] < 1 || at[k] > SERIES)
            continue;
        const struct ball *near = cosine_integral(w, b_si(w, at[k])),
                          *far = cosine_integral(w, b_div(w, b_si(w, at[k]), b_q(w, b)));
        fact_number(f, "its continuum (Ci(s) - Ci(s/b)) / ln b", b_div(w, b_sub(w, near, far), b_log(w, b_q(w, b))),
            "d=%ld b=%s s=%ld", dim, base, at[k]);
    }
    mpq_clear(b);
    for (long s = 1; s <= FAR && !w->undecided; s++) {
        const size_t mark = w->used;
        const bool below = fact_sign(f, mean_cosine(w, t, dim / 2, s), b_si(w, 0)) < 0;
        w->used = mark;
        if (below) {
            fact_integer(f, "first distance with a negative mean cosine", s, "d=%ld b=%s", dim, base);
            return;
        }
    }
    if (!w->undecided)
        fact_integer(f, "no negative mean cosine up to distance", FAR, "d=%ld b=%s", dim, base);
}
void topic_cosine(struct facts *f, const struct fact_for *a)
{
    static const struct exact_waves own[] = { { 16, "10000", 0, { 0 } }, { 32, "10000", 0, { 0 } },
        { 64, "10000", 2, { 64, 1024 } }, { 128, "10000", 2, { 64, 1024 } } };
    each(f, a, own, 4, cosines);
}

/* The first distance and the number of distances up to `far` at which B(s) lies below d, and its least value there.
 * Chen et al. 2023 (section 3.1) say of B(s) that numerically it is at least d. */
static void bound_far(struct facts *f, long dim, const char *base, const struct ball *const *t, long far)
{
    struct ask *w = f->w;
    struct abel all;
    bool sure = abel_open(&all, w, t, dim / 2, far);
    long below = 0, first = -1;
    for (long s = 0; sure && (s = abel_below(&all, w, t, s, dim)) >= 0; s++, below++)
        first = first < 0 ? s : first;
    const long at = sure ? abel_least(&all, w, t, far) : -2;
    sure &= at >= 0;
    f->w->undecided |= !sure;
    if (sure && first >= 0)
        fact_integer(f, "first distance with sum |S_j| < d", first, "d=%ld b=%s s<=%ld", dim, base, far);
    if (sure) {
        fact_integer(f, "distances with sum |S_j| < d", below, "d=%ld b=%s s<=%ld", dim, base, far);
        fact_number(f, "least sum |S_j|", abel_at(w, t, dim / 2, at), "d=%ld b=%s s<=%ld", dim, base, far);
        fact_integer(f, "at distance", at, "d=%ld b=%s s<=%ld", dim, base, far);
    }
    abel_close(&all);
}
static void bounds(struct facts *f, long dim, const char *base, const struct ball *const *t, const long *at, long count)
{
    static const long far[] = { 4096, 20000, 131072 };
    struct ask *w = f->w;
    long last = 0;
    for (long k = 0; k < count; k++) {
        fact_number(f, "(2/d) sum |S_j|", b_div(w, abel_at(w, t, dim / 2, at[k]), b_si(w, dim / 2)),
            "d=%ld b=%s s=%ld", dim, base, at[k]);
        last = at[k] > last && at[k] <= ABEL_FAR ? at[k] : last;
    }
    for (size_t k = 0; k < sizeof far / sizeof *far && !w->undecided; k++)
        if (far[k] != last)
            bound_far(f, dim, base, t, far[k]);
    bound_far(f, dim, base, t, last);
}
void topic_bound(struct facts *f, const struct fact_for *a)
{
    static const struct exact_waves own[] = { { 64, "10000", 8, { 0, 1, 10, 50, 100, 250, 1024, 4096 } },
        { 128, "10000", 9, { 0, 1, 10, 50, 100, 250, 1024, 2048, 4096 } } };
    each(f, a, own, 2, bounds);
}

/* a(s) = Re sum h_i e^(i s t_i), |h_i| <= 1.  Published: |a - line| <= d (s - s1)(s2 - s) / (8 ln b), from sum t_i^2 <=
 * d / (4 ln b).  But t_i^2 falls,
 * so its sum lies above that integral; h_i = e^(-i s t_i) halfway has |a - line| = sum (1 - cos(t_i / 2)).  Right: (s -
 * s1)(s2 - s) / 2 sum t_i^2. */
static void interpolated(
    struct facts *f, long dim, const char *base, const struct ball *const *t, const long *at, long count)
{
    struct ask *w = f->w;
    const struct ball *one = b_si(w, 1), *two = b_si(w, 2), *worst = b_si(w, 0), *squares = worst;
    mpq_t b;
    (void)at, (void)count;
    mpq_init(b), mpq_set_str(b, base, 10), mpq_canonicalize(b);
    for (long i = 0; i < dim / 2; i++)
        worst = b_add(w, worst, b_sub(w, one, b_cos(w, b_div(w, t[i], two)))),
        squares = b_add(w, squares, b_mul(w, t[i], t[i]));
    const struct ball *thirty_two = b_mul(w, b_si(w, 32), b_log(w, b_q(w, b))),
                      *published = b_div(w, b_si(w, dim), thirty_two);
    mpq_clear(b);
    fact_number(f, "32 ln b", thirty_two, "b=%s", base);
    fact_number(f, "published bound halfway, d / (32 ln b)", published, "d=%ld b=%s", dim, base);
    fact_number(f, "worst score halfway, sum (1 - cos(t_i/2))", worst, "d=%ld b=%s", dim, base);
    fact_number(f, "corrected bound halfway, sum t_i^2 / 8", b_div(w, squares, b_si(w, 8)), "d=%ld b=%s", dim, base);
    fact_number(
        f, "worst over published (above 1: it does not hold)", b_div(w, worst, published), "d=%ld b=%s", dim, base);
}
void topic_interpolation(struct facts *f, const struct fact_for *a)
{
    static const struct exact_waves own[] = { { 64, "10000", 0, { 0 } }, { 128, "10000", 0, { 0 } },
        { 128, "500000", 0, { 0 } } };
    each(f, a, own, 3, interpolated);
}

/* A multiple k of the turn that is not the nearest leaves a distance above 3, which is never the smallest so far. */
void topic_recurrence(struct facts *f, const struct fact_for *a)
{
    struct ask *w = f->w;
    long last = a->lengths ? 0 : 110000;
    for (long k = 0; k < a->lengths; k++) /* a longer search holds the shorter ones */
        last = a->length[k] > last ? a->length[k] : last;
    const struct ball *turn = b_mul(w, b_si(w, 2), b_pi(w)), *least = turn;
    for (long n = 1; n <= last; n++) {
        const size_t mark = w->used;
        const struct ball *x =
            b_abs(w, b_sub(w, b_si(w, n), b_mul(w, b_si(w, lround((double)n / 6.283185307179586)), turn)));
        if (fact_sign(f, x, least) < 0)
            least = x, fact_number(f, "distance of s to a multiple of 2 pi", x, "s=%ld", n);
        else
            w->used = mark;
    }
}

/* The score of equal vectors at distance i as a sum over n pairs.  zeta[k]: the logarithm of the factor of xpos for one
 * position; zeta NULL: without a decay. */
static const struct ball *sum_cos(struct ask *w, const struct ball *const *t, const struct ball *const *zeta, long n,
    long i)
{
    const size_t mark = w->used;
    const struct ball *s = b_si(w, 0);
    for (long k = 0; k < n; k++) {
        const struct ball *c = b_cos(w, b_mul(w, b_si(w, i), t[k]));
        s = b_add(w, s, zeta ? b_mul(w, c, b_exp(w, b_mul(w, b_si(w, i), zeta[k]))) : c);
    }
    return ask_keep(w, mark, s);
}

/* R = sum e^(s_i) (e^(s_i) - e^(s_(i+1))) / (sum e^(s_i))^2, i from 0 to N - 1; s_i is the sum over pairs divided by
 * `per`: the scale of scores, on which R hangs.  One march of i answers both scales and all N. */
static void resolved(struct facts *f, long dim, const char *base, const struct ball *const *t,
    const struct ball *const *zeta, const long *at, long count)
{
    const long per[] = { dim / 2, 1 };
    struct ask *w = f->w;
    const struct ball *total[2], *sum[2], *last[2] = { NULL };
    long most = 0;
    for (long k = 0; k < count; k++)
        most = at[k] > most ? at[k] : most;
    total[0] = total[1] = sum[0] = sum[1] = b_si(w, 0);
    for (long i = 0; i <= most; i++) {
        const struct ball *s = sum_cos(w, t, zeta, dim / 2, i);
        for (int scale = 0; scale < 2; scale++) {
            char what[72];
            const struct ball *e = b_exp(w, b_div(w, s, b_si(w, per[scale])));
            if (i)
                sum[scale] = b_add(w, sum[scale], b_mul(w, last[scale], b_sub(w, last[scale], e)));
            snprintf(what, sizeof what, "resolution of %s, scores (%s) sum cos", zeta ? "xpos" : "rotary",
                scale ? "1" : "2/d");
            for (long k = 0; k < count; k++)
                if (at[k] == i)
                    fact_number(f, what, b_div(w, sum[scale], b_mul(w, total[scale], total[scale])),
                        "d=%ld b=%s N=%ld", dim, base, i);
            total[scale] = b_add(w, total[scale], e), last[scale] = e;
        }
    }
}
static void resolutions(struct facts *f, long dim, const char *base, const struct ball *const *t, const long *at,
    long count)
{
    static const struct ball *zeta[PAIRS];
    struct ask *w = f->w;
    for (long i = 0; i < dim / 2; i++) /* ln zeta_i / 512, zeta_i = (2i/d + 2/5) / (7/5) */
        zeta[i] = b_div(w, b_log(w, b_ratio(w, 10 * i + 2 * dim, 7 * dim)), b_si(w, 512));
    resolved(f, dim, base, t, NULL, at, count);
    resolved(f, dim, base, t, zeta, at, count);
}
void topic_resolution(struct facts *f, const struct fact_for *a)
{
    static const struct exact_waves own[] = { { 64, "10000", 1, { 1024 } } };
    struct ask *w = f->w;
    for (int k = 1; k <= 8; k++) { /* s_i = -m i */
        const struct ball *e = b_exp(w, b_neg(w, b_ratio(w, 1, 1L << k))), *x = b_sub(w, b_si(w, 1), e);
        fact_number(
            f, "resolution of linear biases", b_div(w, b_mul(w, x, x), b_add(w, b_si(w, 1), e)), "m=1/%d", 1 << k);
    }
    each(f, a, own, 1, resolutions);
}

/* The paper's ramp is one of turns r within the trained length, (r - beta_slow) / (beta_fast - beta_slow) between 0 and
 * 1, so that a pair of fewer turns than beta_fast is interpolated, the fastest among them.  The released code, and row
 * rope as it does, has a ramp of pairs that begins at pair 0 at the earliest: the fastest pair then keeps its
 * frequency, and the others are interpolated by their place. */
static const struct ball *by_turns(struct facts *f, const struct ball *turns, long factor)
{
    struct ask *w = f->w;
    const struct ball *kept = fact_sign(f, turns, b_si(w, 32)) >= 0 ? b_si(w, 1) :
        fact_sign(f, turns, b_si(w, 1)) <= 0                        ? b_si(w, 0) :
                                     b_div(w, b_sub(w, turns, b_si(w, 1)), b_si(w, 31));
    return b_add(w, b_div(w, b_sub(w, b_si(w, 1), kept), b_si(w, factor)), kept);
}
void topic_yarn(struct facts *f, const struct fact_for *a)
{
    enum { FACTOR = 4 };
    static const long own[] = { 64, 128, 256, 2048, 4096 };
    static const struct ball *t[PAIRS];
    const long *at = a->lengths ? a->length : own, count = a->lengths ? a->lengths : 5, dim = a->dim ? a->dim : 16;
    const char *base = a->base ? a->base : "10000";
    struct ask *w = f->w;
    for (long k = 0; k < count; k++) {
        char params[160];
        const struct ball *turns = b_div(w, b_si(w, at[k]), b_mul(w, b_si(w, 2), b_pi(w)));
        fact_number(f, "turns of the fastest pair, L / (2 pi)", turns, "L=%ld", at[k]);
        fact_integer(f, "fewer than beta_fast = 32: by turns it is interpolated",
            fact_sign(f, turns, b_si(w, 32)) < 0, "L=%ld", at[k]);
        fact_number(f, "its frequency by the paper's ramp of turns", by_turns(f, turns, FACTOR), "factor=%d L=%ld",
            FACTOR, at[k]);
        snprintf(params, sizeof params, "dim=%ld base=%.80s scaling=yarn factor=%d trained=%ld", dim,
            base, FACTOR, at[k]);
        law_row(w, row_named("rope"), "freq", params, NULL, 0, dim / 2, t);
        for (long i = 0; i < 2 && i < dim / 2; i++)
            fact_number(f, i ? "second frequency by the code's ramp of pairs" :
                               "its frequency by the code's ramp of pairs (row rope)",
                t[i], "d=%ld b=%s factor=%d L=%ld", dim, base, FACTOR, at[k]);
    }
}

/* The published table has two digits. */
static const char *against(const struct bases *b, const char *published, char *to, size_t n)
{
    char low[32], high[32], said[32];
    snprintf(low, sizeof low, "%.1e", b->least[0]), snprintf(high, sizeof high, "%.1e", b->least[1]),
        snprintf(said, sizeof said, "%.1e", strtod(published, NULL));
    if (!strcmp(low, high) && strcmp(low, said))
        return snprintf(to, n, "corrected: %.7g", b->least[1]), to;
    return strcmp(low, high) ? "undecided" : "confirmed";
}
/* Says on standard error, every ten seconds, how far a march of minutes is. */
static void progress(const struct bases *b, double reached)
{
    static const struct bases *of;
    static double said;
    if (of != b || now() < said)
        of = b, said = now();
    if (now() - said < 10)
        return;
    said = now();
    fprintf(stderr, "meridian exact: bases d=%ld L=%ld: all up to %.6g of %.6g decided, %ld certificates, %ld scans\n",
        b->dim, b->length, reached, b->everywhere, b->certificates, b->scans);
}
/* What is beyond the infimum: the robust base and all stretches. */
static void beyond_least(struct facts *f, const struct bases *b, const char *of)
{
    long feasible = 0;
    fact_ends(f, "base from which all are feasible", b->robust[0], b->robust[1], "%s", of);
    for (long s = 0; s < b->stretches; s++)
        feasible += b->stretch[s].feasible == YES;
    fact_integer(f, "feasible stretches", feasible, "%s", of);
}
static void stretches(struct facts *f, const struct bases *b, const char *of)
{
    for (long s = 0, n = 0; s < b->stretches; s++)
        if (b->stretch[s].feasible == YES) {
            fact_ends(f, "begins", s ? b->stretch[s - 1].from : 1, b->stretch[s].from, "%s stretch=%ld", of, ++n);
            if (s + 1 == b->stretches)
                fact_text(f, "ends", "never", "%s stretch=%ld", of, n);
            else
                fact_ends(f, "ends", b->stretch[s].to, b->stretch[s + 1].to, "%s stretch=%ld", of, n);
        }
}

/* Beyond WHOLE distances the infimum alone is sought. */
static void bases_of(struct facts *f, long dim, long length)
{
    enum { WHOLE = 65536, SILENT = 8192 };
    const bool whole = length <= WHOLE;
    struct bases b;
    char err[FACT_TEXT], of[40], verdict[40];
    snprintf(of, sizeof of, "d=%ld L=%ld", dim, length);
    if ((whole ? bases_find : bases_least)(&b, length, dim, length > SILENT ? progress : NULL, err, sizeof err)) {
        fact_text(f, "not found", err, "%s", of);
        return;
    }
    fact_ends(f, "least feasible base", b.least[0], b.least[1], "%s", of);
    if (whole)
        beyond_least(f, &b, of);
    for (const struct base_published *p = bases_published; p->length && dim == 128; p++)
        if (p->length == length)
            fact_text(f, "published least base", against(&b, p->base, verdict, sizeof verdict), "%s published=%s", of,
                p->base);
    fact_integer(f, "certificates", b.certificates, "%s", of);
    if (whole)
        stretches(f, &b, of);
    bases_close(&b);
}
void topic_bases(struct facts *f, const struct fact_for *a)
{
    static const long dims[] = { 64, 128 }, own[] = { 1024, 2048, 4096, 8192 };
    const long *at = a->lengths ? a->length : own, count = a->lengths ? a->lengths : 4;
    for (int k = 0; k < (a->dim ? 1 : 2); k++)
        for (long i = 0; i < count; i++)
            bases_of(f, a->dim ? a->dim : dims[k], at[i]);
}

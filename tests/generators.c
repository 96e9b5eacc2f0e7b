/* Generators keep their word: reproducible in any order, complete where they say so, and the adversarial ones are
 * really the nearest. */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include "trial/trial.h"

static struct domain domain(const struct format *f)
{
    return (struct domain){ .seed = 3, .stream = 9, .count = 1000, .f = f, .least = -(1 << 20), .most = 1ll << 53 };
}

struct half { double *x; int64_t *n; int from; };
static void *fill_half(void *with)
{
    struct half *h = with;
    struct domain d = domain(&formats[1]);
    for (int i = 999; i >= 0; i--) /* Backwards, and with each thread at its own half. */
        if (i % 2 == h->from) {
            h->x[i] = gen_named("spaced")->real(&d, (uint64_t)i);
            h->n[i] = gen_named("random")->integer(&d, (uint64_t)i);
        }
    return NULL;
}

Test(generators, order_and_threads_change_nothing)
{
    double x[1000];
    int64_t n[1000];
    pthread_t t[2];
    struct half h[2] = { { x, n, 0 }, { x, n, 1 } };
    struct domain d = domain(&formats[1]), other = d;
    other.seed = 4;
    int differs = 0;
    for (int k = 0; k < 2; k++)
        pthread_create(&t[k], NULL, fill_half, &h[k]);
    for (int k = 0; k < 2; k++)
        pthread_join(t[k], NULL);
    for (int i = 0; i < 1000; i++) {
        cr_assert(
            x[i] == gen_named("spaced")->real(&d, (uint64_t)i) && n[i] == gen_named("random")->integer(&d, (uint64_t)i),
            "index %d", i);
        differs += n[i] != gen_named("random")->integer(&other, (uint64_t)i);
    }
    cr_expect(differs > 990, "another seed is another sequence: %d differ", differs);
}

static bool has_real(const struct domain *d, double x)
{
    const struct gen *g = gen_named("edge");
    for (uint64_t i = 0; i < g->reals(d); i++) {
        double y = g->real(d, i);
        if (y == x && (signbit(y) != 0) == (signbit(x) != 0))
            return true;
    }
    return false;
}
static bool has_integer(const struct domain *d, int64_t x)
{
    const struct gen *g = gen_named("edge");
    bool has = false;
    for (uint64_t i = 0; i < g->integers(d); i++)
        has |= g->integer(d, i) == x;
    return has;
}

Test(generators, edges_hold_what_they_promise)
{
    for (const struct format *f = formats; f < formats + MER_I64; f++) /* those of arrays */ {
        struct domain d = domain(f);
        const double eta = ldexp(1, (int)f->emin - f->p + 1), normal = ldexp(1, (int)f->emin), u = ldexp(1, 1 - f->p),
                     most = (2 - u) * ldexp(1, (int)f->emax);
        const double want[] = { 0, eta, 2 * eta, normal - eta, normal, normal + eta, 1, 1 + u, 1 - u / 2, 2, most,
            ldexp(1, (int)f->emax) };
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            cr_expect(has_real(&d, want[k]) && has_real(&d, -want[k]), "%s %a", f->name, want[k]);
        cr_expect(!has_real(&d, (double)INFINITY));
        d.infinite = true;
        cr_expect(has_real(&d, (double)INFINITY) && has_real(&d, -(double)INFINITY), "%s", f->name);
        for (uint64_t i = 0; i < gen_named("edge")->reals(&d); i++) {
            double x = gen_named("edge")->real(&d, i);
            cr_assert(
                !isnan(x) && x == format_value(f, format_place(f, x)), "%s: element %d is %a", f->name, (int)i, x);
        }
    }
    struct domain d = domain(&formats[0]), small = d;
    static const int64_t want[] = { 0, 1, -1, 255, 256, 257, 2047, 2048, 2049, 65535, 131071, (1 << 20) - 1,
        (1 << 24) - 1, 1 << 24, (1 << 24) + 1, 1ll << 31, 1ll << 53, -257 };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        cr_expect(has_integer(&d, want[k]), "%lld", (long long)want[k]);
    small.least = 0, small.most = 300;
    cr_expect(gen_named("edge")->integers(&small) == 6 && !has_integer(&small, -1) && has_integer(&small, 257),
        "cut to the domain");
}

Test(generators, spaced_covers_and_never_repeats)
{
    for (const struct format *f = formats; f < formats + MER_I64; f++) /* those of arrays */ {
        struct domain d = domain(f);
        const struct gen *g = gen_named("spaced");
        int64_t last = INT64_MIN, widest = 0;
        const double cells = 2 * (double)format_place(f, (double)INFINITY) / 1000;
        for (uint64_t i = 0; i < g->reals(&d); i++) {
            int64_t at = format_place(f, g->real(&d, i));
            cr_assert(isfinite(g->real(&d, i)) && (last == INT64_MIN || at > last), "%s, element %d", f->name, (int)i);
            widest = last != INT64_MIN && at - last > widest ? at - last : widest;
            last = at;
        }
        cr_expect((double)widest < 2 * cells + 1 && (double)widest > cells, "%s: gap %g, cell %g", f->name,
            (double)widest, cells);
    }
    struct domain d = domain(&formats[2]);
    d.count = 1 << 20, d.low = 1, d.high = 2;
    cr_expect(gen_named("spaced")->reals(&d) == 1025 && gen_named("spaced")->real(&d, 1024) == 2,
        "more than there are: each once");
    d.least = -5, d.most = 5;
    cr_expect(gen_named("spaced")->integers(&d) == 11 && gen_named("spaced")->integer(&d, 10) == 5);
}

Test(generators, exhaustive_is_every_pattern_once)
{
    for (int k = 2; k < 4; k++) {
        struct domain d = domain(&formats[k]);
        const struct gen *g = gen_named("exhaustive");
        long nan = 0, inf = 0, climbs = 0;
        cr_assert_eq(g->reals(&d), 65536);
        for (uint64_t i = 0; i < 65536; i++) {
            double x = g->real(&d, i);
            nan += isnan(x) != 0, inf += isinf(x) != 0;
            climbs += i % 32768 && fabs(x) > fabs(g->real(&d, i - 1));
        }
        cr_expect(inf == 2 && nan == 2 * ((1 << (formats[k].p - 1)) - 1) && climbs == 65534 - nan,
            "%s: %ld NaN, %ld climbs", formats[k].name, nan, climbs);
    }
    struct domain d = domain(&formats[0]);
    d.least = -3, d.most = 131071;
    cr_expect(gen_named("exhaustive")->integers(&d) == 131075 && gen_named("exhaustive")->integer(&d, 0) == -3 &&
        gen_named("exhaustive")->reals(&d) == 0);
}

Test(generators, random_stays_in_its_range_and_fills_it)
{
    for (const struct format *f = formats; f < formats + MER_I64; f++) /* those of arrays */ {
        struct domain d = domain(f);
        d.low = 0.5, d.high = 3, d.least = -2, d.most = 2;
        int tenth[10] = { 0 }, five[5] = { 0 };
        for (uint64_t i = 0; i < 1000; i++) {
            double x = gen_named("random")->real(&d, i);
            cr_assert(x >= 0.5 && x <= 3 && x == format_value(f, format_place(f, x)), "%a", x);
            tenth[(int)fmin(9, (x - 0.5) * 4)]++;
            five[gen_named("random")->integer(&d, i) + 2]++;
        }
        for (int k = 0; k < 10; k++)
            cr_expect(
                tenth[k] > 50 && five[k / 2] > 120, "%s: part %d holds %d and %d", f->name, k, tenth[k], five[k / 2]);
    }
}

/* The distance of p w from the nearest multiple of pi/2, in units of pi/2. */
static double distance(mpfr_srcptr w, int64_t p)
{
    mpfr_t x, r;
    mpfr_inits2(300, x, r, (mpfr_ptr)0);
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_mul_si(x, w, p, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
    mpfr_div(x, x, r, MPFR_RNDN);
    mpfr_rint(r, x, MPFR_RNDN);
    mpfr_sub(x, x, r, MPFR_RNDN);
    double d = fabs(mpfr_get_d(x, MPFR_RNDN));
    mpfr_clears(x, r, (mpfr_ptr)0);
    return d;
}

Test(generators, adversarial_positions_are_the_nearest_there_are)
{
    static const double base[] = { 10000, 500000, 1e6, 2 }, part[] = { 0, 0.125, 0.5, 0.984375 };
    mpfr_t w;
    mpfr_init2(w, 256);
    for (int b = 0; b < 4; b++)
        for (int e = 0; e < 4; e++) {
            mpfr_set_d(w, base[b], MPFR_RNDN);
            mpfr_log(w, w, MPFR_RNDN);
            mpfr_mul_d(w, w, -part[e], MPFR_RNDN);
            mpfr_exp(w, w, MPFR_RNDN);
            int64_t p[96], record = 0;
            const long n = gen_nearest(w, 100000, p, 96);
            double best = 1;
            long seen = 0;
            /* By brute force: every record is among them, and nothing but records (k = 1 always is one). */
            for (int64_t k = 1; k <= (b + e ? 20000 : 100000); k++) {
                double d = distance(w, k);
                if (d < best) {
                    best = d, record = k;
                    cr_assert(seen < n && p[seen] == k, "base %g part %g: %lld is nearer than all before", base[b],
                        part[e], (long long)k);
                    seen++;
                }
            }
            cr_expect(seen == n || p[seen] > record, "and none that is not");
            cr_expect(b + e || seen == n, "%ld of %ld", seen, n);
            struct domain d = { .most = 1ll << 53, .frequency = w };
            const struct gen *g = gen_named("adversarial");
            cr_assert_gt(g->integers(&d), 10);
            cr_expect(distance(w, g->integer(&d, 0)) < 0x1p-53 &&
                    distance(w, g->integer(&d, 1)) > distance(w, g->integer(&d, 0)),
                "up to 2^53: %g", distance(w, g->integer(&d, 0)));
        }
    mpfr_clear(w);
}

Test(generators, adversarial_reals_stand_on_both_sides_of_multiples_of_half_pi)
{
    mpfr_t one;
    mpfr_init2(one, 64);
    for (const struct format *f = formats; f < formats + MER_I64; f++) /* those of arrays */ {
        struct domain d = domain(f);
        const struct gen *g = gen_named("adversarial");
        for (uint64_t i = 0; i + 4 <= g->reals(&d) && i < 400; i += 4) {
            const double k = ldexp(i / 4 % 2 ? 3 : 1, (int)(i / 8));
            double x[4];
            for (int j = 0; j < 4; j++)
                x[j] = g->real(&d, i + (uint64_t)j) / k; /* x is an approximation of k pi/2, divided by k. */
            mpfr_const_pi(one, MPFR_RNDN);
            mpfr_div_2ui(one, one, 1, MPFR_RNDN);
            cr_assert(
                x[0] < x[1] && mpfr_cmp_d(one, x[1]) > 0 && x[2] < x[3] && mpfr_cmp_d(one, x[2] * (1 + 0x1p-50)) < 0,
                "%s k = %g: %a %a %a %a", f->name, k, x[0], x[1], x[2], x[3]);
        }
    }
    mpfr_clear(one);
}

/* Numbers that no training changes, pinned: each as published or as known by heart, in the digits that are certain. */
#include <criterion/criterion.h>
#include <math.h>
#include "command.h"
#include "lab/exact/exact_abel.h"
#include "lab/exact/exact_facts.h"
#include "arith/need.h"
#include "base/words.h"

static struct facts of(const char *topic, const struct fact_for *a)
{
    static const struct fact_for own = { 0 };
    struct facts f = { 0 };
    char why[300];
    const struct topic *t = topics;
    while (t->name && strcmp(t->name, topic))
        t++;
    cr_assert(t->name, "no topic %s", topic);
    cr_assert_eq(facts_make(&f, t, a ? a : &own, why, sizeof why), 0, "%s", why);
    return f;
}

/* "0.47688" says that the enclosure lies in [0.476875, 0.476885] and is itself far narrower; integers must be equal. */
struct pin { const char *of, *what, *value; };
static void pinned(const char *topic, const struct pin *p, size_t n)
{
    struct facts f = of(topic, NULL);
    for (size_t k = 0; k < n; k++) {
        const struct fact *y = fact_named(&f, p[k].of, p[k].what);
        cr_expect(y, "%s: nothing about %s, %s", topic, p[k].of, p[k].what);
        if (!y)
            continue;
        const double want = strtod(p[k].value, NULL), low = strtod(y->low, NULL), high = strtod(y->high, NULL),
                     half = strchr(p[k].value, '.') ? 0.5 * pow(10, -(double)strlen(strchr(p[k].value, '.') + 1)) : 0;
        cr_expect(low <= high && high - low <= 1e-15 * fabs(high) && want - half <= low && high <= want + half,
            "%s, %s: [%s, %s], not %s", y->of, y->what, y->low, y->high, p[k].value);
    }
    facts_close(&f);
}
#define PINNED(topic, p) pinned(topic, p, sizeof (p) / sizeof *(p))

Test(exact_facts, pairs_with_unseen_angles)
{
    static const struct { const char *of; int n; } want[] = {
        { "d=16 b=10000 L=64", 5 },
        { "d=16 b=10000 L=512", 4 },
        { "d=16 b=10000 L=4096", 2 },
        { "d=64 b=10000 L=64", 23 },
        { "d=64 b=10000 L=512", 16 },
        { "d=64 b=10000 L=1024", 14 },
        { "d=64 b=10000 L=4096", 9 },
        { "d=64 b=10000 L=32768", 2 },
        { "d=64 b=10000 L=131072", 0 },
        { "d=128 b=10000 L=512", 33 },
        { "d=128 b=10000 L=2048", 23 },
        { "d=128 b=10000 L=4096", 18 },
        { "d=128 b=10000 L=8192", 14 },
        { "d=128 b=10000 L=131072", 0 },
        { "d=128 b=500000 L=4096", 32 }, { "d=128 b=500000 L=8192", 29 }, { "d=128 b=500000 L=131072", 15 },
    };
    struct facts f = of("angles", NULL);
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        const struct fact *y = fact_named(&f, want[k].of, "pairs with unseen angles");
        cr_expect(y && atoi(y->value) == want[k].n, "%s: %s, not %d", want[k].of, y ? y->value : "nothing", want[k].n);
    }
    cr_expect_str_eq(fact_named(&f, "d=128 b=10000 L=4096", "critical dimension")->value, "92");
    facts_close(&f);
}

Test(exact_facts, the_mean_cosine_and_where_it_first_turns_negative)
{
    static const struct pin p[] = {
        { "d=128 b=10000 s=64", "mean cosine", "0.47688" },
        { "d=128 b=10000 s=64", "its continuum (Ci(s) - Ci(s/b)) / ln b", "0.48734" },
        { "d=128 b=10000 s=1024", "mean cosine", "0.20444" },
        { "d=128 b=10000 s=1024", "its continuum (Ci(s) - Ci(s/b)) / ln b", "0.18502" },
        { "d=16 b=10000", "first distance with a negative mean cosine", "91" },
        { "d=32 b=10000", "first distance with a negative mean cosine", "474" },
        { "d=64 b=10000", "first distance with a negative mean cosine", "725" },
        { "d=128 b=10000", "first distance with a negative mean cosine", "1707" },
    };
    PINNED("cosine", p);
}

Test(exact_facts, the_curve_that_bounds_a_rotary_score_is_not_monotone_and_its_least_sum_exceeds_d)
{
    static const struct pin p[] = {
        { "d=128 b=10000 s=0", "(2/d) sum |S_j|", "32.5" },
        { "d=128 b=10000 s=1", "(2/d) sum |S_j|", "31.5382" },
        { "d=128 b=10000 s=10", "(2/d) sum |S_j|", "17.9541" },
        { "d=128 b=10000 s=50", "(2/d) sum |S_j|", "12.6295" },
        { "d=128 b=10000 s=100", "(2/d) sum |S_j|", "10.2273" },
        { "d=128 b=10000 s=250", "(2/d) sum |S_j|", "6.5482" },
        { "d=128 b=10000 s=1024", "(2/d) sum |S_j|", "4.0241" },
        { "d=128 b=10000 s=2048", "(2/d) sum |S_j|", "3.6185" },
        { "d=128 b=10000 s=4096", "(2/d) sum |S_j|", "4.8828" },
        { "d=64 b=10000 s=0", "(2/d) sum |S_j|", "16.5" },
        { "d=64 b=10000 s=1", "(2/d) sum |S_j|", "15.9478" },
        { "d=64 b=10000 s=10", "(2/d) sum |S_j|", "8.8143" },
        { "d=64 b=10000 s=50", "(2/d) sum |S_j|", "5.7331" },
        { "d=64 b=10000 s=100", "(2/d) sum |S_j|", "7.4653" },
        { "d=64 b=10000 s=250", "(2/d) sum |S_j|", "3.6687" },
        { "d=64 b=10000 s=1024", "(2/d) sum |S_j|", "3.0651" },
        { "d=64 b=10000 s=4096", "(2/d) sum |S_j|", "5.2871" },
        { "d=128 b=10000 s<=4096", "least sum |S_j|", "142.84" },
        { "d=128 b=10000 s<=20000", "least sum |S_j|", "84.8" },
        { "d=128 b=10000 s<=20000", "at distance", "19306" },
        { "d=128 b=10000 s<=20000", "first distance with sum |S_j| < d", "4861" },
        { "d=64 b=10000 s<=20000", "first distance with sum |S_j| < d", "1181" },
        { "d=64 b=10000 s<=131072", "first distance with sum |S_j| < d", "1181" },
    };
    PINNED("bound", p);
}

/* Theorem 2.1 of Chen et al. 2023 takes a falling sum for less than its integral: at the aligned h its bound is
 * passed. */
Test(exact_facts, the_published_interpolation_bound_is_passed_and_the_corrected_one_is_not)
{
    static const struct pin p[] = {
        { "b=10000", "32 ln b", "294.7309" },
        { "d=128 b=10000", "published bound halfway, d / (32 ln b)", "0.434294" },
        { "d=128 b=10000", "worst score halfway, sum (1 - cos(t_i/2))", "0.493876" },
        { "d=128 b=10000", "corrected bound halfway, sum t_i^2 / 8", "0.499789" },
    };
    PINNED("interpolation", p);
    static const char *const cases[] = { "d=64 b=10000", "d=128 b=10000", "d=128 b=500000" };
    struct facts f = of("interpolation", NULL);
    for (int k = 0; k < 3; k++) {
        const struct fact *worst = fact_named(&f, cases[k], "worst score halfway, sum (1 - cos(t_i/2))"),
                          *published = fact_named(&f, cases[k], "published bound halfway, d / (32 ln b)"),
                          *right = fact_named(&f, cases[k], "corrected bound halfway, sum t_i^2 / 8");
        cr_expect(strtod(worst->low, NULL) > strtod(published->high, NULL) &&
                strtod(worst->high, NULL) < strtod(right->low, NULL),
            "%s", cases[k]);
    }
    facts_close(&f);
}

/* The counterexample itself, in double: h_i = e^(-i s t_i), s halfway between s1 and s1 + 1; and the corrected bound at
 * 4000 made-up h, s, widths, bases. */
Test(exact_facts, a_score_off_its_line_by_more_than_published_exists_and_none_by_more_than_corrected)
{
    double most = 0;
    for (int k = 0; k < 4000; k++) {
        const long n = 2 + k % 63, s1 = k * 7 % 5000;
        const double b = k % 3 ? 10000 : 500000, share = k % 5 ? (double)(k * 37 % 101) / 101 : 0.5,
                     s = (double)s1 + share;
        double off = 0, squares = 0;
        for (long i = 0; i < n; i++) {
            const double t = pow(b, -(double)i / (double)n), turn = k % 2 ? -s * t : (double)(k * 13 + i * i * 7),
                         size = k % 2 ? 1 : (double)((k + i * 5) % 11) / 10;
            off += size *
                (cos(turn + s * t) - (1 - share) * cos(turn + (double)s1 * t) -
                    share * cos(turn + (double)(s1 + 1) * t)),
                squares += t * t;
        }
        const double published = (double)(2 * n) * share * (1 - share) / (8 * log(b)),
                     right = share * (1 - share) / 2 * squares;
        most = fmax(most, share > 0 ? fabs(off) / published : 0);
        cr_expect(fabs(off) <= right * (1 + 1e-9) + 1e-9, "d=%ld b=%g s=%g: %g above %g", 2 * n, b, s, off, right);
    }
    cr_expect(most > 1.1, "at most %g of the published bound", most);
}

Test(exact_facts, distances_that_the_fastest_pair_cannot_tell_from_0)
{
    static const struct pin p[] = {
        { "s=6", "distance of s to a multiple of 2 pi", "0.283" },
        { "s=19", "distance of s to a multiple of 2 pi", "0.150" },
        { "s=25", "distance of s to a multiple of 2 pi", "0.133" },
        { "s=44", "distance of s to a multiple of 2 pi", "0.0177" },
        { "s=333", "distance of s to a multiple of 2 pi", "0.0088" },
        { "s=710", "distance of s to a multiple of 2 pi", "0.0000603" },
        { "s=103993", "distance of s to a multiple of 2 pi", "0.0000191" },
    };
    PINNED("recurrence", p);
    struct facts f = of("recurrence", NULL);
    cr_expect_eq(f.n, 8, "%ld records from 1 to 110000", f.n);
    facts_close(&f);
}

Test(exact_facts, the_reach_of_linear_biases)
{
    static const struct pin p[] = {
        { "m=1/2", "distance of 99 % of the weight", "9.21" },
        { "m=1/256", "distance of 99 % of the weight", "1178.92" },
        { "m=1/2", "entropy in nats", "1.7035" },
        { "m=1/256", "entropy in nats", "6.5452" },
        { "m=1/2", "float32 weights are subnormal beyond", "174.673" },
        { "m=1/256", "float32 weights are subnormal beyond", "22358.16" },
        { "m=1/2", "float32 weights are 0 beyond", "207.944" },
        { "m=1/2", "mean distance", "1.54149" },
        { "m=1/4", "reach of 1 % against scores in +-5", "58.4207" },
    };
    PINNED("alibi", p);
}

Test(exact_facts, growth_of_entropy_and_its_factors)
{
    static const struct pin p[] = {
        { "n=1024 trained=512", "log-n factor", "1.11111" },
        { "n=2048 trained=512", "log-n factor", "1.22222" },
        { "n=4096 trained=512", "log-n factor", "1.33333" },
        { "n=128 trained=64", "log-n factor", "1.1667" },
        { "n=256 trained=64", "log-n factor", "1.3333" },
        { "n=512 trained=64", "log-n factor", "1.5" },
        { "n=1024 trained=64", "log-n factor", "1.6667" },
        { "factor=2", "amplitude of YaRN", "1.0693" },
        { "factor=4", "amplitude of YaRN", "1.1386" },
        { "factor=16", "amplitude of YaRN", "1.27726" },
        { "factor=32", "amplitude of YaRN", "1.34657" },
    };
    PINNED("entropy", p);
}

Test(exact_facts, what_a_clip_cannot_tell_apart)
{
    static const struct pin p[] = {
        { "k=16 L=64", "share of pairs k or more apart", "0.5654" },
        { "k=16 L=512", "share of pairs k or more apart", "0.9385" },
        { "k=16 L=1024", "share of pairs k or more apart", "0.9690" },
        { "k=128 L=512", "share of pairs k or more apart", "0.5629" },
        { "k=128 L=4096", "share of pairs k or more apart", "0.9385" },
        { "k=512 L=1024", "share of pairs k or more apart", "0.2502" },
        { "k=512 L=4096", "share of pairs k or more apart", "0.7657" },
    };
    PINNED("clip", p);
}

Test(exact_facts, buckets_begin_where_integers_say_and_short_trainings_leave_some)
{
    static const int causal[] = { 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113 },
                     both[] = { 8, 12, 16, 23, 32, 46, 64, 91 };
    struct facts f = of("buckets", NULL);
    char at[80];
    for (int k = 1; k < 32; k++) {
        snprintf(at, sizeof at, "buckets=32 max_distance=128 causal bucket=%d", k);
        const struct fact *y = fact_named(&f, at, "first distance");
        cr_expect(y && atoi(y->value) == (k < 16 ? k : causal[k - 16]), "%s: %s", at, y ? y->value : "nothing");
        snprintf(at, sizeof at, "buckets=32 max_distance=128 bidirectional bucket=%d", k);
        y = fact_named(&f, at, "first distance");
        cr_expect(
            k < 16 ? y && atoi(y->value) == (k < 8 ? k : both[k - 8]) : !y, "%s: %s", at, y ? y->value : "nothing");
    }
    cr_expect_str_eq(fact_named(&f, "buckets=32 max_distance=128 causal L=64", "buckets never trained")->value, "5");
    facts_close(&f);
}

Test(exact_facts, resolutions_and_the_turns_of_the_fastest_pair)
{
    static const struct pin p[] = { { "m=1/2", "resolution of linear biases", "0.096368" },
        { "m=1/4", "resolution of linear biases", "0.027507" }, { "m=1/8", "resolution of linear biases", "0.007334" },
        { "m=1/256", "resolution of linear biases", "0.0000076" } };
    static const struct pin y[] = { { "L=64", "turns of the fastest pair, L / (2 pi)", "10.2" },
        { "L=64", "fewer than beta_fast = 32: by turns it is interpolated", "1" },
        { "L=256", "fewer than beta_fast = 32: by turns it is interpolated", "0" },
        /* the turns are 64 / (2 pi): (1 - g) / 4 + g, g = (r - 1) / 31 */
        { "factor=4 L=64", "its frequency by the paper's ramp of turns", "0.47224" },
        { "factor=4 L=2048", "its frequency by the paper's ramp of turns", "1" },
        { "d=16 b=10000 factor=4 L=64", "its frequency by the code's ramp of pairs (row rope)", "1" },
        { "d=16 b=10000 factor=4 L=64", "second frequency by the code's ramp of pairs", "0.23717" } };
    PINNED("resolution", p);
    PINNED("yarn", y);
}

/* The same sum straight from scores: R of s_i = -m i, m = 1/2, and of made-up curves by the rows' own pages, in
 * double. */
Test(exact_facts, the_resolution_of_rotary_and_xpos_scores_is_the_sum_that_defines_it)
{
    static const char *const names[] = { "resolution of rotary, scores (2/d) sum cos",
        "resolution of xpos, scores (2/d) sum cos", "resolution of rotary, scores (1) sum cos",
        "resolution of xpos, scores (1) sum cos" };
    const long n[] = { 77, 32 };
    for (int at = 0; at < 4; at++) {
        const struct fact_for a = { .dim = 20, .base = at < 2 ? NULL : "500000", .lengths = 2, .length = { 77, 32 } };
        struct facts f = of("resolution", &a);
        for (int k = 0; k < 4; k++) {
            const int decays = k % 2;
            const long last = n[at % 2];
            double e[78], total = 0, sum = 0;
            for (int s = 0; s <= last; s++) {
                double g = 0;
                for (int i = 0; i < 10; i++)
                    g += cos(s * pow(a.base ? 500000 : 10000, -i / 10.0)) *
                        (decays ? pow((2 * i / 20.0 + 0.4) / 1.4, s / 512.0) : 1);
                e[s] = exp(k < 2 ? g / 10 : g), total += s < last ? e[s] : 0;
            }
            for (int s = 0; s < last; s++)
                sum += e[s] * (e[s] - e[s + 1]);
            char says[60];
            snprintf(says, sizeof says, "d=20 b=%s N=%ld", a.base ? a.base : "10000", last);
            const struct fact *y = fact_named(&f, says, names[k]);
            cr_expect(y && fabs(strtod(y->low, NULL) / (sum / total / total) - 1) < 1e-9, "%s: %s, not %.15g", says,
                y ? y->value : "nothing", sum / total / total);
        }
        facts_close(&f);
    }
}

/* The march in double against balls, at every distance to 300 and at some beyond, for widths and bases of no power of
 * two: off by no more than it says.  And the least and the first below a limit against the plain search. */
Test(exact_facts, sums_of_partial_sums_are_within_their_bound_and_searched_right)
{
    static const struct { long n; double base; } at[] = { { 2, 10000 }, { 5, 100 }, { 32, 10000 }, { 50, 500000 } };
    static const struct arith real = { 0 };
    struct ask w = { .arith = &real };
    const struct ball *t[64];
    for (int k = 0; k < 4; k++) {
        struct abel a;
        long least = 0, first = -1;
        const long n = at[k].n, limit = 2 * n, last = 300;
        struct mer_array b = { .name = "b", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = (void *)&at[k].base };
        ask_reset(&w, 128);
        for (long i = 0; i < n; i++)
            t[i] = b_pow(&w, b_element(&w, &b, 0), b_ratio(&w, -i, n));
        cr_assert(abel_open(&a, &w, t, n, 131072));
        for (long s = 0; s <= 131072; s += s < last ? 1 : 32693) {
            const size_t mark = w.used;
            const double x = b_value(abel_at(&w, t, n, s));
            w.used = mark;
            cr_expect(fabs(x - a.value[s]) <= abel_error(n, s) + 0x1p-50 * x, "n=%ld s=%ld: %.17g, %.17g", n, s, x,
                a.value[s]);
            least = s <= last && a.value[s] < a.value[least] ? s : least;
            first = s <= last && first < 0 && x < (double)limit ? s : first;
        }
        a.last = last;
        cr_expect_eq(abel_least(&a, &w, t, last), least, "n=%ld", n);
        cr_expect_eq(abel_below(&a, &w, t, 0, limit), first, "n=%ld: %ld", n, first);
        abel_close(&a);
        ask_clear(&w);
    }
}

Test(exact_facts, the_published_bases_are_confirmed_but_for_2048)
{
    static const struct pin want[] = { { "d=128 L=1024 published=4.3e3", "", "confirmed" },
        { "d=128 L=2048 published=1.6e4", "", "corrected: 11587.24" } };
    const struct fact_for a = { .dim = 128, .lengths = 2, .length = { 1024, 2048 } };
    struct facts f = of("bases", &a);
    for (int k = 0; k < 2; k++) {
        const struct fact *y = fact_named(&f, want[k].of, "published least base");
        cr_expect(y && !strcmp(y->value, want[k].value), "%s: %s", want[k].of, y ? y->value : "nothing");
    }
    const struct fact *n = fact_named(&f, "d=128 L=2048", "feasible stretches");
    cr_expect(n && !strcmp(n->value, "9"), "%s", n ? n->value : "nothing");
    facts_close(&f);
}

Test(exact_facts, the_verb_prints_them_and_refuses_what_it_does_not_know)
{
    static const struct { const char *args, *says; } bad[] = {
        { "exact nonesuch", "unknown 'nonesuch'; there are: angles cosine" },
        { "exact nonesuch", "resolution yarn bases\n" }, /* the slow one is the last */
        { "exact angles --lengths 64,x", "--lengths: found '64,x'" },
        { "exact angles --lengths 0", "--lengths" },
        { "exact angles --base 1", "--base: found '1'" },
        { "exact angles --base 1/0", "--base" },
        { "exact angles --dim 7", "a width is even" },
        { "exact angles --dim 0", "--dim" },
        { "exact resolution --trained 5", "--trained: has an effect only with: meridian exact entropy clip\n" },
        { "exact alibi clip --dim 8", "--dim: has an effect only with: meridian exact angles cosine" },
        { "exact interpolation --lengths 64", "--lengths: has an effect only with" },
        { "exact bases --base 500000", "--base: has an effect only with" },
        { "exact bases --dim 6 --lengths 5", "--dim: found 6; bases takes even widths from 8" },
        { "exact bases --dim 6 --lengths 5 --tsv", "--dim: found 6; bases takes even widths from 8" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cr_expect_eq(meridian("", bad[k].args), 2, "%s", bad[k].args);
        cr_expect(strstr(err, bad[k].says) && lines(err) == 1 && !*out, "%s: %s", bad[k].args, err);
    }
    cr_expect_eq(meridian("", "exact angles clip --tsv --dim 128 --lengths 4096"), 0);
    cr_expect(strstr(out, "angles\td=128 b=10000 L=4096\tpairs with unseen angles\t18\t18\t18\n") &&
            strstr(out, "clip\tk=16 L=4096\tshare"),
        "%s", out);
}

/* Asked among all topics, a width that one of them cannot have has its reason in that topic's table, to the end. */
Test(exact_facts, a_reason_is_not_cut)
{
    const struct fact_for a = { .dim = 6, .lengths = 1, .length = { 5 } };
    struct facts f = of("bases", &a);
    const struct fact *y = fact_named(&f, "d=6 L=5", "not found");
    cr_expect(y && strstr(y->value, "a dim even and 8 to 1024"), "%s", y ? y->value : "nothing");
    facts_close(&f);
}

Test(exact_facts, zero_is_a_number)
{
    static const struct { const char *topic, *of, *what; struct fact_for a; } at[] = {
        { "clip", "k=16 L=10", "share of pairs k or more apart", { .trained = 16, .lengths = 1, .length = { 10 } } },
        { "clip", "k=16 L=16", "share of pairs k or more apart", { .trained = 16, .lengths = 1, .length = { 16 } } },
        { "entropy", "n=1", "entropy of equal scores", { .lengths = 1, .length = { 1 } } },
    };
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        struct facts f = of(at[k].topic, &at[k].a);
        const struct fact *y = fact_named(&f, at[k].of, at[k].what);
        cr_expect(y && !strcmp(y->value, "0") && !strcmp(y->low, "0") && !strcmp(y->high, "0"), "%s %s: %s in [%s, %s]",
            at[k].topic, at[k].of, y ? y->value : "nothing", y ? y->low : "", y ? y->high : "");
        facts_close(&f);
    }
}

/* What a topic does not take changes none of its facts, and what it takes changes some: the table by which flags are
 * refused is that of what the functions read. */
Test(exact_facts, a_topic_takes_what_its_facts_hang_on, .timeout = 60)
{
    static const char *const flags[] = { "dim", "base", "trained", "lengths" };
    static const struct fact_for less = { .dim = 16, .base = "300", .trained = 5, .lengths = 1, .length = { 40 } };
    for (const struct topic *t = topics; t->name; t++)
        for (int k = 0; k < 4; k++) {
            struct fact_for more = less;
            if (k == 0)
                more.dim = 18;
            else if (k == 1)
                more.base = "400";
            else if (k == 2)
                more.trained = 7;
            else
                more.length[0] = 50;
            struct facts a = of(t->name, &less), b = of(t->name, &more);
            bool same = a.n == b.n;
            for (long i = 0; same && i < a.n; i++)
                same = !strcmp(a.fact[i].of, b.fact[i].of) && !strcmp(a.fact[i].value, b.fact[i].value);
            cr_expect_eq(same, !words_have(t->takes, flags[k]), "%s --%s: %s", t->name, flags[k], t->takes);
            facts_close(&a), facts_close(&b);
        }
}

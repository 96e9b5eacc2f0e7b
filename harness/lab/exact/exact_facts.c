/* The table of topics, and the functions that turn numbers with their enclosures into facts; see exact_facts.h. */
#include "lab/exact/exact_facts.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "claim.h"
#include "lab/exact/exact_base.h"

/* In the order in which they are printed: `bases` takes seconds to minutes and is the last. */
const struct topic topics[] = {
    { "angles", "pairs that never turn full circle within the trained length: their later angles are unseen",
        "Liu et al. 2024, arXiv:2310.05209, section 4: critical dimension", "dim base lengths", topic_angles },
    { "cosine", "mean cosine (2/d) sum cos(s t_i): the score of equal vectors, and the inner product of sinusoidal "
        "rows, at distance s", "Su et al. 2021, section 3.4.3", "dim base lengths", topic_cosine },
    { "bound", "(2/d) sum |S_j(s)|, S_j the sum of the first j e^(i s t_i): what bounds a rotary score at distance s "
        "by Abel's summation; that the sum is at least d at every distance, as is said of it, fails where it says so",
        "Su et al. 2021, section 3.4.3; Chen et al. 2023, section 3.1", "dim base lengths", topic_bound },
    { "interpolation", "how far a rotary score lies from the straight line between two distances, as published and at "
        "worst", "Chen et al. 2023, arXiv:2306.15595, theorem 2.1", "dim base", topic_interpolation },
    { "recurrence", "distances at which the fastest pair comes nearer to its start than ever before",
        "best approximations of 2 pi", "lengths", topic_recurrence },
    { "alibi", "weights e^(-m d) of equal scores under linear biases: reach, mean, entropy, and where float32 ends",
        "Press et al. 2022", "", topic_alibi },
    { "entropy", "the growth of entropy with length, and what log-n scaling and YaRN multiply",
        "Su 2021; Chiang and Cholak 2022; Peng et al. 2023, section 3.4", "trained lengths", topic_entropy },
    { "clip", "share of causal pairs at distance k or more, which clipped tables cannot tell apart", "Shaw et al. 2018",
        "trained lengths", topic_clip },
    { "buckets", "first distance of every T5 bucket, and buckets that a training at this length never reaches",
        "Raffel et al. 2020; row t5", "lengths", topic_buckets },
    { "resolution", "resolution R of scores s, which hangs on their scale: (2/d) sum cos leaves all weights nearly "
        "equal, sum cos is d/2 times that; a decay lowers R where scores are so flat that what it takes from them is "
        "all there was", "Sun et al. 2022, arXiv:2212.10554", "dim base lengths", topic_resolution },
    { "yarn", "turns of the fastest pair within the trained length, and what YaRN makes of it: the paper's ramp of "
        "turns interpolates it below beta_fast, the released code's ramp of pairs, cut at pair 0, leaves it as it is",
        "Peng et al. 2023, arXiv:2309.00071, section 3.2; jquesnelle/yarn; row rope", "dim base lengths", topic_yarn },
    { "bases", "bases of rotary encodings that keep the mean score of equal vectors from turning negative: the "
        "infimum, and what is feasible beyond it; at d = 128 the published ones, of L = 1024, 2048 .. 1048576, are "
        "compared where that length is asked", "Men et al. 2024, arXiv:2405.14591, eq. 11 and table 2",
        "dim lengths", topic_bases, .least_dim = BASES_LEAST_DIM },
    { 0 },
};

static struct fact *next(struct facts *f, const char *what, const char *format, va_list a)
{
    if (f->n == f->room)
        f->room = f->room ? 2 * f->room : 64, f->fact = need_more(f->fact, (size_t)f->room, sizeof *f->fact);
    struct fact *y = &f->fact[f->n++];
    *y = (struct fact){ .topic = f->topic };
    snprintf(y->what, sizeof y->what, "%s", what);
    vsnprintf(y->of, sizeof y->of, format, a);
    return y;
}

/* Rounding down leaves 0 - 0 as -0; zeros of both ends are made one, so that their texts are. */
static void put(struct fact *y, mpfr_ptr low, mpfr_ptr high)
{
    char other[sizeof y->value];
    if (mpfr_zero_p(low))
        mpfr_set_zero(low, 1);
    if (mpfr_zero_p(high))
        mpfr_set_zero(high, 1);
    mpfr_snprintf(y->low, sizeof y->low, "%.17RDg", low), mpfr_snprintf(y->high, sizeof y->high, "%.17RUg", high);
    for (int digits = 20; digits > 0; digits--) { /* both ends round to them */
        mpfr_snprintf(y->value, sizeof y->value, "%.*RNg", digits, low),
            mpfr_snprintf(other, sizeof other, "%.*RNg", digits, high);
        if (!strcmp(y->value, other))
            return;
    }
    snprintf(y->value, sizeof y->value, "?");
}

void fact_number(struct facts *f, const char *what, const struct ball *x, const char *format, ...)
{
    va_list a;
    mpfr_t low, high, r;
    va_start(a, format);
    struct fact *y = next(f, what, format, a);
    va_end(a);
    mpfr_inits2(mpfr_get_prec(x->mid) + 64, low, high, r, (mpfr_ptr)0);
    up_get(r, x->rad);
    mpfr_sub(low, x->mid, r, MPFR_RNDD), mpfr_add(high, x->mid, r, MPFR_RNDU);
    put(y, low, high);
    f->blunt |= x->rad.m > 0 && !up_less(x->rad, up_2exp(up_below(x->mid), -70));
    mpfr_clears(low, high, r, (mpfr_ptr)0);
}

void fact_integer(struct facts *f, const char *what, long x, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    struct fact *y = next(f, what, format, a);
    va_end(a);
    snprintf(y->value, sizeof y->value, "%ld", x), snprintf(y->low, sizeof y->low, "%ld", x),
        snprintf(y->high, sizeof y->high, "%ld", x);
}

void fact_text(struct facts *f, const char *what, const char *text, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    struct fact *y = next(f, what, format, a);
    va_end(a);
    snprintf(y->value, sizeof y->value, "%s", text);
}

void fact_ends(struct facts *f, const char *what, double low, double high, const char *format, ...)
{
    va_list a;
    mpfr_t x[2];
    va_start(a, format);
    struct fact *y = next(f, what, format, a);
    va_end(a);
    mpfr_inits2(53, x[0], x[1], (mpfr_ptr)0);
    mpfr_set_d(x[0], low, MPFR_RNDN), mpfr_set_d(x[1], high, MPFR_RNDN);
    put(y, x[0], x[1]);
    mpfr_clears(x[0], x[1], (mpfr_ptr)0);
}

int fact_sign(struct facts *f, const struct ball *x, const struct ball *y)
{
    const int c = b_cmp(x, y);
    f->w->undecided |= c == 2;
    return c == 2 ? 0 : c;
}

void waves_of(struct facts *f, long dim, const char *base, const struct ball **t)
{
    char params[120];
    snprintf(params, sizeof params, "dim=%ld base=%.80s", dim, base);
    law_row(f->w, row_named("rope"), "freq", params, NULL, 0, dim / 2, t);
}

int facts_make(struct facts *f, const struct topic *t, const struct fact_for *a, char *err, size_t n)
{
    const long from = f->n;
    for (mpfr_prec_t prec = 128; prec <= 4096; prec *= 2) {
        struct law_ask l;
        f->n = from, f->topic = t->name, f->blunt = false;
        f->w = law_open(&l, "", prec);
        t->make(f, a);
        f->w = NULL;
        if (law_close(&l, true) == YES && !f->blunt)
            return 0;
    }
    return snprintf(err, n, "%s: not decided at 4096 bits", t->name), -1;
}
void facts_close(struct facts *f)
{
    free(f->fact);
    *f = (struct facts){ 0 };
}

const struct fact *fact_named(const struct facts *f, const char *of, const char *what)
{
    for (const struct fact *y = f->fact; y < f->fact + f->n; y++)
        if (!strcmp(y->of, of) && !strcmp(y->what, what))
            return y;
    return NULL;
}

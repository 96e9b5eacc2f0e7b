/* Frequency laws.                                      w_k = base^(-2k/r), k < K
 *   linear     w/f                                     Chen et al. 2023, arXiv:2306.15595
 *   ntk        base' = base f^(r/(r-2))                bloc97 2023
 *   dynamic    the same with f N/L - (f-1) for f, N = max(length, L)
 *   yarn       w (1-g) + (w/f) g, g = clamp((k-low)/(high-low), 0, 1)          Peng et al. 2023, arXiv:2309.00071
 *   llama3     w, or w/f beyond wavelength L/lo, blended between L/hi and L/lo  Llama 3.1 model card; hi = lo: a step,
 *              nothing is blended
 *   longrope   w / factor_k                            Ding et al. 2024, arXiv:2402.13753
 * partial=proportional: r = d in the exponent, the first rotary/2 pairs live, the others 0 (Gemma 4;
 * arXiv:2410.06205). */
#include "rotary/rotary.h"
#include "rotary/pairs.h"
#include "row/shared.h"
#include "row/memo.h"

const char rotary_steps[] = "exponent rebase power freq cast amplitude";

long rotary_width(const struct rotary *f) { return f->partial == PROPORTIONAL || !f->rotary ? f->dim : f->rotary; }
long rotary_pairs(const struct rotary *f) { return rotary_width(f) / 2; }
bool frequency_live(const struct rotary *f, long k) { return f->partial == PREFIX || !f->rotary || k < f->rotary / 2; }

void rotary_entry(const struct ask *w, struct source at, long *i, long *k)
{
    long index[] = { *i, *k };
    site_indices(w, at, 2, index, (const long[]){ dim_in(w, "pos", 0), rotary_pairs(w->params) });
    *i = index[0], *k = index[1];
}

bool rotary_ends(const struct ask *w, const struct rotary *f, long k, long *a, long *b)
{
    return pair_ends(w, (struct paired){ f->dim, rotary_pairs(f), f->layout == INTERLEAVED }, k, a, b);
}

static const struct ball *step(struct ask *w, const struct ball *x) { return b_step(w, FREQ, x); }
static const struct ball *inner(struct ask *w, const struct ball *x) { return b_inner(w, FREQ, x); }
static const struct ball *given(struct ask *w, mpq_srcptr x) { return b_given(w, FREQ, b_q(w, x)); }
static const struct ball *one(struct ask *w) { return b_si(w, 1); }

/* Is the base the one that is given, whatever the law? */
static bool base_is_given(const struct rotary *f)
{
    return f->scaling != NTK && (f->scaling != DYNAMIC || f->length <= f->trained);
}
static const struct ball *base_of(struct ask *w, const struct rotary *f)
{
    const long r = rotary_width(f);
    if (b_true(w, base_is_given(f)))
        return b_given(w, POWER, b_q(w, f->base));
    const struct ball *b = b_given(w, REBASE, b_q(w, f->base)), *s = b_given(w, REBASE, b_q(w, f->factor));
    if (f->scaling == DYNAMIC) { /* s = f N/L - (f - 1) */
        const struct ball *times = b_given(w, REBASE, b_ratio(w, f->length, f->trained)),
                          *less = b_inner(w, REBASE, b_sub(w, s, one(w)));
        s = b_inner(w, REBASE, b_sub(w, b_inner(w, REBASE, b_mul(w, s, times)), less));
    }
    const struct ball *power = b_inner(w, REBASE, b_pow(w, s, b_given(w, REBASE, b_ratio(w, r, r - 2))));
    return b_step(w, REBASE, b_mul(w, b, power));
}

const struct ball *frequency_ratio(struct ask *w, const struct rotary *f, long e)
{
    return b_step(w, POWER, b_pow(w, base_of(w, f), b_step(w, EXPONENT, b_ratio(w, e, rotary_width(f)))));
}
/* base^(-2k/r) of that pair in one power, as many write it (edit/form.h). */
struct frequency_at { const struct rotary *f; long k; };
enum { IN_ONE_POWER = __LINE__ };
static const struct ball *in_one_power(struct ask *w, const void *of)
{
    const struct rotary *f = ((const struct frequency_at *)of)->f;
    const long k = ((const struct frequency_at *)of)->k;
    const struct ball *exponent = b_step(w, EXPONENT, b_ratio(w, i_mul(w, -2, k), counted(w, rotary_width(f))));
    return b_step(w, POWER, b_pow(w, b_given(w, POWER, b_q(w, f->base)), exponent));
}
static const struct other_form one_power = { in_one_power, __FILE__, IN_ONE_POWER, __LINE__ };
const struct ball *frequency_plain(struct ask *w, const struct rotary *f, long k)
{
    const struct ball *power = base_is_given(f) ? site_form(w, &one_power, &(struct frequency_at){ f, k }) : NULL;
    return step(w, power ? power : b_div(w, one(w), frequency_ratio(w, f, i_mul(w, 2, k))));
}

/* Yarn's number (no integer) of the pair that turns rho times over the trained length, r ln(L/(2 pi rho)) / (2 ln
 * base). */
static const struct ball *turning(struct ask *w, const struct rotary *f, mpq_srcptr rho)
{
    const struct ball *turn = b_mul(w, inner(w, b_pi(w)), b_si(w, 2)),
                      *full = inner(w, b_mul(w, turn, given(w, rho))),
                      *l = inner(w, b_log(w, inner(w, b_div(w, b_si(w, f->trained), full)))),
                      *base = inner(w, b_log(w, given(w, f->base)));
    return b_div(w, inner(w, b_mul(w, b_si(w, rotary_width(f)), l)), inner(w, b_mul(w, b_si(w, 2), base)));
}
/* That number, or the integer that truncate=on takes in its place (b_floor, b_ceil).  Programs decide that one in
 * doubles: no profile makes it another one. */
typedef const struct ball *to_integer(struct ask *w, const struct ball *x);
static const struct ball *ramp_end(struct ask *w, const struct rotary *f, mpq_srcptr rho, to_integer *whole)
{
    if (f->truncate != TRUNCATE_ON)
        return step(w, turning(w, f, rho));
    const struct arith *declared = w->arith;
    struct arith decided = *declared;
    decided.how = EXACT, decided.adverse = NULL;
    w->arith = &decided;
    const struct ball *x = whole(w, turning(w, f, rho));
    w->arith = declared;
    return x;
}
static const struct ball *floor_of(struct ask *w, const struct ball *x) { return b_floor(w, x); }
static const struct ball *ceil_of(struct ask *w, const struct ball *x) { return b_ceil(w, x); }

/* Yarn's g of pair k, in [0, 1]: the share of the frequency that is divided by the factor. */
static const struct ball *ramp(struct ask *w, const struct rotary *f, long k)
{
    const struct ball *from = ramp_end(w, f, f->beta_fast, floor_of), *to = ramp_end(w, f, f->beta_slow, ceil_of);
    if (f->truncate != TRUNCATE_ON && mpq_equal(f->beta_fast, f->beta_slow))
        to = from; /* No precision shows that two balls of one number are equal. */
    const struct ball *low = b_max(w, from, b_si(w, 0)), *high = b_min(w, to, b_si(w, rotary_width(f) - 1));
    int order = low == high ? 0 : b_cmp(low, high);
    if (order == 2)
        w->undecided = true;
    if (order == 0) /* The released code then adds 0.001. */
        high = inner(w, b_add(w, high, inner(w, b_ratio(w, 1, 1000))));
    const struct ball *g = step(w, b_div(w, step(w, b_sub(w, b_si(w, k), low)), step(w, b_sub(w, high, low))));
    return b_max(w, b_min(w, g, one(w)), b_si(w, 0));
}

static const struct ball *by_yarn(struct ask *w, const struct rotary *f, long k, const struct ball *x)
{
    const struct ball *g = ramp(w, f, k), *near = step(w, b_sub(w, one(w), g)),
                      *far = step(w, b_div(w, x, given(w, f->factor)));
    return step(w, b_add(w, step(w, b_mul(w, far, g)), step(w, b_mul(w, x, near))));
}

static const struct ball *by_llama3(struct ask *w, const struct rotary *f, long k, const struct ball *x)
{
    const struct ball *turn = b_mul(w, b_si(w, 2), inner(w, b_pi(w))), *L = b_si(w, f->trained),
                      *wave = step(w, b_div(w, turn, frequency_plain(w, f, k)));
    const struct ball *lo = given(w, f->low_freq_factor), *hi = given(w, f->high_freq_factor),
                      *far = step(w, b_div(w, x, given(w, f->factor)));
    int above = b_cmp(wave, b_div(w, L, lo)), below = b_cmp(wave, b_div(w, L, hi));
    if (b_true(w, above == 1))
        return far;
    if (b_true(w, below == -1))
        return x;
    /* The law is continuous there, so any branch is right, but its ball must not claim more than it knows. */
    if (above == 2 || below == 2)
        w->undecided |= w->arith->how != WIDEN;
    /* With lo = hi the law is a step, and the ball holds both its sides where the wavelength may be on either; that is
     * so under WIDEN alone, since 2 pi/w is never rational. */
    if (mpq_equal(f->low_freq_factor, f->high_freq_factor))
        return b_widen(w, x, up_add(up_far(x->mid, far->mid), far->rad));
    const struct ball *share = step(w, b_sub(w, step(w, b_div(w, L, wave)), lo)),
                      *s = step(w, b_div(w, share, inner(w, b_sub(w, hi, lo))));
    return step(w, b_add(w, step(w, b_mul(w, step(w, b_sub(w, one(w), s)), far)), step(w, b_mul(w, s, x))));
}

const struct ball *frequency_scale(struct ask *w, const struct rotary *f, long k, const struct ball *x)
{
    const struct list *ext = f->length > f->trained ? &f->long_factor : &f->short_factor;
    switch (f->scaling) {
    case LINEAR: return step(w, b_div(w, x, given(w, f->factor)));
    case YARN: return by_yarn(w, f, k, x);
    case LLAMA3: return by_llama3(w, f, k, x);
    case LONGROPE: return step(w, b_div(w, x, given(w, ext->v[k])));
    default: return x;
    }
}

const struct ball *frequency_of(struct ask *w, const struct rotary *f, long k)
{
    if (!b_true(w, frequency_live(f, k)))
        return b_si(w, 0);
    const struct ball *known = memo_get(w, rotary_params, f, sizeof *f, k);
    return known ? known : memo_put(w, k, b_step(w, CAST, frequency_scale(w, f, k, frequency_plain(w, f, k))));
}

bool amplitude_is_one(const struct rotary *f)
{
    if (f->scaling != YARN && f->scaling != LONGROPE)
        return true;
    return mpq_sgn(f->attention_factor) ? !mpq_cmp_ui(f->attention_factor, 1, 1) : mpq_cmp_ui(f->factor, 1, 1) <= 0;
}

static const struct ball *part(struct ask *w, const struct ball *x) { return b_inner(w, AMPLITUDE, x); }
static const struct ball *gain(struct ask *w, const struct rotary *f, mpq_srcptr mu) /* 0.1 mu ln f + 1 */
{
    const struct ball *share = part(w, b_mul(w, part(w, b_ratio(w, 1, 10)), part(w, b_q(w, mu)))),
                      *log = part(w, b_log(w, part(w, b_q(w, f->factor))));
    return part(w, b_add(w, part(w, b_mul(w, share, log)), one(w)));
}
/* sqrt(1 + ln s / ln L) */
static const struct ball *growth(struct ask *w, const struct rotary *f)
{
    const struct ball *s = part(w, b_log(w, part(w, b_q(w, f->factor)))), *L = part(w, b_log(w, b_si(w, f->trained)));
    return b_sqrt(w, part(w, b_add(w, one(w), part(w, b_div(w, s, L)))));
}

static const struct ball *amplitude(struct ask *w, const struct rotary *f)
{
    if (b_true(w, mpq_sgn(f->attention_factor) != 0))
        return b_step(w, AMPLITUDE, b_q(w, f->attention_factor));
    if (b_true(w, f->scaling == LONGROPE))
        return b_step(w, AMPLITUDE, growth(w, f));
    if (b_true(w, mpq_sgn(f->mscale) && mpq_sgn(f->mscale_all_dim)))
        return !mpq_equal(f->mscale, f->mscale_all_dim) ?
            b_step(w, AMPLITUDE, b_div(w, gain(w, f, f->mscale), gain(w, f, f->mscale_all_dim))) :
            one(w);
    mpq_t unit;
    mpq_init(unit);
    mpq_set_ui(unit, 1, 1);
    const struct ball *a = b_step(w, AMPLITUDE, gain(w, f, unit));
    mpq_clear(unit);
    return a;
}

const struct ball *amplitude_of(struct ask *w, const struct rotary *f)
{
    enum { AMPLITUDE_WORD = -1 };
    if (b_true(w, amplitude_is_one(f)))
        return one(w);
    const struct ball *known = memo_get(w, rotary_params, f, sizeof *f, AMPLITUDE_WORD);
    return known ? known : memo_put(w, AMPLITUDE_WORD, amplitude(w, f));
}

const char *rotary_refuse(const void *params)
{
    const struct rotary *f = params;
    long r = rotary_width(f);
    bool rescaled = f->scaling != DEFAULT;
    if (f->dim % 2 || f->rotary % 2 || f->rotary > f->dim)
        return "rotary: the rotated width must be even and at most dim";
    if (mpq_cmp_ui(f->base, 1, 1) <= 0)
        return "base: must be greater than 1";
    if (rescaled && mpq_cmp_ui(f->factor, 1, 1) < 0)
        return "factor: must be at least 1";
    if (!rescaled && mpq_cmp_ui(f->factor, 1, 1))
        return "factor: scaling=default has none; say scaling=linear (or another law)";
    if ((f->scaling == NTK || f->scaling == DYNAMIC) && r == 2)
        return "rotary: NTK scaling is undefined at width 2 (the exponent r/(r-2) divides by zero)";
    if (f->scaling > NTK && f->trained < 2)
        return "trained: this scaling needs original_max_position_embeddings, at least 2";
    if (f->scaling == DYNAMIC && f->trained < 1)
        return "trained: dynamic scaling needs the trained length";
    if (f->scaling == LLAMA3 && mpq_cmp(f->high_freq_factor, f->low_freq_factor) < 0)
        return "high_freq_factor: must not be below low_freq_factor";
    if (f->scaling == LLAMA3 && mpq_sgn(f->low_freq_factor) <= 0)
        return "low_freq_factor: must be positive";
    if (f->scaling == YARN && (mpq_sgn(f->beta_slow) <= 0 || mpq_cmp(f->beta_fast, f->beta_slow) < 0))
        return "beta_slow: must be positive and at most beta_fast";
    if (mpq_sgn(f->attention_factor) < 0 || mpq_sgn(f->mscale) < 0 || mpq_sgn(f->mscale_all_dim) < 0)
        return "attention_factor: amplitudes must not be negative";
    if (f->scaling == LONGROPE && (f->length > f->trained ? f->long_factor.n : f->short_factor.n) != rotary_pairs(f))
        return "short_factor, long_factor: one entry for each pair";
    for (int k = 0; f->scaling == LONGROPE && k < rotary_pairs(f); k++)
        if (mpq_sgn((f->length > f->trained ? &f->long_factor : &f->short_factor)->v[k]) <= 0)
            return "short_factor, long_factor: entries must be positive";
    if (f->partial == PROPORTIONAL && f->scaling > LINEAR)
        return "partial: proportional combines with default or linear scaling only";
    return NULL;
}

const struct param rotary_params[] = {
    { "dim", "64", "head width d", INT, offsetof(struct rotary, dim), .least = 2, .most = 65536 },
    { "rotary", "0", "rotated width r; 0 = dim", INT, offsetof(struct rotary, rotary), .least = 0, .most = 65536 },
    { "base", "10000", "w_k = base^(-2k/r)", RATIONAL, offsetof(struct rotary, base) },
    { "layout", "half", "pairs (k, k + r/2) or (2k, 2k+1)", ENUM, offsetof(struct rotary, layout),
        .choices = "half interleaved" },
    { "partial", "prefix", "where the rotated channels lie", ENUM, offsetof(struct rotary, partial),
        .choices = "prefix proportional" },
    { "scaling", "default", "frequency law", ENUM, offsetof(struct rotary, scaling),
        .choices = "default linear dynamic ntk yarn llama3 longrope" },
    { "factor", "1", "context extension f", RATIONAL, offsetof(struct rotary, factor) },
    { "trained", "0", "L: original_max_position_embeddings", INT, offsetof(struct rotary, trained), .least = 0,
        .most = 1L << 53 },
    { "length", "0", "N: tokens in use (dynamic, longrope)", INT, offsetof(struct rotary, length), .least = 0,
        .most = 1L << 53 },
    { .as = &param_beta_fast, .at = offsetof(struct rotary, beta_fast) },
    { .as = &param_beta_slow, .at = offsetof(struct rotary, beta_slow) },
    { .as = &param_truncate, .at = offsetof(struct rotary, truncate) },
    { "mscale", "0", "yarn amplitude; 0 = absent", RATIONAL, offsetof(struct rotary, mscale) },
    { "mscale_all_dim", "0", "yarn amplitude; 0 = absent", RATIONAL, offsetof(struct rotary, mscale_all_dim) },
    { "attention_factor", "0", "amplitude A; 0 = from the law", RATIONAL, offsetof(struct rotary, attention_factor) },
    { "low_freq_factor", "1", "llama3: L/lo is the longest blended wavelength", RATIONAL,
        offsetof(struct rotary, low_freq_factor) },
    { "high_freq_factor", "4", "llama3: L/hi is the shortest", RATIONAL, offsetof(struct rotary, high_freq_factor) },
    { "short_factor", "", "longrope divisors up to L", LIST, offsetof(struct rotary, short_factor) },
    { "long_factor", "", "longrope divisors beyond L", LIST, offsetof(struct rotary, long_factor) },
    { "route", "powers", "how the angle is computed", ROUTE, offsetof(struct rotary, route),
        .choices = "powers iterated" },
    { 0 },
};

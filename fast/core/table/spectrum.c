/* The laws of frequencies.                             w_k = base^(-2k/r), k < K; f_k = w_k / (2 pi)
 *   linear     w/f                                     Chen et al. 2023, arXiv:2306.15595
 *   ntk        base' = base f^(r/(r-2))                bloc97 2023
 *   dynamic    the same with f N/L - (f-1) for f, N = max(length, L)
 *   yarn       w (1-g) + (w/f) g, g = clamp((k-low)/(high-low), 0, 1)          Peng et al. 2023, arXiv:2309.00071
 *   llama3     w ((1-s)/f + s), s = clamp((L f_k - lo)/(hi - lo), 0, 1): L f_k is L over the wavelength       Llama 3.1
 *              model card
 *   longrope   w / factor_k                            Ding et al. 2024, arXiv:2402.13753
 * sinusoid: w_k = m (base/m)^(-2k/d), or exponent -k/max(d/2-1, 1).            Vaswani et al. 2017, section 3.5
 * One power gives the ratio of neighbours, and w_k is a running product to whose error each factor adds its own: 2^-300
 * after 2^15 pairs. */
#include "table/spectrum.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "meridian.h"

/* A call of parameters alone, and where its first fault is said. */
struct table_reader { struct mer_call call; char *err; size_t n; int bad; };

/* Says why the parameters are refused; the first reason stays. */
__attribute__((format(printf, 2, 3))) static void refuse(struct table_reader *r, const char *why, ...)
{
    va_list a;
    va_start(a, why);
    if (!r->bad++ && r->n)
        vsnprintf(r->err, r->n, why, a);
    va_end(a);
}

/* The word behind a key, or `otherwise` where it is absent or empty; *len is its length. */
static const char *word(struct table_reader *r, const char *key, const char *otherwise, size_t *len)
{
    const char *s = mer_text(&r->call, key);
    *len = strcspn(s, " ");
    return *len ? s : (*len = strlen(otherwise), otherwise);
}

static int64_t integer(struct table_reader *r, const char *key, int64_t otherwise, int64_t least, int64_t most)
{
    size_t len;
    char *end;
    const char *s = word(r, key, "", &len);
    int64_t x = len ? strtoll(s, &end, 10) : otherwise;
    if (len && (end != s + len || x < least || x > most))
        refuse(r, "%s: found '%.*s', allowed: an integer from %lld to %lld", key, (int)len, s, (long long)least,
            (long long)most);
    return x;
}

static struct wide rational(struct table_reader *r, const char *key, const char *otherwise)
{
    size_t len;
    struct wide x;
    const char *s = word(r, key, otherwise, &len);
    if (!wide_read(&x, s, len)) {
        refuse(r, "%s: found '%.*s', allowed: a decimal or p/q", key, (int)len, s);
        return wide_ui(1);
    }
    return x;
}

static int choice(struct table_reader *r, const char *key, const char *choices) /* the first is the default */
{
    size_t len;
    const char *s = word(r, key, "", &len);
    int k = 0;
    for (const char *c = choices; *c; c += strcspn(c, " "), c += strspn(c, " "), k++)
        if (!len || (strcspn(c, " ") == len && !strncmp(c, s, len)))
            return k;
    refuse(r, "%s: found '%.*s', allowed: %s", key, (int)len, s, choices);
    return 0;
}

static struct wide ratio(int64_t a, int64_t b) { return wide_div(wide_si(a), wide_si(b)); }
static bool above(struct wide x, struct wide y) { return wide_cmp(x, y) == 1; } /* whether x > y for certain */

/* turn[k] = first base^(-e k) / (2 pi) */
static void geometric(struct spectrum *l, struct wide base, struct wide e, struct wide first)
{
    struct wide x = wide_div(first, wide_scale(wide_pi(), 1)), q = wide_pow(base, wide_neg(e));
    for (int64_t k = 0; k < l->live; k++, x = wide_mul(x, q))
        l->turn[k] = x;
}

/* min(max(x, 0), 1).  A ball that meets an end holds its own clamped values already. */
static struct wide clamp(struct wide x)
{
    return wide_sign(x) == -1 ? wide_ui(0) : above(x, wide_ui(1)) ? wide_ui(1) : x;
}

/* w_k <- w_k ((1 - g) + g / f) */
static void blend(struct wide *w, struct wide g, struct wide shrink)
{
    struct wide keep = wide_sub(wide_ui(1), g);
    *w = wide_mul(*w, wide_add(keep, wide_mul(g, shrink)));
}

static struct wide gain(struct wide log_factor, struct wide mu) /* 0.1 mu ln f + 1 */
{
    return wide_add(wide_mul(wide_mul(ratio(1, 10), mu), log_factor), wide_ui(1));
}

static void amplitude(struct table_reader *r, struct spectrum *l, bool yarn, struct wide factor, int64_t trained)
{
    struct wide given = rational(r, "attention_factor", "0"), one = wide_ui(1), mu = rational(r, "mscale", "0"),
                all = rational(r, "mscale_all_dim", "0");
    if (wide_sign(given) == -1 || wide_sign(mu) == -1 || wide_sign(all) == -1) {
        refuse(r, "attention_factor: amplitudes must not be negative");
        return;
    }
    l->amplitude = one;
    if (wide_sign(given) == 1)
        l->amplitude = given;
    else if (above(factor, one)) {
        struct wide log_factor = wide_log(factor);
        if (!yarn)
            l->amplitude = wide_sqrt(wide_add(one, wide_div(log_factor, wide_log(wide_si(trained)))));
        else if (wide_sign(mu) && wide_sign(all))
            l->amplitude = wide_cmp(mu, all) ? wide_div(gain(log_factor, mu), gain(log_factor, all)) : one;
        else
            l->amplitude = gain(log_factor, one);
    }
}

/* The pair that turns rho times over the trained length: r ln(L/(2 pi rho)) / (2 ln base) */
static struct wide turning(int64_t width, int64_t trained, struct wide base, struct wide rho)
{
    struct wide full = wide_mul(wide_scale(wide_pi(), 1), rho), l = wide_log(wide_div(wide_si(trained), full));
    return wide_div(wide_mul(wide_si(width), l), wide_scale(wide_log(base), 1));
}

static void yarn(
    struct table_reader *r, struct spectrum *l, int64_t width, int64_t trained, struct wide base, struct wide shrink)
{
    struct wide fast = rational(r, "beta_fast", "32"), slow = rational(r, "beta_slow", "1"), top = wide_si(width - 1);
    int truncate = !choice(r, "truncate", "on off");
    if (r->bad || wide_sign(slow) != 1 || wide_cmp(fast, slow) < 0) {
        refuse(r, "beta_slow: must be positive and at most beta_fast");
        return;
    }
    struct wide low = turning(width, trained, base, fast),
                high = wide_cmp(fast, slow) ? turning(width, trained, base, slow) : low;
    int64_t down = 0, up = 0;
    if (truncate && (!wide_floor(low, &down) || !wide_floor(wide_neg(high), &up))) {
        refuse(r, "yarn: floor or ceil of the ramp's end is not decided at 300 bits");
        return;
    }
    low = truncate ? wide_si(down) : low, high = truncate ? wide_si(-up) : high;
    low = wide_sign(low) == -1 ? wide_ui(0) : low;
    high = above(high, top) ? top : high;
    int order = wide_cmp(fast, slow) || truncate ? wide_cmp(low, high) : 0;
    if (wide_sign(low) == 2 || wide_cmp(high, top) == 2 || order == 2) {
        refuse(r, "yarn: the order of the ramp's ends is not decided at 300 bits");
        return;
    }
    if (order == 0)
        high = wide_add(high, ratio(1, 1000)); /* released code */
    struct wide slope = wide_div(wide_ui(1), wide_sub(high, low));
    for (int64_t k = 0; k < l->live; k++)
        blend(&l->turn[k], clamp(wide_mul(wide_sub(wide_si(k), low), slope)), shrink);
}

static void llama3(struct table_reader *r, struct spectrum *l, int64_t trained, struct wide shrink)
{
    struct wide lo = rational(r, "low_freq_factor", "1"), hi = rational(r, "high_freq_factor", "4");
    if (above(lo, hi))
        refuse(r, "high_freq_factor: must not be below low_freq_factor");
    if (wide_sign(lo) != 1)
        refuse(r, "low_freq_factor: must be positive");
    /* the same number, or one that 300 bits do not tell from it: nothing is blended */
    const bool step = !above(hi, lo);
    struct wide slope = wide_div(wide_ui(1), step ? wide_ui(1) : wide_sub(hi, lo)), one = wide_ui(1);
    for (int64_t k = 0; step && k < l->live; k++) {
        const int side = wide_cmp(wide_mul(wide_si(trained), l->turn[k]), lo);
        if (side == 2)
            refuse(r, "low_freq_factor: on which side of it a wavelength is was not decided at 300 bits");
        blend(&l->turn[k], side > 0 ? wide_ui(0) : one, shrink);
    }
    for (int64_t k = 0; !step && k < l->live; k++) /* continuous at both ends: no decision is needed there */
        blend(&l->turn[k], wide_sub(one, clamp(wide_mul(wide_sub(wide_mul(wide_si(trained), l->turn[k]), lo), slope))),
            shrink);
}

static void longrope(struct table_reader *r, struct spectrum *l, bool beyond)
{
    size_t len, used = 0;
    int64_t k = 0;
    const char *s = word(r, beyond ? "long_factor" : "short_factor", "", &len);
    for (; used < len; k++) {
        size_t part = strcspn(s + used, ", ");
        struct wide x;
        if (!wide_read(&x, s + used, part) || wide_sign(x) != 1) {
            refuse(r, "short_factor, long_factor: entries must be positive");
            return;
        }
        if (k < l->live)
            l->turn[k] = wide_div(l->turn[k], x);
        used += part + 1;
    }
    if (k != l->pairs)
        refuse(r, "short_factor, long_factor: one entry for each pair");
}

static void rope(struct table_reader *r, struct spectrum *l)
{
    enum { DEFAULT, LINEAR, DYNAMIC, NTK, YARN, LLAMA3, LONGROPE };
    int64_t dim = integer(r, "dim", 64, 2, 65536), rotary = integer(r, "rotary", 0, 0, 65536),
            L = integer(r, "trained", 0, 0, INT64_C(1) << 53), N = integer(r, "length", 0, 0, INT64_C(1) << 53);
    int proportional = choice(r, "partial", "prefix proportional"),
        scaling = choice(r, "scaling", "default linear dynamic ntk yarn llama3 longrope");
    struct wide base = rational(r, "base", "10000"), factor = rational(r, "factor", "1"), one = wide_ui(1);
    int64_t width = proportional || !rotary ? dim : rotary;
    if (dim % 2 || rotary % 2 || rotary > dim)
        refuse(r, "rotary: the rotated width must be even and at most dim");
    if (!above(base, one))
        refuse(r, "base: must be greater than 1");
    if (wide_cmp(factor, one) < 0)
        refuse(r, "factor: must be at least 1");
    if (!scaling && wide_cmp(factor, one))
        refuse(r, "factor: scaling=default has none; say scaling=linear (or another law)");
    if ((scaling == NTK || scaling == DYNAMIC) && width == 2)
        refuse(r, "rotary: NTK scaling is undefined at width 2 (the exponent r/(r-2) divides by zero)");
    if ((scaling > NTK && L < 2) || (scaling == DYNAMIC && L < 1))
        refuse(r, "trained: this scaling needs original_max_position_embeddings");
    if (proportional && scaling > LINEAR)
        refuse(r, "partial: proportional combines with default or linear scaling only");
    l->pairs = width / 2, l->live = proportional && rotary ? rotary / 2 : l->pairs;
    if (r->bad || !(l->turn = malloc((size_t)l->live * sizeof *l->turn))) {
        refuse(r, "out of memory");
        return;
    }
    if (scaling == NTK || (scaling == DYNAMIC && N > L)) {
        struct wide s = scaling == NTK ? factor : wide_sub(wide_mul(factor, ratio(N, L)), wide_sub(factor, one));
        base = wide_mul(base, wide_pow(s, ratio(width, width - 2)));
    }
    geometric(l, base, ratio(2, width), one);
    struct wide shrink = wide_div(one, factor);
    for (int64_t k = 0; scaling == LINEAR && k < l->live; k++)
        l->turn[k] = wide_mul(l->turn[k], shrink);
    if (scaling == YARN)
        yarn(r, l, width, L, base, shrink);
    if (scaling == LLAMA3)
        llama3(r, l, L, shrink);
    if (scaling == LONGROPE)
        longrope(r, l, N > L);
    if (scaling == YARN || scaling == LONGROPE)
        amplitude(r, l, scaling == YARN, factor, L);
}

static void sinusoid(struct table_reader *r, struct spectrum *l)
{
    int64_t dim = integer(r, "dim", 64, 2, 65536), last = dim / 2 > 1 ? dim / 2 - 1 : 1;
    int shifted = choice(r, "spacing", "paper shifted"), odd = choice(r, "odd", "refuse zero drop");
    struct wide base = rational(r, "base", "10000"), first = rational(r, "min_timescale", "1");
    if (dim % 2 && !odd)
        refuse(r, "dim: odd width is undefined; say odd=zero or odd=drop");
    if (wide_sign(first) != 1 || !above(base, first))
        refuse(r, "base: must be greater than min_timescale, and that greater than 0");
    l->pairs = l->live = (dim + (odd == 2)) / 2;
    if (r->bad || !(l->turn = malloc((size_t)l->live * sizeof *l->turn))) {
        refuse(r, "out of memory");
        return;
    }
    geometric(l, wide_div(base, first), shifted ? ratio(1, last) : ratio(2, dim), first);
}

int spectrum_read(struct spectrum *l, const char *row, const char *params, char *err, size_t n)
{
    struct table_reader r = { .call = { .row = row, .params = params ? params : "" }, .err = err, .n = n };
    *l = (struct spectrum){ .amplitude = wide_ui(1) };
    if (!strcmp(row, "rope"))
        rope(&r, l);
    else if (!strcmp(row, "sinusoid"))
        sinusoid(&r, l);
    else
        refuse(&r, "row '%.32s' has no angles; rope and sinusoid have", row);
    if (r.bad) {
        free(l->turn);
        l->turn = NULL;
    }
    return r.bad ? -1 : 0;
}

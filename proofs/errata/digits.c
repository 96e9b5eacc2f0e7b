/* Claims that compare the frequencies w_k = base^(-2k/d) with the digits of a numeral system. */
#include <math.h>
#include <stdio.h>
#include "claim.h"

enum { MOST = 2048 };
/* The frequencies w_0 .. w_(d/2-1) of row rope. */
static void freqs(struct claim *c, long d, long base, const struct ball **f)
{
    char params[60];
    snprintf(params, sizeof params, "dim=%ld base=%ld", d, base);
    law_row(c->w, row_named("rope"), "freq", params, NULL, 0, d / 2, f);
}

/* Is there one ratio throughout, f[k] f[k+2] = f[k+1]^2? */
static enum truth constant(struct claim *c, const struct ball *const *f, long n)
{
    enum truth t = YES;
    for (long k = 0; k + 2 < n; k++)
        t = truth_and(t, claim_same(b_mul(c->w, f[k], f[k + 2]), b_mul(c->w, f[k + 1], f[k + 1])));
    return t;
}

/* Is every f[k] the factor times f[k+1]? */
static enum truth by_factor(struct claim *c, const struct ball *const *f, long n, long factor)
{
    enum truth t = YES;
    for (long k = 0; k + 1 < n; k++)
        t = truth_and(t, claim_same(f[k], b_mul(c->w, b_si(c->w, factor), f[k + 1])));
    return t;
}

static void binary(struct claim *c)
{
    const struct ball *f[8], *g[8];
    long radix = claim_int(c, "radix", 2);
    freqs(c, 16, 10000, f);
    freqs(c, 16, radix == 2 ? 256 : 6561, g);
    c->written = constant(c, f, 8);
    c->corrected = truth_and(truth_not(by_factor(c, f, 8, 2)), by_factor(c, g, 8, 2));
    claim_say(c, "d = 16: each wavelength is %s times the one before; at base 2^8 it is %s",
        claim_digits(c, b_div(c->w, f[0], f[1]), 15), claim_digits(c, b_div(c->w, g[0], g[1]), 15));
}

/* Is w_0 / w_1 an integer of at least 2, as the radix of digits has to be? */
static enum truth whole(struct claim *c, long d, long base, const struct ball **ratio)
{
    const struct ball *f[MOST];
    freqs(c, d, base, f);
    *ratio = b_div(c->w, f[0], f[1]);
    long n = lround(b_value(*ratio));
    return truth_and(truth_of(n >= 2), claim_same(*ratio, b_si(c->w, n)));
}
static void positional(struct claim *c)
{
    long base = claim_int(c, "base", 10000);
    const struct ball *r[5], *two = b_si(c->w, 2);
    c->conditional = true;
    c->written = whole(c, claim_int(c, "dim", 512), base, &r[0]);
    c->within = truth_and(whole(c, 4, base, &r[1]), whole(c, 8, base, &r[2]));
    whole(c, 26, base, &r[3]), whole(c, 28, base, &r[4]);
    c->corrected = truth_and(claim_less(two, r[3]), claim_less(r[4], two));
    claim_say(c, "the \"radix\" is %s at d = 512, %s at 28, %s at 26, %s at 8, %s at 4", claim_digits(c, r[0], 10),
        claim_digits(c, r[4], 10), claim_digits(c, r[3], 10), claim_digits(c, r[2], 10), claim_digits(c, r[1], 10));
}

static void decreasing(struct claim *c)
{
    static const struct ball *f[MOST];
    long d = claim_int(c, "dim", 64);
    freqs(c, d, 10000, f);
    c->written = YES;
    for (long k = 0; k + 1 < d / 2; k++)
        c->written = truth_and(c->written, claim_less(f[k + 1], f[k]));
    c->corrected = constant(c, f, d / 2);
    claim_say(c, "d = %ld: from %s by the factor %s to %s", d, claim_digits(c, f[0], 6),
        claim_digits(c, b_div(c->w, f[1], f[0]), 12), claim_digits(c, f[d / 2 - 1], 12));
}

/* The list of the binary numerals of 0 .. 7 as the article prints it, the least significant digit first. */
static void listed(struct claim *c)
{
    static const char list[8][4] = { "000", "100", "010", "110", "001", "101", "011", "111" };
    long radix = claim_int(c, "radix", 2);
    bool last = claim_is(c, "first=most");
    c->written = c->corrected = YES;
    for (long n = 0; n < 8; n++)
        for (long j = 0, unit = 1, step = 1; j < 3; j++, unit *= radix, step *= 2) {
            c->written = truth_and(c->written, truth_of(list[n][last ? 2 - j : j] - '0' == n / unit % radix));
            for (long m = 0; m < 8; m++) /* Bit j has the period 2^(j+1), and is the other digit half a period later. */
                c->corrected = truth_and(c->corrected,
                    truth_of((m / unit % radix == (m + 2 * step) / unit % radix) &&
                        m / unit % radix != (m + step) / unit % radix));
        }
    claim_say(c, "all 24 digits listed are bits, the least significant first; bit j of 0 .. 7 has the period 2^(j+1)");
}

const struct erratum digits_errata[] = {
    { "E15", binary, "power=f32", "radix=3" },
    { "E46", decreasing, "dim=4096 power=bf16", NULL },
    { "E47", positional, "dim=8", "base=100" },
    { "E56", listed, "first=most", "radix=3" },
    { 0 },
};

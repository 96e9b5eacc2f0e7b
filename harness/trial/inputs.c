/* Fills generated inputs; see inputs.h.  The same seed and name of an input give the same numbers on every machine. */
#include "trial/inputs.h"
#include "base/digest.h"
#include <ctype.h>
#include <math.h>
#include "core/gen.h"
#include "base/words.h"

static bool has_axis(const struct axes *a, char c) { return memchr(a->axis, c, (size_t)a->rank) != NULL; }

bool is_averaged(const struct axes *x, const struct axes *out)
{
    bool lacks = false;
    if (x->integer || !x->rank || !out->rank || x->axis[x->rank - 1] != out->axis[out->rank - 1])
        return false;
    for (int k = 0; k < x->rank - 1; k++) {
        /* g key heads are shared by h heads, so an output with h has g, too */
        lacks |= !has_axis(out, x->axis[k]) && !(x->axis[k] == 'g' && has_axis(out, 'h'));
    }
    return lacks;
}

/* Whether x is an operand of scores: required, with three axes, of which the output lacks the last: q[h,n,d] and
 * k[g,m,d] of o[h,n,e], but not bias?[h,n,m]. */
static bool is_operand(const struct axes *x, const struct axes *out)
{
    return !x->optional && x->rank == 3 && out->rank >= 2 && !has_axis(out, x->axis[2]);
}
static bool is_query(const struct axes *x, const struct axes *out) { return has_axis(out, x->axis[1]); }

static void uniform(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    (void)x, (void)out;
    for (long i = 0; i < array_len(a); i++)
        array_put(a, i, ldexp((double)(int64_t)(gen_bits(seed, stream, (uint64_t)i) >> 40), -23) - 1);
}

/* Twelve uniform numbers of 52 bits, summed, less 6: mean 0, variance 1, magnitude at most 6.  No function of libm is
 * used, so the bits are the same everywhere. */
static void normals(struct mer_array *a, double sigma, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    for (long i = 0; i < array_len(a); i++) {
        double sum = -6;
        for (uint64_t k = 0; k < 12; k++)
            sum += (double)(gen_bits(seed, stream, 12 * (uint64_t)i + k) >> 12) * 0x1p-52;
        array_put(a, i, sigma * sum);
    }
}
static void normal(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed)
{
    (void)x, (void)out;
    normals(a, 1, seed);
}
static void small(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed)
{
    normals(a, is_averaged(x, out) ? 0.1 : 0.32, seed);
}

/* A normal number times 2^j with probability 2^-(j+1), j <= MOST (which has the rest); in column OUTLIER of every EVERY
 * columns TIMES as much. */
static void heavy(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    enum { EVERY = 8, OUTLIER = 3, TIMES = 8, MOST = 7 };
    long columns = a->rank ? a->dim[a->rank - 1] : 1;
    (void)x, (void)out;
    normals(a, 0.5, seed);
    for (long i = 0; i < array_len(a); i++) {
        uint64_t bits = gen_bits(seed, ~stream, (uint64_t)i);
        int j = 0;
        while (j < MOST && (bits >> j & 1))
            j++;
        array_put(a, i, ldexp(array_get(a, i), j) * (i % columns % EVERY == OUTLIER ? TIMES : 1));
    }
}

static void probe(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed)
{
    long columns = a->rank ? a->dim[a->rank - 1] : 1, lines = a->rank > 1 ? a->dim[a->rank - 2] : 1;
    if (!is_averaged(x, out)) {
        normals(a, 1.5, seed);
        for (long i = columns - 1; is_operand(x, out) && columns > 1 && i < array_len(a); i += columns)
            array_put(a, i, !is_query(x, out) ? 64 : i / columns % lines % 3 == 0 ? -2048 : 0);
        return;
    }
    for (long i = 0; i < array_len(a); i++)
        array_put(a, i, i % columns == i / columns % lines % columns ? (double)(1 + i / columns / lines) : 0);
}

/* Ten positions where arithmetic has its limits, then positions below 2^17; every fourth is negated. */
static void positions(struct mer_array *a, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    static const long edge[] = { 131071, 1, 65537, 2, 4095, 257, 65536, 32767, 1023, 0 };
    for (long i = 0; i < array_len(a); i++)
        array_put(a, i,
            (double)((i % 4 == 3 ? -1 : 1) *
                (i < 10 ? edge[i] : (long)(gen_bits(seed, stream, (uint64_t)i) >> 47))));
}

/* Numbers in [0, top): the largest, the smallest, then random ones. */
static void below(struct mer_array *a, long top, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    for (long i = 0; i < array_len(a); i++)
        array_put(a, i,
            (double)(i == 0 ? top - 1 :
                    i == 1  ? 0 :
                              (long)(gen_bits(seed, stream, (uint64_t)i) % (uint64_t)top)));
}

/* Booleans: each line of the last axis has a random density of 0/8 .. 8/8, so that lines of all 0 and of all 1
 * occur. */
static void flags(struct mer_array *a, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    enum { DENSITIES = 9 };
    const long columns = a->rank ? a->dim[a->rank - 1] : 1;
    for (long i = 0; i < array_len(a); i++) {
        const uint64_t line = gen_bits(seed, ~stream, (uint64_t)(i / (columns ? columns : 1)));
        const bool one = gen_bits(seed, stream, (uint64_t)i) % (DENSITIES - 1) < line % DENSITIES;
        array_put(a, i, one);
    }
}

/* Cumulative lengths of documents: 0, random numbers up to top in ascending order, top. */
static void cumulative(struct mer_array *a, long top, uint64_t seed)
{
    const uint64_t stream = digest_text(a->name);
    const long last = array_len(a) - 1;
    for (long i = 0; i <= last; i++) {
        double x = i == 0         ? 0 :
            i == last || top <= 0 ? (double)top :
                                    (double)(gen_bits(seed, stream, (uint64_t)i) % (uint64_t)(top + 1));
        long at = i;
        for (; at > 0 && i < last && array_get(a, at - 1) > x; at--)
            array_put(a, at, array_get(a, at - 1));
        array_put(a, at, x);
    }
}

static const struct {
    const char *name;
    void (*fill)(struct mer_array *a, const struct axes *x, const struct axes *out, uint64_t seed);
} ways[] = {
    { "uniform", uniform },
    { "normal", normal },
    { "small", small },
    { "heavy", heavy },
    { "probe", probe },
};

bool inputs_way(const char *word, size_t len)
{
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (strlen(ways[k].name) == len && !strncmp(ways[k].name, word, len))
            return true;
    return false;
}

void inputs_fill(
    const char *sizes, struct mer_array *a, const struct axes *x, const struct axes *out, long top, uint64_t seed)
{
    size_t way = 0;
    for (const char *s = sizes; s && *s; s = word_next(s))
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strlen(ways[k].name) == strcspn(s, " ") && !strncmp(ways[k].name, s, strlen(ways[k].name)))
                way = k;
    if (x->upto)
        cumulative(a, top, seed);
    else if (x->integer && top == 2 && isdigit((unsigned char)x->below))
        flags(a, seed);
    else if (x->integer && top)
        below(a, top, seed);
    else if (x->integer)
        positions(a, seed);
    else
        ways[way].fill(a, x, out, seed);
}

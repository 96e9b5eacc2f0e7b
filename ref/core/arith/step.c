/* Formats by name, and the reader of one word of arithmetic ("f32:2/lanes8"); see step.h. */
#include <stdlib.h>
#include <string.h>
#include "arith/step.h"

const char *const fault_name[FAULTS] = { "none", "uncentred", "unscaled", "overwritten" };

/* For each format its name, p with the hidden bit, the exponents emin and emax of its normal numbers, how many are gone
 * at their end, and whether it saturates. */
const struct format formats[FORMATS + 1] = {
    { "f64", 53, -1022, 1023, 0, false },
    { "f32", 24, -126, 127, 0, false },
    { "f16", 11, -14, 15, 0, false },
    { "bf16", 8, -126, 127, 0, false },
    { "tf32", 11, -126, 127, 0, false },
    { "e4m3", 4, -6, 8, 1, true },
    { "e5m2", 3, -14, 15, 0, true },
    { NULL, 0, 0, 0, 0, false },
};

const struct format *format_named(const char *name, size_t len)
{
    for (const struct format *f = formats; f->name; f++)
        if (strlen(f->name) == len && !strncmp(f->name, name, len))
            return f;
    return NULL;
}

bool rounding_same(const struct rounding *a, const struct rounding *b)
{
    return a->f == b->f && a->ulps == b->ulps && a->absolute == b->absolute && a->lanes == b->lanes &&
        a->height == b->height && a->block == b->block && a->fraction == b->fraction && a->every == b->every;
}

/* Reads a whole number from 1 to most, written in digits alone; *end is set behind it.  -1: there is none, and *end may
 * be as it was. */
static int whole(const char *from, char **end, int most)
{
    const long x = *from >= '0' && *from <= '9' ? strtol(from, end, 10) : -1;
    return x >= 1 && x <= most ? (int)x : -1;
}

/* Reads a number without a sign as strtod does; *end is set behind it.  -1: none begins here, and *end is as it was. */
static double number(const char *from, char **end)
{
    return *from && strchr("0123456789.", *from) ? strtod(from, end) : -1;
}

const char *rounding_read(struct rounding *r, const char *text)
{
    enum { LANES = 4096, HEIGHT = 1 << 30 };
    size_t n = strcspn(text, " :+/");
    char *s = (char *)text + n;
    *r = (struct rounding){ .f = format_named(text, n), .ulps = 1 };
    if (!r->f)
        return "format: " FORMAT_NAMES;
    if (*s == ':') /* The number has to begin at once: strtod alone would skip a blank and read the next word. */
        r->ulps = number(s + 1, &s);
    if (!(r->ulps >= 1 && r->ulps <= 0x1p30))
        return "half-ulps: f32:2 is an error of two; at least 1, which is what rounding to nearest makes, and at most "
               "2^30";
    if (*s == '+' && !((r->absolute = number(s + 1, &s)) >= 0x1p-1000 && r->absolute <= 0x1p1000))
        return "absolute error: f32+1.5e-7; from 2^-1000 to 2^1000";
    if (!strncmp(s, "/lanes", 6))
        r->lanes = whole(s + 6, &s, LANES);
    else if (!strncmp(s, "/h", 2))
        r->height = whole(s + 2, &s, HEIGHT);
    else if (!strncmp(s, "/tc", 3)) {
        r->block = whole(s + 3, &s, LANES);
        r->fraction = r->block > 0 && *s == ':' ? whole(s + 1, &s, r->f->p + 64) : 0;
        if (r->block > 0 && (r->ulps > 1 || r->absolute > 0))
            return "a matrix unit's sum (/tc) truncates: its error is that of its bits, f32/tc8 or f32/tc32:13, "
                   "without half-ulps or an absolute error";
    }
    return (*s && *s != ' ') || r->lanes < 0 || r->height < 0 || r->block < 0 || r->fraction < 0 ?
        "allowed: f32, f32:2, f32+1.5e-7, f32/h20, f32/lanes16 (a height, or 1 to 4096 lanes), f32/tc8, f32/tc32:13" :
        NULL;
}

int tree_height(long n)
{
    int height = 0;
    while (1L << height < n)
        height++;
    return height;
}

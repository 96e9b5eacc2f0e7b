/* What tests of operations done differently share: the edit of a line of a page "f.c" by its words, what a word makes
 * of a number, and whether a ball is a double. */
#ifndef EDIT_AS_H
#define EDIT_AS_H
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "edit/site.h"
#include "words/read.h"

enum { LINE = 7, BITS = 64 };
static const struct source here = { "f.c", LINE, NULL }, beside = { "f.c", LINE + 1, NULL },
                           apart = { "ref/g.c", LINE, NULL };

/* Reads the edit "f.c:7:" and `words`. */
static inline struct edit edit_as(const char *words)
{
    static char text[100]; /* Edits borrow it. */
    struct edit e;
    snprintf(text, sizeof text, "f.c:%d:%s", LINE, words);
    cr_assert(site_read(&e, text, strlen(text)), "%s", text);
    return e;
}

/* The double nearest to x in an array of that type. */
static inline double held(double x, enum mer_type type)
{
    uint64_t room = 0;
    struct mer_array one = { .type = type, .rank = 1, .dim = { 1 }, .data = &room };
    array_put(&one, 0, x);
    return array_get(&one, 0);
}

/* What the word of one number makes of x; NaN, and false, where it is no such word. */
static inline bool of_number(const char *word, double x, double *to)
{
    static const struct { const char *word; double times, more; } linear[] = { { "zero", 0, 0 }, { "one", 0, 1 },
        { "negate", -1, 0 }, { "double", 2, 0 }, { "halve", 0.5, 0 }, { "more", 1, 1 }, { "less", 1, -1 },
        { "two", 0, 2 }, { "one-half", 0, 0.5 }, { "minus-one", 0, -1 }, { "minus-half", 0, -0.5 } };
    for (size_t k = 0; k < sizeof linear / sizeof *linear; k++)
        if (!strcmp(word, linear[k].word))
            return *to = (linear[k].times != 0 ? linear[k].times * x : 0) + linear[k].more, true;
    *to = !strcmp(word, "square") ? x * x :
        !strcmp(word, "invert")   ? 1 / x :
        !strcmp(word, "absolute") ? fabs(x) :
        !strcmp(word, "f16")      ? held(x, MER_F16) :
        !strcmp(word, "bf16")     ? held(x, MER_BF16) :
                                    (double)NAN;
    return !isnan(*to) || !strcmp(word, "nan");
}
/* Is the ball that number, of which the C library knows all bits but the last two?  What is none may be any. */
static inline bool is(const struct ball *b, double x)
{
    const double far = 4 * 0x1p-53 * fabs(x);
    return isnan(x) ? mpfr_nan_p(b->mid) || isinf(b_radius(b)) : isinf(x) ? b_value(b) == x && b_radius(b) == 0 :
                                                           fabs(b_value(b) - x) <= far && b_radius(b) <= 0x1p-55;
}
#endif

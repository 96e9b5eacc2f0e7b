/* Tries rules for sets of indices, the simplest first; see pattern.h. */
#include "diagnose/pattern.h"
#include <stdio.h>

struct set { const bool *in; const long *at; int n; long extent; char letter; };

/* The rules: a bound c, two bounds, or a period b with the remainder r. */
static bool is_one(long i, long c, long unused) { return (void)unused, i == c; }
static bool is_other(long i, long c, long unused) { return (void)unused, i != c; }
static bool from(long i, long c, long unused) { return (void)unused, i >= c; }
static bool between(long i, long least, long most) { return i >= least && i <= most; }
static bool period(long i, long b, long r) { return i % b == r; }

static bool holds(const struct set *s, bool (*rule)(long, long, long), long x, long y)
{
    for (int k = 0; k < s->n; k++)
        if (rule(s->at[k], x, y) != s->in[k])
            return false;
    return true;
}

/* Writes "n >= 96" and, where the last whole block of 4, 8, .. 256 ends there, that it does. */
static void say_from(const struct set *s, long c, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%c >= %ld", s->letter, c);
    bool any = false;
    for (long b = 4; b <= 256 && at < size; b *= 2)
        if (c && s->extent / b * b == c) {
            at += (size_t)snprintf(text + at, size - at, any ? ", %ld" : " (behind the last whole block of %ld", b);
            any = true;
        }
    if (any && at < size)
        snprintf(text + at, size - at, ")");
}

static bool say_period(const struct set *s, int members, char *text, size_t size)
{
    for (long b = 2; b <= 16; b++)
        for (long r = 0; r < b && members >= 2 && s->at[s->n - 1] >= 2 * b - 1; r++)
            if (holds(s, period, b, r)) {
                if (b == 2)
                    snprintf(text, size, "%c %s", s->letter, r ? "odd" : "even");
                else
                    snprintf(text, size, "%c mod %ld = %ld", s->letter, b, r);
                return true;
            }
    return false;
}

bool pattern_say(const bool *in, const long *at, int n, long extent, char letter, char *text, size_t size)
{
    const struct set s = { in, at, n, extent, letter };
    int members = 0;
    long least = 0, most = 0, out = 0;
    *text = 0;
    for (int k = 0; k < n; k++) {
        least = in[k] && !members ? at[k] : least, most = in[k] ? at[k] : most, out = in[k] ? out : at[k];
        members += in[k];
    }
    if (!members || members == n)
        return false;
    if (holds(&s, is_one, least, 0))
        snprintf(text, size, "%c = %ld", letter, least);
    else if (holds(&s, from, least, 0))
        say_from(&s, least, text, size);
    else if (members == n - 1 && holds(&s, is_other, out, 0))
        snprintf(text, size, "%c != %ld", letter, out);
    else if (holds(&s, between, 0, most))
        snprintf(text, size, "%c <= %ld", letter, most);
    else if (!say_period(&s, members, text, size) && holds(&s, between, least, most))
        snprintf(text, size, "%ld <= %c <= %ld", least, letter, most);
    return *text;
}

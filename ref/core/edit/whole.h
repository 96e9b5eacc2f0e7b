/* What a page does with whole numbers, and the conditions that it asks: distances, buckets, rows of tables, windows.
 * Each is known by the line that it is written on, as the operations of site.h are, and may be done differently there:
 * "edit=t5.c:31:over:right".  They are exact, and cost one comparison where no such edit is asked. */
#ifndef WHOLE_H
#define WHOLE_H
#include "edit/noted.h"

/* The whole number n after an operation (site_parts.h) that any count can have; n itself after others. */
long whole_edited(const struct ask *w, int op, long n);
/* A negative index of an axis of `extent`, which an edit has made, as Python reads it: from the end.  Other indices are
 * as they are. */
static inline long site_from_end(const struct ask *w, long i, long extent)
{
    return i < 0 && i >= -extent && sited(w) ? i + extent : i;
}
/* The index of an axis of `extent` at which a page writes, or reads numbers of its own; -1: under an edit it is none,
 * and nothing is written or read. */
static inline long site_written(const struct ask *w, long i, long extent)
{
    i = site_from_end(w, i, extent);
    return i >= 0 && i < extent ? i : -1;
}
/* What the operation of that kind gives of x and y, or of n, as the edit has it; for the functions below alone. */
long site_whole_edited(const struct ask *w, struct source at, long n);
long site_two_whole_edited(const struct ask *w, struct source at, enum site_kind kind, long x, long y);
long site_clip_edited(const struct ask *w, struct source at, long x, long least, long most);
bool site_truth_edited(const struct ask *w, struct source at, bool is);
bool site_both_edited(const struct ask *w, struct source at, bool x, bool y);

/* A whole number that a page has computed: a distance, a bucket, the row of a table, an integer input. */
static inline long site_whole(const struct ask *w, struct source at, long n)
{
    return sited(w) ? site_whole_edited(w, at, n) : n;
}
/* Of two whole numbers: how far they are apart (x - y), their sum and product, and the whole part of their quotient
 * and the rest of the division, where x >= 0 and y > 0. */
static inline long site_apart(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_APART, x, y) : x - y;
}
static inline long site_plus(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_PLUS, x, y) : x + y;
}
static inline long site_times(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_TIMES, x, y) : x * y;
}
static inline long site_over(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_OVER, x, y) : x / y;
}
static inline long site_rest(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_MOD, x, y) : x % y;
}
/* x where it is within least .. most, else the nearer of these. */
static inline long site_clip(const struct ask *w, struct source at, long x, long least, long most)
{
    return sited(w) ? site_clip_edited(w, at, x, least, most) : x < least ? least : x > most ? most : x;
}
/* Is x < y, is x <= y? */
static inline bool site_less(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_LESS, x, y) : x < y;
}
static inline bool site_most(const struct ask *w, struct source at, long x, long y)
{
    return sited(w) ? site_two_whole_edited(w, at, SITE_MOST, x, y) : x <= y;
}
/* A condition that a page asks, and two that both must hold. */
static inline bool site_truth(const struct ask *w, struct source at, bool is)
{
    return sited(w) ? site_truth_edited(w, at, is) : is;
}
static inline bool site_both(const struct ask *w, struct source at, bool x, bool y)
{
    return sited(w) ? site_both_edited(w, at, x, y) : x && y;
}

#define HERE_AS(text) ((struct source){ __FILE__, __LINE__, text })
#define counted(w, n) site_whole(w, HERE_AS(#n), n)
#define lag(w, x, y) site_apart(w, HERE_AS(#x " - " #y), x, y)
#define i_add(w, x, y) site_plus(w, HERE_AS(#x " + " #y), x, y)
#define i_mul(w, x, y) site_times(w, HERE_AS(#x " * " #y), x, y)
#define i_div(w, x, y) site_over(w, HERE_AS(#x " / " #y), x, y)
#define i_mod(w, x, y) site_rest(w, HERE_AS(#x " % " #y), x, y)
#define i_clip(w, x, least, most) site_clip(w, HERE_AS(#x), x, least, most)
#define i_less(w, x, y) site_less(w, HERE_AS(#x " < " #y), x, y)
#define i_at_most(w, x, y) site_most(w, HERE_AS(#x " <= " #y), x, y)
#define b_true(w, x) site_truth(w, HERE_AS(#x), x)
#define b_both(w, x, y) site_both(w, HERE_AS(#x " and " #y), x, y)
#endif

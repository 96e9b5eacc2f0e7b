/* Words of a profile that speak of all steps, or of all inputs, at once: "f32", "in=bf16".  Any other word about one of
 * them wins. */
#ifndef EVERY_H
#define EVERY_H
#include "row/row.h"

/* The half-ulps of a step that only such a word names, which are what libraries state of their functions; an addition
 * has one. */
enum { EVERY_ULPS = 4 };
/* Is the word a format alone ("f32"), which speaks of every step of the row and of its parts? */
bool every_step(const char *word);
/* Does the word begin with "in=", as "in=bf16", and so speak of every real input of the asked row? */
bool every_input(const char *word);
/* Writes what such words of `text` say of row r into an arithmetic that is zeroed but for its text and asked row.  The
 * answer is NULL, or what is wrong. */
const char *every_read(struct arith *a, const struct row *r, const char *text);
/* Translates a profile as people say it ("bf16 in, f32 sums", "f32, dot=f64") into words ("in=bf16 f32"), at most n
 * bytes with the final 0; `to` may not be `said`.  A format of sums is that of the whole arithmetic.  The answer is 0,
 * or -1 where the words do not fit. */
int every_plain(const char *said, char *to, size_t n);
#endif

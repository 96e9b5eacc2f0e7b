/* Words of a profile that speak of all steps, or of all inputs, at once: "f32", "in=bf16".  Any other word about one of
 * them wins. */
#ifndef EVERY_H
#define EVERY_H
#include "row/row.h"

/* Half-ulps of a step that only such a word names: what libraries state of their functions; an addition has one. */
enum { EVERY_ULPS = 4 };
/* "f64", "f32", "f16" or "bf16" alone: every step of the row and of its parts. */
bool every_step(const char *word);
/* "in=bf16": every real input of the asked row. */
bool every_input(const char *word);
/* What such words of `text` say of row r, written into a zeroed arithmetic, whose text and asked row are set.  NULL, or
 * what is wrong. */
const char *every_read(struct arith *a, const struct row *r, const char *text);
/* A profile as people say it, "bf16 in, f32 sums", "f32, dot=f64", in words ("in=bf16 f32"), at most n bytes; `to` may
 * not be `said`.  Sums are named for the whole arithmetic.  0, or -1: it is longer. */
int every_plain(const char *said, char *to, size_t n);
#endif

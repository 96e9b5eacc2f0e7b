/* Cache of exact values of recent questions, shared between subjects that are asked the same; bounds depend on the
 * subject's profile and are computed anew.  A question is the same when its quantity, its parameters except routes
 * (which change no real number), its stored format, its shapes and its inputs are equal byte for byte; long inputs are
 * known by a digest of 64 bits, since 32 of them would be gigabytes. */
#ifndef ANSWERS_H
#define ANSWERS_H
#include "trial/trial.h"
struct exact_answers *answers_open(void);    /* an empty cache; never NULL */
/* One that keeps bounds, too: for many subjects that are asked one question under one profile, as planted mistakes
 * are. */
struct exact_answers *answers_open_bounds(void);
void answers_close(struct exact_answers *a); /* frees it with all balls; NULL: does nothing */
struct answers_asked; /* one output of one question, owned by the cache; NULL: it is not cached */
/* The entry of output `out` (quantity q) of trial t, made where the cache has none; len: elements of a line.  NULL:
 * a is NULL, or the output has more than ANSWERS_MOST elements.  The entry stays valid until ANSWERS_KEPT other
 * questions were asked for. */
struct answers_asked *answers_asked(
    struct exact_answers *a, const struct trial *t, const struct quantity *q, const struct mer_array *out, long len);
enum { ANSWERS_KEPT = 32, ANSWERS_MOST = 1 << 16 }; /* entries; elements of an output, above which it is not cached */
/* YES: x[len] points to the balls of line `line`, which the entry owns, and what they cost is added to *c, the time
 * excepted.  NO: `asked` is NULL or has no such line yet. */
enum truth answers_line(const struct answers_asked *asked, long line, const struct ball **x, struct cost *c);
/* Copies the balls of line `line` and what they cost into the entry; `asked` NULL: does nothing. */
void answers_keep(struct answers_asked *asked, long line, const struct ball *const *x, const struct cost *c);
/* The same for the balls of a line's bound under arithmetic a of trial t, with its routes; an entry keeps those of one
 * arithmetic at a time.  false: the cache has none, or keeps no bounds. */
bool answers_bounds(
    struct answers_asked *asked, const struct trial *t, const struct arith *a, long line, const struct ball **b);
void answers_keep_bounds(
    struct answers_asked *asked, const struct trial *t, const struct arith *a, long line, const struct ball *const *b);
#endif

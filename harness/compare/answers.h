/* Exact values of the last questions, for the next subject that is asked the same: its own bounds it brings itself.  A
 * question is the same when quantity, parameters but for routes (which change no real number), stored format, shapes
 * and inputs are, byte for byte. */
#ifndef ANSWERS_H
#define ANSWERS_H
#include "trial/trial.h"
struct answers *answers_open(void);
void answers_close(struct answers *a); /* NULL: nothing */
struct asked; /* one output of one question; NULL: it is not kept */
/* a may be NULL.  What is found stays as long as fewer than ANSWERS_KEPT others are asked for. */
/* len: of a line */
struct asked *answers_asked(
    struct answers *a, const struct trial *t, const struct quantity *q, const struct mer_array *out, long len);
enum { ANSWERS_KEPT = 32, ANSWERS_MOST = 1 << 16 }; /* elements of one output, of all its lines: more are not kept */
/* Line `line`: copied pointers to balls that asked owns into x[len], its cost without the time to *c; NO: not there
 * yet. */
enum truth answers_line(const struct asked *asked, long line, const struct ball **x, struct cost *c);
/* asked may be NULL; a known line, and what it cost */
void answers_keep(struct asked *asked, long line, const struct ball *const *x, const struct cost *c);
#endif

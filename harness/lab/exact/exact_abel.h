/* B(s) = sum over j = 1 .. n of |S_j(s)|, S_j(s) = sum over i < j of e^(i s t_i): what bounds the score of a rotary
 * encoding at distance s by Abel's summation (Su et al. 2021, section 3.4.3), at every distance up to a million. */
#ifndef EXACT_ABEL_H
#define EXACT_ABEL_H
#include "row/row.h"

/* value[s], s = 0 .. last: B(s) in double, off by at most abel_error(n, s); owned. */
struct abel { long n, last; double *value; };
enum { ABEL_FAR = 1 << 20 };
/* n >= 1 frequencies, 0 <= last <= ABEL_FAR.  False where the frequencies' own enclosures are too wide for the bound of
 * errors; abel_close is due either way. */
bool abel_open(struct abel *a, struct ask *w, const struct ball *const *t, long n, long last);
void abel_close(struct abel *a);
double abel_error(long n, long s);
/* B(s) as a ball of w. */
const struct ball *abel_at(struct ask *w, const struct ball *const *t, long n, long s);
/* The first s in from .. last with B(s) < limit, decided by balls where double cannot; -1: none, -2: undecided. */
long abel_below(const struct abel *a, struct ask *w, const struct ball *const *t, long from, long limit);
/* The s in 0 .. last whose B(s) is least, the first of equals; -2: undecided.  Only candidates that doubles leave open
 * are compared as balls. */
long abel_least(const struct abel *a, struct ask *w, const struct ball *const *t, long last);
#endif

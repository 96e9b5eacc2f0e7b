/* A hypothesis: the row with a mistake, as an explanation of somebody's outputs.  Three readings of one page:
 *   fit    the balls of the declared arithmetic with the mistake: every honest implementation of the wrong variant lies
 *          in them
 *   says   the number that the mistake alone gives (its own steps rounded, everything else exact), and the radius of
 *          the declared arithmetic around it
 * Two hypotheses are one class on a line when what they say differs by no more than the sum of their radii, in every
 * element. */
#ifndef HYPOTHESIS_H
#define HYPOTHESIS_H
#include "compare/power.h"
#include "trial/trial.h"
struct place { int out; long line; };                /* a line of an output of a trial */
/* elements; outside their ball; that are finite; worst share of a ball used */
struct fit { long n, over, finite; double worst; struct power power; };
struct hypothesis {
    struct trial t;                                  /* owned; changed, and declared to round as it does */
    /* the mistake's own steps; the declared ones under the changed parameters */
    char alone[1100], bound[1100];
    uint64_t key;                                    /* equal for equal questions */
    struct arith how[3];
    struct ask ask[3];
};
/* Lines of every output of t, at most `lines` of each: all, or the random sample that judge_outputs takes.  How many,
 * at most room. */
int places_of(const struct trial *t, long lines, struct place *p, int room);
long place_len(const struct trial *t, const struct place *p); /* elements of the line */
/* t with `change` (and `second`, or NULL).  False: it cannot be, or asks what t asks.  change "": t itself.
 * hypothesis_close is due either way. */
bool hypothesis_open(struct hypothesis *h, const struct trial *t, const char *change, const char *second);
/* Of t's outputs; adds to f.  only: the elements of the line that count, or NULL: all. */
void hypothesis_fit(
    struct hypothesis *h, const struct trial *t, const struct place *p, const bool *only, struct fit *f);
/* The same of all elements, and which of them lie outside their balls: wrong[place_len]. */
void hypothesis_wrong(struct hypothesis *h, const struct trial *t, const struct place *p, bool *wrong, struct fit *f);
/* of place_len elements; false: undecided */
bool hypothesis_says(struct hypothesis *h, const struct place *p, double *value, double *radius);
/* one class on these elements */
bool says_same(const double *v, const double *r, const double *w, const double *s, long n);
/* Which operations its page makes on n lines of its outputs, added to all; h must look at them (edit_nowhere). */
void hypothesis_sites(struct hypothesis *h, const struct place *p, int n, struct sites *all);
void hypothesis_close(struct hypothesis *h);
#endif

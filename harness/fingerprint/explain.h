/* A beam through a row's parameters: from a few starts, one change at a time (a candidate value, a preset, what a
 * reader read, a rational fitted),
 * keeping the hypotheses that come closest to all answers and differ in what they say.  Several conventions at once are
 * found because none of them need explain anything whole by itself. */
#ifndef EXPLAIN_H
#define EXPLAIN_H
#include "fingerprint/guess.h"

struct explanation { char params[TEXT_MAX]; struct guess_fit fit; };
enum { KEPT = 10, TRAIL = 10 };
struct explain {
    const struct row *row;
    struct guess *guess;     /* [n], one a question */
    int n;
    const struct format *f;  /* of the answers */
    const char *hints;       /* "window=4 scale=1/3 window=5": values worth trying for a key */
    const char *const *told; /* whole suggestions, ends with NULL */
    double until;            /* on explain_time: searching is as long on a busy machine */
    bool thorough;           /* go on where everything is near already: what differs by little */
    long trials;
    char (*trail)[TEXT_MAX]; /* [TRAIL]: what was told, then the closest of each depth */
    int trail_n;
};

double explain_time(void); /* processor seconds of this thread */
/* best[KEPT], closest first, each saying something else.  How many. */
int explain(struct explain *x, const char *declared, struct explanation *best);
/* .miss infinite: undefined, or beyond most */
struct guess_fit explain_fit(struct explain *x, const char *params, double most);
void explain_canonical(const struct row *r, const char *text, char *to, size_t n); /* every key */
#endif

/* A beam search through a row's parameters: from a few starts, one change at a time (a candidate value, a preset,
 * what a reader has read, a fitted rational), keeping the hypotheses whose outputs come closest to all answers and
 * differ from each other.  Several conventions at once are found because no single one of them has to explain
 * everything by itself. */
#ifndef EXPLAIN_H
#define EXPLAIN_H
#include "fingerprint/guess.h"

/* A hypothesis (every parameter of the row) and how well it fits the answers. */
struct explanation { char params[TEXT_MAX]; struct guess_fit fit; };
enum { KEPT = 10, TRAIL = 10 };
/* A search: what it is about, and what it has tried. */
struct explain {
    const struct row *row;
    struct guess *guess;     /* [n], one for each question; borrowed */
    int n;
    const struct format *f;  /* the format of the answers */
    const char *hints;       /* values worth trying for parameters, "window=4 scale=1/3 window=5" */
    const char *const *told; /* whole sets of parameters to start from; ends with NULL */
    double until;            /* when to stop, on the clock explain_time, so that a busy machine searches as long */
    bool thorough;           /* goes on where every answer is near already, to tell hypotheses that differ by little */
    long trials;
    char (*trail)[TEXT_MAX]; /* [TRAIL]: the parameters declared, then the closest hypothesis of each depth */
    int trail_n;
};

double explain_time(void); /* processor seconds of this thread */
/* Searches; fills best[KEPT], the closest first, all with different outputs. declared: parameters to start from, or
 * NULL. Returns how many. */
int explain(struct explain *x, const char *declared, struct explanation *best);
/* How well the answers fit the outputs under these parameters.  The search of a question set stops once its miss
 * exceeds `most`; .miss is infinite then, and where the parameters are undefined. */
struct guess_fit explain_fit(struct explain *x, const char *params, double most);
/* writes the text with every parameter of the row, in order, into to[TEXT_MAX] */
void explain_canonical(const struct row *r, const char *text, char *to, size_t n);
#endif

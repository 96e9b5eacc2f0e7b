/* What was recorded of a model's stages, and judging it.
 * Where the stages are there, each is judged by itself: a block is given the numbers that were recorded before it, and
 * what was recorded behind it must lie in its balls, which hold every implementation of the declared arithmetic.  So a
 * bound is that of one block, at any depth.  Logits alone are judged over all blocks at once, where bounds grow some
 * hundredfold with each: a line of which no element lies outside what the line's own mean would meet says nothing. */
#ifndef WEIGHTS_JUDGED_H
#define WEIGHTS_JUDGED_H
#include "lab/weights/walk.h"

/* hidden[layers + 1][n][c], as stages 0 .. layers (walk.h), or NULL; logits[n][v]. */
struct record { float *hidden, *logits; long n; };
/* Looks on at a pass of own kernels and keeps it in `to`, which the caller owns. */
struct keeping { struct stages stages; struct record *to; const struct foreign *m; };
/* Gives `to` its memory; its n is set. */
void keeping_open(struct keeping *k, struct record *to, const struct foreign *m);

/* Looks on at a pass of pages, judges `of`, and prints a line for each stage. */
struct stage_judge {
    struct stages stages;
    const struct record *of;
    const struct foreign *m;
    bool json;
    long over, untold;                    /* elements outside their bounds; lines whose bounds tell nothing */
};
/* Begins; of, m and json are set. */
void judged_open(struct stage_judge *j);
/* After the pass: "PASS", "FAIL" where something lies outside, or "VACUOUS" where nothing does, but some line's bounds
 * are so wide that its mean fits. */
const char *judged_verdict(const struct stage_judge *j);
#endif

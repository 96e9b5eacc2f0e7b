/* The lines on which causes are tried: a sample of each output, what the declared row makes of them, and the two where
 * it fails worst, on which most hypotheses end. */
#ifndef SPOTS_H
#define SPOTS_H
#include "diagnose/hypothesis.h"
enum { SPOT_LINES = 16, SPOT_MORE = 64, SPOTS = TRIAL_OUT * SPOT_MORE };
/* a line, and which of its elements the declared row does not explain; malloc'd */
struct spot { struct place p; bool *wrong; };
struct spots {
    const struct trial *t;
    struct spot at[SPOTS], sharp[2]; /* sharp: two of the others, by the share of a ball and by elements */
    int n, sharps;                   /* sharps 0: the declared row explains every line */
    long all, declared;              /* elements of the lines; of them as declared */
    uint64_t own;                    /* key of the declared question (hypothesis.h) */
    bool poisoned;                   /* some input holds what is no number */
};
/* The first lines of every output, or where those are all right more of them, of which the failing ones are kept; fewer
 * where they take longer than a tenth of `seconds` of processor time.  spots_close is due. */
void spots_open(struct spots *s, const struct trial *t, double seconds);
/* A hypothesis on the sharpest lines, and on all.  f is added to.  of_the_wrong: only elements
 * that the declared row does not explain count. */
void spots_sharp(const struct spots *s, struct hypothesis *h, bool of_the_wrong, struct fit *f);
void spots_all(const struct spots *s, struct hypothesis *h, bool of_the_wrong, struct fit *f);
/* What it says on every element and how far the declared arithmetic reaches around that: says[all], radius[all].  The
 * mean log2 of the distance to what was given, never below half an ulp of the store. */
double spots_says(const struct spots *s, struct hypothesis *h, double *says, double *radius);
void spots_close(struct spots *s);
#endif

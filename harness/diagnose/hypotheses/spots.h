/* The lines of a failure on which hypotheses are tried: a sample of each output with the elements that the declared row
 * does not explain, and the two lines where it fails worst, which exclude most hypotheses. */
#ifndef SPOTS_H
#define SPOTS_H
#include "diagnose/hypotheses/hypothesis.h"
/* Lines of each output in the sample; in a second sample where the first has no failure; room for all. */
enum { SPOT_LINES = 16, SPOT_MORE = 64, SPOTS = TRIAL_OUT * SPOT_MORE };
/* A line, and which of its elements the declared row does not explain: wrong[place_len], owned by struct spots. */
struct spot { struct place p; bool *wrong; };
struct spots {
    const struct trial *t;           /* borrowed */
    struct spot at[SPOTS], sharp[2]; /* sharp: the worst by share of a ball, and by wrong elements; borrows from at */
    int n, sharps;                   /* sharps: how many different ones; 0: the declared row explains every line */
    long all, declared;              /* elements of the n lines; those that the declared row explains */
    double worst;                    /* the largest share of its ball that an element uses as declared */
    struct hypothesis own;           /* the declared question; open until spots_close */
    bool poisoned;                   /* some real input holds NaN */
};
/* Samples SPOT_LINES lines of every output of t, as judge_outputs does, fewer where they take longer than a tenth of
 * `work` (hypothesis_work).  Where all are right, goes through SPOT_MORE lines and keeps the failing ones, for at most
 * `work`.  spots_close is due. */
void spots_open(struct spots *s, const struct trial *t, double work);
/* Adds to f how a hypothesis explains the sharp lines, or all lines.  of_the_wrong: only elements that the declared row
 * does not explain count.  The sharp lines are for exclusion: their balls are rough; brief: the second line is left out
 * where the first excludes the hypothesis. */
void spots_sharp(const struct spots *s, struct hypothesis *h, bool of_the_wrong, bool brief, struct fit *f);
void spots_all(const struct spots *s, struct hypothesis *h, bool of_the_wrong, struct fit *f);
/* Writes the numbers of a hypothesis for every element, and the declared radii: says[all], radius[all]; 0 and no end of
 * a radius for what was never written.  Returns the mean log2 of the distance between them and the outputs, each at
 * least half an ulp of the output's format. */
double spots_says(const struct spots *s, struct hypothesis *h, double *says, double *radius);
/* Whether these numbers of a hypothesis are none at some element that is one. */
bool spots_mute(const struct spots *s, const double *says);
void spots_close(struct spots *s);
#endif

/* The certified half of a fingerprint: answers against balls, and the sharpest arithmetic that holds them. */
#ifndef JUDGED_H
#define JUDGED_H
#include "fingerprint/explain.h"
#include "fingerprint/fingerprint.h"

enum { QUESTIONS = 8 };
struct judged {
    struct trial t[QUESTIONS];   /* questions with the subject's answers */
    long elements[QUESTIONS];    /* of each that are looked at */
    int n;
    long of, vague;              /* vague: elements of the last judgement whose balls decide nothing */
    struct fingerprint *f;       /* profile is the arithmetic judged under */
};
void judged_count(struct judged *x, int k);                                   /* question k is there */
struct guess_fit judged_by(struct judged *x, const char *params, double most);      /* given up beyond most misses */
void judged_storage(struct judged *x);                                        /* f->storage */
/* Of the hypotheses, simplest first, n >= 1, the first that explains all under the sharpest arithmetic, else the one
 * that explains most: f->params,
 * explained, vague, profile, as_declared, coarse.  hopeless: nothing comes near, so that coarse arithmetic is not
 * tried. */
void judged_choose(struct judged *x, const char *declared, char (*h)[TEXT_MAX], int n, bool hopeless);
#endif

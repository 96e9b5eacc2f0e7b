/* The certified half of a fingerprint: compares answers with balls and finds the sharpest arithmetic that holds
 * them. */
#ifndef JUDGED_H
#define JUDGED_H
#include "fingerprint/explain.h"
#include "fingerprint/fingerprint.h"

enum { QUESTIONS = 8 };
/* The questions that are judged, with their answers. */
struct judged {
    struct trial t[QUESTIONS];   /* the questions with the subject's answers */
    long elements[QUESTIONS];    /* how many elements of each question are compared */
    int n;
    /* of: elements in all; vague: those that the last judgement could not decide, as their balls are too wide */
    long of, vague;
    /* The most that an arithmetic explains which holds every answer, but leaves more undecided than it explains. */
    struct { long in, vague; char params[TEXT_MAX], profile[1024]; bool declared; } held;
    /* Exact values of the questions under the parameters that were asked last, owned by judged_choose; and the question
     * that refuted last, which is asked first where one miss is enough. */
    struct exact_answers *answers;
    int hot;
    double until;                /* when to stop, on the clock explain_time: what is dear to judge stays unexplained */
    struct fingerprint *f;       /* profile is the arithmetic to judge under */
};
/* adds the elements of question k, which was answered, to the counts */
void judged_count(struct judged *x, int k);
/* how many elements these parameters explain under f->profile; given up beyond `most` misses */
struct guess_fit judged_by(struct judged *x, const char *params, double most);
void judged_storage(struct judged *x);                                        /* sets f->storage */
/* Chooses from the hypotheses h[n], simplest first, n >= 1, the first that explains everything under the sharpest
 * arithmetic, else the one that holds everything, but decides less than half (f->undecided), else the one that explains
 * most; sets f->params, explained, vague, profile, as_declared, undecided and coarse.
 * hopeless: nothing comes near, so coarse arithmetic is not tried.  The first hypothesis is judged in any case, others
 * until x->until. */
void judged_choose(struct judged *x, const char *declared, char (*h)[TEXT_MAX], int n, bool hopeless);
#endif

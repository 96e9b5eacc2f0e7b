/* Quick hypotheses: what a question's outputs would be under other parameters, by the project's kernels where one
 * offers them (microseconds), else by the page.  They are float32 and not certified; they serve the search, and what
 * it finds is judged by balls. */
#ifndef GUESS_H
#define GUESS_H
#include "trial/trial.h"
/* t: the question in float32, owned; asked: the question with the subject's answers, borrowed; slow: no kernel
 * offers it */
struct guess { struct trial t; const struct trial *asked; bool slow; };
/* Opens hypotheses for a question with the subject's outputs, which must outlive g. 0, or -1 and err; guess_close is
 * due either way. */
int guess_open(struct guess *g, const struct trial *asked, char *err, size_t n);
void guess_close(struct guess *g);
/* Fills g->t's outputs under "key=value ..", which override the question's own parameters. false: undefined, or
 * outputs of another shape. */
bool guess_run(struct guess *g, const char *params);

/* elements that are near; elements compared; sum of log2(1 + distance / noise) over them */
struct guess_fit { long in, of; double miss; };
/* Adds to *fit how far the answers lie from g->t's outputs, in units of the noise of format f (of float32's, where f
 * is sharper). */
void guess_fit(const struct guess *g, const struct format *f, struct guess_fit *fit);
#endif

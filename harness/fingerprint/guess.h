/* Quick hypotheses: what a question's outputs would be under other parameters, by the own kernels where one offers them
 * (microseconds), else by
 * the page.  Float32, not certified: for searching; what is found is judged by balls afterwards. */
#ifndef GUESS_H
#define GUESS_H
#include "trial/trial.h"
/* t: the question in float32; asked: with the answers */
struct guess { struct trial t; const struct trial *asked; bool slow; };
/* asked: with the subject's outputs; outlives g.  0, or -1 and err. */
int guess_open(struct guess *g, const struct trial *asked, char *err, size_t n);
void guess_close(struct guess *g);
/* Fills g->t's outputs under "key=value ..." said after the question's own parameters.  False: undefined, or of another
 * shape. */
bool guess_run(struct guess *g, const char *params);

struct guess_fit { long in, of; double miss; }; /* elements near; compared; sum of log2(1 + distance / noise) */
/* Distance of the answers from g->t's outputs, noise of format f; adds to *fit. */
void guess_fit(const struct guess *g, const struct format *f, struct guess_fit *fit);
#endif

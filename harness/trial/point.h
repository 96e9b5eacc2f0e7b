/* One line of one quantity, as the command line of eval, why and others asks for it: arrays that flags give, others
 * generated. */
#ifndef POINT_H
#define POINT_H
#include "core/cli.h"
#include "trial/trial.h"
/* w.at: the leading indices, w.len: elements of the line; y[w.len]: room for their balls, owned; k: the one element
 * that is asked for, or -1. */
struct point { struct trial t; const struct quantity *q; struct ask w; const struct ball **y; long k; };
/* Makes the case in float64.  steps: words that are added to the parameters (those of a contract, which may name a
 * route), or "".  0, or an exit status after one line on stderr; point_close is due either way. */
int point_open(struct point *p, const struct cli *c, const char *steps);
void point_close(struct point *p);
/* The flags that these verbs share.  An input is given by --NAME=1,2; where NAME is one of these flags that is refused,
 * and --in NAME=1,2 gives the input, as it does for every input. */
extern const struct flag point_flags[];
/* Writes "name[2,1|7]": the output, the leading indices and element k. */
void point_name(const struct point *p, long k, char *text, size_t n);
#endif

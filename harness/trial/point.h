/* One line of one quantity, asked from the command line: arrays from flags, the rest from the generator. */
#ifndef POINT_H
#define POINT_H
#include "core/cli.h"
#include "trial/trial.h"
/* k: the element asked for, or -1 */
struct point { struct trial t; const struct quantity *q; struct ask w; const struct ball **y; long k; };
/* `steps`: the arithmetic's text (a contract), or "".  0, or an exit status after one line on stderr; then point_close
 * is still due. */
int point_open(struct point *p, const struct cli *c, const char *steps);
void point_close(struct point *p);
/* at, k, in, digits, contract, seed, json.  An input is given by --NAME; where that is one of these flags --NAME is
 * refused, and --in NAME= gives the input, which is right for every input. */
extern const struct flag point_flags[];
/* "name[2,1|7]" */
void point_name(const struct point *p, long k, char *text, size_t n);
#endif

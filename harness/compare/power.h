/* What a bound can tell: a bound that admits outputs which need no understanding of the row shows nothing. */
#ifndef POWER_H
#define POWER_H
#include "trial/trial.h"

/* Outputs that need no understanding of the row: 0, 1, and every real input that has the output's last axis, averaged
 * over the
 * axes the output lacks (x itself; the mean of v).  A bound that admits one of them on every element shows nothing. */
/* 24 outputs of a block, each with 0, 1 and its inputs; those beyond 24 were once not counted */
enum { POWER_TRIVIAL = 640 };
/* wide: elements that admit it and what is 1/32 larger, or where it is no input */
struct power { struct { const char *out; char name[24]; long n, fits, wide; } at[POWER_TRIVIAL]; int used, last; };
/* Counts one element of an output into p: for each trivial output whether the ball b admits it.  at, k: where it
 * stands; f: the format it is rounded to. */
void power_count(struct power *p, const struct trial *t, const struct quantity *q, const struct mer_array *out,
    const long *at, long k, const struct ball *b, const struct format *f);
/* Whether some trivial output is admitted on every element that was counted. */
bool power_vacuous(const struct power *p);
/* The same of a wrong variant: what answers an input, and nothing that is a little larger, is no wide ball but a fault
 * with a cause ("nothing is turned"). */
bool power_wide(const struct power *p);
/* least share of elements that reject a trivial output; which */
double power_of(const struct power *p, const char **name);
#endif

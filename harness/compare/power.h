/* The power of a bound: which trivial outputs it would admit.  A bound that admits an output which needs no
 * understanding of the row shows nothing. */
#ifndef POWER_H
#define POWER_H
#include "trial/trial.h"

/* Trivial outputs are 0, 1, and every real input that has the output's last axis, averaged over the axes that the
 * output lacks (x itself; the mean of v). */
/* room for 24 outputs of a block, each with 0, 1 and its inputs; what does not fit is not counted */
enum { POWER_TRIVIAL = 640 };
/* For each trivial output: the output it stands for, its name, elements counted, elements whose bound admits it,
 * and of these the ones whose bound also admits a value 1/32 larger (for 0, wide equals fits); loose: whose bound
 * admits another number as well, and is no statement that the value is this trivial one. used: entries; last: the
 * one counted last, where the search begins. */
struct power {
    struct { const char *out; char name[24]; long n, fits, wide, loose; } at[POWER_TRIVIAL];
    int used, last;
};
/* Counts one element of an output into p: for each trivial output, whether the ball b admits it. s: the signature of
 * the quantity; at, k: where the element stands, as in tally_add; f: the format that it is rounded to. */
void power_count(struct power *p, const struct trial *t, const struct sign *s, const struct mer_array *out,
    const long *at, long k, const struct ball *b, const struct format *f);
/* Whether some trivial output is admitted on every element counted. */
bool power_vacuous(const struct power *p);
/* The same for a wrong variant, with `wide` in place of `fits`: a variant that gives an input back and admits
 * nothing a little larger has not too wide a bound but a fault with a cause ("nothing is turned").  Nor has one that
 * makes one output exactly 0 and another not. */
bool power_wide(const struct power *p);
/* The same with `loose`: of lines that a wrong variant leaves 0 (a lost tail), a bound of 0 alone says something. */
bool power_loose(const struct power *p);
/* The least share of elements that rejects a trivial output, from 0 to 1, and the name of that output ("none": every
 * one is rejected everywhere). */
double power_of(const struct power *p, const char **name);
#endif

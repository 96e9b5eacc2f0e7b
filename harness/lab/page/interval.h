/* Intervals and tests of a mean over seeds, paired or not, without tables of quantiles.
 *
 * Two intervals are made, and what is said is said by the wider end of each:
 *   Student's over the seeds: it holds what differs between trainings and, since every seed draws its own questions,
 *   what differs between questions too
 *   Wilson's score interval of all trials of all seeds, for a share (Wilson 1927), and of the difference of two shares
 *   by Newcombe 1998, method 10: where the seeds agree by chance, as in 5 of 5 or 0 of 5, it still has a width
 * The questions of two sides are the same, so their shares are correlated: method 10 takes them for independent and is
 * on the wide side. */
#ifndef INTERVAL_H
#define INTERVAL_H
#include <stdbool.h>

struct interval { double low, high; };

/* P(T > t) of Student's distribution; freedom >= 1.  Its error is below 2^-40 for freedom up to 2^10. */
double student_above(double t, long freedom);
/* The t with P(|T| <= t) = level, 0 < level < 1; freedom >= 1. */
double student_point(double level, long freedom);
/* The z with P(|Z| <= z) = level of the normal distribution, 0 < level < 1. */
double normal_point(double level);
/* Wilson's interval of a share of `trials` trials, trials > 0; z as of normal_point. */
struct interval wilson(double share, double trials, double z);

/* Differences over n seeds; and the two shares they are the differences of with their trials over all seeds: trials[0]
 * 0 where they are no shares. */
struct sample { const double *x; long n; double share[2], trials[2]; };
double sample_mean(const struct sample *s);
/* Whether an interval can be had: two seeds that differ, or trials to count. */
bool sample_spreads(const struct sample *s);
/* The interval of the mean at that level; both ends NaN where sample_spreads says no. */
struct interval sample_interval(const struct sample *s, double level);
/* The same of a mean share over n seeds, trials over all seeds (0: it is no share). */
struct interval mean_interval(const double *x, long n, double trials, double level);
/* The one-sided p of "the mean is at most m" (sign 1) or "at least m" (sign -1): the least alpha for which the interval
 * of level 1 - 2 alpha lies beyond m on the other side; 1 where the mean itself does not. */
double sample_beyond(const struct sample *s, double m, int sign);
/* Holm 1979: adjusts p[n] in place, so that what is at most alpha is rejected at a familywise level of alpha. */
void holm(double *p, long n);
#endif

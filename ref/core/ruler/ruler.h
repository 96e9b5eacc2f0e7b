/* The one place that turns (exact ball, got) into numbers.  Definition: u(x) = 2^(max(floor(log2|x|), emin) - p + 1).
 *   ulp    (got - x) / u(x), signed, as the nearest double; an infinity stands for 2^(emax+1)
 *   gauge  (|got - x| + radius) / (2^-p G + n eta)      G: the same formula on absolute values; eta = 2^(emin-p+1), and
 *          n roundings that may underflow; G = 0 demands an exact 0
 * Classes are verdicts of their own, never magic numbers; the sign of a zero is counted where the real number has a
 * sign. */
#ifndef RULER_H
#define RULER_H
#include "ball/ball.h"
enum class { SAME_CLASS, WAS_NAN, WAS_INF, NOT_INF, FLUSHED, ZERO_SIGN, CLASSES };
extern const char *const class_name[CLASSES];
struct reading {
    /* error is |got - exact| + radius, rounded up.  What is no number reads as NaN, and so fails every `<=`. */
    double ulp, gauge, error;
    bool decided;             /* Does the whole ball round to one value of f? */
    /* Is that value what was got (either zero for zero)?  Never true where nothing was decided. */
    bool correct;
    enum class class;
};
/* The distance of `got` from a ball, in units of format f; takes no memory.  An undecided reading needs a sharper
 * ball. */
struct reading ruler_read(const struct ball *exact, double got, const struct format *f);
/* Answers 0, or the number of the first case that failed; cheap enough for every start of the program. */
int ruler_self_test(void);
#endif

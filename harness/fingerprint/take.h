/* Finds out what conventions a subject has, by asking it.
 *   1  A few questions, random and asymmetric, in shapes that the mistakes of its row name, where each convention
 *      shows; the first one is asked twice.
 *   2  Readers (harness/reader/): questions whose answers can be read: which keys a query sees, which channels are a
 *      pair, what equal scores sum to.
 *   3  explain.h: the parameters of the row that come closest to the answers of 1, starting from what 2 has read.
 *   4  These parameters, judged by balls: under the declared arithmetic, then float64 throughout, float32 throughout,
 *      one coarse step, float16, bfloat16.
 * The subject is not believed to do what it was told.  Elements that nothing explains are counted and reported. */
#ifndef FINGERPRINT_TAKE_H
#define FINGERPRINT_TAKE_H
#include "fingerprint/fingerprint.h"
#include "subject/subject.h"

/* Takes the fingerprint of kernel k into *f. declared: parameters sent with every question, or "": the row's
 * defaults, and where the subject answers none of those questions, its presets in turn. 0; -1 and err: no question
 * was answered; -MER_CRASHED and err: it crashed, hung or broke the protocol. */
int fingerprint_take(const struct subject *s, const struct mer_kernel *k, const char *declared, struct fingerprint *f,
    char *err, size_t n);
#endif

/* Frequencies and amplitude of the reference in MPFR, and the table entries that follow from them. */
#ifndef WAVES_H
#define WAVES_H
#include <stddef.h>
#include <stdint.h>
#include <mpfr.h>

enum { WAVES_BITS = 400 };
/* The frequencies w[pairs] at WAVES_BITS, with a relative error below 2^-330, and the amplitude likewise. */
struct waves { long pairs; mpfr_t *w, amplitude; };
/* Reads them from the page of the row (rope: freq and amplitude) or from the formula (sinusoid). 0, or -1 and err;
 * waves_close is due after 0. */
int waves_open(struct waves *w, const char *row, const char *params, char *err, size_t n);
void waves_close(struct waves *w);
/* cos and sin = A cos and A sin of p w_k, with an error below 2^-250 max(1, A); |p| <= 2^53 */
void waves_at(const struct waves *w, int64_t p, long k, mpfr_t cos, mpfr_t sin);
#endif

/* A position table as an implementation computes it, in native floating point: the operations of a rounding contract,
 * bit for bit.  Frequencies are the page's own values under the contract; position, phase and table are rounded here:
 *     x = position(p + origin)
 *     angle = phase(x w_k), or as ggml iterates it, phase(..phase(phase(x q) q)..) with k products by q, then the
 *     multiplier of the scaling law
 *     c = table(cos angle)        s = table(sin angle)
 * The amplitude A and the stored format are no part of it: cos and sin are as they are before A multiplies them. */
#ifndef CONTRACT_H
#define CONTRACT_H
#include <mpfr.h>
#include "row/row.h"
#include "context/cosine.h"

/* A table under a rounding contract; all arrays are owned. */
struct contract {
    const struct row *row;
    long pairs;                       /* K, the number of frequencies */
    /* of sinusoid: what is added to every position; and the position (before that) whose row is zero, or -1 */
    int64_t origin, padding;
    /* formats of the three roundings; position NULL: positions are integers and stay exact */
    const struct format *position, *phase, *table;
    double *freq;                     /* [K], rounded as the contract says; 0: the pair is not rotated */
    mpfr_t *exact;                    /* [K], the real frequencies, with a relative error below 2^-200 */
    bool iterated;                    /* angles are products, as ggml computes them */
    double ratio;                     /* q, where iterated */
    /* [K]: the law's multiplier x -> x near + (x / divisor) far */
    struct multiplier { double near, far; mpq_t divisor; bool divides, blends; } *law;
};
/* positions are below 2^29, so that products with 24-bit frequencies are exact in a double */
enum { CONTRACT_BITS = 29 };
/* Opens a contract. row: "rope" or "sinusoid"; params: the row's; text: a contract of the row by name, or its words.
 * 0, and contract_close is due; or -1 and one line in err, with nothing to close. */
int contract_open(struct contract *c, const char *row, const char *params, const char *text, char *err, size_t n);
void contract_close(struct contract *c);
double contract_position(const struct contract *c, int64_t pos);     /* the rounded position, origin included */
double contract_angle(const struct contract *c, int64_t pos, long k);  /* the rounded angle of pair k */
/* applies the law's multiplier to x, which is after k products, and rounds to phase */
double contract_scaled(const struct contract *c, long k, double x);
/* the same of x[WAVE] at once, into y[WAVE]: the same bits, element by element */
void contract_scaled_wave(const struct contract *c, long k, const double *x, double *y);
/* table(cos or sin) of this double; NaN where it is infinite */
double contract_wave(const struct contract *c, double angle, bool is_sin);
/* contract_wave of contract_angle. */
double contract_value(const struct contract *c, int64_t pos, long k, bool is_sin);
/* y = the real value, with an error below 2^-150 */
void contract_exact(const struct contract *c, int64_t pos, long k, bool is_sin, mpfr_t y);
#endif

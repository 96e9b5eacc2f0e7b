/* A position table as an implementation computes it, natively: the float operations of a rounding contract, bit for
 * bit. Frequencies are the page's own values under the contract; position, phase and table are rounded here:
 *     x = position(p + origin)    angle = phase(x w_k), or ggml's phase(..phase(phase(x q) q)..) q k times, then the
 *     law's multiplier
 *     c = table(cos angle)        s = table(sin angle)
 * Amplitude and storage are no part of it: both cos and sin are as used before A multiplies them. */
#ifndef CONTRACT_H
#define CONTRACT_H
#include <mpfr.h>
#include "row/row.h"
#include "context/cosine.h"

struct contract {
    const struct row *row;
    long pairs;                       /* K */
    /* sinusoid: added to every position; the position (before origin) whose row is zero, or -1 */
    int64_t origin, padding;
    const struct format *position, *phase, *table; /* position NULL: integers as they are */
    double *freq;                     /* [K] rounded as the contract says; 0 = the pair never turns */
    mpfr_t *exact;                    /* [K] the real frequencies, relative error below 2^-200 */
    bool iterated;
    double ratio;                     /* iterated: q */
    /* [K] x -> x near + (x / divisor) far */
    struct multiplier { double near, far; mpq_t divisor; bool divides, blends; } *law;
};
enum { CONTRACT_BITS = 29 };          /* positions below 2^29: products with 24-bit frequencies are exact in a double */
/* row: rope or sinusoid; params: the row's; text: a contract of the row by name, or its words.  0, or -1 and one line
 * in err. */
int contract_open(struct contract *c, const char *row, const char *params, const char *text, char *err, size_t n);
void contract_close(struct contract *c);
double contract_position(const struct contract *c, int64_t pos);     /* rounded position, origin included */
double contract_angle(const struct contract *c, int64_t pos, long k);
/* iterated: the law's multiplier on x, after k products; rounded to phase */
double contract_scaled(const struct contract *c, long k, double x);
/* table(cos or sin of this very double); NaN if infinite */
double contract_wave(const struct contract *c, double angle, bool is_sin);
double contract_value(const struct contract *c, int64_t pos, long k, bool is_sin);
/* the real value, error below 2^-150 */
void contract_exact(const struct contract *c, int64_t pos, long k, bool is_sin, mpfr_t y);
#endif

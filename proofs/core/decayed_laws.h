/* Laws of rows of the recurrence without a delta rule: each is row gla of other inputs.  Each is the `holds` of a
 * law. */
#ifndef DECAYED_LAWS_H
#define DECAYED_LAWS_H
#include "law.h"
/* gla with gate=logsigmoid tau=16 is, under no params, gla of a = log sigmoid(a) / 16. */
enum truth decayed_gated(const struct row *r, const char *params, uint64_t seed);
/* gla with decays of 1 is row linear without phi and division. */
enum truth decayed_idle(const struct row *r, const char *params, uint64_t seed);
/* Four heads of retention without a rotation are gla of scale 1/sqrt(d) with decays 31/32, 63/64, 127/128, 255/256. */
enum truth decayed_retained(const struct row *r, const char *params, uint64_t seed);
/* Two heads of gamma=linspace have the decays 31/32 and 511/512. */
enum truth decayed_spread(const struct row *r, const char *params, uint64_t seed);
/* What rotates q and k does the same in front of rotation=none: row rope with layout=interleaved, at 3 + t. */
enum truth decayed_rotated(const struct row *r, const char *params, uint64_t seed);
/* And rotation=xpos the same as row xpos. */
enum truth decayed_stretched(const struct row *r, const char *params, uint64_t seed);
/* A rotation of all positions by 5 more changes no output of a call without a state. */
enum truth decayed_shifted(const struct row *r, const char *params, uint64_t seed);
/* Four heads of lightning's layer 2 of 5 are gla of x / (1 + e^-x) with logarithms of decays -4^-(h+1) (1/2 + 1e-5). */
enum truth decayed_lightning(const struct row *r, const char *params, uint64_t seed);
/* Of 3 heads slopes=alibi has those of 2 heads, then the first of 4. */
enum truth decayed_three(const struct row *r, const char *params, uint64_t seed);
/* o of linear is the quotient of two calls of gla, of v and of v = 1, of phi(q) and phi(k) with phi = elu + 1. */
enum truth decayed_quotient(const struct row *r, const char *params, uint64_t seed);
/* Where v is 1 throughout, from the first state on, linear's o is 1. */
enum truth decayed_mean(const struct row *r, const char *params, uint64_t seed);
/* Without causality the order of keys and values changes nothing. */
enum truth decayed_unordered(const struct row *r, const char *params, uint64_t seed);
#endif

/* Laws of rows of the recurrence (ref/core/state/state.h), each asked of any of them: whether a row has decays, of
 * tokens or of channels, and a strength, its signature says.  Each is the `holds` of a law. */
#ifndef STATE_LAWS_H
#define STATE_LAWS_H
#include "law.h"
/* The recurrence is its pairwise form; of raw keys and scale 1. */
enum truth state_unrolled(const struct row *r, const char *params, uint64_t seed);
/* Calls of every size, each given the last state of the one before, are one call without params; the first of each cut
 * is asked under params. */
enum truth state_joined(const struct row *r, const char *params, uint64_t seed);
/* Where beta is 0 the last state is what the decays leave of the first. */
enum truth state_idle(const struct row *r, const char *params, uint64_t seed);
/* Where beta and the length of the key are 1, the state answers v to the key just given. */
enum truth state_projected(const struct row *r, const char *params, uint64_t seed);
/* A turn of two channels of q, k and the state changes nothing; of a row with decays of channels, their exchange. */
enum truth state_turned(const struct row *r, const char *params, uint64_t seed);
/* o and final are linear in v and the first state together. */
enum truth state_linear(const struct row *r, const char *params, uint64_t seed);
/* A token whose key is 0 and whose decay is 1 changes nothing behind it. */
enum truth state_silent(const struct row *r, const char *params, uint64_t seed);
/* Four value heads of two key heads are four calls. */
enum truth state_grouped(const struct row *r, const char *params, uint64_t seed);
/* gate=softplus and strength=sigmoid with beta_max=2 are, under no params, what their formulas make. */
enum truth state_gated(const struct row *r, const char *params, uint64_t seed);
/* A row with decays of channels, all alike in a token, is row gateddelta. */
enum truth state_alike(const struct row *r, const char *params, uint64_t seed);
/* A decay of 1 throughout leaves row deltanet. */
enum truth state_undecayed(const struct row *r, const char *params, uint64_t seed);
#endif

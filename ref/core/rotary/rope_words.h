/* Row rope asked by rows that change its tables: cosines and sines at any position, a turn by tables of their own. */
#ifndef ROPE_WORDS_H
#define ROPE_WORDS_H
#include "row/row.h"
extern const struct row *const rope_parts[]; /* The parts of a row that asks row rope alone. */
struct rope_words { long dim; mpq_srcptr base; bool interleaved; };
/* y[len] of row rope at one position: cos or sin [dim/2], or freq, which reads none. */
void rope_at(struct ask *w, struct rope_words p, const char *out, double pos, long len, const struct ball **y);
/* y[dim]: line at[0], at[1] of the input x turned by t = [cos | sin], or (back) of dy turned back. */
void rope_turn(struct ask *w, struct rope_words p, bool back, const struct ball **t, const struct ball **y);
#endif

/* What a trained model's positions do, as tables over positions and distances, so that another program needs no row's
 * formula: each is what the row's own operation gives, for all positions below trained.positions. */
#ifndef TABLES_H
#define TABLES_H
#include "lab/export/trained.h"
#include "lab/weights/released.h"

/* Computes places[positions][c], which a model adds to the vectors of tokens, into to; a model without is left alone.
 * 0, or -1 and one line. */
int tables_places(const struct trained *t, float *to, char *err, size_t n);
/* Computes the vectors[v][c] that tokens have: row embedding's, which multiplies the trained table by the root of the
 * width.  0, or -1 and one line. */
int tables_vectors(const struct trained *t, float *to, char *err, size_t n);
/* All blocks of the model under their names, and the tables that it needs, of P = positions places or distances i - j
 * of a query i and a key j before it, where a name may have the number of a layer and a dot before it:
 *   places [P,c]; words [P,v,c], in place of token; turn.q, turn.k [P,d,d], what q and k are multiplied by;
 *   bias [h,P] by distance, or [h,P,P] by query and key; and relative.h's
 * *scale: of the scores.  The list is released_free's, and begins empty.  0, or -1 and one line: an encoding that no
 * such tables say. */
int tables_of(const struct trained *t, struct released *list, double *scale, char *err, size_t n);
#endif

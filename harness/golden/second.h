/* Questions with the reference's own answers as text, for a second system that shares none of its code (tests/second).
 * One JSON object a line:
 *   source    "golden", "pack", "random" or "kept"
 *   id, row, quantity, sign (the signature), sizes (letter: extent)
 *   params    name: [kind, value], every parameter; kind: "integer", "rational", "choice", "list" or "route"
 *   in        name: {"shape": [..], "integer": true, "v": [..]}; real numbers are hexfloats, exact
 *   shape     of the output
 *   lines     [{"at": leading indices, "k": first element, "y": [[midpoint, radius], ..], "told": ".."}]; midpoint: all
 *             its bits as a hexfloat, or inf, -inf, nan, or "undefined" (the whole line); radius: upward, 0 is exact;
 *             told: of a golden line, what data/golden says. */
#ifndef SECOND_H
#define SECOND_H
#include "golden/golden.h"
enum { SECOND_BITS = 200 }; /* relative precision that answers are asked for: 60 decimal digits */
/* told: NULL, or the golden line of this trial, whose one element is asked; else up to `lines` lines. */
void second_ask(FILE *f, const char *source, const char *id, struct trial *t, const struct golden *told, long lines);
/* A question at random: preset, parameters drawn apart from it, sizes, inputs.  Row and quantity come in turn with the
 * number k.  0, or -1: none of some tries could be made; then t is closed. */
int second_draw(struct trial *t, const struct row *row, uint64_t seed, uint64_t k);
/* The questions of a file in this form, one a line, with today's answers, up to `lines` lines each; what the
 * file says of answers is not read.  0, or -1 with one line in err; what was asked before it stands. */
int second_asked(FILE *f, FILE *from, long lines, char *err, size_t n);
#endif

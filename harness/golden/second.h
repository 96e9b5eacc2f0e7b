/* Questions with the reference's answers as text, for a second system that shares no code with it (tests/second).
 * One JSON object a line:
 *   source    "golden", "pack", "random" or "kept"
 *   id, row, quantity, sign (the signature), sizes (letter: extent)
 *   params    name: [kind, value], every parameter; kind: "integer", "rational", "choice", "list" or "route"
 *   in        name: {"shape": [..], "integer": true, "v": [..]}; real numbers are hexfloats, exact
 *   shape     of the output
 *   lines     [{"at": leading indices, "k": first element, "y": [[midpoint, radius], ..], "told": ".."}]; midpoint: all
 *             its bits as a hexfloat, or inf, -inf, nan, or "undefined" (the whole line); radius: rounded upward, 0:
 *             exact; told: what data/golden says, where the question is a golden line. */
#ifndef SECOND_H
#define SECOND_H
#include "golden/golden.h"
enum { SECOND_BITS = 200 }; /* relative precision that answers are asked for: 60 decimal digits */
/* Writes the question t and its answers to f as one line. told: the golden line of this trial, of which the one
 * element is asked; NULL: up to `lines` lines of the output are. */
void second_ask(FILE *f, const char *source, const char *id, struct trial *t, const struct golden *told, long lines);
/* Draws a question: preset, parameters drawn apart from it, sizes and inputs; the number k goes through rows and
 * quantities in turn. 0, and trial_close(t) is due; -1: none of several tries could be made, and t is closed. */
int second_draw(struct trial *t, const struct row *row, uint64_t seed, uint64_t k);
/* Reads questions in this form from `from`, one a line, and writes them to f with today's answers, up to `lines`
 * lines each; the answers in the file are not read. 0, or -1 and one line in err; what was written before it stays. */
int second_asked(FILE *f, FILE *from, long lines, char *err, size_t n);
#endif

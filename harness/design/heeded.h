/* The questions by which `judge` sees that a kernel reads each parameter.  Presets give most parameters one value, and
 * a kernel that never reads such a parameter answers all of them rightly.  So each parameter gets other values here, in
 * a question whose answer they change: one that the right answer to the preset alone would fail.  First it is one under
 * any preset, then under each, since a kernel has branches. */
#ifndef HEEDED_H
#define HEEDED_H
#include "design/random.h"

/* What came of it.  of: the parameters of the row, routes apart; told: those for which a question with another value
 * was answered; untold: the names of those that no question told, since nothing that was tried changes the answer, or
 * the row or the kernel refuses it; late: the budget was spent before all were tried. */
struct heeded { long asked, of, told; char untold[300]; bool late; double seconds; };
/* Asks them for at most `budget` seconds of judging.  taken: the claim about the sizes that the kernel takes, declared
 * or found (offered.h), or NULL.  The first question that fails or crashes becomes a finding of its own in s, sets
 * *fails, and is the last. */
void heeded_questions(struct sink *s, const struct random_of *of, const struct declared *taken, double budget,
    struct heeded *h, bool *fails);
#endif

/* Whether a cause explains a failure: its balls hold every element of a sample of lines, and hold them because of what
 * they say. */
#ifndef JOINT_EXPLAINS_H
#define JOINT_EXPLAINS_H
#include "diagnose/diagnose.h"
/* LINES of each output, PLACES in all, are compared when an explanation is tried on a failure. */
enum { PLACES = 96, LINES = 24 };
/* Whether e explains every element (every wrong one, where it is partly) of a sample of lines of t, by balls that no
 * trivial output fits.  Balls that hold anything say nothing: where there are such, e must say something of some wrong
 * elements all the same.  f: how; where e contradicts no element, f->over is 0. */
bool explains(const struct trial *t, const struct reason *e, struct fit *f);
/* t with its output o alone: *view, which borrows all from t and is not closed. */
const struct trial *output_alone(const struct trial *t, int o, struct trial *view);
extern const struct mistake never_written; /* what explains_unwritten says */
/* Whether some elements of the sample are wrong and the subject wrote none of them: then where they are is the fault,
 * and d says so. */
bool explains_unwritten(const struct trial *t, struct diagnosis *d);
/* How the declared row explains the elements of the sample of lines. */
struct fit fit_as_declared(const struct trial *t);
/* Rewrites a change such as "layout+=1" as what it means in t, "layout=half", under the id that the row's list has for
 * it. */
void name_in_question(const struct trial *t, struct mistake *m);
/* Is every element of t's outputs 0, or no number?  Too much gives such an answer for a search to be worth its work. */
bool outputs_give_nothing(const struct trial *t);
#endif

/* Conditions under which a cause acts: a word of the parameters, "form=hierarchical", or that a parameter has not one
 * word, "window!=0". */
#ifndef JOINT_CONDITION_H
#define JOINT_CONDITION_H
#include "trial/trial.h"
/* Whether the question is one under that condition; "": every one is. */
bool under_holds(const struct trial *t, const char *under);
/* Whether the text is such a condition of the row. */
bool under_is(const struct row *r, const char *text);
#endif

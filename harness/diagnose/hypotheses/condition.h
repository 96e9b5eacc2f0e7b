/* Conditions under which a cause acts: a word of the parameters, "form=hierarchical"; that a parameter has not one
 * word, "window!=0"; or that an optional input is given, "bias". */
#ifndef CONDITION_H
#define CONDITION_H
#include "trial/trial.h"
enum { UNDER = 64 }; /* bytes of one */
/* Whether the question is one under that condition; "": every one is. */
bool under_holds(const struct trial *t, const char *under);
/* Whether the text is such a condition of the row. */
bool under_is(const struct row *r, const char *text);
/* Whether it is one of an input. */
bool under_input(const char *under);
/* Writes " under form=hierarchical", " where bias is given", or "" for none. */
const char *under_says(const char *under, char *text, size_t n);
/* Writes the word of the parameters, "" for none, that puts question k = -1, 0, 1 .. of row r under the condition: of
 * "causal!=none" other words in turn, of "dim!=16" the number `is` and others. */
void under_word(const struct row *r, const char *under, const char *is, int k, char word[UNDER]);
#endif

/* Other words for a change of parameters: what one failure cannot tell apart, as a fixed value and one that is a step
 * away from what is declared, another failure may. */
#ifndef REWORD_H
#define REWORD_H
#include "trial/mistake.h"
#include "trial/trial.h"
/* A change as trial_change reads it, "" for none, and what it does. */
struct reworded { char change[96], effect[160]; };
/* Writes "layout=interleaved" as "layout+=1" where half is declared and interleaved is the next word of the list, to
 * r[0], and of more than two words as "half<>interleaved", to r[1]; nothing for any other kind of change. */
void word_moved(const struct trial *t, const char *change, struct reworded r[2]);
/* Writes the number parameters that the change of m alters, with their new values: "window=4" for "window+=1" where 3
 * is declared. */
void values_after(const struct trial *t, const struct mistake *m, char *text, size_t n);
#endif

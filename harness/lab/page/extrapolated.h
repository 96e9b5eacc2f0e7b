/* What the page of `meridian extrapolate` and its figures are of. */
#ifndef EXTRAPOLATED_H
#define EXTRAPOLATED_H
#include "lab/train/design.h"
/* The kind of the page in a sentence; its studies, `studies` of them; the parameters of training that were set beside
 * the design, "" where none were; the entropy in bits of single symbols of its text, and how many characters of it one
 * is in the mean.  All texts are borrowed. */
struct extrapolated {
    const char *kind;
    const struct study *study;
    long studies;
    const char *set;
    double unigram, characters;
};
/* What a symbol of a task's text is called. */
static inline const char *symbol_of(const struct task *t)
{
    return t->reads == TEXT_SUBWORDS ? "subword" : "character";
}
#endif

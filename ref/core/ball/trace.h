/* What a question does with the words of its profile: which of them some rounding read, which as a sum, and whether one
 * contradicts the question (a tree of
 * height 3 for 40 terms).  Whoever wants to know lends a zeroed one to the ask; it fills as pages run, under ROUND and
 * under WIDEN. */
#ifndef TRACE_H
#define TRACE_H
#include "ball/ball.h"
enum { TRACE_TEXT = 2048 };
struct trace {
    bool used[TRACE_TEXT], summed[TRACE_TEXT]; /* by where the word begins in the text of the profile */
    /* some rounding was made: a switch such as ftz has something to act on */
    bool rounded;
    int last; /* the word that was read last, as it is counted below: what a line's last element ended with; 0: none */
    char impossible[200];                      /* one line; "": no contradiction was met */
};
static inline void trace_word(struct trace *t, int word, bool as_sum) /* word: 1 + its place in the text, 0: none */
{
    if (t && word > 0 && word <= TRACE_TEXT)
        t->last = word, *(as_sum ? &t->summed[word - 1] : &t->used[word - 1]) = t->rounded = true;
}
/* A sum of n terms at step s: does its declared structure allow that?  Else impossible says so. */
void trace_sum(const struct ask *w, int s, long n);
void trace_impossible(const struct ask *w, const char *why);
#endif

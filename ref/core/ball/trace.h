/* What a question does with the words of its profile: which of them some rounding read, which of them as a sum, and
 * whether one contradicts the question (a tree of height 3 for 40 terms).  Whoever wants to know lends a zeroed struct
 * trace to the ask; it fills as pages run, under ROUND and under WIDEN. */
#ifndef TRACE_H
#define TRACE_H
#include "ball/ball.h"
enum { TRACE_TEXT = 2048 };
struct trace {
    bool used[TRACE_TEXT], summed[TRACE_TEXT]; /* The index is where the word begins in the text of the profile. */
    /* Some rounding was made, so that a switch such as ftz has something to act on. */
    bool rounded;
    /* The word that was read last, counted as in trace_word, which is that of a line's last element; 0: none. */
    int last;
    char impossible[200];                      /* One line that says why, or "" where no contradiction was met. */
};
/* Notes that a rounding read the word which begins at `word` - 1 of the profile's text, as that of a sum or of a single
 * number.  Where `word` is 0 there was no word, and nothing is noted; nor is it where t is NULL: nobody wants to
 * know. */
static inline void trace_word(struct trace *t, int word, bool as_sum)
{
    if (t && word > 0 && word <= TRACE_TEXT)
        t->last = word, *(as_sum ? &t->summed[word - 1] : &t->used[word - 1]) = t->rounded = true;
}
/* Notes a sum of n terms at step s; where its declared structure has no room for them, w->trace->impossible says so. */
void trace_sum(const struct ask *w, int s, long n);
/* Notes why a word contradicts the question, in one line; the first reason stays. */
void trace_impossible(const struct ask *w, const char *why);
#endif

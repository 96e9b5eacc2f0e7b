/* Notes which words of a profile a question reads, and sums whose declared tree is too low. */
#include "ball/trace.h"
#include <stdio.h>
#include <string.h>

void trace_impossible(const struct ask *w, const char *why)
{
    if (w->trace && !*w->trace->impossible)
        snprintf(w->trace->impossible, sizeof w->trace->impossible, "%s", why);
}

void trace_sum(const struct ask *w, int s, long n)
{
    const struct rounding *r = &w->arith->at[s];
    const int least = tree_height(n);
    if (!r->f)
        return;
    trace_word(w->trace, r->word, true);
    if (!r->height || r->height >= least)
        return;
    /* The word as it was declared, with its structure; a sum that no word declares has none. */
    const char *word = r->word > 0 && w->arith->text ? w->arith->text + r->word - 1 : "sum";
    char why[200];
    snprintf(why, sizeof why, "%.*s contradicts the question: %ld terms need a tree of height %d at least",
        (int)strcspn(word, " "), word, n, least);
    trace_impossible(w, why);
}

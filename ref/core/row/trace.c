#include "row/trace.h"
#include <stdio.h>
#include "row/row.h"

void trace_impossible(const struct ask *w, const char *why)
{
    if (w->trace && !*w->trace->impossible)
        snprintf(w->trace->impossible, sizeof w->trace->impossible, "%s", why);
}

/* A tree of additions of height h joins at most 2^h terms. */
void trace_sum(const struct ask *w, int s, long n)
{
    const struct rounding *r = &w->arith->at[s];
    int least = 0;
    if (!w->trace || !r->f)
        return;
    trace_word(w->trace, r->word, true);
    while (least < 62 && 1L << least < n)
        least++;
    if (!r->height || r->height >= least)
        return;
    char why[200];
    size_t len = 0;
    const struct row *row = w->call && w->call->row ? row_named(w->call->row) : NULL;
    const char *name = row ? row_step(row, s, &len) : NULL;
    snprintf(why, sizeof why, "%.*s=%s/h%d contradicts the question: %ld terms need a tree of height %d at least", (int)(name ? len : 3), name ? name : "sum", r->f->name, r->height, n, least);
    trace_impossible(w, why);
}

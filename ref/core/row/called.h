/* What a page that calls another row's page says in words, parameters, arithmetic and quantity, read once for all lines
 * of one asker. */
#ifndef CALLED_H
#define CALLED_H
#include "row/row.h"
struct called {
    const struct row *row;
    const struct quantity *quantity;
    /* 1 + where the arithmetic names a route of this row ("rope.route=iterated"); 0: nowhere */
    int route_word;
    int lead;                      /* indices before the bar of its signature */
    void *params;                  /* owned, as row_params(row) lays them out */
    struct arith arith;            /* in the row's own scope */
    char *out, *words, *text;      /* owned: the quantity's name, the parameters, the asker's arithmetic */
    struct called *next;
};
/* These words read, kept with w's memo as long as that lives.  NULL: words that the row does not take (row_takes),
 * which whoever bound w's arrays should have refused (row->misfit); the reason goes to w's trace.  w->arith->text may
 * be NULL: no roundings. */
const struct called *read_call(struct ask *w, const struct row *r, const char *out, const char *words);
#endif

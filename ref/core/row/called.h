/* What a page that calls another row's page says in words, parameters, arithmetic and quantity, read once for all lines
 * of one asker. */
#ifndef CALLED_H
#define CALLED_H
#include "row/row.h"
/* Routes of a part whose words are noted as read; a row has no more. */
enum { CALLED_ROUTES = 4 };
struct called {
    const struct row *row;
    const struct quantity *quantity;
    /* 1 + where the asker's arithmetic names routes of this row ("rope.route=iterated"), as far as there is room; 0: no
     * more of them. */
    int route_word[CALLED_ROUTES];
    int lead;                      /* So many indices stand before the bar of the quantity's signature. */
    void *params;                  /* The parameters as row_params(row) lays them out, owned. */
    struct arith arith;            /* The asker's arithmetic in this row's own scope. */
    char *out, *words, *text;      /* The quantity's name, the parameters and the asker's arithmetic; all are owned. */
    struct called *next;
};
/* These words read, kept with w's memo as long as that lives.  NULL: words that the row does not take (row_takes),
 * which whoever bound w's arrays should have refused (row->misfit); the reason goes to w's trace.  w->arith->text may
 * be NULL: no roundings. */
const struct called *read_call(struct ask *w, const struct row *r, const char *out, const char *words);
/* For the refuse of a row r whose page hands its parameters `names` ("base layout") and the words `more` on to the row
 * `part`: why that one refuses them, or NULL.  The text lives until the thread's next call. */
const char *part_refuses(
    const struct row *part, const struct row *r, const void *params, const char *names, const char *more);
#endif

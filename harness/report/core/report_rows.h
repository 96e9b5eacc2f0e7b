/* The pages of the report that are one row's or one model's. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H
#include "page/site.h"
/* Makes temporary tables of what the rows themselves say: defined (quantities), parameter, convention (presets and
 * contracts), wrong (named mistakes).  0, or -1 and the database's message. */
int rows_describe(sqlite3 *db);
/* The comment at the top of ref/ROW.c, or NULL. */
const char *row_paper(const char *row);
/* A page a row: its formulas, what it defines, who means what by it, what was measured, known mistakes, what was found
 * in libraries, and how to judge one's own. */
void rows_pages(struct page *p);
/* The cards of all published models, on the page at hand; and where the card of a model is, "" where it has none. */
void model_cards(struct page *p);
void card_link(sqlite3 *db, const char *model, char *url, size_t n);
#endif

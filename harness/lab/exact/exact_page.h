/* A section of facts that no training changes (exact_facts.h), for a page whose other numbers are measured. */
#ifndef EXACT_PAGE_H
#define EXACT_PAGE_H
#include "page/page.h"
/* Makes the TEMP TABLE fact(topic, of, what, value, low, high) of the facts that take no more than a second.  0, or -1
 * and one line in err. */
int facts_table(sqlite3 *db, char *err, size_t n);
void facts_part(struct page *p);
#endif

/* Inserts lines into the temporary tables that a page queries. */
#ifndef INSERT_H
#define INSERT_H
#include <sqlite3.h>
/* Inserts one line.  kinds: a letter for each column in the table's order, which tells the type of its argument: t
 * const char *, i int64_t, d double (NaN becomes NULL).  0, or an SQLite code. */
int insert_line(sqlite3 *db, const char *table, const char *kinds, ...);
#endif

/* A line of a temporary table that a page queries. */
#ifndef INSERT_H
#define INSERT_H
#include <sqlite3.h>
/* kinds: a letter a column, in the table's order: t const char *, i int64_t, d double (NaN becomes NULL).  0, or an
 * SQLite code. */
int insert_line(sqlite3 *db, const char *table, const char *kinds, ...);
#endif

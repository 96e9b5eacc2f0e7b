/* A query as text: aligned columns, or one JSON object a row.  NULL and "" print as "-". */
#ifndef TABLE_H
#define TABLE_H
#include <sqlite3.h>
#include <stdio.h>
/* how many rows, or -1: sqlite3_errmsg(db) says why */
long table_text(FILE *f, sqlite3 *db, const char *sql);
long table_json(FILE *f, sqlite3 *db, const char *name, const char *sql);  /* {"table":name, column: text, ..} */
#endif

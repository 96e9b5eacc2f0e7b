/* Prints the result of a query. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H
#include <sqlite3.h>
#include <stdio.h>
/* As aligned columns; NULL and "" are printed as "-".  Returns how many rows; -1: sqlite3_errmsg(db) says why not. */
long table_text(FILE *f, sqlite3 *db, const char *sql);
/* As one JSON object a row, {"table":name, column: text, ..}.  Returns the same. */
long table_json(FILE *f, sqlite3 *db, const char *name, const char *sql);
#endif

/* Prints the results of queries for a terminal and for programs. */
#include "store/table.h"
#include <jansson.h>
#include <string.h>

enum { COLUMNS = 32 };

static const char *cell(sqlite3_stmt *q, int k)
{
    const char *s = (const char *)sqlite3_column_text(q, k);
    return s && *s ? s : "-";
}

long table_text(FILE *f, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int width[COLUMNS] = { 0 }, n;
    long rows = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        return -1;
    n = sqlite3_column_count(q) < COLUMNS ? sqlite3_column_count(q) : COLUMNS;
    for (int k = 0; k < n; k++)
        width[k] = (int)strlen(sqlite3_column_name(q, k));
    while (sqlite3_step(q) == SQLITE_ROW)
        for (int k = 0; k < n; k++)
            width[k] = (int)strlen(cell(q, k)) > width[k] ? (int)strlen(cell(q, k)) : width[k];
    sqlite3_reset(q);
    for (; sqlite3_step(q) == SQLITE_ROW; rows++) {
        for (int k = 0; k < n && !rows; k++)
            fprintf(f, "%-*s%s", k == n - 1 ? 0 : width[k], sqlite3_column_name(q, k), k == n - 1 ? "\n" : "  ");
        for (int k = 0; k < n; k++)
            fprintf(f, "%-*s%s", k == n - 1 ? 0 : width[k], cell(q, k), k == n - 1 ? "\n" : "  ");
    }
    sqlite3_finalize(q);
    return rows;
}

long table_json(FILE *f, sqlite3 *db, const char *name, const char *sql)
{
    sqlite3_stmt *q = NULL;
    long rows = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        return -1;
    for (; sqlite3_step(q) == SQLITE_ROW; rows++) {
        json_t *o = json_pack("{s:s}", "table", name);
        for (int k = 0; k < sqlite3_column_count(q); k++)
            json_object_set_new(o, sqlite3_column_name(q, k), json_string(cell(q, k)));
        json_dumpf(o, f, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', f);
        json_decref(o);
    }
    sqlite3_finalize(q);
    return rows;
}

/* Inserts lines into temporary tables; see insert.h. */
#include "lab/exact/insert.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int insert_line(sqlite3 *db, const char *table, const char *kinds, ...)
{
    sqlite3_stmt *q = NULL;
    char sql[200];
    va_list of;
    size_t at = (size_t)snprintf(sql, sizeof sql, "INSERT INTO temp.%.40s VALUES(", table);
    for (size_t k = 0; kinds[k] && at < sizeof sql; k++)
        at += (size_t)snprintf(sql + at, sizeof sql - at, k ? ",?" : "?");
    if (at + 2 > sizeof sql)
        return SQLITE_TOOBIG;
    strcpy(sql + at, ")");
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
    va_start(of, kinds);
    for (int k = 0; kinds[k] && !rc; k++)
        rc = kinds[k] == 't' ? sqlite3_bind_text(q, k + 1, va_arg(of, const char *), -1, SQLITE_STATIC) :
            kinds[k] == 'i'  ? sqlite3_bind_int64(q, k + 1, va_arg(of, int64_t)) :
                               sqlite3_bind_double(q, k + 1, va_arg(of, double));
    va_end(of);
    rc = rc ? rc : sqlite3_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    sqlite3_finalize(q);
    return rc;
}

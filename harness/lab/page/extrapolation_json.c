/* Writes the tables of the page as JSON; see extrapolation_json.h. */
#include "lab/page/extrapolation_json.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/files.h"

static json_t *cell(sqlite3_stmt *q, int k)
{
    switch (sqlite3_column_type(q, k)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, k));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(q, k)); /* NULL for an infinity: json_null below */
    case SQLITE_NULL: return json_null();
    default: return json_string((const char *)sqlite3_column_text(q, k));
    }
}

/* The lines of a table; an empty array where it was not made. */
static json_t *lines_of(sqlite3 *db, const char *table)
{
    char sql[80];
    sqlite3_stmt *q = NULL;
    json_t *all = json_array();
    snprintf(sql, sizeof sql, "SELECT * FROM temp.%.40s", table);
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) == SQLITE_OK)
        while (sqlite3_step(q) == SQLITE_ROW) {
            json_t *one = json_object();
            for (int k = 0; k < sqlite3_column_count(q); k++) {
                json_t *value = cell(q, k);
                json_object_set_new(one, sqlite3_column_name(q, k), value ? value : json_null());
            }
            json_array_append_new(all, one);
        }
    sqlite3_finalize(q);
    return all;
}

int extrapolation_json(sqlite3 *db, const char *path, char *err, size_t n)
{
    static const char *const tables[] = { "asked", "mean", "gate", "fact", "context", "reach" };
    json_t *all = json_object();
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        json_object_set_new(all, tables[k], lines_of(db, tables[k]));
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    json_decref(all);
    const int rc = text ? file_replace(path, text, strlen(text), err, n) : (snprintf(err, n, "no memory"), -1);
    free(text);
    return rc;
}

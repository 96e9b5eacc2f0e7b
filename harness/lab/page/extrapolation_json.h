/* Every number of the page of `meridian extrapolate` as one JSON object, for who plots or tests it elsewhere. */
#ifndef EXTRAPOLATION_JSON_H
#define EXTRAPOLATION_JSON_H
#include <sqlite3.h>
#include <stddef.h>
/* Writes what extrapolation_page has put into the temporary tables of db, an array of objects each: asked, mean, gate,
 * fact, and of texts context and reach where there are any.  Numbers have all their digits, NULL is null.  The file is
 * replaced as a whole.  0, or -1 and one line in err. */
int extrapolation_json(sqlite3 *db, const char *path, char *err, size_t n);
#endif

/* Where in a JSON text a value stands, by its path; refusals name that place. */
#ifndef LINE_PLACE_H
#define LINE_PLACE_H
#include <stddef.h>
/* Line and column, from 1, of the key or list entry that a path like "claims[2].sizes.n" names; where it is not
 * there, of the nearest enclosing value that is. text[n] must have been read as JSON without an error. */
void json_place(const char *text, size_t n, const char *path, int *line, int *column);
#endif

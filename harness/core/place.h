/* Where in a JSON text a value is, by its path: what a refusal says beside it. */
#ifndef PLACE_H
#define PLACE_H
#include <stddef.h>
/* Line and column, from 1, of the key or list entry that a path like "claims[2].sizes.n" names; of its nearest holder
 * that is there, where it is not. text: n bytes that were read as JSON. */
void json_place(const char *text, size_t n, const char *path, int *line, int *column);
#endif

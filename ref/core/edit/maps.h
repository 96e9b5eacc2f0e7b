/* Maps of an index by name: what a loop, a stride or a tile that is wrong makes of it. */
#ifndef EDIT_MAPS_H
#define EDIT_MAPS_H
#include <stdbool.h>
#include <stddef.h>

/* The list ends with NULL. */
struct index_map { const char *name, *says; };
extern const struct index_map index_maps[];
/* The number of the map with this name of n bytes; -1: none. */
int index_map_named(const char *name, size_t n);
/* Does the map change an index of such an axis, and not take all of it away? */
bool index_tells(int map, long extent);
/* Does it take all of it away, as the tail of an axis that is shorter than a block?  A longer axis may tell it from 0
 * everywhere. */
bool index_empties(int map, long extent);
/* Does the map read some place of such an axis more than once? */
bool index_merges(int map, long extent);
/* The first map of the list that does the same to an axis of that extent. */
int index_first(int map, long extent);
/* Where index i of an axis of `extent` reads under the map; -1: nowhere, and what is read is 0. */
long index_mapped(int map, long i, long extent);
#endif

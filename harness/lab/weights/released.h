/* A list of named arrays of float32, as they are written into a checkpoint: made of a model's weights by a class
 * (class.h), or of what the laboratory has trained. */
#ifndef RELEASED_H
#define RELEASED_H
#include "meridian.h"

/* of: owned, with the names and the data of its n arrays. */
struct released { struct mer_array *of; size_t n; };
/* Adds an array of zeros of these extents, slowest first, up to the first 0, to a list in whose `of` there is room for
 * one more.  Returns its data, which the list owns. */
float *released_add(struct released *list, const char *name, int64_t a, int64_t b, int64_t c, int64_t d);
/* Frees arrays and list, and leaves an empty one. */
void released_free(struct released *list);
#endif

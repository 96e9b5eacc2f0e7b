/* The reader of a pack, and a case as its pack.json records it: parameters by path, arrays by name, and which of them a
 * question has taken. */
#ifndef RECORDED_H
#define RECORDED_H
#include <jansson.h>
#include "row/row.h"

/* An open pack.  at, view, batch: the case, its view and its batch that come next; of: the output that this view asks
 * for, or ""; read: an object that collects the files of the arrays that questions took, or NULL; told: whether the
 * arithmetic came from a rule of data/names and not from the case's own words. */
struct pack { char dir[256]; json_t *root; size_t at; int view; long batch; char of[32]; json_t *read; bool told; };
/* Notes in p->read, unless that is NULL, that the array `key` of the inputs or outputs of c was taken. */
void pack_took(const struct pack *p, json_t *c, bool out, const char *key);
/* A value of the case's parameters by its path, "attributes.num_heads"; NULL: it is not there. */
json_t *recorded_at(json_t *params, const char *path);
/* Whether the key is "q_shape" and the case has an array q: such a parameter states the layout of the array. */
bool recorded_shape(json_t *c, const char *key);
/* The file of the array of that name among the case's inputs or outputs, borrowed; NULL: it has no such array. */
json_t *recorded_array(json_t *c, const char *key);
/* The axes of the array `name` of the row, by the signature of output `of` if that has it, else of any; points into *s.
 * NULL: the row has no such array. */
const struct axes *pack_axes(const struct row *r, const char *of, const char *name, bool out, struct sign *s);
struct near;
/* Offers the names of r's inputs, or outputs, to the search for the nearest name. */
void pack_near(struct near *x, const struct row *r, bool out);
#endif

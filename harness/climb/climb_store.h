/* What climbs found, in a results store: questions asked, largest shares and escapes accumulate over runs and
 * processes. */
#ifndef CLIMB_STORE_H
#define CLIMB_STORE_H
#include "climb/climb_run.h"
#include "store/store.h"

/* A table of the results: its name, the line above it, and the query that makes it. */
struct climb_table { const char *name, *caption, *sql; };
/* Tables by row, by step, and of escapes, over everything that the file holds; the list ends with name NULL. */
extern const struct climb_table climb_tables[];
/* Stores a run and what it found as one item. 0, or -1 and one line. */
int climb_keep(struct store *s, const struct climb_run *r, const struct climb_found *f, char *err, size_t n);
#endif

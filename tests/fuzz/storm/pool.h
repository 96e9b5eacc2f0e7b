/* Words for command lines and files: names out of the program's own tables, numbers, paths, and what nobody expects. */
#ifndef STORM_POOL_H
#define STORM_POOL_H
#include "row/row.h"
#include "script.h"

/* One of the rows. */
const struct row *pool_row(struct dice *d);
/* The name of the output of a quantity of r. */
const char *pool_output(struct dice *d, const struct row *r);
/* Adds a name of any kind that the tables of row r know: outputs, presets, contracts, parameters, steps, checks,
 * slots, types, axes. */
void pool_name(struct dice *d, struct bytes *t, const struct row *r);
/* Adds a value for parameter p, mostly one that it may have; and "name=value ..." of up to three of r's parameters. */
void pool_param(struct dice *d, struct bytes *t, const struct param *p);
void pool_params(struct dice *d, struct bytes *t, const struct row *r);
void pool_number(struct dice *d, struct bytes *t); /* mostly a small one */
/* empty, huge, negative, no number, control bytes, no UTF-8, very long .. */
void pool_extreme(struct dice *d, struct bytes *t);
/* Adds a path, and to the case the lines that put something there. */
void pool_path(struct dice *d, struct bytes *t, struct script *s);
/* Adds a subject (own kernels, a pack, a library) and a command of a process, with the lines they need. */
void pool_subject(struct dice *d, struct bytes *t, struct script *s);
/* A value for what the help calls `value`: "ROW", "FILE", "DIR", "COMMAND", "60", "f32", "NAMES" .. */
void pool_value(struct dice *d, struct bytes *t, const char *value, const struct row *r, struct script *s);
#endif

/* Statements of a recording about its own arrays and words: which it has, how they differ, which are equal.  They are
 * rules of data/names, checked in each case; statement.h has the statements about the question. */
#ifndef RECORDED_H
#define RECORDED_H
#include "pack/names.h"
#include "pack/pack.h"

/* A case, and the trial that one of its views became; r: the rule; v: what the case says there. */
struct recorded { const struct pack *p; json_t *c; struct trial *t; const struct rule *r; json_t *v; };
/* Checks the statement.  0: it holds; 1: it does not, and err says in one line what is recorded; -1: the rule is of no
 * kind of this file, and err is unchanged. */
int recorded_hold(const struct recorded *of, char *err, size_t n);
/* A value of the case's parameters by its path, "attributes.num_heads"; NULL: it is not there. */
json_t *recorded_at(json_t *params, const char *path);
/* Whether the key is "q_shape" and the case has an array q: such a parameter states the layout of the array. */
bool recorded_shape(json_t *c, const char *key);
#endif

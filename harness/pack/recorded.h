/* Statements of a recording about its own arrays and words: which it has, how they differ, which are the same.  They
 * are rules of data/names, each checked case by case; statement.h has those about the question. */
#ifndef RECORDED_H
#define RECORDED_H
#include "pack/names.h"
#include "pack/pack.h"

/* A case, and the trial that one of its views became; r: the rule; v: what the case says there. */
struct recorded { const struct pack *p; json_t *c; struct trial *t; const struct rule *r; json_t *v; };
/* Of a kind that is none here: -1, and err is left alone.  0: it holds; 1: it does not, and one line says what is. */
int recorded_hold(const struct recorded *of, char *err, size_t n);
/* A value of the case's parameters by its path, "attributes.num_heads"; NULL: it is not there. */
json_t *recorded_at(json_t *params, const char *path);
/* "q_shape", where the case has an array q: the layout is read from it, or held against it. */
bool recorded_shape(json_t *c, const char *key);
#endif

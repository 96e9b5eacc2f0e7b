/* Evaluates the expressions of data/models/types.tsv over a configuration: Python's expressions over numbers, strings,
 * lists and dictionaries, with the keys of the configuration as names. */
#ifndef FACTS_FORMULA_H
#define FACTS_FORMULA_H
#include <jansson.h>
#include <stdbool.h>
#include "facts/facts.h"

/* root: the configuration, borrowed; rope: what `rope_parameters` means, borrowed, or NULL. read: an object, borrowed,
 * or NULL: each key of the file that gave a value is put into it. layer: the layer that is asked about.
 * depth, steps, asked: inner state, 0.  missing: the last name that nothing gave a value;
 * "": none was missing so far.  defaulted: how many values came from the type's defaults. */
struct formula {
    const struct type_facts *facts;
    json_t *root, *rope, *read;
    long layer;
    int depth, steps;
    long defaulted;
    char missing[80];
    const char *asked[32];
};
enum { FORMULA_STEPS = 200000 };

/* The value of an expression, a new reference; NULL: a name in it has no value (missing), it is no expression of this
 * kind, or it takes more than FORMULA_STEPS steps. */
json_t *formula_value(struct formula *f, const char *expression);
/* The value of a key: by the type's rule for it, else the file's, else the type's default. */
json_t *formula_key(struct formula *f, const char *key);
#endif

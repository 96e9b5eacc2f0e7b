/* Present names of what older files call otherwise: the kinds of layers that a library renames when it reads a
 * configuration. */
#ifndef FACTS_RENAMED_H
#define FACTS_RENAMED_H
#include <jansson.h>
#include "facts/facts.h"

/* Replaces each list of names in the object o that the library renames (facts names.KEY, of the type and of every one)
 * by a new one with the present names.  facts: those of o's type. */
void renamed_lists(json_t *o, const struct type_facts *facts);
#endif

/* Parts of a file as the class of the larger model hands them on. */
#ifndef FACTS_PARTS_H
#define FACTS_PARTS_H
#include <stdbool.h>
#include "facts/formula.h"

/* The part of the file f->root as its own class gets it, new: with the keys that the larger class sets in it whatever
 * the file says (facts forced.PART.KEY); and where the file does not have the part, or the class fills it up
 * (merged.PART), with those that it has then (filled.PART.KEY).  at: the part's object, borrowed, or NULL. */
json_t *part_handed_on(struct formula *f, const char *part, json_t *at);
/* Whether a part is not there at all where the file does not have it (fact optional.PART). */
bool part_optional(const struct type_facts *facts, const char *part);
#endif

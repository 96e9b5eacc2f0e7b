/* What data/models/types.tsv says of a model type: facts, each at a place in the model, with the source it was read
 * from.  The table is written by `make types` (harness/types). */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H
#include <stddef.h>

struct type_fact { char *place, *name, *value, *source; };
/* The facts of one type, in the table's order: by place, then by name.  text: the lines that they point into. */
struct type_facts { char type[64]; size_t n; struct type_fact *of; char **text; };

/* Reads the facts of a type; n is 0 where the table has none.  facts_free is due. */
void facts_read(struct type_facts *f, const char *type);
void facts_free(struct type_facts *f);
/* The first fact of that place and name, or NULL. name may be "rule." and its like with a key behind it: the two are
 * joined. */
const struct type_fact *fact_of(const struct type_facts *f, const char *place, const char *name, const char *key);
/* The next name that a file may give a key: the key itself, what the class calls it, what else the class takes for it.
 * *at is 0 before the first.  NULL: there is no further one. */
const char *fact_key_name(const struct type_facts *f, const char *key, size_t *at);
/* The first fact of that name at any place, or NULL. */
const struct type_fact *fact_anywhere(const struct type_facts *f, const char *name);
#endif

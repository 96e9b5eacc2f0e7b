/* Rotary parameters of classes that have them for each kind of layers: what such a class makes of a file that says some
 * of them for all layers, by the facts rope.KIND.NAME of data/models/types.tsv. */
#ifndef FACTS_ROPE_KINDS_H
#define FACTS_ROPE_KINDS_H
#include <stdbool.h>
#include "facts/formula.h"

/* One kind of layers.  name: "full_attention"; key: the file's key for its base, "" where it has none; scaled: the
 * file's dictionary rope_scaling is said of these layers. */
struct rope_kind { char name[40], key[60]; bool scaled; };
enum { ROPE_KINDS = 8 };
/* The kinds of a type, in the table's order; returns how many, 0 where its class has one dictionary for all layers. */
int rope_kinds(const struct type_facts *facts, struct rope_kind of[ROPE_KINDS]);
/* The dictionary {kind: parameters} that the class makes of the file f->root, new; NULL: it has one for all layers. */
json_t *rope_by_kind(struct formula *f);
#endif

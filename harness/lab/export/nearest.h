/* The class of another program whose forward pass is that of a trained model, found from data/weights/TYPE.tsv: a
 * configuration is sought under which the class's table, and the card of the configuration, say what the laboratory
 * computes.
 *   Sizes, the norm's eps and the activation: of the keys that an expression of the table reads, the first under which
 *   the expression becomes what is wanted.
 *   Switches, the keys read as get(KEY, True) or get(KEY, False): all settings, those that turn fewest of them from
 *   what they are by default first.  The norm, the order of the branches and the roles of tensors must then be the
 *   model's.
 *   Positions: rope_parameters from row rope's parameters; what the card then says of rotation, mask and scale must be
 *   what the model is trained with.  Places that are added are a table; a model without any has one of zeros.
 * Nearest is the class that needs the fewest switches turned; of equal ones the first by name. */
#ifndef NEAREST_H
#define NEAREST_H
#include <jansson.h>
#include "lab/export/trained.h"
#include "lab/weights/class.h"

/* What was found: the configuration and the tensors, owned; how many switches are turned. */
struct nearest { char type[64]; json_t *config; struct released list; int turned; };
/* Looks at all classes, or at `only`.  1: found; 0: none, and one line in err that says so; -1 and one line.
 * nearest_close is due in each case. */
int nearest_find(struct nearest *to, const struct trained *t, const char *only, char *err, size_t n);
void nearest_close(struct nearest *to);
#endif

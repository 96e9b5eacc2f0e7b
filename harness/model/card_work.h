/* A card that is being made: what every part of it asks of the facts and the file. */
#ifndef MODEL_CARD_WORK_H
#define MODEL_CARD_WORK_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "facts/formula.h"

/* f: evaluates facts over the file at a layer; card, open: the card and its list of what is not known; rope: the
 * file's dictionary of rotary parameters, completed; place: that of the object asked about; layers: how many there
 * are; assumed: no table has the type. */
struct work { struct formula f; json_t *card, *open, *rope; const char *place; long layers; bool assumed; };
enum { CARD_LINE = 500 }; /* bytes of one line of a card */

/* Notes that a fact of the current place is not known, and why; each once. */
void work_open(struct work *w, const char *what, const char *why);
/* The value of an expression, new; NULL: it has none. */
json_t *work_value(struct work *w, const char *expression);
/* The value of a fact at the current place and layer, new; NULL: there is no such fact, or its value is not known,
 * which is noted. */
json_t *work_fact(struct work *w, const char *name);
/* A number, word or truth as text[n]. */
void work_number(const json_t *v, char *text, size_t n);
/* Whether a condition at the current place holds on this layer; what cannot be told counts as `otherwise`. */
bool work_holds(struct work *w, const char *name, bool otherwise);
/* The file's name for the kind of the current layer, "" where it has none; borrowed. */
const char *work_layer_type(struct work *w);
/* What the rules of a layer are as numbers and words that a question can be made of: {"scale", "window", "chunk",
 * "mask", "layout", "rotary", "base", "scaling", "axes" ...}; the card's texts say the same.  Borrowed. */
json_t *work_rules(json_t *kind);
#endif

/* Rotary parameters of a card. */
#ifndef MODEL_CARD_ROPE_H
#define MODEL_CARD_ROPE_H
#include "model/card_work.h"

/* The dictionary of rotary parameters, new, as the libraries complete it: base and share from the file's own keys where
 * the dictionary is silent, else the type's defaults. */
json_t *work_rope(struct work *w);
/* What the dictionary means on the current layer, new: its own part where there is one for each kind of layer. */
json_t *work_rope_here(struct work *w);
#endif

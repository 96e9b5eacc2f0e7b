/* One layer of a card. */
#ifndef MODEL_CARD_LAYER_H
#define MODEL_CARD_LAYER_H
#include "model/card_work.h"

/* One layer of the current place, new: an element of "kinds" (card.h) without its list of layers. */
json_t *work_layer(struct work *w);
/* The layer without a softmax at the current place, new: an element of "kinds" of card.h's "mixers" without its list of
 * layers.  Every fact mixer.NAME of the place is in it as NAME, as far as it has a value; what has none is noted. */
json_t *work_mixer(struct work *w);
#endif

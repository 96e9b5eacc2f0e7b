/* One layer of a card. */
#ifndef MODEL_CARD_LAYER_H
#define MODEL_CARD_LAYER_H
#include "model/card_work.h"

/* One layer of the current place, new: an element of "kinds" (card.h) without its list of layers. */
json_t *work_layer(struct work *w);
#endif

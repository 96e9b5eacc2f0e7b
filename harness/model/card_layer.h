/* One layer of a card. */
#ifndef MODEL_CARD_LAYER_H
#define MODEL_CARD_LAYER_H
#include "model/card_work.h"

/* One layer of the current place, new: an element of "kinds" (card.h) without its list of layers. */
json_t *work_layer(struct work *w);
/* The layer without a softmax at the current place, new: an element of "kinds" of card.h's "mixers" without its list of
 * layers.  Every fact mixer.NAME of the place is in it as NAME, as far as it has a value; what has none is noted. */
json_t *work_mixer(struct work *w);
/* Puts "indexer" into a layer that has one, or takes the selection of an earlier one: {"class", "source", "topk",
 * "heads", "key_heads", "head_dim", "positions", "layout", "rotary", "turns", "act", "weights", "added", "scale",
 * "block", "pool", "always", "of", "cache"} of its own, or {"shares": true, "topk", "block", "always"}; and says in
 * "sees" which keys are left. */
void work_indexer(struct work *w, json_t *kind);
/* A line about a layer's indexer as text[n]; "": the layer has none. */
void card_indexer_text(const json_t *kind, char *text, size_t n);
/* Why row sparse has no question about the scores of a layer's indexer; NULL: it has one. */
const char *card_indexer_why(const json_t *indexer);
#endif

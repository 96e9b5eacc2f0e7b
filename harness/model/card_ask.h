/* The questions that judge what a card says: rows, parameters and the command line of each. */
#ifndef MODEL_CARD_ASK_H
#define MODEL_CARD_ASK_H
#include <jansson.h>
#include "base/text.h"
#include "model/config.h"

/* Adds to every kind of layers and every table of a card, and of its inner cards, "judge": [{"what", "row", "params",
 * "sizes", "command"}], or {"what", "why"} where no row judges it; and to the card "differ": what card_differ.h lists
 * for these parameters.  root: the configuration that the card is of, borrowed and left as it is. */
void card_ask(json_t *card, const json_t *root);
/* Appends " scale=..", nothing where the rules of a card have 1/sqrt(width), rounded. */
void card_put_scale(struct text *t, const json_t *rules, long width);
/* Appends what a query sees by the rules of a card as parameters of row attention; first: keys of padding before the
 * others. */
void card_put_sight(struct text *t, const json_t *rules, int first);
/* Whether an encoding of the file concerns layers of this kind. */
bool card_concerns(const struct config_encoding *e, const json_t *kind);
#endif

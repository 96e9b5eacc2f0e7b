/* What a model does with positions and attention, whole: from its configuration and data/models/types.tsv. */
#ifndef MODEL_CARD_H
#define MODEL_CARD_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* The card of a configuration, a new reference: {"model_type", "class", "source", "complete", "parts": [{"place",
 * "class", "when", "kinds": [{"layers", "heads", "kv_heads", "head_dim", "positions", "scores", "sees", "rules",
 * "latent", "v_head_dim", "window_size", "shares", "cache", "indexer", ...}]}], "tables": [{"place", "positions"}],
 * "mixers": [{"place", "class", "when", "kinds": [{"layers", "mixer", "heads", "key_heads", "key_width",
 * "value_width", "state", "conv", "channels", ...}]}], "cache": {"numbers", "bytes", "windowed", "index"}, "open":
 * [what could not be told], "read": {key of the file: true}, "inner": {key: card}}.  "rules" are the same as numbers
 * and words that a question can be made of.  A mixer is a layer without a softmax; it and an attention may have the
 * same place, on other layers.  A type without facts is read by common spellings of keys, and "assumed" is true.  root:
 * borrowed, an object. */
json_t *card_of(json_t *root);
/* The dictionary of rotary parameters that the type of this configuration has where a file says none, a new reference;
 * NULL: none is known. */
json_t *card_rope_default(json_t *root);
/* A card as text, each line indented by `indent`; md: as Markdown's list. */
void card_say(FILE *to, const json_t *card, int indent, bool md);
/* Whether a card has read a key of its file: path[n], "text_config.head_dim". */
bool card_reads(const json_t *card, const char *path, size_t n);
/* Writes what differs between two cards, a line each; returns how many differences there are. */
long card_changes(FILE *to, const json_t *a, const json_t *b);
/* One line of a table: model type, whether the card is complete, positions, what is seen, scores. */
void card_row(FILE *to, const char *name, const json_t *card, bool md);
#endif

/* What the card of a model type knows where a file is silent. */
#ifndef MODEL_CONFIG_CARD_H
#define MODEL_CONFIG_CARD_H
#include "model/config_reading.h"
#include "facts/rope_kinds.h"

/* The functions below answer false, or NULL, where no class of data/models/types.tsv stands behind the file, or where
 * its layers differ in what is asked.  Keys of the file that the card went by count as read.  layers: the kind of
 * layers that is meant, "full_attention, 5 of 30 layers"; "": every kind. */
/* Whether a class of the table stands behind the file. */
bool config_class_known(const struct config_reading *r);
/* The width of a head and how many of its channels turn. */
bool config_card_width(const struct config_reading *r, const char *layers, int64_t *dim, int64_t *rotary);
/* The base of the rotation as text[n]. */
bool config_card_base(const struct config_reading *r, const char *layers, char *text, size_t n);
/* The axes "h w" of positions of which each has frequencies of its own, where the layers have such, as text[n]. */
bool config_card_axes(const struct config_reading *r, const char *layers, char *text, size_t n);
/* The scaling law that a dictionary without one has, into text[n]: the class's own, else "default". */
void config_card_law(const struct config_reading *r, char *text, size_t n);
/* Whether, by the card, no layer of the file turns anything. */
bool config_card_still(const struct config_reading *r);
/* The dictionary of rotary parameters that the class has where a file has none, a new reference. */
json_t *config_card_rope(const struct config_reading *r);
/* The class's own default, a whole number above 0, of the first of some keys (words) that has one; it is noted. */
bool config_class_number(const struct config_reading *r, const char *keys, int64_t *x);
/* Refuses keys that an indexer takes its counts and widths from (facts indexer.NAME) unless they are whole numbers from
 * 1 on. */
void config_card_indexer(const struct config_reading *r);
/* The kinds of layers for which the class has rotary parameters of their own; returns how many. */
int config_class_kinds(const struct config_reading *r, struct rope_kind of[ROPE_KINDS]);
/* The kinds of layers, one after the other, as the file or else the class has them, a new list. */
json_t *config_card_layers(const struct config_reading *r);
/* The model type of a part of a larger model into type[m].  key[n]: the part; "": one that turns is searched, first
 * among those that see the past alone, and its name is put there. */
bool config_card_part(const struct config_reading *r, char *key, size_t n, char *type, size_t m);
/* Puts a part in the place of the file's own as its class gets it from the larger one; keys that the file does not have
 * in it count as read. */
void config_card_handed_on(const struct config_reading *r, const char *key);
/* Whether the file lacks a part that its class fills with the keys around it; the part's model type into type[n]. */
bool config_card_flat(const struct config_reading *r, char *type, size_t n);
#endif

/* The spellings by which files say rotary encodings: lists of words, of which the first that a file has wins. */
#ifndef ROPE_KEYS_H
#define ROPE_KEYS_H
#include "core/field.h"

/* The dictionary of rotary parameters; the base of the rotation; the share of a head that turns. */
extern const char rope_group_keys[], rope_base_keys[], rope_share_keys[];
/* The base of layers with a window, where they have one of their own. */
extern const char rope_local_keys[];
/* Whether the object has some rotary key. */
bool rope_said(const struct scope *s);
#endif

/* Where implementations of a row are known to differ: the lines of data/mistakes/ROW.tsv that a convention's parameters
 * reach. */
#ifndef MODEL_CARD_DIFFER_H
#define MODEL_CARD_DIFFER_H
#include <jansson.h>

/* Appends {"row", "parameter", "id", "change", "effect", "cite"} for every line of which all parameters that it
 * changes, or one that it needs, are named by `params` (a line "dim=128 layout=half" of the row's parameters), where
 * what the line needs to show is there: each word of a list as it is there, each number switched on.  inputs: optional
 * inputs that the model has, as words.  What the list has already is left out. */
void card_differ(json_t *list, const char *row, const char *params, const char *inputs);
#endif

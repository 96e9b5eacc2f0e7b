/* A deployed model's config.json in our words: which rows, with which parameters, for which layers, up to which
 * position. Reads the spellings in use: rope_theta, rope_scaling {type | rope_type}, rope_parameters flat or per layer
 * type, the keys of GPT-NeoX, GPT-J, Qwen, Nomic and MPT, text_config.  What the file leaves open is taken from
 * data/models/types.tsv and stated as evidence or as a note; nothing is assumed silently. */
#ifndef CONFIG_H
#define CONFIG_H
#include <stddef.h>
#include <jansson.h>
#include "model/config_types.h"

/* Reads a file into c, which owns nothing.  0, or -1 and one line in err: file, place, what was found, what is
 * allowed. */
int config_read(const char *file, struct config *c, char *err, size_t n);
/* The same of an object that has been read already, borrowed; its key `provenance` is removed.  file: what errors call
 * it. */
int config_of(json_t *root, const char *file, struct config *c, char *err, size_t n);
#endif

/* A deployed model's config.json in our words: which rows, with which parameters, for which layers, up to which
 * position. Reads the spellings in use: rope_theta, rope_scaling {type | rope_type}, rope_parameters flat or per layer
 * type, the keys of GPT-NeoX, GPT-J, Qwen, Nomic and MPT, text_config.  What the file leaves open is taken from
 * data/models/types.tsv and stated as evidence or as a note; nothing is assumed silently. */
#ifndef CONFIG_H
#define CONFIG_H
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>
#include "row/param.h"

enum { CONFIG_ENCODINGS = 8, CONFIG_NOTES = 16 };
struct config_encoding {
    char row[24], params[TEXT_MAX]; /* parameters that differ from the row's defaults, canonical; "" with a reason */
    char layers[96];                /* "full_attention, 5 of 30 layers"; "": all */
    char evidence[96];              /* the key of the file, or the line of types.tsv, that it follows from */
    char reason[320];               /* why it cannot be judged; "": it can */
    int invalid;                    /* whether the reason is a contradiction within the file */
    int64_t most;                   /* how many positions the model may use; 0: the file does not say */
};
struct config {
    char model_type[64], kind[32], source[256]; /* provenance; "" where the file has none */
    int n, n_notes;
    struct config_encoding e[CONFIG_ENCODINGS];
    char note[CONFIG_NOTES][240];
    int open;                       /* set with a refusal: nothing is wrong, but the file leaves its tables open */
    char unread[2000];              /* keys of the file that nothing here reads, in its order, with spaces between */
};
/* Reads a file into c, which owns nothing.  0, or -1 and one line in err: file, place, what was found, what is
 * allowed. */
int config_read(const char *file, struct config *c, char *err, size_t n);
/* The same of an object that has been read already, borrowed; its key `provenance` is removed.  file: what errors call
 * it. */
int config_of(json_t *root, const char *file, struct config *c, char *err, size_t n);
#endif

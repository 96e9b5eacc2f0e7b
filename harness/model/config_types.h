/* What is read of a model's config.json (config.h): its position encodings as rows with parameters, and where each of
 * them comes from. */
#ifndef CONFIG_TYPES_H
#define CONFIG_TYPES_H
#include <stdint.h>
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
#endif

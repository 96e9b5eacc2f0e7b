/* Added tokens: texts that are cut out before anything else, from the text as it is given, or (normalized) from what
 * the normalizer made of it. */
#ifndef TOKEN_ADDED_H
#define TOKEN_ADDED_H
#include "lab/token/cutter.h"
#include "lab/token/stage.h"

/* One of them: its number; whether it takes white space before and behind it with it; whether it must stand alone. */
struct added_token { int64_t id; bool left, right, alone, normalized; };
/* found[1]: those that are looked for in normalized text; the numbers of both sets are places in of[n], owned. */
struct added { struct trie found[2]; struct added_token *of; size_t n; int64_t largest; };
/* Reads the list "added_tokens".  Their numbers are those of the model's vocabulary, and behind it in the order of the
 * file, as the library counts; a file that has another number contradicts itself and is refused.  0, or -1 and one
 * line; added_free is due either way. */
int added_read(struct added *a, const json_t *root, const struct vocabulary *v, const struct stages_of *normalizer,
    char *err, size_t n);
void added_free(struct added *a);
/* Cuts the tokens of found[normalized] out of all pieces that are none yet: *p is replaced. */
void added_split(const struct added *a, bool normalized, struct pieces *p);
#endif

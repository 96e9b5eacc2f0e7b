/* Models of tokenizers: what cuts a piece of text into tokens of a vocabulary. */
#ifndef TOKEN_CUTTER_H
#define TOKEN_CUTTER_H
#include <jansson.h>
#include <stdbool.h>
#include "lab/token/pieces.h"
#include "lab/token/table.h"

/* The texts of a vocabulary with their numbers; how many there are, and the largest number. */
struct vocabulary { struct trie of; size_t n; int64_t largest; };
/* Reads {"text": number, ..}: no number twice, none beyond 2^31 - 1.  0, or -1 and one line. */
int vocabulary_read(struct vocabulary *v, const json_t *of, char *err, size_t n);
/* Appends the tokens <0x00> .. of these bytes; false where the vocabulary lacks one, and nothing is appended. */
bool vocabulary_bytes(const struct vocabulary *v, const char *s, size_t n, struct ids *to);

struct cutter;
struct cutter_kind {
    const char *type;
    /* Reads the JSON object "model" into c->vocabulary and c->own.  0, or -1 and one line; drop is due either way. */
    int (*read)(struct cutter *c, const json_t *of, char *err, size_t n);
    /* Appends the tokens of s[n], n > 0.  0, or -1 and one line: a text that the model has no tokens for. */
    int (*cut)(const struct cutter *c, const char *s, size_t n, struct ids *to, char *err, size_t room);
    void (*drop)(struct cutter *c); /* frees c->own; NULL: it is nothing */
};
/* The kinds of models. */
extern const struct cutter_kind cutter_bpe, cutter_unigram, cutter_wordpiece, cutter_wordlevel;
struct cutter { const struct cutter_kind *kind; struct vocabulary vocabulary; void *own; };
/* Reads the "model" of a tokenizer.json.  0, or -1 and one line; cutter_free is due either way. */
int cutter_read(struct cutter *c, const json_t *root, char *err, size_t n);
void cutter_free(struct cutter *c);
#endif

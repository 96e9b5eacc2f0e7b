/* The tokens that a command line gives: numbers by --tokens, or by --text a text that the folder's tokenizer cuts. */
#ifndef RUN_GIVEN_H
#define RUN_GIVEN_H
#include "core/cli.h"

/* token[n], owned, freed by free(); bytes of the text that they were cut from, 0 where numbers were given. */
struct given_tokens { int64_t *token; long n, bytes; };
/* Reads what --tokens or --text says; folder: where the tokenizer is.  A text may give none.  0, or -1 and one line in
 * err: neither or both are there, or what cannot be read or cut. */
int given_read(struct given_tokens *g, const struct cli *c, const char *folder, char *err, size_t n);
/* Reads what --text says, without the tokens that the tokenizer puts before and behind.  0, or -1 and one line. */
int given_plain(struct given_tokens *g, const struct cli *c, const char *folder, char *err, size_t n);
/* Whether every token is one of a model's `most` tokens. 0, or -1 and one line that names the first that is not. */
int given_fits(const struct given_tokens *g, long most, char *err, size_t n);
#endif

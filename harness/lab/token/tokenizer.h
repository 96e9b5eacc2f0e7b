/* Cuts text into tokens by a tokenizer.json, the format of the Hugging Face tokenizers library: added tokens,
 * normalizer, pre-tokenizer, model, post-processor, as its `encode` does, from what the file says and never by a
 * model's name.
 *
 * Kept are the numbers alone.  Truncation and padding that a file asks for are left out: a text is read whole.  What is
 * not known here, or would not be the same here, is refused: UnicodeScripts, dropout, regular expressions that onig.h
 * refuses.  Characters that a newer Unicode than the library's knows may fall into other sets here. */
#ifndef TOKEN_TOKENIZER_H
#define TOKEN_TOKENIZER_H
#include "lab/token/added.h"
#include "lab/token/template.h"

struct tokenizer {
    struct stages_of normalizer, splitter;
    struct cutter cutter;
    struct added added;
    struct template special;
    int64_t largest;                     /* the largest number of any token */
};
/* Reads FOLDER/tokenizer.json, of at most 256 MiB.  0, or -1 and one line; tokenizer_free is due either way. */
int tokenizer_open(struct tokenizer *t, const char *folder, char *err, size_t n);
void tokenizer_free(struct tokenizer *t);
/* Appends the tokens of text[length], with what the post-processor adds to a text where special says so.  0, or -1 and
 * one line: no UTF-8 (with the byte's offset: the library takes text alone, and a replacement would be a guess), 2^31
 * bytes and more, or a text that the model has no tokens for. */
int tokenizer_cut(const struct tokenizer *t, const char *text, size_t length, bool special, struct ids *to, char *err,
    size_t n);
#endif

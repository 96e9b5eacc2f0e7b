/* The text that models of language learn: the King James Bible of Debian's packages bible-kjv and bible-kjv-text, verse
 * labels stripped, checked by digest; as characters, or as subwords of its own training part (bytepair.h). */
#ifndef CORPUS_H
#define CORPUS_H
#include <stddef.h>
#include <stdint.h>
enum { CORPUS_SYMBOLS = 63, CORPUS_SUBWORDS = 512 };
/* What a symbol of a text is. */
enum text_kind { NO_TEXT, TEXT_CHARACTERS, TEXT_SUBWORDS };
/* symbol[length]: numbers, owned: of characters 0 .. 62 in the order of byte values, of subwords 0 .. 511; the first
 * `train` of them are for training: the symbols of the first 95 % of the text.  unigram: the entropy of a single symbol
 * in bits; characters: of the text, that a held-out symbol stands for in the mean. */
struct corpus { uint16_t *symbol; int64_t length, train; double unigram, characters; };
/* Reads the text, checks its digest, and cuts it.  0; or -1 and one line in err that says what to install. */
int corpus_open(struct corpus *c, enum text_kind kind, char *err, size_t n);
void corpus_close(struct corpus *c);
#endif

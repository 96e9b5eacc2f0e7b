/* The text that character models learn: the King James Bible of Debian's packages bible-kjv and bible-kjv-text, verse
 * labels stripped, checked by digest. */
#ifndef CORPUS_H
#define CORPUS_H
#include <stddef.h>
#include <stdint.h>
enum { CORPUS_SYMBOLS = 63 };
/* symbol[length]: numbers 0 .. 62 in the order of byte values, owned; the first `train` of them, 95 %, are for
 * training; unigram: the entropy of a single symbol in bits. */
struct corpus { unsigned char *symbol; int64_t length, train; double unigram; };
/* Reads the text and checks its digest.  0; or -1 and one line in err that says what to install. */
int corpus_open(struct corpus *c, char *err, size_t n);
void corpus_close(struct corpus *c);
#endif

/* The text that character models learn: the King James Bible of Debian's packages bible-kjv and bible-kjv-text, verse
 * labels stripped, checked by digest. */
#ifndef CORPUS_H
#define CORPUS_H
#include <stddef.h>
#include <stdint.h>
enum { CORPUS_SYMBOLS = 63 };
/* symbols 0 .. 62 by byte value; [0, train) is for training, 95 %; entropy of a symbol by itself, bits */
struct corpus { unsigned char *symbol; int64_t length, train; double unigram; };
int corpus_open(struct corpus *c, char *err, size_t n); /* 0; or -1 and one line that says what to install */
void corpus_close(struct corpus *c);
#endif

/* The claims of the seed articles: data/errata.tsv (id, file, line, quote, claim, condition or -, corrected, source),
 * one program each
 * in proofs/errata/.  A line without a program, or a program without a line, is refused by whoever lists them. */
#ifndef CLAIMS_H
#define CLAIMS_H
#include "claim.h"
struct claim_line {
    char id[16], file[64], quote[400], claim[400], condition[300], corrected[500], source[200];
    long line;
};
/* stops when f returns non-zero; -1: no file, or a line of another form */
int claims_each(int (*f)(const struct claim_line *l, void *with), void *with);
/* Does the quote stand in that line of the article, a file of the folder?  0; else -1 and one line in err. */
int claim_quoted(const struct claim_line *l, const char *folder, char *err, size_t n);
#endif

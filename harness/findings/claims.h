/* The claims of the seed articles, in data/errata.tsv (id, file, line, quote, claim, condition or -, corrected,
 * source), one program each in proofs/errata/. The verb that lists them refuses a line without a program and a
 * program without a line. */
#ifndef CLAIMS_H
#define CLAIMS_H
#include "claim.h"
/* One line of the table; `line` counts from 1 in the article `file`. */
struct claim_line {
    char id[16], file[64], quote[400], claim[400], condition[300], corrected[500], source[200];
    long line;
};
/* Calls f for every line of data/errata.tsv, in order; l is valid only during the call.  Stops when f returns
 * non-zero, and returns that; -1: the file cannot be read, or a line has another form; 0: all were visited. */
int claims_each(int (*f)(const struct claim_line *l, void *with), void *with);
/* Whether the quote stands in its line of the article, a file of the folder: 0; else -1 and one line in err. */
int claim_quoted(const struct claim_line *l, const char *folder, char *err, size_t n);
#endif

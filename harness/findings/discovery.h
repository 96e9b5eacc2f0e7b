/* What was found in released libraries: data/findings.tsv, one deviation of one library a line:
 *   id  library  version  kind  row  effect  claim  recorded  live  witness
 * kind      bug       it answers otherwise than its own documentation or the standard it implements: counted, and
 *                     the text to send stands in data/findings/ID.md
 *           accuracy  rounding, beside what the library claims of it, or "claims nothing": counted as no bug
 *           policy    mathematics defines nothing there (a query that sees nothing, 0 times NaN): what was chosen
 *           option    documented: an option, a default, a comment that says so
 * effect    what the deviation does, in words
 * claim     what is claimed, and where
 * recorded  PACK/CASE of data/peers, one or several between spaces
 * live      "judge-peers" or "judge-peers all" (harness/adapters/judge.sh), which ask the library itself where it is
 *           installed; "-" where only the recording shows it
 * witness   of the first recording, the element with the most of its bound: its place, what the library gave
 *           (hexfloat), what it is exactly (40 digits) */
#ifndef DISCOVERY_H
#define DISCOVERY_H
#include "compare/compare.h"
#include "judge/verdict.h"
enum discovery_kind { BUG, ACCURACY, POLICY, OPTION, DISCOVERY_KINDS };
extern const char *const discovery_word[DISCOVERY_KINDS];  /* bug accuracy policy option */
struct discovery {
    char id[64], library[32], version[24], row[24], effect[240], claim[240], recorded[400], live[24], witness[160];
    enum discovery_kind kind;
};
/* Calls f for every line of data/findings.tsv, in order; d is valid only during the call.  Stops when f returns
 * non-zero, and returns that; -1: the file cannot be read, or a line has another form; 0: all were visited. */
int discoveries_each(int (*f)(const struct discovery *d, void *with), void *with);
/* Judges every recording of the line again.  True: each verdict is KNOWN, and the witness of the first is the one in
 * the list, digit by digit. seen[n]: the witness of the first recording as it was found now, or what was found in
 * place of a KNOWN verdict. y: the tally of the first recording. */
bool discovery_seen(const struct discovery *d, struct tally *y, char *seen, size_t n);
/* The k-th recording of the line (from 0), split into pack and case; false: there are fewer. */
bool discovery_recording(const struct discovery *d, int k, char pack[64], char id[96]);
/* Prints the line on standard output: as one object, all of it; or in words, all but its witness. */
void discovery_print(const struct discovery *d, bool json);
#endif

/* Byte-pair encoding: a text of symbols cut into subwords, which are learned from its first part.
 * Sennrich, Haddow, Birch 2016, Neural machine translation of rare words with subword units, algorithm 1
 *   the vocabulary begins with the symbols; the pair of neighbours that is most frequent within words becomes a new
 *   one, everywhere, until there are enough
 * A word is a run of letters with the blank before it, or any other symbol by itself; no subword reaches beyond a word.
 * Of pairs equally frequent the one of the lower numbers is taken, so that the outcome follows from the text alone. */
#ifndef TEXT_BYTEPAIR_H
#define TEXT_BYTEPAIR_H
#include <stdint.h>

/* text[length]: bytes; symbol[256]: of a byte, its number below `symbols`; train: bytes from which it is learned;
 * vocab: subwords at most, symbols among them, 65536 at most. */
struct bytepair { const char *text; int64_t length, train; const int *symbol; int symbols, vocab; };
/* Cuts the whole text by what its first part teaches.  to[length]: room for the numbers of the subwords; *vocab: how
 * many kinds there are, fewer than asked where no pair occurs twice; *train: how many subwords are of words that end
 * within the first part.  Returns how many there are. */
int64_t bytepair_cut(const struct bytepair *of, uint16_t *to, int *vocab, int64_t *train);
#endif

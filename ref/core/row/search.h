/* Searching the most probable sequence, over balls: greedy, beam, exhaustive.  What the rules mean: ref/decode.c.
 * Every choice is a comparison of balls.  EXACT and ROUND: one that stays open is an open question (ask.undecided);
 * WIDEN: honest implementations may choose differently, and the result says so (vague).  Sums of the same terms in
 * another order are equal: no precision would tell. */
#ifndef SEARCH_H
#define SEARCH_H
#include "ball/ball.h"
#include "row/param.h"

enum { SEARCH_LENGTH = 64, SEARCH_LEAVES = 1 << 16 };
enum { GREEDY, BEAM, EXHAUSTIVE };
enum { NO_PENALTY, GNMT, POWER };
enum { WITH_EOS, TEXT_ONLY };
enum { FINISH_TOP, FINISH_ANY };
enum { KEEP_BEST, KEEP_FIRST, KEEP_NONE };
enum { LAST_FINISHED, LAST_FORCED, LAST_SPARE };
enum { STOP_NONE, STOP_FULL, STOP_NOW, STOP_REACH, STOP_BEST, STOP_TOP };
enum { LOWEST, HIGHEST };
enum { ONE, COPIES };

/* Where the search rounds, by steps of the row: a sequence's sum; of the length penalty the ratio, its exponent and the
 * power; the penalised score. */
struct search_steps { int sum, ratio, exponent, power, score; };
/* The rules of a search, which begin the parameters of row decode.  vocab: number of tokens, of which eos ends a
 * sequence; length: the most tokens of one; beam: sequences that are followed at once.  pool: of the continuations the
 * pool * beam best are candidates.  extra: counted into every length. */
struct rules {
    long vocab, length, eos, beam, pool, extra;
    mpq_t alpha;
    int search, penalty, count, finish, keep, last, stop, ties, first;
};
/* The parameters of row decode.  wide: may the beam be wider than the vocabulary?  form, given: how the table is
 * read. */
struct decode { struct rules of; long start, pad; int form, given, wide; };
enum { TREE, MARKOV };
enum { LOGPROB, LOGIT };
enum { REFUSED, ALLOWED };
extern const struct param decode_params[];
enum { SEARCH_ROWS = 1 << 20 };
/* Rows of the table that the parameters ask for; something above SEARCH_ROWS where there are more than that. */
long search_rows(const struct decode *p);
/* NULL, or why these parameters are undefined. */
const char *decode_refuse(const void *params);

/* A sequence of n tokens, their log-probabilities and the sum of those; ended: by eos; score: of finished ones. */
struct search_guess { long token[SEARCH_LENGTH], n; bool ended; const struct ball *term[SEARCH_LENGTH], *sum, *score; };
/* The finished sequences, best first, at most as many as the beam is wide; vague: another implementation may have
 * chosen differently. */
struct found { struct search_guess *guess; long n; bool vague; };
/* Gives y[vocab], the log-probabilities of every token behind these n tokens. */
typedef void next_tokens(struct ask *w, const long *token, long n, const struct ball **y);

/* The search by the rules r over the tokens that `next` gives; the caller frees found.guess. */
struct found search(struct ask *w, const struct rules *r, struct search_steps steps, next_tokens *next);
/* The length penalty lp that the sum of n tokens is divided by; ended: the last of them is eos.  NULL: there is
 * none. */
const struct ball *length_penalty(
    struct ask *w, const struct rules *r, struct search_steps steps, long n, bool ended);
/* v^n, or something above SEARCH_ROWS where that is larger. */
long search_power(long v, long n);
#endif

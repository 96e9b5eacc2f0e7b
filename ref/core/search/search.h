/* The search for the most probable sequence, over balls: greedy, by a beam, or exhaustive.  ref/decode.c says what the
 * rules mean.  Every choice is a comparison of balls.  Under EXACT and ROUND one that stays open is an open question
 * (ask.undecided); under WIDEN honest implementations may choose differently, and the result says so (vague).  Sums of
 * the same terms in another order are equal, since no precision would tell. */
#ifndef SEARCH_H
#define SEARCH_H
#include "ball/ball.h"
#include "row/param.h"

/* A sequence has at most SEARCH_LENGTH tokens, and an exhaustive search at most SEARCH_LEAVES sequences.  The enums
 * below are the choices of the parameters of row decode, each in the order of its words in decode_params. */
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

/* The steps of the row at which the search rounds: that of a sequence's sum; those of the ratio, the exponent and the
 * power of the length penalty; and that of the penalised score. */
struct search_steps { int sum, ratio, exponent, power, score; };
/* The rules of a search, which begin the parameters of row decode.  vocab is the number of tokens, of which eos ends a
 * sequence; length is the most tokens of one; beam is how many sequences are followed at once.  Of the continuations
 * the pool * beam best are candidates.  extra is counted into every length. */
struct rules {
    long vocab, length, eos, beam, pool, extra;
    mpq_t alpha;
    int search, penalty, count, finish, keep, last, stop, ties, first;
};
/* The parameters of row decode.  wide says whether the beam may be wider than the vocabulary, form and given say how
 * the table is read, and start and pad are the tokens before and behind a sequence, where -1 before it is none. */
struct decode { struct rules of; long start, pad; int form, given, wide; };
enum { TREE, MARKOV };
enum { LOGPROB, LOGIT };
enum { REFUSED, ALLOWED };
extern const struct param decode_params[];
enum { SEARCH_ROWS = 1 << 20 };
/* How many rows the table has that the parameters ask for; something above SEARCH_ROWS where that is more. */
long search_rows(const struct decode *p);
/* NULL, or why these parameters are undefined. */
const char *decode_refuse(const void *params);

/* A sequence of n tokens, with their log-probabilities and the sum of those.  ended says that its last token is eos;
 * only finished sequences have a score. */
struct search_guess { long token[SEARCH_LENGTH], n; bool ended; const struct ball *term[SEARCH_LENGTH], *sum, *score; };
/* The finished sequences, the best first, at most as many as the beam is wide; up to that number, those that were not
 * found have no tokens.  vague says that another implementation may have chosen differently. */
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

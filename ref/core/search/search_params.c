/* The parameters of row decode in the order in which they are written out, and which of them go together; ref/decode.c
 * says what each is. */
#include "search/search.h"

long search_power(long v, long n)
{
    long p = 1;
    while (n-- > 0 && p <= SEARCH_ROWS)
        p *= v;
    return p;
}
long search_rows(const struct decode *p)
{
    long all = 0;
    for (long n = 0; n < p->of.length; n++)
        all += search_power(p->of.vocab, n);
    return p->form == MARKOV ? p->of.vocab : all;
}

const char *decode_refuse(const void *q)
{
    const struct decode *p = q;
    bool bound = p->of.stop == STOP_NOW || p->of.stop == STOP_REACH || p->of.stop == STOP_BEST,
         power_law = mpq_sgn(p->of.alpha) >= 0;
    return p->of.eos >= p->of.vocab ?
        "eos: not in the vocabulary" :
        p->start >= p->of.vocab ?
        "start: not in the vocabulary" :
        p->form == MARKOV && p->start < 0 ?
        "start: a table by the last token needs a first one" :
        search_rows(p) > SEARCH_ROWS ?
        "length: a table of every prefix would have more than 1048576 rows" :
        p->of.search == EXHAUSTIVE && search_power(p->of.vocab, p->of.length) > SEARCH_LEAVES ?
        "length: more than 65536 sequences" :
        p->wide == REFUSED && p->of.beam > p->of.vocab ?
        "beam: wider than the vocabulary" :
        p->of.penalty != NO_PENALTY && bound && !power_law ?
        "alpha: below 0 a longer sequence scores less, and no bound by its length allows to stop early" :
        mpz_cmpabs_ui(mpq_numref(p->of.alpha), 64) > 0 || mpz_cmp_ui(mpq_denref(p->of.alpha), 10000) > 0 ?
        "alpha: a ratio of at most 64, denominator at most 10000" :
        p->of.keep == KEEP_NONE && p->of.stop != STOP_TOP ? "keep: none goes with stop=top" :
                                                      NULL;
}

const struct param decode_params[] = {
    { "vocab", "6", "tokens V", INT, offsetof(struct rules, vocab), .least = 2, .most = 65536 },
    { "length", "5", "tokens generated at most, eos among them", INT, offsetof(struct rules, length), .least = 1,
        .most = SEARCH_LENGTH },
    { "eos", "2", "ends a sequence", INT, offsetof(struct rules, eos), .least = 0, .most = 65535 },
    { "start", "-1", "in front of the output; -1: nothing", INT, offsetof(struct decode, start), .least = -1,
        .most = 65535 },
    { "pad", "0", "behind the end of a sequence", INT, offsetof(struct decode, pad), .least = -1, .most = 65535 },
    { "form", "tree", "a row of the table: a prefix, or a last token", ENUM, offsetof(struct decode, form),
        .choices = "tree markov" },
    { "given", "logprob", "the table: log-probabilities, or what a softmax makes them of", ENUM,
        offsetof(struct decode, given), .choices = "logprob logit" },
    { "search", "greedy", "how", ENUM, offsetof(struct rules, search), .choices = "greedy beam exhaustive" },
    { "beam", "1", "sequences kept", INT, offsetof(struct rules, beam), .least = 1, .most = 4096 },
    { "wide", "refused", "a beam wider than the vocabulary", ENUM, offsetof(struct decode, wide),
        .choices = "refused allowed" },
    { "pool", "2", "candidates of a step, times beam", INT, offsetof(struct rules, pool), .least = 1, .most = 64 },
    { "penalty", "none", "lp", ENUM, offsetof(struct rules, penalty), .choices = "none gnmt power" },
    { "alpha", "1", "exponent of lp", RATIONAL, offsetof(struct rules, alpha) },
    { "count", "eos", "|y|: with eos, or the text alone", ENUM, offsetof(struct rules, count), .choices = "eos text" },
    { "extra", "0", "added to |y|: a prompt", INT, offsetof(struct rules, extra), .least = -1, .most = 1 << 20 },
    { "finish", "top", "which ends count", ENUM, offsetof(struct rules, finish), .choices = "top any" },
    { "keep", "best", "which ends are kept", ENUM, offsetof(struct rules, keep), .choices = "best first none" },
    { "last", "finished", "what has not ended at `length`", ENUM, offsetof(struct rules, last),
        .choices = "finished forced spare" },
    { "stop", "none", "before `length`", ENUM, offsetof(struct rules, stop),
        .choices = "none full now reach best top" },
    { "ties", "lowest", "of equal candidates", ENUM, offsetof(struct rules, ties), .choices = "lowest highest" },
    { "first", "one", "the beam's start", ENUM, offsetof(struct rules, first), .choices = "one copies" },
    { 0 },
};

/* Laws of decode: what greedy, beam and exhaustive search have in common, where they part, and that a decoder may be
 * asked one step at a time. */
#include <stdio.h>
#include "ruler/bits.h"
#include "law.h"

/* Rows for every prefix of at most 5 of 3 tokens, which are 364, as of at most 3 of 4 tokens, which are 85. */
enum { ROWS = 364, V = 4, T = 6 };
struct decode_asked { struct ask *w; const struct row *r; double table[ROWS * V]; long rows, vocab, length; };
struct decode_answer { long token[T]; const struct ball *score; };

/* Table k of the seed: logits that are multiples of 2^-40 in [-3/2, 3/2), hardly two of them equal. */
static struct decode_asked made(struct ask *w, const struct row *r, const char *params, uint64_t seed, uint64_t k)
{
    struct decode_asked a = { .w = w, .r = r, .vocab = law_int(params, "vocab", 6),
        .length = law_int(params, "length", 5) };
    for (long n = 0, size = 1; n < a.length; n++, size *= a.vocab)
        a.rows += size;
    for (long j = 0; j < a.rows * a.vocab; j++)
        a.table[j] = (double)(gen_bits(seed, k, (uint64_t)j) % (3ull << 40)) * 0x1p-40 - 1.5;
    return a;
}

/* The hypothesis of that rank, with its score. */
static struct decode_answer at(const struct decode_asked *a, const char *params, long rank)
{
    struct given in = { "table", a->table, 2, { a->rows, a->vocab } };
    const struct ball *y[T];
    struct decode_answer x;
    law_line(a->w, (struct law_of){ a->r, "tokens", params }, (struct givens){ &in, 1 }, &rank, a->length, y);
    for (long t = 0; t < a->length; t++)
        x.token[t] = (long)b_value(y[t]);
    law_line(a->w, (struct law_of){ a->r, "score", params }, (struct givens){ &in, 1 }, &rank, 1, &x.score);
    return x;
}
static bool agree(const struct decode_asked *a, const struct decode_answer *x, const struct decode_answer *y)
{
    return !memcmp(x->token, y->token, (size_t)a->length * sizeof(long)) && b_overlap(x->score, y->score);
}

/* Are the first `ranks` hypotheses of so many tables the same under params and with the words `other` appended? */
static enum truth same(
    const struct row *r, const char *params, uint64_t seed, const char *other, long ranks, uint64_t tables)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    char text[400];
    bool ok = true;
    for (uint64_t k = 0; k < tables && ok; k++) {
        struct decode_asked a = made(w, r, params, seed, k);
        for (long rank = 0; rank < ranks && ok; rank++) {
            struct decode_answer x = at(&a, params, rank), y = at(&a, law_text(text, sizeof text, params, other), rank);
            ok = agree(&a, &x, &y);
        }
    }
    return law_close(&l, ok);
}
static enum truth one_is_greedy(const struct row *r, const char *params, uint64_t seed)
{
    return same(r, params, seed, "search=greedy", 1, 10);
}
static enum truth wide_is_exhaustive(const struct row *r, const char *params, uint64_t seed)
{
    long beam = law_int(params, "beam", 1);
    return same(r, params, seed, "search=exhaustive", beam < 4 ? beam : 4, 30);
}
static enum truth bound_is_safe(const struct row *r, const char *params, uint64_t seed)
{
    return same(r, params, seed, "stop=none", 1, 10);
}
static enum truth none_at_zero(const struct row *r, const char *params, uint64_t seed)
{
    return same(r, params, seed, "penalty=none", 2, 3);
}

/* A wider beam may find a worse best.  This is the first table of stream 7 where the best of a beam of k + 1 <= 4
 * scores less than that of k, found by trying one after another; ends are made rare, since else the shortest sequences
 * win.  The seed moves each row's logits by a constant, which changes no probability. */
static enum truth not_monotone(const struct row *r, const char *params, uint64_t seed)
{
    enum { FOUND = 1663 };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    char text[400], beam[40];
    const struct ball *last = NULL;
    bool less = false;
    struct decode_asked a = made(w, r, params, 7, FOUND);
    for (long j = 0; j < a.rows * a.vocab; j++)
        a.table[j] += (double)(seed * (uint64_t)(j / a.vocab) % 8) - (j % a.vocab == law_int(params, "eos", 2) ? 6 : 0);
    for (long k = 1; k <= 4; k++) {
        snprintf(beam, sizeof beam, "beam=%ld", k);
        struct decode_answer x = at(&a, law_text(text, sizeof text, params, beam), 0);
        less |= last && b_cmp(x.score, last) == -1;
        last = x.score;
    }
    return law_close(&l, less);
}

/* The score times the penalty lp(n) is the teacher-forced log-probability of the hypothesis' own n tokens. */
static enum truth forced(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true;
    for (uint64_t k = 0; k < 5; k++) {
        struct decode_asked a = made(w, r, params, seed, k);
        for (long rank = 0; rank < 3; rank++) {
            struct decode_answer x = at(&a, params, rank);
            double token[T], n = 0;
            bool ended = false;
            for (long t = 0; t < a.length; t++) {
                token[t] = (double)x.token[t];
                n += !ended, ended |= x.token[t] == law_int(params, "eos", 2);
            }
            struct given in[] = { { "table", a.table, 2, { a.rows, a.vocab } }, { "target", token, 1, { a.length } } },
                         len = { "len", &n, 1, { 1 } };
            const struct ball *sum, *lp;
            law_line(w, (struct law_of){ r, "cumulative", params }, (struct givens){ in, 2 },
                (long[MER_RANK]){ (long)n - 1 }, 1, &sum);
            law_line(w, (struct law_of){ r, "penalty", params }, (struct givens){ &len, 1 }, NULL, 1, &lp);
            ok &= b_overlap(b_mul(w, x.score, lp), sum) && b_radius(sum) < 0x1p-100;
        }
    }
    return law_close(&l, ok);
}

/* A decoder of one layer: the vectors of the tokens attend among themselves by the page of attention (params name its
 * mask), and the residual sum meets the vector of every word. */
enum { D = 3, WORDS = 5, LENGTH = 6 };
/* The logits y[WORDS] of that query among the first `keys` tokens.  A query of -1 is the last token asked alone, as by
 * a decode step with the others in a cache. */
static void logits(struct ask *w, const char *params, const double *word, const long *token, long query, long keys,
    const struct ball **y)
{
    const struct row *attention = row_named("attention");
    double x[LENGTH * D];
    for (long k = 0; k < keys * D; k++)
        x[k] = word[token[k / D] * D + k % D];
    bool alone = query < 0;
    long at = alone ? keys - 1 : query;
    struct given in[] = { { "q", alone ? x + at * D : x, 3, { 1, alone ? 1 : keys, D } }, { "k", x, 3, { 1, keys, D } },
        { "v", x, 3, { 1, keys, D } } };
    const struct ball *o[D];
    law_line(w, (struct law_of){ attention, "o", params }, (struct givens){ in, 3 },
        (long[MER_RANK]){ 0, alone ? 0 : query }, D, o);
    for (long v = 0; v < WORDS; v++) {
        y[v] = b_si(w, 0);
        for (long c = 0; c < D; c++)
            y[v] = b_add(w, y[v],
                b_mul(w, b_add(w, o[c], b_ratio(w, (long)(64 * x[at * D + c]), 64)),
                    b_ratio(w, (long)(64 * word[v * D + c]), 64)));
    }
}
/* Are midpoints and radii the same, bit for bit? */
static bool bits_equal(const struct ball *const *x, const struct ball *const *y)
{
    bool same = true;
    for (long v = 0; v < WORDS; v++)
        same &= mpfr_equal_p(x[v]->mid, y[v]->mid) && !up_less(x[v]->rad, y[v]->rad) && !up_less(y[v]->rad, x[v]->rad);
    return same;
}
static void words(double *word, long *token, uint64_t seed)
{
    for (int k = 0; k < WORDS * D; k++)
        word[k] = (double)(gen_bits(seed, 1, (uint64_t)k) % 255) / 64 - 2;
    for (int k = 0; k < LENGTH; k++)
        token[k] = (long)(gen_bits(seed, 2, (uint64_t)k) % WORDS);
}

/* Another token behind t leaves the logits of t, bit for bit. */
static enum truth causal(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *x[WORDS], *y[WORDS];
    double word[WORDS * D];
    long token[LENGTH], other[LENGTH];
    bool ok = true;
    (void)r;
    words(word, token, seed);
    for (long t = 0; t < LENGTH - 1; t++)
        for (long u = t + 1; u < LENGTH; u++) {
            memcpy(other, token, sizeof token);
            other[u] = (token[u] + 1) % WORDS;
            logits(w, params, word, token, t, LENGTH, x), logits(w, params, word, other, t, LENGTH, y);
            ok &= bits_equal(x, y);
        }
    return law_close(&l, ok);
}

/* Row t of the masked pass over all tokens is step t with a cache, bit for bit. */
static enum truth cached(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 128);
    const struct ball *x[WORDS], *y[WORDS];
    double word[WORDS * D];
    long token[LENGTH];
    bool ok = true;
    (void)r;
    words(word, token, seed);
    for (long t = 0; t < LENGTH; t++) {
        logits(w, "causal=bottomright", word, token, t, LENGTH, x), logits(w, params, word, token, -1, t + 1, y);
        ok &= bits_equal(x, y);
    }
    return law_close(&l, ok);
}

const struct law decode_laws[] = {
    { "a beam of one without a penalty is greedy", "search=beam beam=1 vocab=4 length=4 eos=1 given=logit",
        one_is_greedy, "penalty=power alpha=3" },
    { "a beam of V^(T-1) is exhaustive", "search=beam beam=27 wide=allowed vocab=3 length=4 eos=1 given=logit "
        "penalty=gnmt alpha=0.6", wide_is_exhaustive, "beam=2" },
    { "a beam of V is exhaustive where two tokens are generated",
        "search=beam beam=4 vocab=4 length=2 eos=1 given=logit penalty=power", wide_is_exhaustive, "beam=1" },
    { "a wider beam may find a worse sequence", "search=beam vocab=3 length=5 eos=1 given=logit wide=allowed",
        not_monotone, "search=exhaustive" },
    { "for alpha >= 0 the bound at full length stops without losing the best sequence",
        "search=beam beam=3 vocab=4 length=4 eos=1 given=logit penalty=power alpha=2 finish=any stop=best",
        bound_is_safe, "stop=full" },
    { "alpha = 0 is no penalty", "search=beam beam=2 vocab=4 length=3 given=logit penalty=gnmt alpha=0", none_at_zero,
        "alpha=1/2" },
    { "a score is the teacher-forced log-probability of its tokens over the penalty of their number",
        "search=beam beam=3 vocab=4 length=4 eos=1 given=logit penalty=power alpha=0.7", forced, "count=text" },
    { "a later token leaves every earlier row of a masked pass, bit for bit", "causal=bottomright", causal,
        "causal=none" },
    { "the rows of a masked pass are the steps of a decode with a cache, bit for bit", "causal=bottomright", cached,
        "causal=topleft" },
    { 0 },
};

/* Generates the rows of all tasks; see tasks.h. */
#include "lab/text/tasks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "core/gen.h"

uint64_t draw_below(struct draw *d, uint64_t n)
{
    return (uint64_t)((unsigned __int128)gen_bits(d->seed, d->stream, d->index++) * n >> 64);
}
static int64_t same(int64_t n) { return n; }

/* Text: the next character or subword, for each of a window. */
static void text_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    const int64_t from = held ? c->train : 0, to = held ? c->length : c->train;
    const uint16_t *s = c->symbol + from + (int64_t)draw_below(d, (uint64_t)(to - from - size));
    (void)depth;
    for (int64_t k = 0; k < size; k++)
        token[k] = s[k], target[k] = s[k + 1];
}

/* Needle: noise, somewhere a marker followed by a value, and at the end the question for the value.
 * Kamradt 2023; Mohtashami, Jaggi 2023 (pass key) */
enum { NOISE = 16, VALUES = 10, MARKER = NOISE, VALUE, QUESTION = VALUE + VALUES, NEEDLE_SYMBOLS };
static void needle_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    const int64_t at = depth < 0 ? (int64_t)draw_below(d, (uint64_t)(size - 2)) :
                                   (int64_t)lround(depth * (double)(size - 3)),
                  value = VALUE + (int64_t)draw_below(d, VALUES);
    (void)c, (void)held;
    for (int64_t k = 0; k < size; k++)
        token[k] = (int64_t)draw_below(d, NOISE), target[k] = -1;
    token[at] = MARKER, token[at + 1] = value, token[size - 1] = QUESTION, target[size - 1] = value;
}

/* One of four keys with their values, in noise a fifth of which is values; the question is a key, its value the answer.
 * The key asked for stands at `depth`, the others anywhere else.  In the manner of Hsieh et al. 2024 (RULER), multi-key
 * retrieval: distractors are of the class of what is sought. */
enum { NAMES = 16, MULTI = 4, MULTI_SYMBOLS = NOISE + VALUES + NAMES };
static void multi_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t place[MULTI], key[NAMES];
    const int64_t slots = (size - 1) / 2; /* pairs stand at even places, so that none covers another */
    (void)c, (void)held;
    for (int64_t k = 0; k < size; k++) {
        const bool value = !draw_below(d, 5);
        token[k] = value ? NOISE + (int64_t)draw_below(d, VALUES) : (int64_t)draw_below(d, NOISE), target[k] = -1;
    }
    for (int64_t k = 0; k < NAMES; k++)
        key[k] = k;
    for (int64_t k = 0; k < MULTI; k++) {
        const int64_t other = k + (int64_t)draw_below(d, (uint64_t)(NAMES - k)), keep = key[k];
        bool taken = true;
        key[k] = key[other], key[other] = keep;
        for (place[k] = k || depth < 0 ? -1 : lround(depth * (double)(slots - 1)); taken;) {
            if (place[k] < 0)
                place[k] = (int64_t)draw_below(d, (uint64_t)slots);
            taken = false;
            for (int64_t i = 0; i < k; i++)
                taken |= place[i] == place[k];
            place[k] = taken ? -1 : place[k];
        }
        token[2 * place[k]] = NOISE + VALUES + key[k],
                       token[2 * place[k] + 1] = NOISE + (int64_t)draw_below(d, VALUES);
    }
    token[size - 1] = NOISE + VALUES + key[0], target[size - 1] = token[2 * place[0] + 1];
}

/* Statements of two tokens, `name value` or `name name`, that make chains of three names with one value each; the last
 * is a question, a name that ends a chain, answered by the chain's value.  In the manner of Hsieh et al. 2024 (RULER),
 * variable tracking.  size: statements before the question, the last chain cut where it does not fit. */
enum { CHAIN_NAMES = 256, CHAIN = 3, CHAIN_SYMBOLS = CHAIN_NAMES + VALUES };
static int64_t chain_tokens(int64_t size) { return 2 * size + 1; }
static void chain_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t name[CHAIN_NAMES], value[CHAIN_NAMES], next[CHAIN_NAMES] = { 0 };
    const int64_t chains = (size + CHAIN - 1) / CHAIN;
    (void)c, (void)depth, (void)held;
    for (int64_t k = 0; k < CHAIN_NAMES; k++)
        name[k] = k;
    for (int64_t k = 0; k < size; k++) {
        const int64_t other = k + (int64_t)draw_below(d, (uint64_t)(CHAIN_NAMES - k)), keep = name[k];
        name[k] = name[other], name[other] = keep;
    }
    for (int64_t k = 0; k < chains; k++)
        value[k] = CHAIN_NAMES + (int64_t)draw_below(d, VALUES);
    for (int64_t k = 0; k < size;) { /* which chain goes on: any that has statements left */
        const int64_t of = (int64_t)draw_below(d, (uint64_t)chains), at = CHAIN * of + next[of];
        if (next[of] == CHAIN || at >= size)
            continue;
        token[2 * k] = name[at], token[2 * k + 1] = next[of] ? name[at - 1] : value[of];
        target[2 * k] = target[2 * k + 1] = -1;
        next[of]++, k++;
    }
    const int64_t asked = (int64_t)draw_below(d, (uint64_t)(size / CHAIN ? size / CHAIN : 1));
    token[2 * size] = name[CHAIN * asked + next[asked] - 1], target[2 * size] = value[asked];
}

/* Text of known entropy and known dependence: the first ECHO_BACK symbols are uniform; behind them a symbol is the one
 * ECHO_BACK places back with probability 7/8, else any of the ECHO_SYMBOLS.  It is independent of all nearer symbols:
 * who sees so far can reach one entropy, who does not no less than that of single symbols.  Held-out rows ask the last
 * ECHO_ASKED symbols alone. */
double echo_entropy(int64_t size)
{
    const double miss = 1.0 / 8 / ECHO_SYMBOLS, hit = 7.0 / 8 + miss,
                 seen = -hit * log2(hit) - (ECHO_SYMBOLS - 1) * miss * log2(miss), blind = log2(ECHO_SYMBOLS);
    const int64_t asked = size < ECHO_ASKED ? size : ECHO_ASKED, first = size - asked + 1, /* place of it */
                  unseen = first < ECHO_BACK ? (ECHO_BACK - first < asked ? ECHO_BACK - first : asked) : 0;
    return ((double)unseen * blind + (double)(asked - unseen) * seen) / (double)asked;
}
static void echo_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    (void)c, (void)depth;
    for (int64_t k = 0; k <= size; k++) {
        const bool drawn = k < ECHO_BACK || !draw_below(d, 8);
        const int64_t now = drawn ? (int64_t)draw_below(d, ECHO_SYMBOLS) : token[k - ECHO_BACK];
        if (k)
            target[k - 1] = held && k <= size - ECHO_ASKED ? -1 : now;
        if (k < size)
            token[k] = now;
    }
}

/* Copy and reverse: after "begin x separator" the answer is "x end", with x copied or reversed. */
enum { LETTERS = 10, BEGIN = LETTERS, SEPARATOR, END, COPY_SYMBOLS };
static int64_t copy_tokens(int64_t n) { return 2 * n + 2; }
static void copied(struct draw *d, int64_t n, int backwards, int64_t *token, int64_t *target)
{
    token[0] = BEGIN, token[n + 1] = SEPARATOR;
    for (int64_t k = 1; k <= n; k++)
        token[k] = (int64_t)draw_below(d, LETTERS);
    for (int64_t k = 0; k <= n; k++) {
        target[k] = -1, target[n + 1 + k] = k == n ? END : token[backwards ? n - k : k + 1];
        if (k < n)
            token[n + 2 + k] = target[n + 1 + k];
    }
}
static void copy_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    (void)c, (void)depth, (void)held, copied(d, size, 0, token, target);
}
static void reverse_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    (void)c, (void)depth, (void)held, copied(d, size, 1, token, target);
}
/* Words backwards: an encoder reads "x end"; the decoder reads "start y" and answers "y end", y being x reversed. */
static int64_t letters_read(int64_t n) { return n + 1; }
static void rewrite_row(
    const struct corpus *c, struct draw *d, int64_t n, double depth, int held, int64_t *token, int64_t *target)
{
    (void)c, (void)depth, (void)held;
    for (int64_t k = 0; k < n; k++)
        token[k] = (int64_t)draw_below(d, REWRITE_LETTERS);
    token[n] = REWRITE_END, token[n + 1] = REWRITE_START;
    for (int64_t k = 0; k <= n; k++) {
        target[k] = -1, target[n + 1 + k] = k == n ? REWRITE_END : token[n - 1 - k];
        if (k < n)
            token[n + 2 + k] = target[n + 1 + k];
    }
}

/* Recall: pairs of a key and a value, all keys different; then QUERIES keys, each to be followed by its value.
 * Arora et al. 2023 (MQAR) */
enum { KEYS = 256, CONTENTS = 16, QUERIES = 16, RECALL_SYMBOLS = KEYS + CONTENTS };
static int64_t recall_tokens(int64_t pairs) { return 2 * (pairs + QUERIES); }
static void recall_row(
    const struct corpus *c, struct draw *d, int64_t pairs, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t key[KEYS];
    (void)c, (void)depth, (void)held;
    for (int64_t k = 0; k < KEYS; k++)
        key[k] = k;
    for (int64_t k = 0; k < pairs; k++) { /* a shuffle's first `pairs` */
        const int64_t other = k + (int64_t)draw_below(d, (uint64_t)(KEYS - k)), keep = key[k];
        key[k] = key[other], key[other] = keep;
        token[2 * k] = key[k], token[2 * k + 1] = KEYS + (int64_t)draw_below(d, CONTENTS),
                  target[2 * k] = target[2 * k + 1] = -1;
    }
    for (int64_t k = pairs; k < pairs + QUERIES; k++) {
        const int64_t which = (int64_t)draw_below(d, (uint64_t)pairs);
        token[2 * k] = key[which], token[2 * k + 1] = target[2 * k] = token[2 * which + 1], target[2 * k + 1] = -1;
    }
}

/* Sums: a + b = c, a and b with `size` digits, lowest first; c has one digit more. */
enum { PLUS = 10, EQUALS, SUM_SYMBOLS };
static int64_t sum_tokens(int64_t n) { return 3 * n + 2; }
static void sum_row(
    const struct corpus *c, struct draw *d, int64_t n, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t carry = 0;
    (void)c, (void)depth, (void)held;
    for (int64_t k = 0; k < sum_tokens(n); k++)
        target[k] = -1;
    for (int64_t k = 0; k < n; k++)
        token[k] = (int64_t)draw_below(d, 10), token[n + 1 + k] = (int64_t)draw_below(d, 10);
    token[n] = PLUS, token[2 * n + 1] = EQUALS;
    for (int64_t k = 0; k <= n; k++) {
        const int64_t digit = carry + (k < n ? token[k] + token[n + 1 + k] : 0);
        target[2 * n + 1 + k] = digit % 10, carry = digit / 10;
        if (k < n)
            token[2 * n + 2 + k] = digit % 10;
    }
}

/* Parity: bits, and whether the number of ones is odd.  Mode: symbols, and the one that occurs most often. */
enum { PARITY_SYMBOLS = 3, KINDS = 5, MODE_SYMBOLS = KINDS + 1 };
static int64_t one_more(int64_t n) { return n + 1; }
static void parity_row(
    const struct corpus *c, struct draw *d, int64_t n, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t odd = 0;
    (void)c, (void)depth, (void)held;
    for (int64_t k = 0; k < n; k++)
        odd ^= token[k] = (int64_t)draw_below(d, 2), target[k] = -1;
    token[n] = 2, target[n] = odd;
}
static void mode_row(
    const struct corpus *c, struct draw *d, int64_t n, double depth, int held, int64_t *token, int64_t *target)
{
    int64_t count[KINDS] = { 0 }, best = 0, second;
    (void)c, (void)depth, (void)held;
    do { /* until one leads: for three symbols or more and five kinds more than half of all rows */
        memset(count, 0, sizeof count);
        for (int64_t k = 0; k < n; k++)
            count[token[k] = (int64_t)draw_below(d, KINDS)]++, target[k] = -1;
        best = 0, second = -1;
        for (int64_t k = 1; k < KINDS; k++)
            best = count[k] > count[best] ? k : best;
        for (int64_t k = 0; k < KINDS; k++)
            second = k != best && count[k] > second ? count[k] : second;
    } while (second == count[best]);
    token[n] = KINDS, target[n] = best;
}

const struct task tasks[] = {
    { "lm", "next character of the King James text", CORPUS_SYMBOLS, 1, 0, same, text_row, TEXT_CHARACTERS, "context",
        .solved = "A model of the last 8 to 16 characters does nearly as well as one of all: this text shows whether a "
                  "longer context breaks a model, hardly whether it serves it." },
    { "subwords", "next subword of the King James text", CORPUS_SUBWORDS, 1, 0, same, text_row, TEXT_SUBWORDS,
        "context",
        .solved = "Subwords are learned by byte-pair encoding from the training part and stand for several characters "
                  "each, so a window holds as much more text than one of characters. Whether more of it serves a model "
                  "is what is measured here; frequent words are one subword, which no spelling helps to guess." },
    { "needle", "a value behind a marker, anywhere in noise", NEEDLE_SYMBOLS, 8, 1 << 20, same, needle_row, 0,
        "context", .deep = true, .blind = 1.0 / VALUES,
        .solved = "Values never occur in the noise, so a head that looks for any value by its content solves it "
                  "without the marker and without positions." },
    { "copy", "symbols written again", COPY_SYMBOLS, 1, 30, copy_tokens, copy_row, 0, "symbols",
        .blind = 1.0 / LETTERS,
        .solved = "The next symbol stands a fixed distance back within a row, or behind the same symbols as were "
                  "written last; ten symbols repeat, so contents alone leave ties." },
    { "reverse", "symbols written backwards", COPY_SYMBOLS, 1, 30, copy_tokens, reverse_row, 0, "symbols",
        .blind = 1.0 / LETTERS,
        .solved = "Every next symbol stands two further back than the last: distances grow, and none is fixed." },
    { "recall", "values of many keys", RECALL_SYMBOLS, 4, 16, recall_tokens, recall_row, 0, "pairs", .limit = KEYS,
        .blind = 1.0 / CONTENTS,
        .solved = "Find the key's first occurrence and read what follows it: a head that marks each token with the one "
                  "before, and one that looks for its content. Every pair is a distractor of the same class." },
    { "multikey", "the value of the key that is asked for, among others", MULTI_SYMBOLS, 12, 1 << 20, same, multi_row,
        0, "context", .deep = true, .blind = 1.0 / VALUES,
        .solved = "Four keys with their values lie in the noise and one is asked for, so the key must be compared: a "
                  "fifth of the noise is values without a key, so that any value at all is right the less often, down "
                  "to a guess, the longer the row is.", .keyed = 1.0 / MULTI + (MULTI - 1.0) / MULTI / VALUES },
    { "variables", "the value at the end of a chain of names", CHAIN_SYMBOLS, 4, 12, chain_tokens, chain_row, 0,
        "statements", .limit = CHAIN_NAMES, .blind = 1.0 / VALUES,
        .solved = "Statements say `name = value` or `name = name`; the name asked for is two steps from its value in a "
                  "chain, beside chains with other values: two look-ups, one after the other." },
    { "addition", "sums, lowest digit first", SUM_SYMBOLS, 1, 10, sum_tokens, sum_row, 0, "digits", .blind = 0.1,
        .solved = "Two digits of equal place and a carry: both stand at distances that depend on the length alone." },
    { "parity", "odd or even", PARITY_SYMBOLS, 1, 40, one_more, parity_row, 0, "bits", .blind = 0.5,
        .solved = "The count of ones modulo 2, which attention of few layers has no stable way to compute: a control "
                  "that should fail beyond training, and often within." },
    { "mode", "the most frequent symbol", MODE_SYMBOLS, 3, 40, one_more, mode_row, 0, "symbols", .blind = 1.0 / KINDS,
        .solved = "Shares of symbols, which equal weights over all tokens give at once; longer rows are harder only "
                  "because their shares lie nearer." },
    { "encdec-reverse", "words written backwards, by an encoder and a decoder", REWRITE_SYMBOLS, 1, 20, copy_tokens,
        rewrite_row, 0, "letters", letters_read, .blind = 1.0 / REWRITE_LETTERS,
        .solved = "The decoder's place fixes the encoder's: without positions in the encoder there is no order to "
                  "turn round." },
    { "echo", "symbols drawn by the one 24 places back", ECHO_SYMBOLS, 1, 0, same, echo_row, 0, "context",
        .blind = 1.0 / ECHO_SYMBOLS, .entropy = echo_entropy, .distance = ECHO_BACK,
        .solved = "A control of known entropy: 7 symbols of 8 repeat the one 24 places back, which no nearer one "
                  "tells. The right answer is known at every length, and a context beyond 24 is worth nothing." },
    { 0 },
};

const struct task *task_named(const char *name)
{
    for (const struct task *t = tasks; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

void task_text(const struct task *t, uint64_t seed, int64_t length, struct corpus *c)
{
    enum { TEXTS = 9003 }; /* a stream that neither a batch nor a held-out row has */
    struct draw d = { seed, TEXTS + ((uint64_t)3 << 62), 0 };
    int64_t *token = need((size_t)length + 1, sizeof *token), *target = need((size_t)length + 1, sizeof *target);
    t->make(NULL, &d, length, -1, 1, token, target);
    *c = (struct corpus){ .symbol = need((size_t)length, sizeof *c->symbol), .length = length };
    for (int64_t k = 0; k < length; k++)
        c->symbol[k] = (uint16_t)token[k];
    free(token), free(target);
}

int64_t task_most(const struct task *t, int64_t length)
{
    int64_t most = t->least;
    while (t->tokens(most + 1) <= length && (most < t->most || !t->most))
        most++;
    return most;
}

int64_t task_row(const struct task *t, const struct corpus *c, uint64_t seed, uint64_t step, uint64_t row,
    int64_t length, int64_t *token, int64_t *target)
{
    enum { BATCHES = 9001 };
    struct draw d = { seed, BATCHES + (step << 16) + row, 0 };
    const int64_t most = task_most(t, length);
    const int64_t size = t->most ? t->least + (int64_t)draw_below(&d, (uint64_t)(most - t->least + 1)) : most;
    for (int64_t k = t->tokens(size); k < length; k++)
        token[k] = 0, target[k] = -1;
    t->make(c, &d, size, -1, 0, token, target);
    return size;
}

void task_pair(const struct task *t, int64_t size, int64_t source, int64_t length, int64_t *token, int64_t *target)
{
    const int64_t read = t->source(size), rest = t->tokens(size) - read;
    memmove(token + source, token + read, (size_t)rest * sizeof *token);
    memmove(target, target + read, (size_t)rest * sizeof *target);
    for (int64_t k = read; k < source; k++)
        token[k] = -1;
    for (int64_t k = rest; k < length - source; k++)
        token[source + k] = 0, target[k] = -1;
}

/* Generates the rows of all tasks; see tasks.h. */
#include "lab/text/tasks.h"
#include <math.h>
#include <string.h>
#include "core/gen.h"

uint64_t draw_below(struct draw *d, uint64_t n)
{
    return (uint64_t)((unsigned __int128)gen_bits(d->seed, d->stream, d->index++) * n >> 64);
}
static int64_t same(int64_t n) { return n; }

/* Text: the next character, for every character of a window. */
static void text_row(
    const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target)
{
    const int64_t from = held ? c->train : 0, to = held ? c->length : c->train;
    const unsigned char *s = c->symbol + from + (int64_t)draw_below(d, (uint64_t)(to - from - size));
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
    { "lm", "next character of the King James text", CORPUS_SYMBOLS, 1, 0, same, text_row, 1, "context" },
    { "needle", "a value behind a marker, anywhere in noise", NEEDLE_SYMBOLS, 8, 1 << 20, same, needle_row, 0,
        "context" },
    { "copy", "symbols written again", COPY_SYMBOLS, 1, 30, copy_tokens, copy_row, 0, "symbols" },
    { "reverse", "symbols written backwards", COPY_SYMBOLS, 1, 30, copy_tokens, reverse_row, 0, "symbols" },
    { "recall", "values of many keys", RECALL_SYMBOLS, 4, 16, recall_tokens, recall_row, 0, "pairs" },
    { "addition", "sums, lowest digit first", SUM_SYMBOLS, 1, 10, sum_tokens, sum_row, 0, "digits" },
    { "parity", "odd or even", PARITY_SYMBOLS, 1, 40, one_more, parity_row, 0, "bits" },
    { "mode", "the most frequent symbol", MODE_SYMBOLS, 3, 40, one_more, mode_row, 0, "symbols" },
    { "encdec-reverse", "words written backwards, by an encoder and a decoder", REWRITE_SYMBOLS, 1, 20, copy_tokens,
        rewrite_row, 0, "letters", letters_read },
    { 0 },
};

const struct task *task_named(const char *name)
{
    for (const struct task *t = tasks; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
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

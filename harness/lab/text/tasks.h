/* What a model learns and is asked.  A task writes one row of tokens and targets for a size (how long the context, how
 * many symbols to copy); rows follow from (seed, stream, index) alone, so batches do not depend on order, threads or
 * resuming. */
#ifndef TASKS_H
#define TASKS_H
#include <stdbool.h>
#include "lab/text/corpus.h"

struct draw { uint64_t seed, stream, index; }; /* a generator of random integers; index is advanced */
/* The next integer, uniform in [0, n) but for a bias of n / 2^64 at most. */
uint64_t draw_below(struct draw *d, uint64_t n);

struct task {
    const char *name, *title;
    /* vocab: number of symbols.  Sizes while training are uniform in [least, most], at most what fits; most 0: always
     * the largest that fits. */
    int64_t vocab, least, most;
    int64_t (*tokens)(int64_t size); /* tokens of a row of that size */
    /* Writes a row.  depth in [0, 1]: the place, from the start, of what is sought; negative: anywhere.  target[k]
     * negative: no answer is asked there.  held: from held-out data. */
    void (*make)(
        const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target);
    enum text_kind reads;           /* the corpus that it reads, if any */
    const char *size_is;            /* what its size counts: "context", "symbols" */
    /* How many of a row's first tokens an encoder reads; NULL: a decoder alone reads all. */
    int64_t (*source)(int64_t size);
    int64_t limit;                  /* the greatest size that can be written; 0: any */
    bool deep;                      /* whether `depth` says where something stands */
    const char *solved;             /* what solves it, in a sentence for the page */
    /* The probability that a guess among the possible answers is right; 0 where that says nothing. */
    double blind;
    /* The probability that the value of any key of the row is the one asked for, which another key's may equal; 0: a
     * row has not several keys, or their number depends on its size. */
    double keyed;
    double (*entropy)(int64_t size); /* the least loss of a held-out row, in bits a symbol asked; NULL: not known */
    /* Of a text whose windows are distributed as its rows: the one distance at which a symbol tells another, which is
     * the context that is worth anything; 0: a row is no such text. */
    int64_t distance;
};
extern const struct task tasks[]; /* ends with name NULL */
const struct task *task_named(const char *name); /* NULL: none has that name */
int64_t task_most(const struct task *t, int64_t length); /* the largest size whose rows have at most `length` tokens */
/* Rearranges a row of that size in place for an encoder-decoder: the source, padded to `source` tokens by -1, then
 * length - source tokens of the decoder, whose targets become target. */
void task_pair(const struct task *t, int64_t size, int64_t source, int64_t length, int64_t *token, int64_t *target);
/* Makes a text of a task with a distance, all of it held out: c->symbol[length], which corpus_close frees. */
void task_text(const struct task *t, uint64_t seed, int64_t length, struct corpus *c);
/* Symbols of task encdec-reverse: the source is x END; the decoder reads START y and has to answer y END. */
enum { REWRITE_LETTERS = 26, REWRITE_START = REWRITE_LETTERS, REWRITE_END, REWRITE_SYMBOLS };
/* The least loss, in bits, that a held-out row of task echo allows at this size; without a bound of what is read. */
enum { ECHO_BACK = 24, ECHO_SYMBOLS = 16, ECHO_ASKED = 32 };
double echo_entropy(int64_t size);
/* Writes row `row` of training step `step`, padded to `length` tokens, and returns its size. */
int64_t task_row(const struct task *t, const struct corpus *c, uint64_t seed, uint64_t step, uint64_t row,
    int64_t length, int64_t *token, int64_t *target);
#endif

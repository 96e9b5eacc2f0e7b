/* What a model learns and is asked.  A task writes one row of tokens and targets for a size (how long the context, how
 * many symbols to copy); rows follow from (seed, stream, index) alone, so batches do not depend on order, threads or
 * resuming. */
#ifndef TASKS_H
#define TASKS_H
#include "lab/text/corpus.h"

struct draw { uint64_t seed, stream, index; };                 /* of random integers */
uint64_t draw_below(struct draw *d, uint64_t n);                 /* uniform in [0, n) up to n / 2^64 */

struct task {
    const char *name, *title;
    /* symbols; sizes while training: uniform in [least, most], or as large as fits (most 0: exactly that) */
    int64_t vocab, least, most;
    int64_t (*tokens)(int64_t size); /* of a row of that size */
    /* depth in [0, 1]: where what is sought stands, from the start; < 0: anywhere.  target[k] < 0: not asked.  held: of
     * held-out data */
    void (*make)(
        const struct corpus *c, struct draw *d, int64_t size, double depth, int held, int64_t *token, int64_t *target);
    int reads;                      /* the corpus */
    const char *size_is;            /* "context", "symbols" */
    /* how many of a row's tokens, the first ones, an encoder reads; NULL: a decoder alone reads all */
    int64_t (*source)(int64_t size);
};
extern const struct task tasks[]; /* ends with name NULL */
const struct task *task_named(const char *name);
int64_t task_most(const struct task *t, int64_t length); /* the largest size whose rows fit */
/* A row of that size for an encoder-decoder, in place: its source[source] padded by -1, then the decoder's [length -
 * source] tokens; target: the latter's. */
void task_pair(const struct task *t, int64_t size, int64_t source, int64_t length, int64_t *token, int64_t *target);
/* of task encdec-reverse: source x END; START y, to be answered by y END */
enum { REWRITE_LETTERS = 26, REWRITE_START = REWRITE_LETTERS, REWRITE_END, REWRITE_SYMBOLS };
/* Row `index` of training step `step`: length tokens, padded behind.  Its size. */
int64_t task_row(const struct task *t, const struct corpus *c, uint64_t seed, uint64_t step, uint64_t row,
    int64_t length, int64_t *token, int64_t *target);
#endif

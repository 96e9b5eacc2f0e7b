/* Evaluates a trained model at its trained length and beyond. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "lab/net/model.h"
#include "lab/text/tasks.h"

/* The loss of every token, in nats: windows of held-out text that end at the same places whatever their length, so that
 * targets are the same. nll[length k][window][position]; what a perplexity, a curve by position or an effective length
 * is made of. */
enum { TAIL = 32 }; /* last targets of a window: the same characters whatever its length */
struct losses { int64_t lengths, windows, length[16]; uint64_t seed; float *nll; };
/* Where window w of a seed ends in the held-out text, of which `held` places are free: one place drawn in each of
 * `windows` equal parts of it.  Another seed has other places, so a spread over seeds is one over texts, too. */
int64_t window_place(uint64_t seed, int64_t w, int64_t windows, int64_t held);
/* Computes l->nll, which losses_close frees, for the lengths, the number of windows and the seed that the caller set.
 * v: a variant, or NULL.  0, or -1 and one line in err. */
int losses_make(struct losses *l, const struct model *m, const float *params, const struct corpus *c,
    const struct variant *v, char *err, size_t n);
void losses_close(struct losses *l);
/* Sets the lengths of windows of a text with a distance: half of it, and doubled up to `most` while there is room, so
 * that a step from one to the next passes the distance and no other changes what is seen.  Only the last target of such
 * a window is told by its whole length: control_tail targets. */
enum { CONTROL_TAIL = 1 };
void control_lengths(struct losses *l, const struct task *t, int64_t most);
const float *losses_at(const struct losses *l, int64_t k, int64_t window); /* the losses [length[k]] of one window */
/* Bits a character at length number k: the mean over the last `tail` targets of each window. */
double losses_tail(const struct losses *l, int64_t k, int64_t tail);
/* Writes one binary file: a text line "meridian losses 1 windows W lengths n ..", then nll as float32.  0, or -1 and
 * one line in err. */
int losses_write(const struct losses *l, const char *path, char *err, size_t n);
/* Reads such a file; losses_close is due after 0.  -1 and one line in err: it is none, or is shorter or longer than it
 * says. */
int losses_read(struct losses *l, const char *path, char *err, size_t n);

/* exact: trials with every target right; asked, right: targets (the model's answer is the first of its largest logits);
 * nats: mean loss of a target. */
struct answers { int64_t trials, exact, asked, right; double nats; };
/* The questions: `trials` fresh rows of a size of a task; depth negative: anywhere. */
struct exam { const struct task *task; int64_t size, trials; uint64_t seed; double depth; };
int answers_make(struct answers *a, const struct model *m, const float *params, struct exam x, const struct variant *v,
    char *err, size_t n);

/* The same rows, with the answer written by a trained encoder-decoder itself: row decode's search over its own
 * log-probabilities, until the task's last symbol.  exact: words fully correct; length: mean of symbols written /
 * symbols wanted, end included. */
struct written { int64_t trials, exact; double length; };
/* beam 0: greedy.  0, or -1 and one line in err. */
int written_make(struct written *y, const struct model *m, const float *params, struct exam x, int64_t beam, char *err,
    size_t n);
#endif

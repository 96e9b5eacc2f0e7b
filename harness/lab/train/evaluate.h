/* Asking a trained model beyond its trained length. */
#ifndef EVALUATE_H
#define EVALUATE_H
#include "lab/net/model.h"
#include "lab/text/tasks.h"

/* The loss of every token, in nats: windows of held-out text that end at the same places whatever their length, so that
 * targets are the same. nll[length k][window][position]; what a perplexity, a curve by position or an effective length
 * is made of. */
enum { TAIL = 32 }; /* last targets of a window: the same characters whatever its length */
struct losses { int64_t lengths, windows, length[16]; float *nll; };
/* lengths and windows are the caller's; nll is made */
int losses_make(struct losses *l, const struct model *m, const float *params, const struct corpus *c,
    const struct variant *v, char *err, size_t n);
void losses_close(struct losses *l);
const float *losses_at(const struct losses *l, int64_t k, int64_t window);        /* [length[k]] */
/* bits a character: the mean over the last `tail` of each window */
double losses_tail(const struct losses *l, int64_t k, int64_t tail);
/* One binary file: a text line "meridian losses 1 windows W lengths n ..", then nll as float32.  0, or -1 and one
 * line. */
int losses_write(const struct losses *l, const char *path, char *err, size_t n);
/* losses_close is due after 0; -1 and one line: not such a file, or another size than it says */
int losses_read(struct losses *l, const char *path, char *err, size_t n);

/* trials all right; targets asked, right (first of the greatest); mean loss of a target */
struct answers { int64_t trials, exact, asked, right; double nats; };
/* `trials` fresh rows of a task's size; depth < 0: anywhere. */
struct exam { const struct task *task; int64_t size, trials; uint64_t seed; double depth; };
int answers_make(struct answers *a, const struct model *m, const float *params, struct exam x, const struct variant *v,
    char *err, size_t n);

/* The same rows, written by a trained encoder-decoder itself: row decode's search over its own log-probabilities, until
 * the task's last symbol. */
/* words that are right from end to end; mean of symbols written, the end among them, by those wanted */
struct written { int64_t trials, exact; double length; };
/* beam 0: greedy */
int written_make(struct written *y, const struct model *m, const float *params, struct exam x, int64_t beam, char *err,
    size_t n);
#endif

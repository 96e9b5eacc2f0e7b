/* Training: AdamW with warm-up and a cosine, the same weights bit by bit whatever the number of workers and after every
 * interruption. A batch is cut into parts of fixed size; each part's gradient is summed by itself, and parts are added
 * up by a fixed tree. What the bits depend on: this program, the slot of its kernels (MERIDIAN_ISA), what makes the
 * products (gemm_small_by; a library chooses its kernels by
 * the processor).  `identity` says all of it; a checkpoint of another identity is not continued. */
#ifndef TRAIN_H
#define TRAIN_H
#include <gmp.h>
#include "lab/net/model.h"
#include "row/param.h"
#include "lab/text/tasks.h"

enum { STEPS_MOST = 1 << 30 };
struct training { /* by training_params */
    /* part: rows that one worker takes at a time */
    long layers, heads, channels, inner, length, reach, batch, part, steps, warm, seed;
    /* floor: of the rate, as a share; clip: of the gradient's norm, 0: never; decay: of matrices */
    mpq_t rate, floor, decay, clip, beta1, beta2, eps;
};
extern const struct param training_params[];

struct trainer {
    struct training set;
    const struct task *task;
    const struct corpus *corpus;      /* borrowed; NULL where the task reads none */
    struct model m;
    /* steps done; parts of a batch; of a row's tokens, an encoder's (0: none) and the others, which have targets: the
     * trained length */
    int64_t step, parts, source, asked;
    float *params, *first, *second;   /* [m.count]; Adam's moments */
    float *grad;                      /* [parts][m.count] */
    int64_t *token, *target;          /* [batch][length], [batch][asked] */
    double *nll;
    int workers;
    struct train_worker *worker;
    double loss, norm;                /* of the last step: nats a counted target, before clipping */
    char identity[3500];
};
/* text: "steps=40 seed=2 ..".  0, or -1 and one line. */
int trainer_open(struct trainer *t, const char *encoding, const char *task, const char *text, const struct corpus *c,
    int workers, char *err, size_t n);
void trainer_close(struct trainer *t);
/* The sizes of the model that a task trains with these parameters. */
struct lab_size training_size(const struct training *set, const struct task *task);
/* The digest of this program, which the identity of a training has as 16 digits behind "program=". */
uint64_t training_program(void);
/* One step.  0; or -1 and one line: a loss or gradient that is not finite, and then parameters, moments and step are as
 * before it. */
int trainer_step(struct trainer *t, char *err, size_t n);
void trainer_digest(const struct trainer *t, char hex[65]); /* SHA-256 of parameters, moments and step */

/* Checkpoints: a line of identity, step and count, the three arrays, a SHA-256 of all before it; written whole or not
 * at all. */
int checkpoint_write(const struct trainer *t, const char *path, char *err, size_t n);
/* 1: continued from there; 0: nothing there, or what was there is damaged: set aside as PATH.corrupt-N, and `err` says
 * so; -1 and one line: another model's, or unreadable. */
int checkpoint_read(struct trainer *t, const char *path, char *err, size_t n);
/* What a checkpoint holds, read without a training of the same identity; params[count] is owned. */
struct kept_training { char identity[3500]; long long step, count; double loss; float *params; };
/* Reads a checkpoint and changes nothing.  0, or -1 and one line: it cannot be read, is damaged, or is none of this
 * version.  kept_free is due either way. */
int checkpoint_load(struct kept_training *s, const char *path, char *err, size_t n);
void kept_free(struct kept_training *s);
#endif

/* A model that the laboratory trained, read from its checkpoint. */
#ifndef TRAINED_H
#define TRAINED_H
#include "lab/train/train.h"

/* positions: how many places a written model has tables for, at most the reach. */
struct trained {
    struct kept_training stored;
    struct training set;
    const struct task *task;
    struct model m;
    int64_t positions;
};
/* Reads a checkpoint, PATH.checkpoint or a folder that holds one of them.  positions: as above, 0 for the reach; other:
 * also a checkpoint of another build of this program.  0, or -1 and one line: there is none or are several, it is
 * damaged, of another version, of an encoding that is not here, or longer than the reach is asked for.  trained_close
 * is due either way. */
int trained_open(struct trained *t, const char *path, int64_t positions, bool other, char *err, size_t n);
void trained_close(struct trained *t);
/* The parameters of a block, [lines][count / lines]; -1: NULL. */
const float *trained_block(const struct trained *t, int block);
/* The row's name of what is between two layers of products, and the number that keeps a norm from a division by 0. */
extern const char *const trained_act;
double trained_eps(void);
#endif

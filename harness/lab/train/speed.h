/* What a training step costs, in processor time of one thread, and where: dense products, attention's kernels, all
 * else. */
#ifndef SPEED_H
#define SPEED_H
#include "lab/train/train.h"

struct part_of { double seconds, flop; };
struct speed {
    double step;                /* seconds of a step: the median */
    /* of a step. peak: multiply-adds in registers, between the steps, so that other processes' load meets both. attend:
     * o, and dq dk dv with all that the row's kernel makes with them; its operations are the products of visible pairs,
     * 2 forward and 5 back */
    struct part_of products, attend, peak;
    int64_t count;              /* parameters */
    char slot[16];              /* of attention's kernel */
};
/* A training of `encoding` on `task` (its corpus, or NULL), other parameters by text, `steps` of its steps.  0, or -1
 * and one line. */
int speed_of(struct speed *s, const char *encoding, const char *task, const char *text, const struct corpus *c,
    int steps, char *err, size_t n);
static inline double speed_share(const struct part_of *p, const struct part_of *peak)
{
    return p->flop / p->seconds / (peak->flop / peak->seconds);
}
#endif

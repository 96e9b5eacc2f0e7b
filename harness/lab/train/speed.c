/* Measures the cost of a training step; see speed.h. */
#include "lab/train/speed.h"
#include "base/clock.h"
#include <stdio.h>
#include "bench/core/bench.h"

enum { PEAK = 1000000 }; /* rounds: about 2 ms */
static struct part_of products; /* of timed_product, one thread's */
static void timed_product(
    void *c, int64_t stride, struct matrix a, struct matrix b, int64_t m, int64_t n, int64_t k, int add)
{
    const double start = thread_seconds();
    maths_f32.product(c, stride, a, b, m, n, k, add);
    products.seconds += thread_seconds() - start, products.flop += 2 * (double)m * (double)n * (double)k;
}

/* Measures the parts of a step with a pass over the trainer's batch that does what a worker of trainer_step does. */
static int parts_of(struct speed *s, const struct trainer *t, int repeat, char *err, size_t n)
{
    struct maths timed = maths_f32;
    struct pass p;
    const int64_t length = t->set.length, tokens = t->set.part * length, vocab = t->m.size.vocab;
    float *dlogits = need((size_t)(tokens * vocab), sizeof *dlogits), *grad = need((size_t)t->m.count, sizeof *grad);
    double attend = 0;
    timed.product = timed_product;
    int rc = pass_open(&p, &t->m,
        (struct pass_form){ .maths = &timed, .rows = t->set.part, .length = length, .backward = 1 }, err, n);
    for (int k = -1; k < repeat && !rc; k++) {
        if (!k) {
            products = (struct part_of){ 0 }, attend = 0;
            p.attend.clock = p.attend_back.clock = &attend;
        }
        const double start = thread_seconds(), flop = limit_fma(PEAK);
        s->peak = k > 0 ? s->peak : (struct part_of){ 0 };
        s->peak.seconds += thread_seconds() - start, s->peak.flop += flop;
        for (int64_t part = 0; part < t->parts && !rc; part++) {
            const int64_t *token = t->token + part * tokens;
            rc = pass_forward(&p, t->params, token);
            maths_f32.entropy(
                NULL, dlogits, p.logits, t->target + part * tokens, tokens, vocab, 1 / (double)(tokens * t->parts));
            rc = rc ? rc : pass_backward(&p, t->params, token, dlogits, grad);
            if (rc)
                rc = (snprintf(err, n, "%s: a kernel failed or is not offered", t->m.enc->name), -1);
        }
    }
    const double pairs =
        (double)(t->set.batch * t->m.size.heads * t->m.size.layers) * (double)length * (double)(length + 1) / 2;
    s->products = (struct part_of){ products.seconds / repeat, products.flop / repeat };
    s->attend =
        (struct part_of){ attend / repeat, 2 * pairs * (2 + 5) * (double)(t->m.size.channels / t->m.size.heads) };
    snprintf(s->slot, sizeof s->slot, "%s", p.attend.slot ? p.attend.slot : "");
    pass_close(&p);
    free(dlogits), free(grad);
    return rc;
}

int speed_of(struct speed *s, const char *encoding, const char *task, const char *text, const struct corpus *c,
    int steps, char *err, size_t n)
{
    struct trainer t;
    struct runner r = { .name = encoding };
    *s = (struct speed){ 0 };
    steps = steps > TURNS ? TURNS : steps;
    int rc = trainer_open(&t, encoding, task, text, c, 1, err, n);
    for (int k = -2; k < steps && !rc; k++) { /* the first finds kernels and touches memory */
        const double start = thread_seconds();
        rc = trainer_step(&t, err, n);
        if (k >= 0)
            r.seconds[k] = thread_seconds() - start;
    }
    rc = rc ? rc : parts_of(s, &t, steps < 5 ? steps : 5, err, n);
    s->step = rc ? 0 : bench_median(&r, steps), s->count = t.m.count;
    trainer_close(&t);
    return rc;
}

/* A small training of the laboratory (158 thousand parameters, 1200 steps of 32 rows of 64 tokens) in processor time
 * of one thread; and within a step, products and attention as a share of the multiply-adds that the processor can do
 * in registers.  The check: the gradients of every block of that encoding (lab/train/gradcheck.h). */
#include "bench/core/bench.h"
#include "lab/train/gradcheck.h"
#include "lab/train/speed.h"

static bool gradients_hold(struct bench *b, const char *encoding, const char *name)
{
    struct gradcheck g[BLOCKS_MOST];
    char err[600];
    double difference = 0, kernels = 0;
    const int n = gradcheck(encoding, &gradcheck_size, 1, NULL, g, err, sizeof err);
    for (int k = 0; k < n; k++) {
        difference = g[k].difference <= difference ? difference : g[k].difference;
        kernels = g[k].kernels <= kernels ? kernels : g[k].kernels;
    }
    const bool good = n > 0 && difference <= 1e-6 && kernels <= 1e-4;
    snprintf(b->check, sizeof b->check, "gradients of %d blocks: off their slopes by %.2g, float32's by %.2g", n,
        difference, kernels);
    if (!good)
        b->failed++, printf("%-32s no speed: the check failed: %s\n", name, n < 0 ? err : b->check);
    return good;
}

static void measure(struct bench *b)
{
    static const char *const of[] = { "none", "alibi", "rope", "sinusoid", NULL };
    char name[64], err[600];
    struct corpus corpus;
    const bool text = corpus_open(&corpus, TEXT_CHARACTERS, err, sizeof err) == 0;
    for (const char *const *e = of; *e; e++) {
        struct speed s;
        snprintf(name, sizeof name, "training %s", *e);
        if (!bench_wants(b, name) || !gradients_hold(b, *e, name))
            continue;
        if (speed_of(&s, *e, text ? "lm" : "needle", "", text ? &corpus : NULL, b->turns, err, sizeof err)) {
            bench_absent(b, name, err);
            continue;
        }
        snprintf(name, sizeof name, "training %s 1200 steps", *e);
        bench_goal(b, name, 1200 * s.step, text ? "s of task lm" : "s of task needle: no corpus", 40, false);
        snprintf(name, sizeof name, "training %s products", *e);
        bench_goal(b, name, speed_share(&s.products, &s.peak), "of the multiply-adds", 0.6, true);
        snprintf(name, sizeof name, "training %s attention", *e);
        bench_goal(b, name, speed_share(&s.attend, &s.peak), "of the multiply-adds", 0.6, true);
    }
    if (text)
        corpus_close(&corpus);
}
const struct group group_training = { 700, measure };

/* A small training of the laboratory (158 thousand parameters, 1200 steps of 32 rows of 64 tokens) in processor time
 * of one thread; and within a step, products and attention as a share of the multiply-adds that the processor can do
 * in registers.  Then a step of every encoding as a multiple of one without positions, whose turns are between its own.
 * The check: the gradients of every block of that encoding (lab/train/gradcheck.h). */
#include "bench/core/bench.h"
#include "lab/train/gradcheck.h"
#include "lab/train/speed.h"

/* By how much a block's gradient may be off its slopes, and float32's off that, of its largest element.  The second
 * tells a wrong kernel from a right one and no more: what a right one may be off is bounded where kernels are judged
 * (`check`). */
static const double off_slopes = 1e-6, off_float32 = 1e-3;
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
    const bool good = n > 0 && difference <= off_slopes && kernels <= off_float32;
    snprintf(b->check, sizeof b->check, "gradients of %d blocks: off their slopes by %.2g, float32's by %.2g", n,
        difference, kernels);
    if (!good)
        b->failed++, printf("%-32s no speed: the check failed: %s\n", name, n < 0 ? err : b->check);
    return good;
}

/* What a step of an encoding may take, in steps without positions, where its attention has vectors. */
static const double step_goal = 1.5;
static void step_of(struct bench *b, const struct encoding *e, const char *task, const struct corpus *text)
{
    char name[64], err[600];
    struct speed s, plain[2];
    snprintf(name, sizeof name, "training step %s", e->name);
    if (!strcmp(e->name, "none") || !bench_wants(b, name) || !gradients_hold(b, e->name, name))
        return;
    if (speed_of(&plain[0], "none", task, "", text, b->turns, err, sizeof err) ||
        speed_of(&s, e->name, task, "", text, b->turns, err, sizeof err) ||
        speed_of(&plain[1], "none", task, "", text, b->turns, err, sizeof err)) {
        bench_absent(b, name, err);
        return;
    }
    const double x = 2 * s.step / (plain[0].step + plain[1].step);
    if (!strcmp(s.slot, "scalar"))
        bench_figure(b, name, x, "steps without positions; attention in plain loops");
    else
        bench_goal(b, name, x, "steps without positions", step_goal, false);
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
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        step_of(b, e, text ? "lm" : "needle", text ? &corpus : NULL);
    if (text)
        corpus_close(&corpus);
}
const struct group group_training = { 700, measure };

/* A post-norm encoder block (c = 512, 8 heads, 2048 columns of the feed-forward layer, 512 rows, float32) against
 * its matrix products alone, by the same library on the same thread: the six dense ones, and Q K^T and P V of every
 * head.  A ratio above 1 is softmax, norms, residuals, activation and copies, less what attention's tiles save on the
 * small products.  A second line, without a goal, sets it against the six dense products alone, which no block does
 * without. */
#include "bench/core/bench.h"
#include "block/gemm.h"

enum { ROWS = 512, C = 512, HEADS = 8, WIDTH = C / HEADS, F = 2048 };
struct block_own { const struct mer_kernel *kernel; struct mer_call call; };
static void by_kernel(void *with)
{
    struct block_own *w = with;
    w->kernel->run(&w->call);
}

/* Inputs and weights of the block, and room for what the products make: q k v, the hidden layer, scores, heads'
 * outputs and the block's; pairs: with the products of every head. */
struct products { const float *x, *wi, *wo, *w1, *w2; float *q, *h, *s, *o, *y; bool pairs; };
static struct gemm_of of(const float *x, int64_t stride, int transposed)
{
    return (struct gemm_of){ x, stride, transposed };
}
static void by_gemm(void *with)
{
    const struct products *p = with;
    for (int k = 0; k < 3; k++)
        gemm_f32(p->q + k * ROWS * C, C, of(p->x, C, 0), of(p->wi + k * C, 3 * C, 0), ROWS, C, C, 0);
    for (int h = 0; h < HEADS && p->pairs; h++) { /* heads are columns of q, k, v and o, so nothing is copied */
        gemm_f32(p->s, ROWS, of(p->q + h * WIDTH, C, 0), of(p->q + ROWS * C + h * WIDTH, C, 1), ROWS, ROWS, WIDTH, 0);
        gemm_f32(
            p->o + h * WIDTH, C, of(p->s, ROWS, 0), of(p->q + 2 * ROWS * C + h * WIDTH, C, 0), ROWS, WIDTH, ROWS, 0);
    }
    gemm_f32(p->y, C, of(p->o, C, 0), of(p->wo, C, 0), ROWS, C, C, 0);
    gemm_f32(p->h, F, of(p->y, C, 0), of(p->w1, F, 0), ROWS, F, C, 0);
    gemm_f32(p->y, C, of(p->h, F, 0), of(p->w2, C, 0), ROWS, C, F, 0);
}

/* Scales the weights to those of an untrained layer: 0.32 / 8 is near 1 / sqrt(512).  Larger ones would multiply the
 * bound at every sum of 512 terms. */
static void fresh(struct trial *t)
{
    static const char *const names[] = { "wi", "wo", "w1", "w2" };
    for (int k = 0; k < 4; k++) {
        struct mer_array *a = trial_in(t, names[k]);
        for (long i = 0; i < array_len(a); i++)
            ((float *)a->data)[i] *= 0.125f;
    }
}

static void measure(struct bench *b)
{
    static const char name[] = "block post 512/512", six[] = "block post 512/512, dense products";
    char err[400] = "no kernel offers it";
    const char *slot = "";
    struct trial t;
    struct block_own own = { 0 };
    if (!bench_wants(b, name) && !bench_wants(b, six))
        return;
    if (strncmp(gemm_by(), "OpenBLAS", 8)) {
        bench_absent(b, name, "OpenBLAS");
        return;
    }
    bool here = !trial_make(&t, &(struct trial_spec){ "block", "heads=8 width=64", "encoder", MER_F32,
        "n=512 c=512 f=2048 small", 1 }, err, sizeof err);
    own.kernel = here ? bench_kernel("block", "encoder", "f32", &t.call, &slot) : NULL;
    own.call = t.call;
    float *room = need((size_t)ROWS * (5 * C + F + ROWS), sizeof *room);
    if (own.kernel && own.kernel->prepare(&own.call) == MER_OK) {
        struct products p = { trial_in(&t, "x")->data, trial_in(&t, "wi")->data, trial_in(&t, "wo")->data,
            trial_in(&t, "w1")->data, trial_in(&t, "w2")->data, room, room + 5 * ROWS * C, room + ROWS * (5 * C + F),
            room + 3 * ROWS * C, room + 4 * ROWS * C, true },
                        dense = p;
        dense.pairs = false;
        fresh(&t);
        by_kernel(&own);
        b->lines = 1; /* a line of the reference reads every weight, and k and v of every row */
        if (bench_check(b, &t, name, own.kernel->profile, 0, false)) {
            struct runner run[] = { { name, by_kernel, &own }, { gemm_by(), by_gemm, &p },
                { "the six dense products", by_gemm, &dense } };
            double elements = (double)ROWS * C;
            bench_turns(run, 3, b->turns);
            bench_item(b, &(struct item){ name, &run[0], &run[1], elements, 0, 1.15, false });
            bench_item(b, &(struct item){ six, &run[0], &run[2], elements, 0, 0, false });
            bench_figure(b, name,
                2.0 * ROWS * C * (4.0 * C + 2.0 * F + 2.0 * ROWS) / bench_median(&run[0], b->turns) * 1e-9,
                "GFLOP/s of its products");
        }
        b->lines = 0;
    } else
        bench_absent(b, name, err);
    if (own.kernel && own.call.state)
        own.kernel->release(own.call.state);
    free(room), trial_close(&t);
}
const struct group group_block = { 600, measure };

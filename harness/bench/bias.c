/* Writing out the biases of ALiBi and T5, [8][2048][2048], against the machine's own fill of the same bytes. */
#include "bench/core/bench.h"

struct bias_written { const struct mer_kernel *kernel; struct mer_call call; };
static void write_bias(void *with)
{
    struct bias_written *w = with;
    w->kernel->run(&w->call);
}

static void bias(struct bench *b, const char *row, const char *type)
{
    char name[64], err[400];
    const char *slot = "";
    struct trial t;
    snprintf(name, sizeof name, "%s bias %s", row, type);
    if (!bench_wants(b, name))
        return;
    if (trial_make(&t, &(struct trial_spec){ row, "", "bias", type_named(type), "h=8 n=2048 m=2048", 1 }, err,
        sizeof err)) {
        bench_absent(b, name, err);
        trial_close(&t);
        return;
    }
    size_t bytes = (size_t)array_len(&t.out[0]) * type_size(t.out[0].type);
    void *made = t.out[0].data;
    t.out[0].data = aligned_alloc(4096, bytes);
    if (t.out[0].data)
        memset(t.out[0].data, 0xff, bytes);
    struct bias_written w = { t.out[0].data ? bench_kernel(row, "bias", type, &t.call, &slot) : NULL, t.call };
    if (w.kernel && (!w.kernel->prepare || w.kernel->prepare(&w.call) == MER_OK)) {
        struct runner r[] = { { name, write_bias, &w },
            { "fill", limit_fill, &(struct bench_stretch){ t.out[0].data, bytes } } };
        bench_turns(r, 2, b->turns);
        write_bias(&w);
        if (bench_check(b, &t, name, w.kernel->profile, w.kernel->gauge, w.kernel->correct)) {
            size_t used = strlen(b->check);
            snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
            bench_item(
                b, &(struct item){ name, &r[0], &r[1], (double)array_len(&t.out[0]), (double)bytes, 0.80, true });
        }
        if (w.kernel->release)
            w.kernel->release(w.call.state);
    } else
        bench_absent(b, name, "no kernel, or no memory");
    free(t.out[0].data);
    t.out[0].data = made;
    trial_close(&t);
}

static void measure(struct bench *b)
{
    static const char *const rows[] = { "alibi", "t5" };
    b->lines = 2000; /* a line of bias[h,n,m] is one element */
    for (int r = 0; r < 2; r++)
        bias(b, rows[r], "f32"), bias(b, rows[r], "bf16");
    b->lines = 0;
}
const struct group group_bias = { 300, measure };

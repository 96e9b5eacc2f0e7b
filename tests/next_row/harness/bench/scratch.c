/* One product an element, [4096][512], against the machine's own update in place of the same bytes. */
#include "bench/core/bench.h"

struct asked { const struct mer_kernel *kernel; struct mer_call call; };
static void ask(void *with)
{
    struct asked *a = with;
    a->kernel->run(&a->call);
}

static void measure(struct bench *b)
{
    static const char name[] = "scratch product";
    const char *slot = "";
    char err[400];
    struct trial t;
    if (!bench_wants(b, name))
        return;
    if (trial_make(&t, &(struct trial_spec){ "scratch", "", "y", MER_F32, "n=4096 d=512", 1 }, err, sizeof err)) {
        bench_absent(b, name, err);
        return;
    }
    const double n = (double)array_len(&t.out[0]), bytes = 8 * n;
    struct asked a = { bench_kernel("scratch", "y", "f32", &t.call, &slot), t.call };
    struct runner r[] = { { name, ask, &a },
        { "update", limit_update, &(struct bench_stretch){ t.out[0].data, (size_t)n * 4 } } };
    bench_turns(r, 2, b->turns);
    ask(&a);
    if (bench_check(b, &t, name, a.kernel->profile, a.kernel->gauge, a.kernel->correct))
        bench_item(b, &(struct item){ name, &r[0], &r[1], n, bytes, 0, true });
    trial_close(&t);
}
const struct group group_scratch = { 10000, measure };

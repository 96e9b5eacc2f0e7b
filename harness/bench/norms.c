/* Layer normalisation, RMS normalisation, softmax and activations, [8192][1024], out of place, against the machine's
 * own copy of as many bytes as they read and write; their gradients likewise. */
#include "bench/core/bench.h"

struct norms_kernel_call { const struct mer_kernel *kernel; struct mer_call call; };
static void run_kernel(void *with)
{
    struct norms_kernel_call *o = with;
    o->kernel->run(&o->call);
}

struct copy { char *to; const char *from; size_t bytes; };
static void copy(void *with)
{
    struct copy *c = with;
    memcpy(c->to, c->from, c->bytes);
}

static void against_copy(struct bench *b, const char *row, const char *out, const char *params, const char *sizes,
    const char *type, double goal)
{
    char name[96], err[400];
    const char *slot;
    struct trial t;
    snprintf(name, sizeof name, "%s %s %s%s%s", row, out, type, *params ? " " : "", params);
    if (!bench_wants(b, name))
        return;
    if (trial_make(&t, &(struct trial_spec){ row, params, out, type_named(type), sizes, 1 }, err, sizeof err)) {
        bench_absent(b, name, err);
        trial_close(&t);
        return;
    }
    size_t read = 0, written = (size_t)array_len(&t.out[0]) * type_size(t.type), moved;
    for (int k = 0; k < t.call.n_in; k++)
        read += (size_t)array_len(&t.in[k]) * type_size(t.in[k].type);
    /* bytes to copy, whole cache lines: a copy reads and writes, so half of the traffic */
    moved = (read + written) / 128 * 64;
    char *from = aligned_alloc(4096, moved / 4096 * 4096 + 4096), *to = aligned_alloc(4096, moved / 4096 * 4096 + 4096);
    struct norms_kernel_call o = { bench_kernel(row, out, type, &t.call, &slot), t.call };
    if (from && to && o.kernel) {
        memset(from, 1, moved), memset(to, 2, moved);
        run_kernel(&o);
        if (bench_check(b, &t, name, o.kernel->profile, o.kernel->gauge, o.kernel->correct)) {
            struct copy c = { to, from, moved };
            struct runner r[] = { { name, run_kernel, &o }, { "copy", copy, &c } };
            size_t used = strlen(b->check);
            snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
            bench_turns(r, 2, b->turns);
            bench_item(b,
                &(struct item){
                    name, &r[0], &r[1], (double)array_len(&t.out[0]), (double)(read + written), goal, true });
        }
    } else
        bench_absent(b, name, "no kernel, or no memory");
    free(from), free(to);
    trial_close(&t);
}

static void measure(struct bench *b)
{
    static const char *const types[] = { "f32", "bf16" };
    for (int k = 0; k < 2; k++) {
        against_copy(b, "layernorm", "y", "", "n=8192 d=1024", types[k], 0.5);
        against_copy(b, "layernorm", "dx", "", "n=8192 d=1024", types[k], 0.5);
        against_copy(b, "rmsnorm", "y", "", "n=8192 d=1024", types[k], 0.5);
        against_copy(b, "rmsnorm", "dx", "", "n=8192 d=1024", types[k], 0.5);
        against_copy(b, "softmax", "p", "", "n=8192 m=1024", types[k], 0.5);
        against_copy(b, "feedforward", "a", "", "n=8192 f=1024", types[k], 0.5);
        against_copy(b, "feedforward", "a", "act=gelu", "n=8192 f=1024", types[k], 0.5);
        against_copy(b, "feedforward", "a", "act=gelu-tanh", "n=8192 f=1024", types[k], 0.5);
        against_copy(b, "feedforward", "a", "act=silu", "n=8192 f=1024", types[k], 0.5);
    }
}
const struct group group_norms = { 450, measure };

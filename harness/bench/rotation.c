/* Rotation in place, [32][4096][128], against the machine's own reading and writing back of the same bytes.  The
 * table of angles is ready: run() finds the positions that prepare() was given, unchanged. */
#include "bench/core/bench.h"

struct rotation_kernel_call { const struct mer_kernel *kernel; struct mer_call call; };
static void run_kernel(void *with)
{
    struct rotation_kernel_call *s = with;
    s->kernel->run(&s->call);
}

static void rotation(struct bench *b, const char *type, const char *layout, double goal)
{
    char name[64], text[64], err[400];
    const char *slot;
    struct trial t;
    snprintf(name, sizeof name, "rope %s %s in place", type, layout);
    snprintf(text, sizeof text, "dim=128 layout=%s", layout);
    if (!bench_wants(b, name))
        return;
    if (trial_make(&t, &(struct trial_spec){ "rope", text, "y", type_named(type), "h=32 n=4096", 1 }, err,
        sizeof err)) {
        bench_absent(b, name, err);
        trial_close(&t);
        return;
    }
    struct mer_array *x = trial_in(&t, "x"), *pos = trial_in(&t, "pos"), in[2];
    size_t bytes = (size_t)array_len(x) * type_size(x->type);
    void *buffer = aligned_alloc(4096, bytes), *made = t.out[0].data;
    for (int64_t i = 0; i < pos->dim[0]; i++)
        ((int64_t *)pos->data)[i] = i;
    struct rotation_kernel_call s = { bench_kernel("rope", "y", type, &t.call, &slot), t.call };
    if (buffer && s.kernel && (!s.kernel->prepare || s.kernel->prepare(&s.call) == MER_OK)) {
        memcpy(buffer, x->data, bytes);
        in[0] = *x, in[1] = *pos, in[0].data = buffer, t.out[0].data = buffer;
        s.call.in = in;
        run_kernel(&s);
        if (bench_check(b, &t, name, s.kernel->profile, s.kernel->gauge, s.kernel->correct)) {
            struct runner r[] = { { name, run_kernel, &s },
                { "update in place", limit_update, &(struct bench_stretch){ buffer, bytes } } };
            size_t used = strlen(b->check);
            snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
            bench_turns(r, 2, b->turns);
            bench_item(b, &(struct item){ name, &r[0], &r[1], (double)array_len(x), 2 * (double)bytes, goal, true });
        }
        if (s.kernel->release)
            s.kernel->release(s.call.state);
    } else
        bench_absent(b, name, "no kernel, or no memory");
    t.out[0].data = made;
    free(buffer);
    trial_close(&t);
}

static void measure(struct bench *b)
{
    rotation(b, "f32", "half", 0.60);
    rotation(b, "f32", "interleaved", 0.60);
    rotation(b, "bf16", "half", 0.50);
    rotation(b, "bf16", "interleaved", 0.50);
    rotation(b, "f16", "half", 0.50);
    rotation(b, "f16", "interleaved", 0.50);
}
const struct group group_rotation = { 200, measure };

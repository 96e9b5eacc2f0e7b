/* Latent attention of one new token, in the shapes of DeepSeek-V2-Lite and V3 (latents of 512, 64 rotated channels):
 * the absorbed form against what bounds it on one thread, reading all inputs once or the multiply-adds that it takes,
 * whichever is slower.  A head takes 2 (2 l + r) operations a key, so from a few heads on arithmetic sets the pace. */
#include "bench/core/bench.h"

enum { WIDTH = 128, LATENT = 512, TURNED = 64 };
struct latent_kernel_call { const struct mer_kernel *kernel; struct mer_call call; };
static void run_kernel(void *with)
{
    struct latent_kernel_call *o = with;
    o->kernel->run(&o->call);
}
static void read_inputs(void *with)
{
    const struct trial *t = with;
    for (int k = 0; k < t->call.n_in; k++) {
        const size_t bytes = (size_t)array_len(&t->in[k]) * type_size(t->in[k].type),
                     skip = (size_t)(-(uintptr_t)t->in[k].data & 63);
        limit_read(&(struct bench_stretch){ (char *)t->in[k].data + skip, (bytes - skip) / 64 * 64 });
    }
}
/* So many multiply-adds, and rounds of limit_fma that are as many. */
struct multiplied { double flops; long rounds; };
static void multiply(void *with)
{
    const struct multiplied *x = with;
    limit_fma(x->rounds);
}

/* Judges the kernel on the first keys of the same arrays: a line of the reference takes m l products of numbers of many
 * bits. */
static bool checked(struct bench *b, struct trial *t, const char *name, const struct mer_kernel *kernel)
{
    enum { KEYS = 512 };
    struct mer_array *c = trial_in(t, "c"), *k_pe = trial_in(t, "k_pe");
    const int64_t keys = c->dim[0];
    c->dim[0] = k_pe->dim[0] = KEYS;
    struct mer_call some = t->call;
    const bool good = mer_ask(kernel, &some) == MER_OK && bench_check(b, t, name, kernel->profile, 0, false);
    c->dim[0] = k_pe->dim[0] = keys;
    return good;
}

/* Heads, keys, and whether the cache holds k_pe as it is, or turned. */
static const struct latent_shape { int h, keys; const char *rope; } shapes[] = { { 16, 4096, "off" },
    { 16, 32768, "off" }, { 16, 32768, "on" }, { 128, 4096, "off" }, { 128, 32768, "off" } };
static void latent(struct bench *b, const char *type, const struct latent_shape *x)
{
    char name[64], sizes[80], text[120], err[400] = "no kernel";
    const char *slot = "";
    struct trial t;
    struct latent_kernel_call own = { 0 };
    const bool turns = !strcmp(x->rope, "on");
    snprintf(name, sizeof name, "mla %d heads, %d%s %s", x->h, x->keys, turns ? ", turned" : "", type);
    if (!bench_wants(b, name))
        return;
    snprintf(sizes, sizeof sizes, "h=%d n=1 m=%d d=%d r=%d e=%d l=%d", x->h, x->keys, WIDTH, TURNED, WIDTH, LATENT);
    snprintf(text, sizeof text, "scaling=yarn factor=40 mscale=1 mscale_all_dim=1 form=absorbed rope=%s", x->rope);
    if (!trial_make(&t, &(struct trial_spec){ "mla", text, "o lse", type_named(type), sizes, 1 }, err, sizeof err)) {
        own.kernel = bench_kernel("mla", "o lse", type, &t.call, &slot);
        own.call = t.call;
    }
    if (own.kernel && own.kernel->prepare && own.kernel->prepare(&own.call) == MER_OK) {
        const double flops = 2.0 * x->h * ((double)x->keys * (2 * LATENT + TURNED) + 2 * WIDTH * LATENT);
        struct multiplied fma = { flops, 1 };
        fma.rounds = (long)(flops / limit_fma(1)) + 1;
        double bytes = 0;
        for (int k = 0; k < t.call.n_in; k++)
            bytes += (double)array_len(&t.in[k]) * (double)type_size(t.in[k].type);
        if (checked(b, &t, name, own.kernel)) {
            size_t used = strlen(b->check);
            snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
            struct runner r[] = { { name, run_kernel, &own }, { "multiply-adds", multiply, &fma },
                { "read limit", read_inputs, &t } };
            bench_turns(r, 3, b->turns);
            const bool reads = bench_median(&r[2], b->turns) > bench_median(&r[1], b->turns);
            bench_item(b,
                &(struct item){ name, &r[0], &r[1 + reads], (double)x->keys * x->h, bytes, reads ? 0.80 : 0.60, true });
            bench_figure(b, name, 1e-9 * flops / bench_median(&r[0], b->turns), "GFLOP/s");
        }
    } else
        bench_absent(b, name, err);
    if (own.kernel && own.call.state)
        own.kernel->release(own.call.state);
    trial_close(&t);
}

static void measure(struct bench *b)
{
    static const char *const types[] = { "f32", "bf16" };
    b->lines = 1; /* a line of the reference takes m l products of numbers of many bits */
    for (int type = 0; type < 2; type++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            latent(b, types[type], &shapes[k]);
    b->lines = 0;
}
const struct group group_latent = { 450, measure };

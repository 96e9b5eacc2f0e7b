/* Delta rules of width 128 as deployed models run them: a long prompt against the machine's multiply-adds, and few new
 * tokens, of many sequences, against its own copy of as many bytes as the states have. */
#include "bench/core/bench.h"

struct recurrent_own { const struct mer_kernel *kernel; struct mer_call call; };
static void run_kernel(void *with)
{
    struct recurrent_own *o = with;
    o->kernel->run(&o->call);
}

/* As many multiply-adds as a count, at the machine's widest. */
static void multiply(void *with)
{
    const double wanted = *(const double *)with, each = limit_fma(1) / 2;
    limit_fma((long)(wanted / each));
}
struct recurrent_copy { char *to; const char *from; size_t bytes; };
static void copy(void *with)
{
    struct recurrent_copy *c = with;
    memcpy(c->to, c->from, c->bytes);
}

/* Value heads, key heads and tokens of a row; few: beside the copy, else beside the multiply-adds. */
struct recurrent_case { const char *row, *type; int h, g, n; bool few; };
static const struct recurrent_case cases[] = {
    { "deltanet", "f32", 16, 16, 2048, false },
    { "gateddelta", "f32", 32, 16, 2048, false },
    { "gateddelta", "bf16", 32, 16, 2048, false },
    { "kda", "f32", 32, 32, 2048, false },
    { "gateddelta", "f32", 1024, 512, 1, true },
    { "gateddelta", "f32", 1024, 512, 4, true },
    { "gateddelta", "f32", 1024, 512, 8, true },
};
/* x of its first head, and of what has value columns the first ones; the caller frees data. */
static struct mer_array narrowed(const struct mer_array *x)
{
    enum { COLUMNS = 3 };
    struct mer_array y = *x;
    const char *const wide[] = { "v", "o", "state", "final" };
    bool cut = false;
    for (int k = 0; k < 4; k++)
        cut |= !strcmp(x->name, wide[k]);
    y.dim[x->rank - 1] = cut ? COLUMNS : x->dim[x->rank - 1], y.dim[0] = 1;
    const size_t size = type_size(x->type), from = (size_t)x->dim[x->rank - 1] * size,
                 to = (size_t)y.dim[x->rank - 1] * size, lines = (size_t)array_len(&y) * size / to;
    y.data = need(lines, to);
    for (size_t k = 0; k < lines; k++)
        memcpy((char *)y.data + k * to, (const char *)x->data + k * from, to);
    return y;
}
/* Heads do not meet, and neither do columns of a state; the reference is asked for some of them. */
static bool checked(
    struct bench *b, struct trial *t, const char *name, const struct recurrent_own *own, const char *slot)
{
    enum { ARRAYS = 16 };
    struct mer_array whole[ARRAYS];
    const int n = t->call.n_in + t->call.n_out;
    for (int k = 0; k < n; k++) {
        struct mer_array *x = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
        whole[k] = *x, *x = narrowed(x);
    }
    const bool good = bench_check(b, t, name, own->kernel->profile, own->kernel->gauge, own->kernel->correct);
    for (int k = 0; k < n; k++) {
        struct mer_array *x = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in];
        free(x->data), *x = whole[k];
    }
    const size_t used = strlen(b->check);
    snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
    return good;
}

enum { WIDTH = 128 };
static void compare(struct bench *b, const struct recurrent_case *x, const char *name, struct trial *t)
{
    const char *slot = "";
    const double tokens = (double)x->h * x->n, size = WIDTH * WIDTH;
    double products = 3 * tokens * size; /* S^T k, k w^T and S^T q */
    const size_t bytes = (size_t)x->h * WIDTH * WIDTH * sizeof(float);
    char *from = aligned_alloc(4096, bytes), *to = aligned_alloc(4096, bytes);
    struct recurrent_own own = { bench_kernel(x->row, "o final", x->type, &t->call, &slot), t->call };
    if (from && to && own.kernel) {
        memset(from, 1, bytes), memset(to, 2, bytes);
        run_kernel(&own);
        if (checked(b, t, name, &own, slot)) {
            struct recurrent_copy c = { to, from, bytes };
            struct runner r[] = { { name, run_kernel, &own }, { "multiply-adds", multiply, &products },
                { "copy", copy, &c } };
            r[1] = x->few ? r[2] : r[1];
            bench_turns(r, 2, b->turns);
            bench_item(b,
                &(struct item){ name, &r[0], &r[1], tokens * WIDTH, x->few ? 2 * (double)bytes : 0, 0, true });
        }
    } else
        bench_absent(b, name, "no kernel, or no memory");
    free(from), free(to);
}
static void measure(struct bench *b)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct recurrent_case *x = &cases[k];
        char name[96], sizes[96], err[400];
        struct trial t;
        snprintf(name, sizeof name, "%s %d, %d/%d heads, %s", x->row, x->n, x->h, x->g, x->type);
        if (!bench_wants(b, name))
            continue;
        const bool gates = strcmp(x->row, "deltanet") != 0;
        snprintf(sizes, sizeof sizes, "h=%d g=%d n=%d d=%d e=%d state%s", x->h, x->g, x->n, WIDTH, WIDTH,
            gates ? " A_log dt_bias" : "");
        const struct trial_spec of = { x->row, gates ? "gate=softplus strength=sigmoid" : "strength=sigmoid",
            "o final", type_named(x->type), sizes, 1 };
        if (!trial_make(&t, &of, err, sizeof err))
            compare(b, x, name, &t);
        else
            bench_absent(b, name, err);
        trial_close(&t);
    }
}
const struct group group_recurrent = { 470, measure };

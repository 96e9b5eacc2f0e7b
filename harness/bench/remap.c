/* Rotary attention at remapped distances beside plain rotation of q and k and plain causal attention, [4][4096][128],
 * in one run of turns: with tables that are there, as all layers but the first find them, and with all that prepare
 * does. */
#include "bench/core/bench.h"

enum { HEADS = 4, TOKENS = 4096, WIDTH = 128 };
struct remap_case { const char *row, *label, *params; };
static const struct remap_case list[] = {
    { "rerope", "", "dim=128 window=1024" },
    { "rerope", " leaky", "dim=128 window=1024 leak=16" },
    { "selfextend", "", "dim=128 window=1024 group=6" },
    { "selfextend", " true", "dim=128 window=1024 group=6 division=true" },
};

/* A call, prepared but for state NULL. */
struct remap_call { const struct mer_kernel *kernel; struct mer_call call; struct trial t; };
static bool open_call(struct remap_call *w, const char *row, const char *params, const char *out, char *err, size_t n)
{
    char sizes[80];
    const char *slot = "";
    *w = (struct remap_call){ 0 };
    snprintf(sizes, sizeof sizes, "h=%d g=%d n=%d m=%d d=%d e=%d", HEADS, HEADS, TOKENS, TOKENS, WIDTH, WIDTH);
    if (trial_make(&w->t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 1 }, err, n))
        return false;
    for (int k = 0; k < w->t.call.n_in; k++) /* hide nothing but the future */
        if (!strcmp(w->t.in[k].name, "keep") || !strcmp(w->t.in[k].name, "bias"))
            w->t.call.n_in = k;
    const struct mer_array *pos = mer_in(&w->t.call, "pos");
    for (int64_t i = 0; pos && i < TOKENS; i++)
        ((int64_t *)pos->data)[i] = i;
    w->kernel = bench_kernel(row, out, "f32", &w->t.call, &slot);
    w->call = w->t.call;
    snprintf(err, n, "no kernel offers %s", row);
    return w->kernel && w->kernel->prepare(&w->call) == MER_OK;
}
static void close_call(struct remap_call *w)
{
    if (w->kernel && w->call.state)
        w->kernel->release(w->call.state);
    trial_close(&w->t);
}
static void run_again(struct remap_call *w) { w->kernel->run(&w->call); }
static void run_anew(struct remap_call *w)
{
    w->kernel->release(w->call.state), w->call.state = NULL;
    if (w->kernel->prepare(&w->call) == MER_OK)
        run_again(w);
}

/* The row; and rotations of q and of k by one state, with the attention that reads what they made. */
struct remap_both { struct remap_call own, rope, attention; };
static void by_row(void *with) { run_again(&((struct remap_both *)with)->own); }
static void by_row_anew(void *with) { run_anew(&((struct remap_both *)with)->own); }
static void turn_key(struct remap_both *w)
{
    const struct mer_array x = w->rope.t.in[0], y = w->rope.t.out[0];
    w->rope.t.in[0].data = w->own.t.in[1].data, w->rope.t.out[0].data = w->attention.t.in[1].data;
    run_again(&w->rope);
    w->rope.t.in[0] = x, w->rope.t.out[0] = y;
}
static void plainly(void *with)
{
    struct remap_both *w = with;
    run_again(&w->rope), turn_key(w), run_again(&w->attention);
}
static void plainly_anew(void *with)
{
    struct remap_both *w = with;
    run_anew(&w->rope), turn_key(w), run_anew(&w->attention);
}

static bool open_all(struct remap_both *w, const struct remap_case *x, char *err, size_t n)
{
    *w = (struct remap_both){ 0 };
    return open_call(&w->own, x->row, x->params, "o lse", err, n) &&
        open_call(&w->rope, "rope", "dim=128", "y", err, n) &&
        open_call(&w->attention, "attention", "causal=bottomright", "o lse", err, n);
}
static void against_rope(struct bench *b, const struct remap_case *x, bool anew)
{
    char name[80], err[400] = "";
    struct remap_both w;
    snprintf(name, sizeof name, "%s %d/%d%s%s", x->row, TOKENS, WIDTH, x->label, anew ? ", tables made" : "");
    if (!bench_wants(b, name))
        return;
    if (!open_all(&w, x, err, sizeof err))
        bench_absent(b, name, err);
    else {
        void *const turned = w.rope.t.out[0].data, *const given = w.rope.t.in[0].data;
        w.rope.t.in[0].data = w.own.t.in[0].data, w.rope.t.out[0].data = w.attention.t.in[0].data;
        by_row(&w);
        if (bench_check(b, &w.own.t, name, w.own.kernel->profile, 0, false)) {
            struct runner r[] = { { name, anew ? by_row_anew : by_row, &w },
                { "rope, attention", anew ? plainly_anew : plainly, &w } };
            const double elements = (double)HEADS * TOKENS * WIDTH;
            bench_turns(r, 2, b->turns);
            bench_item(b, &(struct item){ name, &r[0], &r[1], elements, 16 * elements, 1.2, false });
        }
        w.rope.t.in[0].data = given, w.rope.t.out[0].data = turned;
    }
    close_call(&w.own), close_call(&w.rope), close_call(&w.attention);
}

static void measure(struct bench *b)
{
    b->lines = 1; /* a line of the reference takes m d products of numbers of many bits */
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int anew = 0; anew < 2; anew++)
            against_rope(b, &list[k], anew);
    b->lines = 0;
}
const struct group group_remap = { 510, measure };

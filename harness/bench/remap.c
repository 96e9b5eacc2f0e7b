/* Rotary attention at remapped distances beside plain rotation of q and k and plain causal attention, [4][4096][128],
 * in one run of turns: with tables that are there, as all layers but the first find them, and with all that prepare
 * does.  And one new token over 16384 keys, beside plain attention whose keys are turned in the call too, or, where the
 * far keys of the row need no turning, whose keys are turned already, as a cache of them is. */
#include "bench/core/bench.h"

enum { HEADS = 4, TOKENS = 4096, KEYS = 16384, WIDTH = 128 };
enum remap_beside { LAYER, DECODE, DECODE_TURNED };
struct remap_case { const char *row, *label, *params; enum remap_beside beside; };
static const struct remap_case list[] = {
    { "rerope", "", "window=1024", LAYER },
    { "rerope", " leaky", "window=1024 leak=16", LAYER },
    { "rerope", " decode", "window=1024 memory=16383", DECODE_TURNED },
    { "rerope", " leaky decode", "window=1024 leak=16 memory=16383", DECODE },
    { "selfextend", "", "window=1024 group=6", LAYER },
    { "selfextend", " true", "window=1024 group=6 division=true", LAYER },
    { "selfextend", " decode", "window=1024 group=6 memory=16383", DECODE },
};
static long queries_of(const struct remap_case *x) { return x->beside == LAYER ? TOKENS : 1; }
static long keys_of(const struct remap_case *x) { return x->beside == LAYER ? TOKENS : KEYS; }

/* A call; its state is NULL before it is prepared. */
struct remap_call { const struct mer_kernel *kernel; struct mer_call call; struct trial t; };
/* Queries and keys. */
struct remap_size { long n, m; };
/* Makes the case and prepares its kernel; positions, where a row has them, end with m - 1.  false: err says why;
 * close_call is due either way. */
static bool open_call(
    struct remap_call *w, const char *row, const char *params, struct remap_size of, char *err, size_t room)
{
    char sizes[80];
    const char *slot = "", *out = strcmp(row, "rope") ? "o lse" : "y";
    *w = (struct remap_call){ 0 };
    snprintf(sizes, sizeof sizes, "h=%d g=%d n=%ld m=%ld d=%d e=%d", HEADS, HEADS, of.n, of.m, WIDTH, WIDTH);
    if (trial_make(&w->t, &(struct trial_spec){ row, params, out, MER_F32, sizes, 1 }, err, room))
        return false;
    for (int k = 0; k < w->t.call.n_in; k++) /* hide nothing but the future */
        if (!strcmp(w->t.in[k].name, "keep") || !strcmp(w->t.in[k].name, "bias"))
            w->t.call.n_in = k;
    const struct mer_array *pos = mer_in(&w->t.call, "pos");
    for (int64_t i = 0; pos && i < of.n; i++)
        ((int64_t *)pos->data)[i] = of.m - of.n + i;
    w->kernel = bench_kernel(row, out, "f32", &w->t.call, &slot);
    w->call = w->t.call;
    snprintf(err, room, "no kernel offers %s", row);
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

/* The row; and rotations of q and of k, with the attention that reads what they made.  lent: what they had. */
struct remap_all { struct remap_call own, turn_q, turn_k, attention; bool turned; void *lent[4]; };
static void by_row(void *with) { run_again(&((struct remap_all *)with)->own); }
static void by_row_anew(void *with) { run_anew(&((struct remap_all *)with)->own); }
static void plainly(void *with)
{
    struct remap_all *w = with;
    run_again(&w->turn_q);
    if (!w->turned)
        run_again(&w->turn_k);
    run_again(&w->attention);
}
/* Tables of one set of positions serve q and k. */
static void plainly_anew(void *with)
{
    struct remap_all *w = with;
    run_anew(&w->turn_q), run_again(&w->turn_k), run_anew(&w->attention);
}

static bool open_all(struct remap_all *w, const struct remap_case *x, char *err, size_t n)
{
    char params[200];
    const struct remap_size size = { queries_of(x), keys_of(x) }, keys = { size.m, size.m };
    *w = (struct remap_all){ .turned = x->beside == DECODE_TURNED };
    snprintf(params, sizeof params, "dim=%d %s", WIDTH, x->params);
    return open_call(&w->own, x->row, params, size, err, n) && open_call(&w->turn_q, "rope", "dim=128", size, err, n) &&
        open_call(&w->turn_k, "rope", "dim=128", keys, err, n) &&
        open_call(&w->attention, "attention", "causal=bottomright", size, err, n);
}
/* Lends q and k of the row to the rotations, and their results to attention; or takes both back. */
static void lend(struct remap_all *w, bool back)
{
    struct mer_array *const to[] = { &w->turn_q.t.in[0], &w->turn_q.t.out[0], &w->turn_k.t.in[0], &w->turn_k.t.out[0] };
    void *const data[] = { w->own.t.in[0].data, w->attention.t.in[0].data, w->own.t.in[1].data,
        w->attention.t.in[1].data };
    for (int k = 0; k < 4; k++) {
        if (!back)
            w->lent[k] = to[k]->data;
        to[k]->data = back ? w->lent[k] : data[k];
    }
}

static void against_rope(struct bench *b, const struct remap_case *x, bool anew)
{
    char name[80], err[400] = "";
    struct remap_all w;
    snprintf(name, sizeof name, "%s %ld/%d%s%s", x->row, keys_of(x), WIDTH, x->label, anew ? ", tables made" : "");
    if (!bench_wants(b, name))
        return;
    if (!open_all(&w, x, err, sizeof err))
        bench_absent(b, name, err);
    else {
        lend(&w, false);
        by_row(&w);
        if (bench_check(b, &w.own.t, name, w.own.kernel->profile, 0, false)) {
            struct runner r[] = { { name, anew ? by_row_anew : by_row, &w },
                { w.turned ? "rope q, attention" : "rope, attention", anew ? plainly_anew : plainly, &w } };
            const double queries = (double)HEADS * (double)queries_of(x) * WIDTH,
                         keys = (double)HEADS * (double)keys_of(x) * WIDTH;
            plainly(&w);
            bench_turns(r, 2, b->turns);
            bench_item(b, &(struct item){ name, &r[0], &r[1], keys, 8 * (queries + keys), 1.2, false });
        }
        lend(&w, true);
    }
    close_call(&w.own), close_call(&w.turn_q), close_call(&w.turn_k), close_call(&w.attention);
}

static void measure(struct bench *b)
{
    b->lines = 1; /* a line of the reference takes m d products of numbers of many bits */
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int anew = 0; anew <= (list[k].beside == LAYER); anew++)
            against_rope(b, &list[k], anew);
    b->lines = 0;
}
const struct group group_remap = { 510, measure };

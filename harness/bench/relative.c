/* Relative encodings on the tiles of attention, [8][L][64] (distances clipped to 64, not clipped, or in buckets):
 * against the same attention without relative terms; against the textbook form, which gathers one vector for each
 * pair (the scalar kernel); and the memory that a call takes beside its own arrays. */
#include <malloc.h>
#include <math.h>
#include "bench/core/bench.h"

enum { HEADS = 8, WIDTH = 64, CLIP = 64, TEXTBOOK = 256 };
/* plain: the parameters under which row attention sees the same pairs; goal: the greatest ratio of times to it */
struct bench_relative { const char *row, *label, *params, *plain; double goal; };
static const struct bench_relative list[] = {
    { "shaw", " clip 64", "least=-64 most=64", "", 2.0 },
    { "nezha", " clip 64", "reach=64 dim=64", "", 2.0 },
    { "deberta", " clip 64", "span=64", "", 2.0 },
    /* as in DeBERTa-v2 */
    { "deberta", " buckets", "distance=log span=256 max_position=512 p2c_index=code", "", 2.0 },
    { "txl", " clip 64", "clamp=64", "causal=bottomright", 2.0 },
    { "txl", " no clip", "", "causal=bottomright", 2.3 },
    { "xlnet", " clip 64", "clamp=64", "", 2.0 },
    { "xlnet", " no clip", "", "", 2.3 },
};

/* bytes: what prepare allocated */
struct relative_own { const struct mer_kernel *kernel; struct mer_call call; struct trial t; double bytes; };
static void by_kernel(void *with)
{
    struct relative_own *w = with;
    w->kernel->run(&w->call);
}

static double bytes_allocated(void) /* bytes allocated now, blocks that malloc maps on their own included */
{
    struct mallinfo2 m = mallinfo2();
    return (double)m.uordblks + (double)m.hblkhd;
}

/* Makes the case and prepares kernel k for it (NULL: the best slot's). false: err says why; done(w) is due either
 * way. */
static bool open_call(struct relative_own *w, const char *row, const char *params, long length,
    const struct mer_kernel *k,
    const char **slot, char *err, size_t n)
{
    char sizes[100];
    *w = (struct relative_own){ 0 };
    snprintf(
        sizes, sizeof sizes, "h=%d g=%d n=%ld m=%ld d=%d e=%d c=%d", HEADS, HEADS, length, length, WIDTH, WIDTH, WIDTH);
    if (trial_make(&w->t, &(struct trial_spec){ row, params, "o", MER_F32, sizes, 1 }, err, n))
        return false;
    for (int k2 = 0; k2 < w->t.call.n_in; k2++) /* hide nothing: as many pairs as the plain attention */
        if (!strcmp(w->t.in[k2].name, "keep") || !strcmp(w->t.in[k2].name, "bias"))
            w->t.call.n_in = k2;
    w->kernel = k ? k : bench_kernel(row, "o lse", "f32", &w->t.call, slot);
    w->call = w->t.call;
    double before = bytes_allocated();
    bool ok = w->kernel && (!w->kernel->prepare || w->kernel->prepare(&w->call) == MER_OK);
    w->bytes = bytes_allocated() - before;
    snprintf(err, n, "no kernel offers %s", row);
    return ok;
}
static void close_call(struct relative_own *w)
{
    if (w->kernel && w->call.state)
        w->kernel->release(w->call.state);
    trial_close(&w->t);
}

static void against_plain(struct bench *b, const struct bench_relative *r, long length)
{
    char name[80], err[400] = "no kernel";
    const char *slot = "", *other = "";
    struct relative_own with, without;
    snprintf(name, sizeof name, "%s %ld/%d%s", r->row, length, WIDTH, r->label);
    if (!bench_wants(b, name))
        return;
    bool here = open_call(&with, r->row, r->params, length, NULL, &slot, err, sizeof err),
         also = open_call(&without, "attention", r->plain, length, NULL, &other, err, sizeof err);
    if (!here || !also)
        bench_absent(b, name, err);
    else {
        by_kernel(&with);
        if (bench_check(b, &with.t, name, with.kernel->profile, 0, false)) {
            struct runner run[] = { { name, by_kernel, &with }, { "without", by_kernel, &without } };
            double elements = (double)HEADS * (double)length * WIDTH;
            bench_turns(run, 2, b->turns);
            bench_item(b, &(struct item){ name, &run[0], &run[1], elements, 16 * elements, r->goal, false });
            bench_figure(b, name,
                (with.bytes - without.bytes) / (4.0 * HEADS * (double)length * (2 * CLIP + 1 + WIDTH)),
                "x 4 L (2 clip + 1 + d) bytes a head, beyond plain attention's");
        }
    }
    close_call(&with), close_call(&without);
}

static void against_textbook(struct bench *b, const struct bench_relative *r)
{
    char name[80], err[400] = "no kernel";
    const char *slot = "";
    struct relative_own own, text;
    snprintf(name, sizeof name, "%s textbook %d/%d%s", r->row, TEXTBOOK, WIDTH,
        strcmp(r->label, " clip 64") ? r->label : "");
    if (!bench_wants(b, name))
        return;
    const struct mer_kernel *plain = NULL;
    for (const struct slot *s = slots; s->name && !plain; s++)
        for (const struct mer_kernel *k = s->kernel; k->row && !plain && !strcmp(s->name, "scalar"); k++)
            plain = !strcmp(k->row, r->row) && !strcmp(k->out, "o lse") && !strcmp(k->type, "f32") ? k : NULL;
    bool here = open_call(&own, r->row, r->params, TEXTBOOK, NULL, &slot, err, sizeof err),
         also = plain && open_call(&text, r->row, r->params, TEXTBOOK, plain, &slot, err, sizeof err);
    if (here && also) {
        struct runner run[] = { { name, by_kernel, &own }, { "textbook", by_kernel, &text } };
        double elements = (double)HEADS * TEXTBOOK * WIDTH;
        by_kernel(&own);
        if (bench_check(b, &own.t, name, own.kernel->profile, 0, false)) {
            bench_turns(run, 2, 3);
            int turns = b->turns;
            b->turns = 3;
            bench_item(b, &(struct item){ name, &run[0], &run[1], elements, 16 * elements, 0.1, false });
            b->turns = turns;
        }
    } else
        bench_absent(b, name, err);
    close_call(&own);
    if (plain)
        close_call(&text);
}

static void measure(struct bench *b)
{
    b->lines = 1; /* a line of the reference takes m d products of numbers of many bits, and as many for the places */
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        against_plain(b, &list[k], 1024);
        against_plain(b, &list[k], 4096);
        against_textbook(b, &list[k]);
    }
    b->lines = 0;
}
const struct group group_relative = { 500, measure };

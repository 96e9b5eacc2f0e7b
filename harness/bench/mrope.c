/* Rotation of several axes beside plain rope's, [32][4096][128] in place, in one run of turns: with the table that is
 * there, as all layers but the first find it, and with one that is made in the call, as the first does; and the table
 * alone.  Tokens are 64 of text, an image of 60 x 64 and 128 of text, at the places that Qwen2-VL gives them. */
#include "bench/core/bench.h"

enum { TOKENS = 4096, TEXT = 64, LINES = 60, COLUMNS = 64, IMAGE = LINES * COLUMNS };
#define QWEN2 "base=1000000 sections=16,24,24"
#define QWEN3 "base=5000000 sections=24,20,20 mode=interleaved"

/* A prepared call of a row on a buffer of its own; apart: how far positions have moved. */
struct mrope_turned {
    const struct mer_kernel *kernel;
    struct mer_call call;
    struct trial t;
    struct mer_array in[2];
    void *buffer, *made;
    int64_t apart;
};

/* [n], or [3][n]: text goes on behind the greatest position of the image. */
static void place(struct mer_array *pos, bool image)
{
    const int64_t n = pos->dim[pos->rank - 1];
    int64_t *p = pos->data;
    for (int64_t i = 0; i < array_len(pos); i++) {
        const int64_t at = i % n, axis = pos->rank == 2 ? i / n : 0, of = at - TEXT;
        p[i] = pos->rank == 1 || !image || of < 0 ? at :
            of >= IMAGE                           ? TEXT + COLUMNS + of - IMAGE :
            axis == 0                             ? TEXT :
            axis == 1                             ? TEXT + of / COLUMNS :
                                                    TEXT + of % COLUMNS;
    }
}
static void run_again(void *with)
{
    struct mrope_turned *w = with;
    w->kernel->run(&w->call);
}
/* At other positions than the last time. */
static void run_elsewhere(void *with)
{
    struct mrope_turned *w = with;
    const struct mer_array *pos = mer_in(&w->call, "pos");
    const int64_t by = w->apart ? -1 : 1;
    w->apart += by;
    for (int64_t i = 0; i < array_len(pos); i++)
        ((int64_t *)pos->data)[i] += by;
    run_again(w);
}

/* What is asked of both rows; params are mrope's own, tables: "cos sin", of so many tokens. */
struct mrope_asked { const char *out, *type, *layout, *params; bool image; int64_t tables; };

/* Makes the case, prepares the best kernel and runs it once.  false: err says why; close_call is due either way. */
static bool open_call(
    struct mrope_turned *w, const char *row, const struct mrope_asked *a, const char **slot, char *err, size_t n)
{
    char text[200], sizes[60];
    const bool own = !strcmp(row, "mrope");
    *w = (struct mrope_turned){ 0 };
    snprintf(text, sizeof text, "dim=128 layout=%s %s", a->layout, own ? a->params : "base=1000000");
    snprintf(sizes, sizeof sizes, a->tables ? "n=%ld" : "h=32 n=%ld", a->tables ? (long)a->tables : (long)TOKENS);
    if (trial_make(&w->t, &(struct trial_spec){ row, text, a->out, type_named(a->type), sizes, 1 }, err, n))
        return false;
    place(trial_in(&w->t, "pos"), a->image);
    snprintf(err, n, "no kernel, or no memory");
    w->kernel = bench_kernel(row, a->out, a->type, &w->t.call, slot);
    w->call = w->t.call;
    if (!w->kernel || w->kernel->prepare(&w->call) != MER_OK)
        return false;
    if (!a->tables) { /* in place, on whole pages */
        const struct mer_array *x = &w->t.in[0];
        const size_t bytes = (size_t)array_len(x) * type_size(x->type);
        w->buffer = aligned_alloc(4096, bytes), w->made = w->t.out[0].data;
        if (!w->buffer)
            return false;
        memcpy(w->buffer, x->data, bytes);
        w->in[0] = w->t.in[0], w->in[1] = w->t.in[1], w->call.in = w->in;
        w->in[0].data = w->t.out[0].data = w->buffer;
    }
    run_again(w);
    return true;
}
static void close_call(struct mrope_turned *w)
{
    if (w->kernel && w->call.state)
        w->kernel->release(w->call.state);
    if (w->made)
        w->t.out[0].data = w->made;
    free(w->buffer), trial_close(&w->t);
}

/* made: the table is made in the call, and that is timed too. */
static void against_rope(struct bench *b, const char *name, const struct mrope_asked *a, bool made)
{
    char err[400] = "";
    const char *slot = "", *other = "";
    struct mrope_turned own, rope = { 0 };
    if (!bench_wants(b, name))
        return;
    if (!open_call(&own, "mrope", a, &slot, err, sizeof err) || !open_call(&rope, "rope", a, &other, err, sizeof err))
        bench_absent(b, name, err);
    else if (bench_check(b, &own.t, name, own.kernel->profile, own.kernel->gauge, own.kernel->correct)) {
        void (*run)(void *) = made ? run_elsewhere : run_again;
        struct runner r[] = { { name, run, &own }, { "rope", run, &rope } };
        const size_t used = strlen(b->check);
        snprintf(b->check + used, sizeof b->check - used, "; slot %s", slot);
        if (!a->tables) /* both on one buffer, since another one's pages may be slower */
            rope.in[0].data = rope.t.out[0].data = own.buffer;
        bench_turns(r, 2, b->turns);
        const double each = (double)type_size(own.t.out[0].type), elements = (double)array_len(&own.t.out[0]);
        const double all = a->tables ? 2 * elements : elements; /* two tables are made */
        bench_item(b, &(struct item){ name, &r[0], &r[1], all, 2 * elements * each, 1.2, false });
    }
    close_call(&own), close_call(&rope);
}

static void measure(struct bench *b)
{
    static const struct mrope_asked turns[] = { { "y", "f32", "half", QWEN2, true, 0 },
        { "y", "f32", "interleaved", QWEN2, true, 0 }, { "y", "bf16", "half", QWEN2, true, 0 },
        { "y", "bf16", "interleaved", QWEN2, true, 0 }, { "y", "f16", "half", QWEN2, true, 0 },
        { "y", "f16", "interleaved", QWEN2, true, 0 }, { "dx", "f32", "half", QWEN2, true, 0 },
        { "dx", "bf16", "half", QWEN2, true, 0 } };
    static const struct { const char *name; struct mrope_asked asked; } tables[] = {
        { "mrope table, text", { "cos sin", "f32", "half", QWEN2, false, TOKENS } },
        { "mrope table, image", { "cos sin", "f32", "half", QWEN2, true, TOKENS } },
        { "mrope table, image, woven", { "cos sin", "f32", "half", QWEN3, true, TOKENS } } };
    for (size_t k = 0; k < sizeof turns / sizeof *turns; k++)
        for (int made = 0; made < 2; made++) {
            char name[80];
            snprintf(name, sizeof name, "mrope %s %s %s%s", turns[k].out, turns[k].type, turns[k].layout,
                made ? ", new places" : "");
            against_rope(b, name, &turns[k], made);
        }
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        against_rope(b, tables[k].name, &tables[k].asked, true);
}
const struct group group_mrope = { 210, measure };

/* STRIDES: arrays that lie differently in memory are the same question: heads within positions, columns in place of
 * rows (K given transposed), rows with a gap behind them, every second element.  The bits are compared with the
 * answer to dense arrays, and nothing between the elements of an output may change.  Asked only where a kernel says
 * that it takes strides. */
#include "checks/core/probe.h"

/* 0xff.. is NaN in every format, so that reading between the elements of an input shows; 0xa5 marks what must not be
 * written */
enum { GAP = 0xff, CANARY = 0xa5 };
enum { HEADS_WITHIN, COLUMNS, PADDED, EVERY_SECOND, VIEWS };
static const char *const view_name[] = { "the first two axes exchanged in memory",
    "the last two axes exchanged in memory", "room behind every row", "every second element" };

/* The strides of a view.  Of an array with one axis nothing can be exchanged; its elements are spaced instead. */
static void set_strides(struct mer_array *a, int view)
{
    int order[MER_RANK]; /* from the slowest axis in memory to the fastest */
    int64_t step = view == EVERY_SECOND ? 2 : 1;
    for (int k = 0; k < a->rank; k++)
        order[k] = k;
    if (a->rank > 1 && view < PADDED) {
        const int at = view == COLUMNS ? a->rank - 2 : 0;
        order[at] = at + 1, order[at + 1] = at;
    }
    for (int k = a->rank - 1; k >= 0; k--) {
        a->stride[order[k]] = step;
        step = step * a->dim[order[k]] + (view == PADDED || a->rank == 1 ? 3 : 0);
    }
}

static void lay_out(struct trial *t, int way) /* lays every array of t out anew */
{
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        struct mer_array *a = k < t->call.n_in ? &t->in[k] : &t->out[k - t->call.n_in], own = *a;
        set_strides(a, way);
        const size_t bytes = (size_t)mer_span(a) * type_size(a->type);
        a->data = memset(need(bytes + 16, 1), k < t->call.n_in ? GAP : CANARY, bytes);
        if (k < t->call.n_in)
            mer_move(a, &own);
        free(own.data);
    }
}

/* how two answers differ, in words; NULL: they do not */
static const char *differs(const struct mer_array *got, const struct mer_array *want)
{
    const size_t w = type_size(got->type), span = (size_t)mer_span(got);
    const unsigned char *x = got->data, *y = want->data;
    unsigned char *between = need(span + 1, 1);
    const char *how = NULL;
    for (long i = 0; i < array_len(got); i++) {
        const size_t at = (size_t)mer_at(got, i);
        between[at] = 1;
        how = memcmp(x + at * w, y + (size_t)i * w, w) ? "other bits than in dense arrays" : how;
    }
    for (size_t i = 0; i < span && !how; i++)
        for (size_t b = 0; b < w && !between[i]; b++)
            how = x[i * w + b] != CANARY ? "something written between its elements" : how;
    free(between);
    return how;
}

static void run(struct probe *p)
{
    static const char sizes[] = "n=5 m=7 h=4 g=2 d=6 e=3";
    struct trial dense, t;
    if (!p->kernel->strided || !probe_make(p, &dense, NULL, sizes) || !probe_ask(p, &dense))
        return;
    for (int way = 0; way < VIEWS && p->word == PASS; way++) {
        if (!probe_make(p, &t, NULL, sizes))
            break;
        lay_out(&t, way);
        if (!probe_ask(p, &t))
            break;
        for (int o = 0; o < t.call.n_out; o++) {
            const char *how = differs(&t.out[o], &dense.out[o]);
            if (how)
                probe_fail(p, "%s, with %s: %s", t.out[o].name, view_name[way], how);
        }
        trial_close(&t);
    }
    trial_close(&dense);
}
const struct check check_strides = {
    .name = "STRIDES", .question = "Are arrays read and written where their strides say?", .cluster = "A18",
    .sources = "flagos-ai/FlagGems#5896 NVIDIA/TransformerEngine#1195 pytorch/pytorch#187506 "
    "Dao-AILab/flash-attention#355 Dao-AILab/flash-attention#2670 flashinfer-ai/flashinfer#311",
    .asks = "attention.o attention.dq rope.y mrope.y layernorm.y rmsnorm.y feedforward.y t5.o shaw.o txl.o "
    "xlnet.o deberta.o", .kills = "fault.strides fault.gaps", .relation = true, .run = run,
};

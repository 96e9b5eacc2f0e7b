/* Gradients of an encoder-decoder Transformer in float32, block by block from the last to the first; what they are says
 * ref/core/layer/encdec.h.  Of the way forward the rows before and behind each block are kept, 2 c (E m + D n) floats
 * for E encoder and D decoder blocks of width c; a block makes again what it has inside. */
#include "block/models.h"
#include <math.h>
#include <stdio.h>

/* The inputs that have gradients: SRC and TGT, one array each; from WI on, one for each block; from XI on, one for each
 * decoder block; from GL on, one for each stack; HEAD. */
enum { SRC, TGT, WI, XI = 14, GL = 20, SL, HEAD, INPUTS };
static const char *const input[INPUTS] = { "src", "tgt", "wi", "bi", "wo", "bo", "ga", "sa", "w1", "b1", "w2", "b2",
    "gf", "sf", "xi", "xb", "xo", "xc", "gx", "sx", "gl", "sl", "head" };
/* size: how many floats of each gradient are one block's.  all: every gradient, input k from place[k] on.  of_memory
 * [E][m][c]: what the decoder gave to the output of each encoder block.  d and dz: gradients of the rows of the decoder
 * and of the memory at work; other: room for either. */
struct models_tape {
    struct model_kernel s;
    int64_t size[INPUTS], place[INPUTS + 1];
    float *all, *room, *of_memory, *d, *dz, *other;
};

static void lay_out(struct models_tape *t)
{
    const struct mer_call *c = t->s.c;
    const int64_t w = t->s.width, s = mer_in(c, "wi")->dim[2], u = mer_in(c, "wo")->dim[1], f = mer_in(c, "w1")->dim[2],
                  d = t->s.decoders, l = t->s.encoders + d;
    const int64_t size[INPUTS] = { t->s.m * w, t->s.n * w, w * s, s, u * w, w, w, w, w * f, f, f * w, w, w, w, w * s, s,
        u * w, w, w, w, w, w, w * t->s.v };
    for (int k = 0; k < INPUTS; k++)
        t->size[k] = size[k],
        t->place[k + 1] = t->place[k] +
            size[k] *
                (k < WI || k == HEAD ? 1 :
                        k < XI       ? l :
                        k < GL       ? d :
                                       2);
}
/* The next n floats of the room. */
static float *take(float **room, int64_t n) { return (*room += n) - n; }

/* The norm at the end of a stack back: dy becomes the gradient of x in place; those of gain and shift are stored. */
static int norm_back(const struct models_tape *t, int which, float *x, float *dy, int64_t n)
{
    const struct model_kernel *s = &t->s;
    int rc = model_norm(s, "dgain", t->all + t->place[GL] + which * s->width, x, dy, n, which) ||
            model_norm(s, "dshift", t->all + t->place[SL] + which * s->width, x, dy, n, which) ||
            model_norm(s, "dx", t->other, x, dy, n, which) ?
        MER_BAD :
        MER_OK;
    memcpy(dy, t->other, (size_t)(n * s->width) * sizeof *dy);
    return rc;
}

/* Block b back: dy becomes the gradient of its input in place, dz is that of the memory; weights' gradients are
 * stored. */
static int block_back(const struct models_tape *t, int64_t b, float *dy, int64_t n, float *memory, float *dz)
{
    static const struct mer_kernel back = { "block", "", "f32", "", 0, blocks_back, blocks_prepare, blocks_release };
    const struct model_kernel *s = &t->s;
    const int decoder = memory != NULL;
    struct model_block p = model_block(s, b, s->before[decoder] + b * n * s->width, n, memory);
    struct mer_array out[INPUTS] = { model_rows(decoder ? "dx_decoder" : "dx", t->other, n, s->width),
        model_rows("dmemory_decoder", dz, s->m, s->width) };
    char names[INPUTS][20];
    int k = decoder ? 2 : 1;
    p.in[p.n++] = model_rows(decoder ? "ddecoder" : "dencoder", dy, n, s->width);
    for (int j = WI; j < (decoder ? GL : XI); j++, k++) {
        snprintf(names[j], sizeof names[j], "d%s%s", input[j], decoder ? "_decoder" : "");
        out[k] = (struct mer_array){ .name = names[j],
            .type = MER_F32,
            .rank = 1,
            .dim = { t->size[j] },
            .data = t->all + t->place[j] + t->size[j] * (j < XI && decoder ? s->encoders + b : b) };
    }
    int rc = model_ask("block", &back, p.text, p.in, p.n, out, k);
    memcpy(dy, t->other, (size_t)(n * s->width) * sizeof *dy);
    return rc;
}

/* The head back: t->d becomes the gradient of top[n][width], the decoder's output; y[n][v] is room. */
static void head_back(const struct models_tape *t, const float *top, float *y)
{
    const struct model_kernel *s = &t->s;
    const float *seed = mer_in(s->c, "dlogprob")->data;
    const int64_t v = s->v;
    model_logits(s, y, top), model_logprob(s, y);
    for (int64_t i = 0; i < s->n; i++) {
        float sum = 0;
        for (int64_t k = 0; k < v; k++)
            sum += seed[i * v + k];
        for (int64_t k = i * v; k < (i + 1) * v; k++)
            y[k] = seed[k] - expf(y[k]) * sum;
    }
    gemm_f32(t->d, s->width, (struct gemm_of){ y, v, 0 }, (struct gemm_of){ mer_in(s->c, "head")->data, v, 1 }, s->n,
        s->width, v, 0);
    gemm_f32(t->all + t->place[HEAD], v, (struct gemm_of){ top, s->width, 1 }, (struct gemm_of){ y, v, 0 }, s->width, v,
        s->n, 0);
}

static int decoder_back(struct models_tape *t, float *memory)
{
    const struct model_kernel *s = &t->s;
    const int64_t rows = s->m * s->width;
    int rc = s->normed ? norm_back(t, 1, s->behind[1] + (s->decoders - 1) * s->n * s->width, t->d, s->n) : MER_OK;
    for (int64_t b = s->decoders - 1; b >= 0 && rc == MER_OK; b--) {
        const int last = mer_is(s->c, "depth", "last") || b + 1 >= s->encoders;
        float *to = t->of_memory + (last ? s->encoders - 1 : b) * rows;
        rc = block_back(t, b, t->d, s->n, last ? memory : s->behind[0] + b * rows, t->dz);
        sum_rows(to, to, t->dz, rows);
    }
    memcpy(t->all + t->place[TGT], t->d, (size_t)t->size[TGT] * sizeof *t->all);
    return rc;
}
static int encoder_back(struct models_tape *t)
{
    const struct model_kernel *s = &t->s;
    const int64_t rows = s->m * s->width, last = s->encoders - 1;
    float *d = t->of_memory + last * rows;
    int rc = s->normed ? norm_back(t, 0, s->behind[0] + last * rows, d, s->m) : MER_OK;
    for (int64_t b = last; b >= 0 && rc == MER_OK; b--) {
        if (b < last)
            sum_rows(d, d, t->of_memory + b * rows, rows);
        rc = block_back(t, b, d, s->m, NULL, NULL);
    }
    memcpy(t->all + t->place[SRC], d, (size_t)rows * sizeof *d);
    return rc;
}

int model_back(const struct mer_call *c)
{
    struct models_tape t = { .s = model_of(c) };
    struct model_kernel *s = &t.s;
    const int64_t w = s->width, m = s->m * w, n = s->n * w, larger = m > n ? m : n;
    s->of_gradients = 1;
    lay_out(&t);
    const int64_t floats =
        t.place[INPUTS] + (3 * s->encoders + 2) * m + (2 * s->decoders + 2) * n + larger + s->n * s->v;
    float *room = calloc((size_t)floats + 1, sizeof *room), *next = room;
    if (!room)
        return MER_BAD;
    t.all = take(&next, t.place[INPUTS]), t.of_memory = take(&next, s->encoders * m), t.dz = take(&next, m),
    t.d = take(&next, n), t.other = take(&next, larger);
    float *memory = take(&next, m), *top = take(&next, n), *y = take(&next, s->n * s->v);
    s->before[0] = take(&next, s->encoders * m), s->behind[0] = take(&next, s->encoders * m),
    s->before[1] = take(&next, s->decoders * n), s->behind[1] = take(&next, s->decoders * n);
    int rc = model_encode(s, memory, s->encoders);
    /* With depth=each the decoder makes the rows of the encoder again at each depth, in dz, so they are not kept
     * twice. */
    struct model_kernel again = *s;
    again.before[0] = again.behind[0] = NULL;
    rc = rc == MER_OK ? model_decode(&again, top, mer_is(c, "depth", "each") ? t.dz : memory) : rc;
    if (rc == MER_OK)
        head_back(&t, top, y), rc = decoder_back(&t, memory);
    rc = rc == MER_OK ? encoder_back(&t) : rc;
    for (int o = 0; o < c->n_out && rc == MER_OK; o++)
        for (int k = 0; k < INPUTS; k++)
            if (!strcmp(c->out[o].name + 1, input[k]))
                memcpy(c->out[o].data, t.all + t.place[k], (size_t)(t.place[k + 1] - t.place[k]) * sizeof(float));
    free(room);
    return rc;
}

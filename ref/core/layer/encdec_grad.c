/* Gradients of the encoder-decoder Transformer, block by block from the last to the first: encdec.h. */
#include <stdio.h>
#include <stdlib.h>
#include "layer/encdec.h"
#include "row/question.h"
#include "state/stretch.h"

typedef const struct ball **rows;
static const char *const input_name[ENCDEC_INPUTS] = { "src", "tgt", "wi", "bi", "wo", "bo", "ga", "sa", "w1", "b1",
    "w2", "b2", "gf", "sf", "xi", "xb", "xo", "xc", "gx", "sx", "gl", "sl", "head" };
/* One way forward: rows before and behind every block, decoder and encoder; top: behind the last norm.  size: of one
 * block's share of each gradient; place: of each in all.  of_memory[k]: gradient of what the encoder's k-th
 * block left, NULL where no decoder block reads it. */
struct encdec_tape {
    struct ask *w;
    const struct encdec *p;
    long n, m, c, v, size[ENCDEC_INPUTS], place[ENCDEC_INPUTS + 1];
    rows all, before[2], behind[2], memory, top, *of_memory;
};

/* n rows of zeros; the caller frees them. */
static rows rows_new(const struct encdec_tape *t, long n)
{
    rows x = need((size_t)(n * t->c) + 1, sizeof *x);
    stretch_fill(x, n * t->c, b_si(t->w, 0));
    return x;
}
static void add(const struct encdec_tape *t, rows to, const struct ball *const *x, long n)
{
    for (long k = 0; k < n * t->c; k++)
        to[k] = t->w->arith->fault == FAULT_OVERWRITTEN ? x[k] : b_step(t->w, JOIN, b_add(t->w, to[k], x[k]));
}

static void lay_out(struct encdec_tape *t)
{
    const long c = t->c, s = dim_in(t->w, "wi", 2), u = dim_in(t->w, "wo", 1), f = dim_in(t->w, "w1", 2),
               l = t->p->encoders + t->p->decoders, q = t->p->decoders;
    const long size[ENCDEC_INPUTS] = { t->m * c, t->n * c, c * s, s, u * c, c, c, c, c * f, f, f * c, c, c, c, c * s, s,
        u * c, c, c, c, c, c, c * t->v };
    for (int k = 0; k < ENCDEC_INPUTS; k++)
        t->size[k] = size[k],
        t->place[k + 1] = t->place[k] +
            size[k] *
                /* mutant: term 7fcf: the gradients lie further apart then, and nobody reads what is between them. */
                (k < D_WI || k == D_HEAD ? 1 :
                        k < D_XI         ? l :
                        k < D_GL         ? q :
                                           2);
}
static struct encdec_tape open(struct ask *w)
{
    struct encdec_tape t = { .w = w,
        .p = w->params,
        .n = dim_in(w, "tgt", 0),
        .m = dim_in(w, "src", 0),
        .c = dim_in(w, "src", 1),
        .v = dim_in(w, "head", 1) };
    lay_out(&t);
    return t;
}

/* Through the norm `which` of n rows x: dy becomes dx in place, and its gain and shift get their gradients. */
static void norm_back(const struct encdec_tape *t, int which, const struct ball *const *x, rows dy, long n)
{
    const struct ball **in = need((size_t)(n * t->c) + 1, sizeof *in), **dx = need((size_t)(n * t->c) + 1, sizeof *dx);
    memcpy(in, x, (size_t)(n * t->c) * sizeof *in);
    struct model_part s = encdec_norm(t->w, which, in, n);
    s.in[s.n++] = encdec_rows("dy", dy, n, t->c);
    for (int shift = 0; shift < 2; shift++)
        line_of(t->w, (struct page_of){ s.row, shift ? "dshift" : "dgain", s.text, s.in, s.n },
            NULL, t->c, t->all + t->place[shift ? D_SL : D_GL] + which * t->c);
    for (long i = 0; i < n; i++)
        line_of(t->w, (struct page_of){ s.row, "dx", s.text, s.in, s.n }, (long[MER_RANK]){ i }, t->c, dx + i * t->c);
    memcpy(dy, dx, (size_t)(n * t->c) * sizeof *dx);
    free(in), free(dx);
}

/* Through block b: dy becomes the gradient of its input, in place, and its weights get theirs.  memory: what a
 * decoder's block reads, whose gradient goes to dz; NULL: an encoder's block. */
static void block_back(const struct encdec_tape *t, long b, rows dy, long n, rows memory, rows dz)
{
    const int decoder = memory != NULL;
    struct model_part s = encdec_block(t->w, b, t->before[decoder] + b * n * t->c, n, memory);
    rows seed = need((size_t)(n * t->c) + 1, sizeof *seed);
    memcpy(seed, dy, (size_t)(n * t->c) * sizeof *seed);
    s.in[s.n++] = encdec_rows(decoder ? "ddecoder" : "dencoder", seed, n, t->c);
    line_of(t->w, (struct page_of){ s.row, decoder ? "dx_decoder" : "dx", s.text, s.in, s.n },
        NULL, n * t->c, dy);
    if (decoder)
        line_of(t->w, (struct page_of){ s.row, "dmemory_decoder", s.text, s.in, s.n },
            NULL, t->m * t->c, dz);
    for (int k = D_WI; k < (decoder ? D_GL : D_XI); k++) {
        char out[40];
        snprintf(out, sizeof out, "d%s%s", input_name[k], decoder ? "_decoder" : "");
        line_of(t->w, (struct page_of){ s.row, out, s.text, s.in, s.n },
            NULL, t->size[k],
            t->all + t->place[k] + t->size[k] * (k < D_XI && decoder ? t->p->encoders + b : b));
    }
    free(seed);
}

/* From dlogprob to dt, the gradient of the decoder's rows, and to that of the head. */
static void head_back(const struct encdec_tape *t, rows dt)
{
    struct ask *w = t->w;
    const long n = t->n, c = t->c, v = t->v, most = v > n ? v : n;
    const struct ball **y = need((size_t)(n * v) + 1, sizeof *y), **term = need((size_t)most + 1, sizeof *term);
    encdec_logits(w, t->top, y), encdec_logprob(w, y, n, v);
    for (long i = 0; i < n; i++) {
        for (long k = 0; k < v; k++)
            term[k] = b_in(w, "dlogprob", i, k, 0);
        const struct ball *sum = b_sum(w, MASS, term, v);
        for (long k = 0; k < v; k++)
            y[i * v + k] = b_step(
                w, OFF, b_sub(w, term[k], b_step(w, HEAD, b_mul(w, b_step(w, ODDS, b_exp(w, y[i * v + k])), sum))));
    }
    for (long x = 0; x < n * c; x++) {
        for (long k = 0; k < v; k++)
            term[k] = b_step(w, HEAD, b_mul(w, y[x / c * v + k], b_in(w, "head", x % c, k, 0)));
        dt[x] = b_sum(w, READ, term, v);
    }
    for (long x = 0; x < c * v; x++) {
        for (long i = 0; i < n; i++)
            term[i] = b_step(w, HEAD, b_mul(w, t->top[i * c + x / v], y[i * v + x % v]));
        t->all[t->place[D_HEAD] + x] = b_sum(w, READ, term, n);
    }
    free(y), free(term);
}

/* The rows that block b of the decoder reads: the memory, or the encoder's rows at its own depth. */
static rows level(const struct encdec_tape *t, long b)
{
    return t->p->depth == LAST || b + 1 >= t->p->encoders ? t->memory : t->behind[0] + b * t->m * t->c;
}
static void decoder_back(struct encdec_tape *t)
{
    rows d = rows_new(t, t->n), dz = rows_new(t, t->m);
    head_back(t, d);
    if (encdec_normed(t->p))
        norm_back(t, 1, t->behind[1] + (t->p->decoders - 1) * t->n * t->c, d, t->n);
    for (long b = t->p->decoders - 1; b >= 0; b--) {
        const long at = t->p->depth == LAST || b + 1 >= t->p->encoders ? t->p->encoders - 1 : b;
        block_back(t, b, d, t->n, level(t, b), dz);
        if (t->of_memory[at])
            add(t, t->of_memory[at], dz, t->m);
        else
            t->of_memory[at] = rows_new(t, t->m), memcpy(t->of_memory[at], dz, (size_t)(t->m * t->c) * sizeof *dz);
    }
    memcpy(t->all + t->place[D_TGT], d, (size_t)(t->n * t->c) * sizeof *d);
    free(d), free(dz);
}
static void encoder_back(struct encdec_tape *t)
{
    const long last = t->p->encoders - 1;
    rows d = t->of_memory[last] ? t->of_memory[last] : rows_new(t, t->m);
    if (encdec_normed(t->p))
        norm_back(t, 0, t->behind[0] + last * t->m * t->c, d, t->m);
    for (long b = last; b >= 0; b--) {
        if (b < last && t->of_memory[b])
            add(t, d, t->of_memory[b], t->m);
        block_back(t, b, d, t->m, NULL, NULL);
        if (b < last)
            free(t->of_memory[b]);
    }
    memcpy(t->all, d, (size_t)(t->m * t->c) * sizeof *d); /* That by src is the first. */
    free(d);
}

static void make(struct ask *w, rows all)
{
    struct encdec_tape t = open(w);
    const long e = t.p->encoders, d = t.p->decoders;
    t.all = all;
    for (long k = t.place[D_GL]; k < t.place[D_HEAD]; k++)
        all[k] = b_si(w, 0); /* They stay 0 without a norm at the end. */
    for (int s = 0; s < 2; s++)
        t.before[s] = rows_new(&t, s ? d * t.n : e * t.m), t.behind[s] = rows_new(&t, s ? d * t.n : e * t.m);
    t.of_memory = need((size_t)e + 1, sizeof *t.of_memory);
    t.memory = encdec_encode(w, e, t.before[0], t.behind[0]);
    t.top = encdec_decode(w, t.before[1], t.behind[1]);
    decoder_back(&t), encoder_back(&t);
    for (int s = 0; s < 2; s++)
        free(t.before[s]), free(t.behind[s]);
    free(t.memory), free(t.top), free(t.of_memory);
}

void encdec_grad(struct ask *w, enum encdec_input of, const struct ball **y)
{
    const struct encdec_tape t = open(w);
    question_line(w, make, t.place[ENCDEC_INPUTS], t.place[of], y);
}

/* The encoder-decoder Transformer forward: parts as their own rows are asked for them, stacks, head: encdec.h. */
#include "layer/encdec.h"
#include <stdio.h>
#include <stdlib.h>

#define HANDED "order act eps heads width residual memory_norm route block moments apply"
static const char to_encoder[] = HANDED, to_decoder[] = HANDED " causal cross_causal";

/* The k-th part of an array a that is stacked along its first axis; its data are still those of a. */
static struct mer_array stack(const struct mer_array *a, const char *name, long k)
{
    struct mer_array y = { .name = name, .type = a->type, .rank = a->rank - 1, .data = a->data };
    for (int j = 0; j < y.rank; j++)
        y.dim[j] = a->dim[j + 1];
    y.data = (char *)a->data + (size_t)(k * array_len(&y)) * type_size(a->type);
    return y;
}
struct mer_array encdec_rows(const char *name, const struct ball **x, long n, long c)
{
    return (struct mer_array){ .name = name, .type = BALLS, .rank = 2, .dim = { n, c }, .data = x };
}

/* Writes the parameters of row sinusoid for positions of width c into text[n], and answers it. */
static const char *place_words(long c, char *text, size_t n) { return snprintf(text, n, "dim=%ld odd=zero", c), text; }
int encdec_misfit(const void *q, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *src = mer_in(c, "src");
    char text[40], of[300];
    if (!src || ((const struct encdec *)q)->positions == NONE ||
        !row_takes(&row_sinusoid, place_words(src->dim[1], text, sizeof text), of, sizeof of))
        return 0;
    return snprintf(why, n, "positions that are added to src[m,%ld]: %s", (long)src->dim[1], of), -1;
}
/* Adds the positions to the rows x[n][c], in place. */
static void place(struct ask *w, const struct ball **x, long n, long c)
{
    const struct ball **p = need((size_t)c + 1, sizeof *p);
    int64_t *pos = need((size_t)n + 1, sizeof *pos);
    struct mer_array in = { .name = "pos", .type = MER_I64, .rank = 1, .dim = { n }, .data = pos };
    char text[40];
    place_words(c, text, sizeof text);
    for (long i = 0; i < n; i++) {
        pos[i] = i;
        line_of(w, (struct page_of){ &row_sinusoid, "p", text, &in, 1 }, (long[MER_RANK]){ i }, c, p);
        for (long k = 0; k < c; k++)
            x[i * c + k] = b_step(w, PLACE, b_add(w, x[i * c + k], p[k]));
    }
    free(p), free(pos);
}

struct model_part encdec_norm(struct ask *w, int which, const struct ball **x, long n)
{
    const struct encdec *p = w->params;
    const bool shift = has_in(w, "sl");
    /* A stack that ends with a norm has its gain: row encdec needs it. */
    struct model_part s = { .row = &row_layernorm,
        .in = { encdec_rows("x", x, n, dim_in(w, "src", 1)), stack(array_in(w, "gl"), "gain", which) },
        .n = 2 };
    if (shift)
        s.in[s.n++] = stack(array_in(w, "sl"), "shift", which);
    params_pick(row_params(&row_encdec), p, "eps apply", s.text, TEXT_MAX);
    snprintf(s.text + strlen(s.text), 60, " affine=%s route=%s", shift ? "gain-shift" : "gain",
        (const char *[]){ "two-passes", "one-pass", "welford" }[p->moments]);
    return s;
}
struct model_part encdec_block(struct ask *w, long b, const struct ball **x, long n, const struct ball **memory)
{
    static const char *const both[] = { "wi", "bi", "wo", "bo", "ga", "sa", "gf", "sf", "w1", "b1", "w2", "b2" },
                             *const cross[] = { "xi", "xb", "xo", "xc", "gx", "sx" };
    const struct encdec *p = w->params;
    const long c = dim_in(w, "src", 1);
    struct model_part s = { .row = &row_block, .in = { encdec_rows("x", x, n, c) }, .n = 1 };
    for (size_t j = 0; j < sizeof both / sizeof *both; j++)
        if (has_in(w, both[j]))
            s.in[s.n++] = stack(array_in(w, both[j]), both[j], memory ? p->encoders + b : b);
    for (size_t j = 0; j < sizeof cross / sizeof *cross && memory; j++)
        if (has_in(w, cross[j]))
            s.in[s.n++] = stack(array_in(w, cross[j]), cross[j], b);
    if (memory)
        s.in[s.n++] = encdec_rows("memory", memory, dim_in(w, "src", 0), c);
    if (has_in(w, "source"))
        s.in[s.n] = *array_in(w, "source"), s.in[s.n++].name = memory ? "source" : "token";
    params_pick(row_params(&row_encdec), p, memory ? to_decoder : to_encoder, s.text, sizeof s.text);
    return s;
}

/* Puts the rows x[n][c] through the part s, in place; out is its output. */
static void through(struct ask *w, const struct model_part *s, const char *out, const struct ball **x, long n, long c)
{
    const struct ball **y = need((size_t)(n * c) + 1, sizeof *y);
    for (long i = 0; i < n; i++)
        line_of(w, (struct page_of){ s->row, out, s->text, s->in, s->n }, (long[MER_RANK]){ i }, c, y + i * c);
    memcpy(x, y, (size_t)(n * c) * sizeof *y);
    free(y);
}
static void end(struct ask *w, int which, const struct ball **x, long n, long c)
{
    struct model_part s = encdec_norm(w, which, x, n);
    through(w, &s, "y", x, n, c);
}
/* Adds positions, where that is done, and puts x[n][c] through block b, in place; in and out: NULL, or room for the
 * rows before and behind every block. */
static void step(struct ask *w, long b, const struct ball **x, long n, const struct ball **memory,
    const struct ball **in, const struct ball **out)
{
    const struct encdec *p = w->params;
    const long c = dim_in(w, "src", 1), size = n * c;
    if (p->positions == EVERY || (p->positions == FIRST && !b))
        place(w, x, n, c);
    if (in)
        memcpy(in + b * size, x, (size_t)size * sizeof *in);
    struct model_part s = encdec_block(w, b, x, n, memory);
    through(w, &s, memory ? "decoder" : "encoder", x, n, c);
    if (out)
        memcpy(out + b * size, x, (size_t)size * sizeof *out);
}

bool encdec_normed(const struct encdec *p) { return p->final == ALWAYS || (p->final == WITH_PRE && p->order == PRE); }
static const struct ball **input(struct ask *w, const char *name)
{
    const struct mer_array *a = array_in(w, name);
    const struct ball **x = need((size_t)array_len(a) + 1, sizeof *x);
    for (long k = 0; k < array_len(a); k++)
        x[k] = b_element(w, a, k);
    return x;
}
const struct ball **encdec_encode(struct ask *w, long blocks, const struct ball **in, const struct ball **out)
{
    const struct encdec *p = w->params;
    const long m = dim_in(w, "src", 0);
    const struct ball **x = input(w, "src");
    for (long b = 0; b < blocks; b++)
        step(w, b, x, m, NULL, in, out);
    if (encdec_normed(p) && blocks == p->encoders)
        end(w, 0, x, m, dim_in(w, "src", 1));
    return x;
}
const struct ball **encdec_decode(struct ask *w, const struct ball **in, const struct ball **out)
{
    const struct encdec *p = w->params;
    const long n = dim_in(w, "tgt", 0);
    const struct ball **t = input(w, "tgt"),
                      **memory = p->depth == LAST ? encdec_encode(w, p->encoders, NULL, NULL) : NULL;
    for (long b = 0; b < p->decoders; b++) {
        const struct ball **each =
            memory ? memory : encdec_encode(w, b + 1 < p->encoders ? b + 1 : p->encoders, NULL, NULL);
        step(w, b, t, n, each, in, out);
        if (!memory)
            free(each);
    }
    free(memory);
    if (encdec_normed(p))
        end(w, 1, t, n, dim_in(w, "src", 1));
    return t;
}

void encdec_logits(struct ask *w, const struct ball *const *t, const struct ball **y)
{
    const long n = dim_in(w, "tgt", 0), c = dim_in(w, "head", 0), v = dim_in(w, "head", 1);
    const struct ball **term = need((size_t)c + 1, sizeof *term);
    for (long k = 0; k < n * v; k++) {
        for (long j = 0; j < c; j++)
            term[j] = b_step(w, HEAD, b_mul(w, t[k / v * c + j], b_in(w, "head", j, k % v, 0)));
        y[k] = b_sum(w, READ, term, c);
    }
    free(term);
}
void encdec_logprob(struct ask *w, const struct ball **y, long n, long v)
{
    const struct ball **e = need((size_t)v + 1, sizeof *e);
    for (const struct ball **row = y; row < y + n * v; row += v) {
        const struct ball *top = row[0];
        for (long k = 1; k < v; k++)
            top = b_value(row[k]) > b_value(top) ? row[k] : top;
        for (long k = 0; k < v; k++)
            row[k] = b_step(w, OFF, b_sub(w, row[k], top)), e[k] = b_step(w, ODDS, b_exp(w, row[k]));
        const struct ball *log = b_step(w, LOGMASS, b_log(w, b_sum(w, MASS, e, v)));
        for (long k = 0; k < v; k++)
            row[k] = b_step(w, OFF, b_sub(w, row[k], log));
    }
    free(e);
}

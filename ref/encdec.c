/* Encoder-decoder Transformer.                                                   Vaswani et al. 2017, section 3 and figure 1
 *   x_0 = src + p    x_b = encoder_b(x_b-1)    memory = x_E          t_0 = tgt + p    t_b = decoder_b(t_b-1, memory)
 *   logits = t_D head        logprob = logits - log sum exp logits
 * Blocks are row block's; their weights lie behind one another, the E of the encoder first (l = E + D; cross-attention q = D).  p: row sinusoid,
 * added at the first block alone (positions=first).  final: a norm at the end of both stacks (gl, sl; e = 2): pre-norm stacks need it; torch.nn.Transformer has it always.
 * Trap: the decoder reads the encoder's last block, at every depth (depth=each: the one of its own depth). */
#include <stdio.h>
#include <stdlib.h>
#include "ball.h"
#include "row.h"

struct encdec { long encoders, decoders, heads, width, keys_a_step; mpq_t eps; int order, act, final, positions, depth, causal, cross_causal, residual, memory, route, moments, apply; };
enum { FIRST, EVERY, NONE }; enum { WITH_PRE, ALWAYS, NEVER }; enum { LAST, EACH }; enum { POST, PRE };
enum { PLACE, HEAD, READ, OFF, ODDS, MASS, LOGMASS }; /* x + p; products and sums of the head; both differences, exp, sum and log of logprob */
static const char handed[] = "order act eps heads width residual memory_norm route block moments apply";
extern const struct row row_encdec, row_block, row_layer, row_layernorm, row_rmsnorm, row_feedforward, row_attention, row_rope, row_sinusoid;

static struct mer_array stack(const struct mer_array *a, const char *name, long k) /* the k-th of a stacked array */
{
    struct mer_array y = { .name = name, .type = a->type, .rank = a->rank - 1, .data = a->data };
    for (int j = 0; j < y.rank; j++)
        y.dim[j] = a->dim[j + 1];
    y.data = (char *)a->data + (size_t)(k * array_len(&y)) * type_size(a->type);
    return y;
}
static struct mer_array rows_of(const char *name, const struct ball **x, long n, long c) { return (struct mer_array){ .name = name, .type = BALLS, .rank = 2, .dim = { n, c }, .data = x }; }

static void place(struct ask *w, const struct ball **x, long n, long c) /* x + p */
{
    const struct ball **p = need((size_t)c + 1, sizeof *p);
    int64_t *pos = need((size_t)n + 1, sizeof *pos);
    struct mer_array in = { .name = "pos", .type = MER_I64, .rank = 1, .dim = { n }, .data = pos };
    char text[40];
    snprintf(text, sizeof text, "dim=%ld odd=zero", c);
    for (long i = 0; i < n; i++) {
        pos[i] = i;
        line_of(w, &row_sinusoid, "p", text, &in, 1, (long[MER_RANK]){ i }, c, p);
        for (long k = 0; k < c; k++)
            x[i * c + k] = b_step(w, PLACE, b_add(w, x[i * c + k], p[k]));
    }
    free(p), free(pos);
}

static void norm(struct ask *w, int which, const struct ball **x, long n, long c) /* at the end of a stack */
{
    const struct encdec *p = w->params;
    char text[300];
    struct mer_array in[3] = { rows_of("x", x, n, c) };
    int k = 1;
    if (has_in(w, "gl"))
        in[k++] = stack(array_in(w, "gl"), "gain", which);
    if (has_in(w, "gl") && has_in(w, "sl"))
        in[k++] = stack(array_in(w, "sl"), "shift", which);
    params_pick(row_encdec.params, p, "eps apply", text, sizeof text - 60);
    snprintf(text + strlen(text), 60, " affine=%s route=%s", (const char *[]){ "none", "gain", "gain-shift" }[k - 1], (const char *[]){ "two-passes", "one-pass", "welford" }[p->moments]);
    const struct ball **y = need((size_t)(n * c) + 1, sizeof *y);
    for (long i = 0; i < n; i++)
        line_of(w, &row_layernorm, "y", text, in, k, (long[MER_RANK]){ i }, c, y + i * c);
    memcpy(x, y, (size_t)(n * c) * sizeof *y);
    free(y);
}

/* Block b of a stack, over all rows of x[n,c]; memory NULL: an encoder's. */
static void block(struct ask *w, long b, const struct ball **x, long n, long c, const struct ball **memory, long m)
{
    static const char *const both[] = { "wi", "bi", "wo", "bo", "ga", "sa", "gf", "sf", "w1", "b1", "w2", "b2" }, *const cross[] = { "xi", "xb", "xo", "xc", "gx", "sx" };
    const struct encdec *p = w->params;
    struct mer_array in[24] = { rows_of("x", x, n, c) };
    char text[500];
    int k = 1;
    for (size_t j = 0; j < sizeof both / sizeof *both; j++)
        if (has_in(w, both[j]))
            in[k++] = stack(array_in(w, both[j]), both[j], memory ? p->encoders + b : b);
    for (size_t j = 0; j < sizeof cross / sizeof *cross && memory; j++)
        if (has_in(w, cross[j]))
            in[k++] = stack(array_in(w, cross[j]), cross[j], b);
    if (memory)
        in[k++] = rows_of("memory", memory, m, c);
    if (has_in(w, "source"))
        in[k] = *array_in(w, "source"), in[k++].name = memory ? "source" : "token";
    params_pick(row_encdec.params, p, handed, text, sizeof text);
    if (memory)
        strcat(text, " "), params_pick(row_encdec.params, p, "causal cross_causal", text + strlen(text), sizeof text - strlen(text));
    const struct ball **y = need((size_t)(n * c) + 1, sizeof *y);
    for (long i = 0; i < n; i++)
        line_of(w, &row_block, memory ? "decoder" : "encoder", text, in, k, (long[MER_RANK]){ i }, c, y + i * c);
    memcpy(x, y, (size_t)(n * c) * sizeof *y);
    free(y);
}

static bool normed(const struct encdec *p) { return p->final == ALWAYS || (p->final == WITH_PRE && p->order == PRE); }
static const struct ball **input(struct ask *w, const char *name)
{
    const struct mer_array *a = array_in(w, name);
    const struct ball **x = need((size_t)array_len(a) + 1, sizeof *x);
    for (long k = 0; k < array_len(a); k++)
        x[k] = b_element(w, a, k);
    return x;
}
/* src through the first `blocks` of the encoder; behind the last one the stack's norm. */
static const struct ball **encode(struct ask *w, long blocks)
{
    const struct encdec *p = w->params;
    const long m = array_in(w, "src")->dim[0], c = array_in(w, "src")->dim[1];
    const struct ball **x = input(w, "src");
    for (long b = 0; b < blocks; b++) {
        if (p->positions == EVERY || (p->positions == FIRST && !b))
            place(w, x, m, c);
        block(w, b, x, m, c, NULL, 0);
    }
    if (normed(p) && blocks == p->encoders)
        norm(w, 0, x, m, c);
    return x;
}
static const struct ball **decode(struct ask *w)
{
    const struct encdec *p = w->params;
    const long n = array_in(w, "tgt")->dim[0], c = array_in(w, "tgt")->dim[1], m = array_in(w, "src")->dim[0];
    const struct ball **t = input(w, "tgt"), **memory = p->depth == LAST ? encode(w, p->encoders) : NULL;
    for (long b = 0; b < p->decoders; b++) {
        const struct ball **each = memory ? memory : encode(w, b + 1 < p->encoders ? b + 1 : p->encoders);
        if (p->positions == EVERY || (p->positions == FIRST && !b))
            place(w, t, n, c);
        block(w, b, t, n, c, each, m);
        if (!memory)
            free(each);
    }
    free(memory);
    if (normed(p))
        norm(w, 1, t, n, c);
    return t;
}

static void encoded(struct ask *w, const struct ball **y) /* all of [m][c] at once */
{
    const struct ball **x = encode(w, ((const struct encdec *)w->params)->encoders);
    memcpy(y, x, (size_t)w->len * sizeof *y);
    free(x);
}
static void decoded(struct ask *w, const struct ball **y)
{
    const struct ball **t = decode(w);
    memcpy(y, t, (size_t)w->len * sizeof *y);
    free(t);
}
static void logits(struct ask *w, const struct ball **y) /* all of [n][v] */
{
    const struct ball **t = decode(w), **term;
    const long n = array_in(w, "tgt")->dim[0], c = array_in(w, "head")->dim[0], v = array_in(w, "head")->dim[1];
    term = need((size_t)c + 1, sizeof *term);
    for (long k = 0; k < n * v; k++) {
        for (long j = 0; j < c; j++)
            term[j] = b_step(w, HEAD, b_mul(w, t[k / v * c + j], b_in(w, "head", j, k % v, 0)));
        y[k] = b_sum(w, READ, term, c);
    }
    free(t), free(term);
}
static void logprob(struct ask *w, const struct ball **y)
{
    const long v = array_in(w, "head")->dim[1];
    const struct ball **e = need((size_t)v + 1, sizeof *e);
    logits(w, y);
    for (const struct ball **row = y; row < y + w->len; row += v) {
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

static long extent(const void *q, char axis)
{
    const struct encdec *p = q;
    return axis == 'l' ? p->encoders + p->decoders : axis == 'q' ? p->decoders : axis == 'e' ? 2 : axis == 's' ? 3 * p->heads * p->width : axis == 'u' ? p->heads * p->width : axis == 't' ? 2 : 0;
}
static bool needs(const void *q, const char *input) { return !strcmp(input, "gl") && normed(q); }
static const char *refuse(const void *q) { return mpq_sgn(((const struct encdec *)q)->eps) > 0 ? NULL : "eps: must be greater than 0"; }
static const struct param params[] = {
    { "encoders", "1", "blocks of the encoder, E", INT, offsetof(struct encdec, encoders), .least = 1, .most = 1024 },
    { "decoders", "1", "blocks of the decoder, D", INT, offsetof(struct encdec, decoders), .least = 1, .most = 1024 },
    { "order", "post", "where the norms stand: row block", ENUM, offsetof(struct encdec, order), .choices = "post pre" },
    { "final", "pre", "a norm behind the last block: of pre-norm stacks, of any, of none", ENUM, offsetof(struct encdec, final), .choices = "pre always never" },
    { "positions", "first", "where sinusoids are added", ENUM, offsetof(struct encdec, positions), .choices = "first every none" },
    { "depth", "last", "which encoder block a decoder block reads", ENUM, offsetof(struct encdec, depth), .choices = "last each" },
    { "act", "relu", "activation: row feedforward", ENUM, offsetof(struct encdec, act), .choices = "relu gelu gelu-tanh silu" },
    { "eps", "1/100000", "of the norms", RATIONAL, offsetof(struct encdec, eps) },
    { "heads", "2", "number of heads", INT, offsetof(struct encdec, heads), .least = 1, .most = 1024 },
    { "width", "3", "of a head", INT, offsetof(struct encdec, width), .least = 1, .most = 65536 },
    { "causal", "topleft", "of the decoder's self-attention", ENUM, offsetof(struct encdec, causal), .choices = "none topleft" },
    { "cross_causal", "none", "of cross-attention", ENUM, offsetof(struct encdec, cross_causal), .choices = "none topleft bottomright" },
    { "residual", "input", "row block", ENUM, offsetof(struct encdec, residual), .choices = "input doubled none" },
    { "memory_norm", "none", "row block", ENUM, offsetof(struct encdec, memory), .choices = "none again" },
    { "moments", "two-passes", "route of row layernorm", ROUTE, offsetof(struct encdec, moments), .choices = "two-passes one-pass welford" },
    { "apply", "centred", "of row layernorm: (x - mu) r, or x r - mu r", ROUTE, offsetof(struct encdec, apply), .choices = "centred folded" },
    { "route", "two-passes", "which algorithm rounds: ref/core/mix.h", ROUTE, offsetof(struct encdec, route), .choices = "two-passes online split exp2 lazy" },
    { "block", "16", "keys per step of online, lazy and split", INT, offsetof(struct encdec, keys_a_step), .least = 1, .most = 1 << 20 },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "", "arXiv:1706.03762: 6 and 6 blocks there; here one each, since bounds of a deep stack say nothing: judge it block by block" }, { "pre-norm", "order=pre act=gelu", "arXiv:2002.04745" }, { 0 },
};
static const struct row *const parts[] = { &row_block, &row_layer, &row_attention, &row_rope, &row_layernorm, &row_rmsnorm, &row_feedforward, &row_sinusoid, NULL };
static const struct preset contracts[] = { { 0 } };
#define ENCODER "src[m,c] wi[l,c,s] bi?[l,s] wo[l,u,c] bo?[l,c] ga[l,c] sa?[l,c] w1[l,c,f] b1?[l,f] w2[l,f,c] b2?[l,c] gf[l,c] sf?[l,c] gl?[e,c] sl?[e,c] int source?[m]<t "
#define DECODER ENCODER "tgt[n,c] xi[q,c,s] xb?[q,s] xo[q,u,c] xc?[q,c] gx[q,c] sx?[q,c] "
const struct row row_encdec = {
    .name = "encdec", .title = "encoder-decoder Transformer", .cite = "Vaswani et al. 2017",
    .steps = { "place head read off odds mass logmass" }, .parts = parts,
    .params = params, .size = sizeof(struct encdec), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse, .needs = needs, .sizes = "c=6 f=7 v=5",
    .q = { { ENCODER "-> encoded[|m,c]", encoded }, { DECODER "-> decoded[|n,c]", decoded }, { DECODER "head[c,v] -> logits[|n,v]", logits }, { DECODER "head[c,v] -> logprob[|n,v]", logprob } },
};

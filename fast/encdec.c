/* Encoder-decoder Transformer, float32: the kernels of its parts, called as anybody's.                        Vaswani et al. 2017, figure 1
 * v0  one call of row block's kernel a block; the head by core/gemm.h */
#include <math.h>
#include <stdio.h>
#include "gemm.h"
#include "multihead.h"

extern const struct mer_kernel block_scalar[], layernorm_scalar[], sinusoid_scalar[];

static const struct mer_kernel *kernel_of(const struct mer_kernel *list, const char *out)
{
    while (strcmp(list->out, out) || strcmp(list->type, "f32"))
        list++;
    return list;
}
static struct mer_array stack(const struct mer_array *a, const char *name, int64_t k)
{
    struct mer_array y = { .name = name, .type = a->type, .rank = a->rank - 1 };
    int64_t len = 1;
    for (int j = 0; j < y.rank; j++)
        len *= y.dim[j] = a->dim[j + 1];
    y.data = (float *)a->data + k * len;
    return y;
}
static struct mer_array matrix(const char *name, float *x, int64_t n, int64_t c) { return (struct mer_array){ .name = name, .type = MER_F32, .rank = 2, .dim = { n, c }, .data = x }; }
static int ask(const char *row, const struct mer_kernel *k, const char *text, struct mer_array *in, int n, struct mer_array out)
{
    struct mer_call c = { .row = row, .params = text, .n_in = n, .n_out = 1, .in = in, .out = &out };
    return mer_ask(k, &c);
}
static size_t word(const struct mer_call *c, const char *key, char *text, size_t at, size_t n)
{
    return at + (size_t)snprintf(text + at, n - at, " %s=%.*s", key, (int)strcspn(mer_text(c, key), " "), mer_text(c, key));
}

static int place(float *x, int64_t n, int64_t c)
{
    float *p = malloc((size_t)(n * c + 1) * sizeof *p);
    int64_t *pos = malloc((size_t)(n + 1) * sizeof *pos);
    struct mer_array in = { .name = "pos", .type = MER_I64, .rank = 1, .dim = { n }, .data = pos };
    char text[160];
    snprintf(text, sizeof text, "dim=%lld base=10000 origin=0 layout=interleaved spacing=paper odd=zero min_timescale=1 padding=-1 route=powers", (long long)c);
    for (int64_t i = 0; pos && i < n; i++)
        pos[i] = i;
    int rc = p && pos ? ask("sinusoid", kernel_of(sinusoid_scalar, "p"), text, &in, 1, matrix("p", p, n, c)) : MER_BAD;
    for (int64_t k = 0; rc == MER_OK && k < n * c; k++)
        x[k] += p[k];
    free(p), free(pos);
    return rc;
}
static int norm(const struct mer_call *c, float *x, int64_t n, int64_t width, int which)
{
    const struct mer_array *shift = mer_in(c, "sl");
    float *y = malloc((size_t)(n * width + 1) * sizeof *y);
    struct mer_array in[3] = { matrix("x", x, n, width), stack(mer_in(c, "gl"), "gain", which) };
    char text[200] = "variance=biased place=inside route=two-passes apply=centred";
    if (shift)
        in[2] = stack(shift, "shift", which);
    size_t at = word(c, "eps", text, strlen(text), sizeof text);
    snprintf(text + at, sizeof text - at, " affine=%s", shift ? "gain-shift" : "gain");
    int rc = y ? ask("layernorm", kernel_of(layernorm_scalar, "y"), text, in, shift ? 3 : 2, matrix("y", y, n, width)) : MER_BAD;
    if (rc == MER_OK)
        memcpy(x, y, (size_t)(n * width) * sizeof *x);
    free(y);
    return rc;
}
static int block(const struct mer_call *c, int64_t b, float *x, int64_t n, int64_t width, float *memory, int64_t m)
{
    static const char *const both[] = { "wi", "bi", "wo", "bo", "ga", "sa", "gf", "sf", "w1", "b1", "w2", "b2" }, *const cross[] = { "xi", "xb", "xo", "xc", "gx", "sx" };
    static const char *const words[] = { "order", "act", "eps", "heads", "width", "residual", "memory_norm" };
    struct mer_array in[24] = { matrix("x", x, n, width) };
    char text[400] = "norm=layer gated=no kv_heads=0 value_width=0 window=0 group=repeat rope=off keys=memory";
    size_t at = strlen(text);
    int k = 1;
    for (size_t j = 0; j < sizeof both / sizeof *both; j++)
        if (mer_in(c, both[j]))
            in[k++] = stack(mer_in(c, both[j]), both[j], memory ? mer_int(c, "encoders") + b : b);
    for (size_t j = 0; j < sizeof cross / sizeof *cross && memory; j++)
        if (mer_in(c, cross[j]))
            in[k++] = stack(mer_in(c, cross[j]), cross[j], b);
    if (memory)
        in[k++] = matrix("memory", memory, m, width);
    if (mer_in(c, "source"))
        in[k] = *mer_in(c, "source"), in[k++].name = memory ? "source" : "token";
    for (size_t j = 0; j < sizeof words / sizeof *words; j++)
        at = word(c, words[j], text, at, sizeof text);
    if (memory)
        word(c, "cross_causal", text, word(c, "causal", text, at, sizeof text), sizeof text);
    else
        snprintf(text + at, sizeof text - at, " causal=none cross_causal=none");
    float *y = malloc((size_t)(n * width + 1) * sizeof *y);
    int rc = y ? ask("block", kernel_of(block_scalar, memory ? "decoder" : "encoder"), text, in, k, matrix(memory ? "decoder" : "encoder", y, n, width)) : MER_BAD;
    if (rc == MER_OK)
        memcpy(x, y, (size_t)(n * width) * sizeof *x);
    free(y);
    return rc;
}

static int normed(const struct mer_call *c) { return mer_is(c, "final", "always") || (mer_is(c, "final", "pre") && mer_is(c, "order", "pre")); }
/* A stack of blocks over x[n][width]; memory NULL: the first `blocks` of the encoder's. */
static int through(const struct mer_call *c, float *x, int64_t n, int64_t width, int64_t blocks, float *memory, int64_t m);
static int encode(const struct mer_call *c, float *x, int64_t blocks)
{
    const struct mer_array *src = mer_in(c, "src");
    memcpy(x, src->data, (size_t)(src->dim[0] * src->dim[1]) * sizeof *x);
    return through(c, x, src->dim[0], src->dim[1], blocks, NULL, 0);
}
static int through(const struct mer_call *c, float *x, int64_t n, int64_t width, int64_t blocks, float *memory, int64_t m)
{
    const int64_t last = mer_int(c, memory ? "decoders" : "encoders"), encoders = mer_int(c, "encoders");
    int rc = MER_OK;
    for (int64_t b = 0; b < blocks && rc == MER_OK; b++) {
        if (mer_is(c, "positions", "every") || (mer_is(c, "positions", "first") && !b))
            rc = place(x, n, width);
        if (rc == MER_OK && memory && mer_is(c, "depth", "each"))
            rc = encode(c, memory, b + 1 < encoders ? b + 1 : encoders);
        rc = rc == MER_OK ? block(c, b, x, n, width, memory, m) : rc;
    }
    return rc == MER_OK && normed(c) && blocks == last ? norm(c, x, n, width, memory != NULL) : rc;
}

static int run(const struct mer_call *c)
{
    const struct mer_array *src = mer_in(c, "src"), *tgt = mer_in(c, "tgt"), *head = mer_in(c, "head");
    struct mer_array *y = c->out;
    const int64_t m = src->dim[0], n = tgt ? tgt->dim[0] : 0, width = src->dim[1], v = head ? head->dim[1] : 0;
    float *memory = malloc((size_t)((m + n) * width + 1) * sizeof *memory), *t = memory + m * width, *out = y->data;
    int rc = memory ? encode(c, memory, mer_int(c, "encoders")) : MER_BAD;
    if (rc == MER_OK && tgt) {
        memcpy(t, tgt->data, (size_t)(n * width) * sizeof *t);
        rc = through(c, t, n, width, mer_int(c, "decoders"), memory, m);
    }
    if (rc == MER_OK && !head)
        memcpy(out, tgt ? t : memory, (size_t)((tgt ? n : m) * width) * sizeof *out);
    if (rc == MER_OK && head)
        gemm_f32(out, v, (struct gemm_of){ t, width, 0 }, (struct gemm_of){ head->data, v, 0 }, n, v, width, 0);
    for (int64_t i = 0; rc == MER_OK && !strcmp(y->name, "logprob") && i < n; i++, out += v) {
        float top = out[0], sum = 0;
        for (int64_t k = 1; k < v; k++)
            top = out[k] > top ? out[k] : top;
        for (int64_t k = 0; k < v; k++)
            sum += expf(out[k] -= top);
        for (int64_t k = 0; k < v; k++)
            out[k] -= logf(sum);
    }
    free(memory);
    return rc;
}

#define STEPS MULTIHEAD_STEPS " place=f32 head=f32 read=f32 off=f32 odds=f32:2 mass=f32 logmass=f32:2 addition=f32 mean=f32 centre=f32 square=f32 moment=f32 root=f32 layernorm.scale=f32 gain=f32 argument=f64:2 curve=f64:8 feedforward.weight=f64:2 activate=f32"
const struct mer_kernel encdec_scalar[] = {
    { "encdec", "encoded", "f32", STEPS, 0, run }, { "encdec", "decoded", "f32", STEPS, 0, run }, { "encdec", "logits", "f32", STEPS, 0, run }, { "encdec", "logprob", "f32", STEPS, 0, run }, { 0 },
};

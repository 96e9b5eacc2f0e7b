/* Stacks of Transformer blocks in float32: models.h. */
#include "block/models.h"
#include <math.h>
#include <stdio.h>

extern const struct mer_kernel layernorm_scalar[], sinusoid_scalar[];

/* The float32 kernel of a list with these outputs, which it has. */
static const struct mer_kernel *kernel_of(const struct mer_kernel *list, const char *out)
{
    while (strcmp(list->out, out) || strcmp(list->type, "f32"))
        list++;
    return list;
}
/* Entry k of an array whose first axis runs over blocks or norms. */
static struct mer_array stack(const struct mer_array *a, const char *name, int64_t k)
{
    struct mer_array y = { .name = name, .type = a->type, .rank = a->rank - 1 };
    int64_t len = 1;
    for (int j = 0; j < y.rank; j++)
        len *= y.dim[j] = a->dim[j + 1];
    y.data = (float *)a->data + k * len;
    return y;
}
struct mer_array model_rows(const char *name, float *x, int64_t n, int64_t c)
{
    return (struct mer_array){ .name = name, .type = MER_F32, .rank = 2, .dim = { n, c }, .data = x };
}
int model_ask(const char *row, const struct mer_kernel *k, const char *text, struct mer_array *in, int n,
    struct mer_array *out, int n_out)
{
    struct mer_call c = { .row = row, .params = text, .n_in = n, .n_out = n_out, .in = in, .out = out };
    return mer_ask(k, &c);
}
/* Appends a parameter of the call to a text; returns where the text ends. */
static size_t word(const struct mer_call *c, const char *key, char *text, size_t at, size_t n)
{
    return at +
        (size_t)snprintf(text + at, n - at, " %s=%.*s", key, (int)strcspn(mer_text(c, key), " "), mer_text(c, key));
}

/* Adds sinusoidal positions to x[n][c]. */
static int place(float *x, int64_t n, int64_t c)
{
    float *p = malloc((size_t)(n * c + 1) * sizeof *p);
    int64_t *pos = malloc((size_t)(n + 1) * sizeof *pos);
    struct mer_array in = { .name = "pos", .type = MER_I64, .rank = 1, .dim = { n }, .data = pos };
    char text[160];
    snprintf(text, sizeof text,
        "dim=%lld base=10000 origin=0 layout=interleaved spacing=paper odd=zero min_timescale=1 padding=-1 "
        "route=powers",
        (long long)c);
    if (!p || !pos) {
        free(p), free(pos);
        return MER_BAD;
    }
    for (int64_t i = 0; i < n; i++)
        pos[i] = i;
    struct mer_array out = model_rows("p", p, n, c);
    const int rc = model_ask("sinusoid", kernel_of(sinusoid_scalar, "p"), text, &in, 1, &out, 1);
    for (int64_t k = 0; rc == MER_OK && k < n * c; k++)
        x[k] += p[k];
    free(p), free(pos);
    return rc;
}
int model_norm(const struct model_kernel *s, const char *out, float *to, float *x, float *dy, int64_t n, int which)
{
    const struct mer_array *shift = mer_in(s->c, "sl");
    struct mer_array in[4] = { model_rows("x", x, n, s->width), stack(mer_in(s->c, "gl"), "gain", which) },
                     y = model_rows(out, to, n, s->width);
    char text[200] = "variance=biased place=inside route=two-passes apply=centred";
    int k = 2;
    if (shift)
        in[k++] = stack(shift, "shift", which);
    if (dy)
        in[k++] = model_rows("dy", dy, n, s->width);
    if (!strcmp(out, "dgain") || !strcmp(out, "dshift"))
        y.rank = 1, y.dim[0] = s->width;
    size_t at = word(s->c, "eps", text, strlen(text), sizeof text);
    snprintf(text + at, sizeof text - at, " affine=%s", shift ? "gain-shift" : "gain");
    return model_ask("layernorm", kernel_of(layernorm_scalar, out), text, in, k, &y, 1);
}
struct model_block model_block(const struct model_kernel *m, int64_t b, float *x, int64_t n, float *memory)
{
    static const char *const both[] = { "wi", "bi", "wo", "bo", "ga", "sa", "gf", "sf", "w1", "b1", "w2", "b2" },
                             *const cross[] = { "xi", "xb", "xo", "xc", "gx", "sx" };
    static const char *const words[] = { "order", "act", "eps", "heads", "width", "residual", "memory_norm" };
    struct model_block s = { .in = { model_rows("x", x, n, m->width) },
        .n = 1,
        .text = "norm=layer gated=no kv_heads=0 value_width=0 window=0 group=repeat rope=off keys=memory" };
    const struct mer_call *c = m->c;
    size_t at = strlen(s.text);
    for (size_t j = 0; j < sizeof both / sizeof *both; j++)
        if (mer_in(c, both[j]))
            s.in[s.n++] = stack(mer_in(c, both[j]), both[j], memory ? m->encoders + b : b);
    for (size_t j = 0; j < sizeof cross / sizeof *cross && memory; j++)
        if (mer_in(c, cross[j]))
            s.in[s.n++] = stack(mer_in(c, cross[j]), cross[j], b);
    if (memory)
        s.in[s.n++] = model_rows("memory", memory, m->m, m->width);
    if (mer_in(c, "source"))
        s.in[s.n] = *mer_in(c, "source"), s.in[s.n++].name = memory ? "source" : "token";
    for (size_t j = 0; j < sizeof words / sizeof *words; j++)
        at = word(c, words[j], s.text, at, sizeof s.text);
    if (memory)
        word(c, "cross_causal", s.text, word(c, "causal", s.text, at, sizeof s.text), sizeof s.text);
    else
        snprintf(s.text + at, sizeof s.text - at, " causal=none cross_causal=none");
    return s;
}
struct model_kernel model_of(const struct mer_call *c)
{
    const struct mer_array *src = mer_in(c, "src"), *tgt = mer_in(c, "tgt"), *head = mer_in(c, "head");
    return (struct model_kernel){ .c = c,
        .n = tgt ? tgt->dim[0] : 0,
        .m = src->dim[0],
        .v = head ? head->dim[1] : 0,
        .width = src->dim[1],
        .encoders = mer_int(c, "encoders"),
        .decoders = mer_int(c, "decoders"),
        .normed = mer_is(c, "final", "always") || (mer_is(c, "final", "pre") && mer_is(c, "order", "pre")) };
}

/* Block b of x[n][width] in place, with positions before it where the call has them there; a decoder's where memory is
 * not NULL. */
static int step(const struct model_kernel *s, int64_t b, float *x, int64_t n, float *memory)
{
    const struct mer_kernel forward = { "block", "", "f32", "", 0, s->of_gradients ? blocks_run_two_passes : blocks_run,
        blocks_prepare, blocks_release };
    const int decoder = memory != NULL;
    const size_t bytes = (size_t)(n * s->width) * sizeof *x;
    int rc = mer_is(s->c, "positions", "every") || (mer_is(s->c, "positions", "first") && !b) ? place(x, n, s->width) :
                                                                                                MER_OK;
    if (rc != MER_OK)
        return rc;
    float *y = malloc(bytes + sizeof *y);
    struct model_block p = model_block(s, b, x, n, memory);
    struct mer_array out = model_rows(decoder ? "decoder" : "encoder", y, n, s->width);
    if (s->before[decoder])
        memcpy(s->before[decoder] + b * n * s->width, x, bytes);
    rc = y ? model_ask("block", &forward, p.text, p.in, p.n, &out, 1) : MER_BAD;
    if (rc == MER_OK)
        memcpy(x, y, bytes);
    if (rc == MER_OK && s->behind[decoder])
        memcpy(s->behind[decoder] + b * n * s->width, x, bytes);
    free(y);
    return rc;
}
/* The norm at the end of a stack, in place. */
static int end(const struct model_kernel *s, float *x, int64_t n, int which)
{
    float *y = malloc((size_t)(n * s->width + 1) * sizeof *y);
    int rc = y ? model_norm(s, "y", y, x, NULL, n, which) : MER_BAD;
    if (rc == MER_OK)
        memcpy(x, y, (size_t)(n * s->width) * sizeof *x);
    free(y);
    return rc;
}
int model_encode(const struct model_kernel *s, float *x, int64_t blocks)
{
    int rc = MER_OK;
    memcpy(x, mer_in(s->c, "src")->data, (size_t)(s->m * s->width) * sizeof *x);
    for (int64_t b = 0; b < blocks && rc == MER_OK; b++)
        rc = step(s, b, x, s->m, NULL);
    return rc == MER_OK && s->normed && blocks == s->encoders ? end(s, x, s->m, 0) : rc;
}
int model_decode(const struct model_kernel *s, float *t, float *memory)
{
    int rc = MER_OK;
    memcpy(t, mer_in(s->c, "tgt")->data, (size_t)(s->n * s->width) * sizeof *t);
    for (int64_t b = 0; b < s->decoders && rc == MER_OK; b++) {
        if (mer_is(s->c, "depth", "each"))
            rc = model_encode(s, memory, b + 1 < s->encoders ? b + 1 : s->encoders);
        rc = rc == MER_OK ? step(s, b, t, s->n, memory) : rc;
    }
    return rc == MER_OK && s->normed ? end(s, t, s->n, 1) : rc;
}

void model_logits(const struct model_kernel *s, float *y, const float *t)
{
    gemm_f32(y, s->v, (struct gemm_of){ t, s->width, 0 }, (struct gemm_of){ mer_in(s->c, "head")->data, s->v, 0 }, s->n,
        s->v, s->width, 0);
}
void model_logprob(const struct model_kernel *s, float *y)
{
    const int64_t v = s->v;
    for (int64_t i = 0; i < s->n; i++, y += v) {
        float top = y[0], sum = 0;
        for (int64_t k = 1; k < v; k++)
            top = y[k] > top ? y[k] : top;
        for (int64_t k = 0; k < v; k++)
            sum += expf(y[k] -= top);
        for (int64_t k = 0; k < v; k++)
            y[k] -= logf(sum);
    }
}

/* Rotary encoding of images, float32 or bfloat16 in and out, in double.          Fang et al. 2023, Heo et al. 2024
 * v0  plain loops: the cosines and sines of a token once for all heads, of mixed frequencies once a head */
#include <math.h>
#include <stdlib.h>
#include "recurrent/doubles.h"

/* A call as doubles; freq[K] and, of one token, cs[K] and sn[K]; v[d] is one line. */
struct rope2d_call {
    const struct mer_call *c;
    double *block, *freq, *cs, *sn, *v;
    const double *x, *up, *mix;
    int64_t H, n, d, K, start, size[2];
    double base, stretch;
    int half, columns, alternate, woven, centred;
};
static int axis_of(const struct rope2d_call *w, int slot) { return w->columns ? 1 - slot : slot; }
static int slot_of(const struct rope2d_call *w, int64_t k) { return (int)(w->alternate ? k % 2 : k / (w->K / 2)); }
static int open_call(struct rope2d_call *w, const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x"), *up = mer_in(c, mer_in(c, "dy") ? "dy" : "dmixed"), *a = x ? x : up;
    const struct mer_array *pos = mer_in(c, "pos");
    *w = (struct rope2d_call){ .c = c, .H = a ? a->dim[0] : 1, .n = pos ? pos->dim[1] : 0, .d = mer_int(c, "dim"),
        .start = mer_int(c, "start"), .size = { mer_int(c, "height"), mer_int(c, "width") },
        .base = mer_real(c, "base"), .stretch = mer_real(c, "stretch"), .half = mer_is(c, "layout", "half"),
        .columns = mer_is(c, "first", "columns"), .alternate = mer_is(c, "axes", "alternate"),
        .woven = mer_is(c, "frequency", "woven"), .centred = mer_is(c, "coordinates", "centred") };
    w->K = w->d / 2;
    const struct mer_array *mix = mer_in(c, "freqs");
    const int64_t all = (x ? mer_count(x) : 0) + (up ? mer_count(up) : 0) + (mix ? mer_count(mix) : 0);
    double *used = w->block = malloc((size_t)(all + 3 * w->K + w->d + 1) * sizeof *used);
    if (!used)
        return MER_BAD;
    w->x = doubles_in(c, "x", &used), w->up = up ? doubles_in(c, up->name, &used) : NULL;
    w->mix = doubles_in(c, "freqs", &used);
    w->freq = used, w->cs = w->freq + w->K, w->sn = w->cs + w->K, w->v = w->sn + w->K;
    for (int64_t k = 0; k < w->K; k++) {
        const int64_t t = w->alternate ? k / 2 : k % (w->K / 2), e = w->woven ? 2 * t + slot_of(w, k) : 2 * t;
        w->freq[k] = pow(w->base, -(double)(2 * e) / (double)w->d);
    }
    return MER_OK;
}
static double coordinate(const struct rope2d_call *w, int axis, int64_t i)
{
    const int64_t at = ((const int64_t *)mer_in(w->c, "pos")->data)[axis * w->n + i];
    if (!w->centred)
        return (double)(at + w->start) * w->stretch;
    const double share = (double)(2 * at + 1) / (double)(2 * w->size[axis]);
    return 2 * 3.14159265358979323846 * (2 * share - 1) * w->stretch;
}
static double angle(const struct rope2d_call *w, int64_t h, int64_t i, int64_t k)
{
    const double c[2] = { coordinate(w, axis_of(w, 0), i), coordinate(w, axis_of(w, 1), i) };
    if (!w->mix)
        return c[slot_of(w, k)] * w->freq[k];
    return c[0] * w->mix[h * w->K + k] + c[1] * w->mix[(w->H + h) * w->K + k];
}
static void waves(struct rope2d_call *w, int64_t h, int64_t i)
{
    for (int64_t k = 0; k < w->K; k++)
        w->cs[k] = cos(angle(w, h, i, k)), w->sn[k] = sin(angle(w, h, i, k));
}
/* v = the line x[d] turned; sign -1: turned back. */
static void turn(const struct rope2d_call *w, const double *x, double sign)
{
    for (int64_t k = 0; k < w->K; k++) {
        const int64_t a = w->half ? k : 2 * k, b = w->half ? k + w->K : 2 * k + 1;
        w->v[a] = x[a] * w->cs[k] - sign * (x[b] * w->sn[k]), w->v[b] = x[b] * w->cs[k] + sign * (x[a] * w->sn[k]);
    }
}
static int rotate(const struct mer_call *c)
{
    struct rope2d_call w;
    if (open_call(&w, c))
        return MER_BAD;
    const double *from = w.up ? w.up : w.x;
    for (int64_t i = 0; i < w.n; i++)
        for (int64_t h = 0; h < w.H; h++) {
            if (w.mix || !h)
                waves(&w, h, i);
            turn(&w, from + (h * w.n + i) * w.d, w.up ? -1 : 1);
            for (int o = 0; o < c->n_out; o++)
                doubles_out(&c->out[o], (h * w.n + i) * w.d, w.v, w.d);
        }
    free(w.block);
    return MER_OK;
}
static int tables(const struct mer_call *c)
{
    struct rope2d_call w;
    if (open_call(&w, c))
        return MER_BAD;
    doubles_out(mer_out(c, "freq"), 0, w.freq, w.K);
    for (int64_t i = 0; i < w.n; i++) {
        waves(&w, 0, i);
        doubles_out(mer_out(c, "cos"), i * w.K, w.cs, w.K), doubles_out(mer_out(c, "sin"), i * w.K, w.sn, w.K);
        for (int64_t k = 0; k < w.K; k++)
            w.cs[k] = angle(&w, 0, i, k);
        doubles_out(mer_out(c, "angle"), i * w.K, w.cs, w.K);
    }
    free(w.block);
    return MER_OK;
}
static int freqs_back(const struct mer_call *c)
{
    struct rope2d_call w;
    if (open_call(&w, c))
        return MER_BAD;
    double *g = calloc((size_t)(2 * w.H * w.K + 1), sizeof *g);
    for (int64_t l = 0; l < w.H * w.n && g; l++) {
        const int64_t h = l / w.n, i = l % w.n;
        const double *up = w.up + l * w.d;
        waves(&w, h, i), turn(&w, w.x + l * w.d, 1);
        for (int64_t k = 0; k < w.K; k++) {
            const int64_t a = w.half ? k : 2 * k, b = w.half ? k + w.K : 2 * k + 1;
            for (int s = 0; s < 2; s++) {
                const double at = coordinate(&w, axis_of(&w, s), i);
                g[(s * w.H + h) * w.K + k] += at * (up[b] * w.v[a]) - at * (up[a] * w.v[b]);
            }
        }
    }
    if (g)
        doubles_out(mer_out(c, "dfreqs"), 0, g, 2 * w.H * w.K);
    free(w.block), free(g);
    return g ? MER_OK : MER_BAD;
}

/* In half-ulps: pow, sin and cos of glibc have 2, and the base is rounded before; a centred coordinate is multiplied by
 * 2 pi, which is rounded, and by the stretch, which is, too. */
#define COORDINATE "share=f64 centre=f64 position=f64:5 "
#define FREQ "exponent=f64 power=f64:4 freq=f64"
#define ANGLE COORDINATE FREQ " phase=f64"
#define MIX COORDINATE "phase=f64 join=f64 table=f64:2 product=f64 sum=f64"
#define WAVES " table=f64:2"
#define TURN " product=f64 sum=f64"
const struct mer_kernel rope2d_scalar[] = {
    { "rope2d", "y", "f32", ANGLE WAVES TURN, 0, rotate },
    { "rope2d", "dx", "f32", ANGLE WAVES TURN, 0, rotate },
    { "rope2d", "cos sin", "f32", ANGLE WAVES, 0, tables },
    { "rope2d", "angle", "f32", ANGLE, 0, tables },
    { "rope2d", "freq", "f32", FREQ, 0, tables },
    { "rope2d", "mixed", "f32", MIX, 0, rotate },
    { "rope2d", "dx_mixed", "f32", MIX, 0, rotate },
    { "rope2d", "dfreqs", "f32", MIX " slope=f64 gather=f64", 0, freqs_back },
    { "rope2d", "y", "bf16", ANGLE WAVES TURN, 0, rotate },
    { "rope2d", "dx", "bf16", ANGLE WAVES TURN, 0, rotate },
    { "rope2d", "cos sin", "bf16", ANGLE WAVES, 0, tables },
    { "rope2d", "mixed", "bf16", MIX, 0, rotate },
    { "rope2d", "dx_mixed", "bf16", MIX, 0, rotate },
    { 0 },
};

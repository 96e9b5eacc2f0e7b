/* Extrapolatable rotary encoding in plain loops: cos and sin are correctly rounded to float64 (libmeridian), the scale
 * is made by pow, products and sum are double, and there is one rounding at the very end. */
#include <math.h>
#include <stdio.h>
#include "libmeridian.h"
#include "odd.h"

struct xpos_state { struct mer_angles *angles; int64_t pairs, neighbours, centre; double gamma, decay; int key; };

static int prepare(struct mer_call *c)
{
    char text[300], err[200];
    struct xpos_state *s = calloc(1, sizeof *s);
    const char *base = mer_text(c, "base");
    if (!s)
        return MER_BAD;
    *s = (struct xpos_state){ NULL, mer_int(c, "dim") / 2, mer_is(c, "layout", "interleaved"), mer_int(c, "centre"),
        mer_real(c, "gamma"), mer_real(c, "scale_base"), mer_is(c, "side", "key") };
    snprintf(text, sizeof text, "dim=%lld base=%.*s", (long long)(2 * s->pairs),
        (int)(strcspn(base, " ") < 200 ? strcspn(base, " ") : 200), base);
    if (mer_angles_new(&s->angles, "rope", text, 4096, err, sizeof err))
        return free(s), MER_SKIP;
    c->state = s;
    return MER_OK;
}
static void release(void *state)
{
    struct xpos_state *s = state;
    mer_angles_free(s->angles);
    free(s);
}

static double scale_at(const struct xpos_state *s, int64_t pos, int64_t k)
{
    double from = (double)(s->key ? s->centre - pos : pos - s->centre),
           zeta = ((double)(2 * k) / (double)(2 * s->pairs) + s->gamma) / (1 + s->gamma);
    return pow(zeta, from / s->decay);
}
/* cos[n][K], then sin[n][K], both times the scale; the caller frees them.  NULL: no memory, or an entry is not
 * decided. */
static double *tables(const struct xpos_state *s, const int64_t *pos, int64_t n)
{
    const int64_t K = s->pairs;
    double *cos = malloc((size_t)(2 * n * K + 1) * sizeof *cos), *sin = cos + n * K;
    if (!cos || mer_table_at_f64(cos, sin, s->angles, pos, n))
        return free(cos), NULL;
    for (int64_t i = 0; i < n * K; i++) {
        double scale = scale_at(s, pos[i / K], i % K);
        cos[i] *= scale, sin[i] *= scale;
    }
    return cos;
}

static int turn(const struct mer_call *c, const char *in, const char *out, double sign)
{
    const struct xpos_state *s = c->state;
    const struct mer_array *x = mer_in(c, in), *pos = mer_in(c, "pos");
    struct mer_array *y = mer_out(c, out); /* [h][n][d] */
    const int64_t n = x->dim[1], K = s->pairs, apart = s->neighbours ? 1 : K, by = s->neighbours ? 2 : 1;
    double *cos = tables(s, pos->data, n), *sin = cos + n * K;
    if (!cos)
        return MER_BAD;
    for (int64_t row = 0; row < x->dim[0] * n; row++)
        for (int64_t k = 0; k < K; k++) {
            const int64_t at = row * 2 * K + k * by, t = row % n * K + k;
            const double a = load_wide(x->data, at, x->type), b = load_wide(x->data, at + apart, x->type),
                         turned = sign * sin[t];
            store_once(y->data, at, a * cos[t] - b * turned, y->type);
            store_once(y->data, at + apart, b * cos[t] + a * turned, y->type);
        }
    free(cos);
    return MER_OK;
}
static int rotate(const struct mer_call *c) { return turn(c, "x", "y", 1); }
static int rotate_back(const struct mer_call *c) { return turn(c, "dy", "dx", -1); }

static int table(const struct mer_call *c) /* "cos sin", of which either may be absent */
{
    const struct xpos_state *s = c->state;
    const struct mer_array *pos = mer_in(c, "pos");
    struct mer_array *const out[] = { mer_out(c, "cos"), mer_out(c, "sin") }; /* [n][K] */
    const int64_t n = pos->dim[0] * s->pairs;
    double *t = tables(s, pos->data, pos->dim[0]);
    for (int64_t i = 0; t && i < 2 * n; i++)
        if (out[i / n])
            store_once(out[i / n]->data, i % n, t[i], out[i / n]->type);
    free(t);
    return t ? MER_OK : MER_BAD;
}
static int scale(const struct mer_call *c)
{
    const struct xpos_state *s = c->state;
    const struct mer_array *pos = mer_in(c, "pos");
    struct mer_array *y = mer_out(c, "scale"); /* [n][K] */
    for (int64_t i = 0; i < y->dim[0] * y->dim[1]; i++)
        store_once(y->data, i, scale_at(s, ((const int64_t *)pos->data)[i / s->pairs], i % s->pairs), y->type);
    return MER_OK;
}

/* zeta is quotients and a sum of numbers of one sign, which gives 4 half-ulps; pow is within 1 ulp. */
#define XPOS_STEPS "zeta=f64:4 exponent=f64:2 scale=f64:3 "
const struct mer_kernel xpos_scalar[] = {
    { "xpos", "y", "f32", XPOS_STEPS "rope.table=f64 times=f64 rope.product=f64 rope.sum=f64", 1.001, rotate, prepare,
        release },
    { "xpos", "y", "bf16", XPOS_STEPS "rope.table=f64 times=f64 rope.product=f64 rope.sum=f64", 1.0001, rotate, prepare,
        release },
    { "xpos", "y", "f16", XPOS_STEPS "rope.table=f64 times=f64 rope.product=f64 rope.sum=f64", 1.0001, rotate, prepare,
        release },
    { "xpos", "dx", "f32", XPOS_STEPS "rope.table=f64 times=f64 rope.product=f64 rope.sum=f64", 1.001, rotate_back,
        prepare, release },
    { "xpos", "cos sin", "f32", XPOS_STEPS "rope.table=f64 times=f64", 1.001, table, prepare, release },
    { "xpos", "scale", "f32", XPOS_STEPS, 1.001, scale, prepare, release },
    { 0 },
};

/* Multiplied positions, float32: x p, or x p + x fused, each rounded once, so correctly.  The sinusoidal table is that
 * of libmeridian, correctly rounded.
 * v0  one product for each element; the table is made BLOCK rows at a time */
#include <math.h>
#include <stdio.h>
#include "libmeridian.h"
#include "meridian.h"

enum { BLOCK = 64, LIMIT = 1 << 16 }; /* rows made at a time; positions that have anchors */
struct product_state { struct mer_angles *angles; float *cos, *sin; }; /* cos and sin are [BLOCK][K] */

static inline float merged(float x, float p, int one_plus) { return one_plus ? fmaf(x, p, x) : x * p; }

/* From x to y, or from dy to dx, since the map is its own transpose. */
static int by_given(const struct mer_call *c, const char *from, const char *to)
{
    const float *x = mer_in(c, from)->data, *p = mer_in(c, "p")->data; /* [n][d] */
    struct mer_array *y = mer_out(c, to);                              /* [n][d] */
    int one_plus = mer_is(c, "form", "one_plus");
    for (int64_t i = 0; i < y->dim[0] * y->dim[1]; i++)
        ((float *)y->data)[i] = merged(x[i], p[i], one_plus);
    return MER_OK;
}
static int given(const struct mer_call *c) { return by_given(c, "x", "y"); }
static int x_grad(const struct mer_call *c) { return by_given(c, "dy", "dx"); }

static int p_grad(const struct mer_call *c)
{
    const float *dy = mer_in(c, "dy")->data, *x = mer_in(c, "x")->data; /* [n][d] */
    struct mer_array *dp = mer_out(c, "dp");                            /* [n][d] */
    for (int64_t i = 0; i < dp->dim[0] * dp->dim[1]; i++)
        ((float *)dp->data)[i] = dy[i] * x[i];
    return MER_OK;
}

static void release(void *with)
{
    struct product_state *s = with;
    mer_angles_free(s->angles);
    free(s->cos), free(s->sin), free(s);
}

static int prepare(struct mer_call *c)
{
    char text[300];
    struct product_state *s = calloc(1, sizeof *s);
    int n = snprintf(text, sizeof text, "dim=%lld base=%.*s", (long long)mer_int(c, "dim"),
        (int)strcspn(mer_text(c, "base"), " "), mer_text(c, "base"));
    if (!s || n >= (int)sizeof text || mer_angles_new(&s->angles, "sinusoid", text, LIMIT, NULL, 0))
        return free(s), MER_BAD;
    size_t room = (size_t)(BLOCK * mer_angles_pairs(s->angles)) * sizeof(float);
    s->cos = malloc(room), s->sin = malloc(room);
    c->state = s;
    return s->cos && s->sin ? MER_OK : MER_BAD;
}

static int by_table(const struct mer_call *c, const char *out, const char *in)
{
    const struct product_state *s = c->state;
    const struct mer_array *x = mer_in(c, in); /* [n][c] */
    const int64_t *pos = mer_in(c, "pos")->data, n = x->dim[0], pairs = mer_angles_pairs(s->angles);
    int one_plus = mer_is(c, "form", "one_plus");
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t rows = n - i < BLOCK ? n - i : BLOCK;
        const float *from = (const float *)x->data + 2 * i * pairs;
        float *to = (float *)mer_out(c, out)->data + 2 * i * pairs; /* [n][c] */
        if (mer_table_at_f32(s->cos, s->sin, s->angles, pos + i, rows))
            return MER_BAD;
        for (int64_t k = 0; k < rows * pairs; k++) {
            to[2 * k] = merged(from[2 * k], s->sin[k], one_plus);
            to[2 * k + 1] = merged(from[2 * k + 1], s->cos[k], one_plus);
        }
    }
    return MER_OK;
}

static int sinusoidal(const struct mer_call *c) { return by_table(c, "z", "x"); }
static int z_grad(const struct mer_call *c) { return by_table(c, "dx_z", "dz"); }

const struct mer_kernel product_scalar[] = {
    { "product", "y", "f32", "product=f32", 1, given, .correct = 1 },
    { "product", "z", "f32", "sinusoid.table=f32 product=f32", 2, sinusoidal, prepare, release },
    { "product", "dx", "f32", "product=f32", 1, x_grad, .correct = 1 },
    { "product", "dp", "f32", "product=f32", 1, p_grad, .correct = 1 },
    { "product", "dx_z", "f32", "sinusoid.table=f32 product=f32", 2, z_grad, prepare, release }, { 0 },
};

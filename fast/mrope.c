/* Rotary encoding of several axes in plain loops: correctly rounded tables of each axis, from which every pair takes
 * the entry of its axis; then an element has three float32 roundings, and for bf16 one more at the very end.  The
 * gradient is the same with -sin. */
#include "half.h"
#include "libmeridian.h"
#include "meridian.h"
#include <stdbool.h>
#include <stdio.h>

enum { AXES = 3, NONE = 3 };
struct mrope_state { struct mer_angles *angles; int64_t pairs, section[AXES], neighbours; int woven, rest; };

static int prepare(struct mer_call *c)
{
    char text[300], err[200];
    struct mrope_state *s = calloc(1, sizeof *s);
    const char *base = mer_text(c, "base"), *at = mer_text(c, "sections");
    if (!s)
        return MER_BAD;
    s->pairs = mer_int(c, "dim") / 2, s->neighbours = mer_is(c, "layout", "interleaved"),
    s->rest = mer_is(c, "mode", "rest"), s->woven = s->rest || mer_is(c, "mode", "interleaved");
    for (int a = 0; a < AXES; a++, at += strcspn(at, ", "), at += *at == ',')
        s->section[a] = strtoll(at, NULL, 10);
    snprintf(text, sizeof text, "dim=%lld base=%.*s", (long long)(2 * s->pairs),
        (int)(strcspn(base, " ") < 200 ? strcspn(base, " ") : 200), base);
    if (mer_angles_new(&s->angles, "rope", text, 4096, err, sizeof err))
        return free(s), MER_SKIP;
    c->state = s;
    return MER_OK;
}
static void release(void *state)
{
    struct mrope_state *s = state;
    mer_angles_free(s->angles);
    free(s);
}

static int axis_of(const struct mrope_state *s, int64_t k)
{
    int a = (int)(k % AXES);
    if (s->woven)
        return a == 0 || k < AXES * s->section[a] ? a : s->rest ? NONE : 0;
    return k < s->section[0] ? 0 : k < s->section[0] + s->section[1] ? 1 : 2;
}

/* Fills cos and sin [n][K], with entries of `size` bytes, from a whole table of each axis, made by `at`; pairs without
 * an axis have position 0.  MER_SKIP where a table cannot be made. */
static int tables(const struct mer_call *c, char *cos, char *sin, size_t size,
    int (*at)(const struct mrope_state *s, char *cos, char *sin, const int64_t *pos, int64_t n))
{
    const struct mrope_state *s = c->state;
    const struct mer_array *pos = mer_in(c, "pos"); /* [3][n] */
    int64_t n = pos->dim[1], K = s->pairs;
    size_t all = (size_t)(n * K) * size;
    char *co = malloc(all + 1), *si = malloc(all + 1);
    int64_t *zeros = calloc((size_t)n + 1, sizeof *zeros);
    int rc = co && si && zeros ? MER_OK : MER_BAD;
    for (int a = 0; a <= NONE && rc == MER_OK; a++) {
        rc = at(s, co, si, a == NONE ? zeros : (const int64_t *)pos->data + a * n, n) ? MER_SKIP : MER_OK;
        for (int64_t i = 0; i < n * K && rc == MER_OK; i++)
            if (axis_of(s, i % K) == a)
                memcpy(cos + (size_t)i * size, co + (size_t)i * size, size),
                    memcpy(sin + (size_t)i * size, si + (size_t)i * size, size);
    }
    free(co), free(si), free(zeros);
    return rc;
}
static int at_f32(const struct mrope_state *s, char *cos, char *sin, const int64_t *pos, int64_t n)
{
    return mer_table_at_f32((float *)(void *)cos, (float *)(void *)sin, s->angles, pos, n);
}
static int at_bf16(const struct mrope_state *s, char *cos, char *sin, const int64_t *pos, int64_t n)
{
    return mer_table_at_bf16((uint16_t *)(void *)cos, (uint16_t *)(void *)sin, s->angles, pos, n);
}

static int table(const struct mer_call *c) /* "cos sin", of which either may be absent */
{
    struct mer_array *co = mer_out(c, "cos"), *si = mer_out(c, "sin"), *one = co ? co : si;
    size_t size = one->type == MER_F32 ? 4 : 2;
    char *spare = malloc((size_t)(one->dim[0] * one->dim[1]) * size + 1);
    int rc =
        spare ? tables(c, co ? co->data : spare, si ? si->data : spare, size, size == 4 ? at_f32 : at_bf16) : MER_BAD;
    free(spare);
    return rc;
}

static float read(const struct mer_array *a, int64_t i)
{
    return a->type == MER_F32 ? ((const float *)a->data)[i] : from_bf16(((const uint16_t *)a->data)[i]);
}
static void write(struct mer_array *a, int64_t i, float v)
{
    if (a->type == MER_F32)
        ((float *)a->data)[i] = v;
    else
        ((uint16_t *)a->data)[i] = to_bf16(v);
}
/* y[h][n][d]: x turned, or (back) turned back. */
static int turn(const struct mer_call *c, const struct mer_array *x, struct mer_array *y, bool back)
{
    const struct mrope_state *s = c->state;
    int64_t n = x->dim[1], K = s->pairs, apart = s->neighbours ? 1 : K, by = s->neighbours ? 2 : 1;
    float *cos = malloc((size_t)(2 * n * K + 1) * sizeof *cos), *sin = cos + n * K;
    int rc = cos ? tables(c, (char *)cos, (char *)sin, sizeof *cos, at_f32) : MER_BAD;
    for (int64_t row = 0; row < x->dim[0] * n && rc == MER_OK; row++)
        for (int64_t k = 0; k < K; k++) {
            int64_t at = row * 2 * K + k * by, t = row % n * K + k;
            float a = read(x, at), b = read(x, at + apart), si = back ? -sin[t] : sin[t];
            write(y, at, a * cos[t] - b * si);
            write(y, at + apart, b * cos[t] + a * si);
        }
    free(cos);
    return rc;
}
static int rotate(const struct mer_call *c) { return turn(c, mer_in(c, "x"), mer_out(c, "y"), false); }
static int rotate_back(const struct mer_call *c) { return turn(c, mer_in(c, "dy"), mer_out(c, "dx"), true); }
static int axis_i64(const struct mer_call *c)
{
    struct mer_array *y = mer_out(c, "axis"); /* [K] */
    for (int64_t k = 0; k < y->dim[0]; k++)
        ((int64_t *)y->data)[k] = axis_of(c->state, k);
    return MER_OK;
}

/* The gauges are those of row rope (fast/rope.c), whose operations these are. */
const struct mer_kernel mrope_scalar[] = {
    { "mrope", "y", "f32", "store=f32 product=f32 sum=f32", 3, rotate, prepare, release },
    { "mrope", "y", "bf16", "store=f32 product=f32 sum=f32", 1.0001, rotate, prepare, release },
    { "mrope", "dx", "f32", "store=f32 product=f32 sum=f32", 3, rotate_back, prepare, release },
    { "mrope", "dx", "bf16", "store=f32 product=f32 sum=f32", 1.0001, rotate_back, prepare, release },
    { "mrope", "cos sin", "f32", "store=f32", 1, table, prepare, release, 1 },
    { "mrope", "cos sin", "bf16", "store=bf16", 1, table, prepare, release, 1 },
    { "mrope", "axis", "f32", "store=f32", 0, axis_i64, prepare, release }, { 0 },
};

/* The row `rope` as calls: parameters -> shape, positions -> tables, and the kernels of the tables themselves.
 * Parameters are the row's, in ref/core/rotary.c; one that is absent has its default. */
#include "rotate.h"
#include <math.h>
#include "half.h"

static int is_or_absent(const struct mer_call *c, const char *key, const char *value) { return !*mer_text(c, key) || mer_is(c, key, value); }

static int angles_new(struct rotation *s, const struct mer_call *c)
{
    if (!(is_or_absent(c, "scaling", "default") || mer_is(c, "scaling", "linear")))
        return MER_SKIP;
    s->base = mer_real(c, "base"), s->factor = mer_is(c, "scaling", "linear") ? mer_real(c, "factor") : 1;
    return MER_OK;
}
static int table_f32(float *cs, float *sn, const struct rotation *s, const int64_t *pos, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < s->shape.stride; k++) {
            double w = k < s->shape.live ? pow(s->base, -2 * (double)k / (double)(2 * s->shape.stride)) / s->factor : 0, t = (double)pos[i] * w;
            cs[i * s->shape.stride + k] = (float)cos(t), sn[i * s->shape.stride + k] = (float)sin(t);
        }
    return MER_OK;
}

/* Every channel of d has at most one partner: rotary even, 2 <= rotary <= d; refused otherwise. */
struct rope_shape rope_shape_of(int64_t d, int64_t rotary, int interleaved, int proportional)
{
    int64_t r = rotary ? rotary : d, pairs = (proportional ? d : r) / 2;
    return (struct rope_shape){ .d = d, .live = r / 2, .apart = interleaved ? 0 : pairs, .stride = pairs };
}
int rope_shape_bad(const struct rope_shape *s) { return s->d < 2 || s->live < 1 || 2 * s->stride > s->d || s->live > s->stride; }

int rotate_prepare(struct mer_call *c)
{
    if (mer_in(c, "freq") || mer_in(c, "angle") || mer_in(c, "cos") || mer_in(c, "sin")) /* a subject's own stages: the reference's business */
        return MER_SKIP;
    struct rotation *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    s->known = -1;
    s->shape = rope_shape_of(mer_int(c, "dim"), mer_int(c, "rotary"), mer_is(c, "layout", "interleaved"), mer_is(c, "partial", "proportional"));
    int rc = rope_shape_bad(&s->shape) ? MER_BAD : angles_new(s, c);
    if (rc == MER_OK)
        c->state = s;
    else
        rotate_release(s);
    return rc;
}

void rotate_release(void *state)
{
    struct rotation *s = state;
    free(s->pos), free(s->own), free(s);
}

/* The table of `pos`, made again only when they differ from the last ones. */
static int tables_for(struct rotation *s, const struct mer_array *pos)
{
    int64_t n = pos->dim[0], entries = n * s->shape.stride;
    if (s->known == n && (n == 0 || !memcmp(s->pos, pos->data, (size_t)n * sizeof *s->pos)))
        return MER_OK;
    free(s->pos), free(s->own);
    s->known = -1;
    int64_t half = (entries + 15) / 16 * 16; /* both tables start on a cache line: rows of a multiple of 16 then cost no split loads */
    s->pos = malloc((size_t)n * sizeof *s->pos + 1), s->own = aligned_alloc(64, (size_t)half * 2 * sizeof *s->own + 64);
    if (!s->pos || !s->own)
        return MER_BAD;
    if (n)
        memcpy(s->pos, pos->data, (size_t)n * sizeof *s->pos);
    s->cos = s->own, s->sin = s->own + half;
    int rc = table_f32(s->own, s->own + half, s, s->pos, n);
    s->known = rc == MER_OK ? n : -1;
    return rc;
}

int rotate_interleaved(const struct mer_call *c) { return ((const struct rotation *)c->state)->shape.apart == 0; }

int rotate_run(const struct mer_call *c, rope_turn *turn)
{
    const struct mer_array *x = mer_in(c, "x"), *pos = mer_in(c, "pos");
    struct rotation *s = c->state;
    struct rope_shape shape = s->shape;
    shape.heads = x->dim[0], shape.n = x->dim[1];
    int rc = pos ? tables_for(s, pos) : MER_OK;
    if (rc == MER_OK)
        turn(mer_out(c, "y")->data, x->data, s->cos, s->sin, &shape);
    return rc;
}

int rotate_table(const struct mer_call *c)
{
    const struct mer_array *pos = mer_in(c, "pos");
    struct mer_array *cs = mer_out(c, "cos"), *sn = mer_out(c, "sin"); /* [n][k] */
    struct rotation *s = c->state;
    int64_t n = pos->dim[0], wide = s->shape.stride;
    float *spare = malloc((size_t)(n * wide) * sizeof *spare + 1);
    int rc = spare ? table_f32(cs ? cs->data : spare, sn ? sn->data : spare, s, pos->data, n) : MER_BAD;
    free(spare);
    return rc;
}

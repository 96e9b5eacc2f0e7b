/* Calls of row `rope`: from parameters to a shape, from positions to tables, and the kernels of the tables themselves.
 * Parameters are those of the row (ref/core/rotary/rotary.c); one that is absent has its default. */
#include "rotate/rotate.h"

int64_t rotate_limit(const struct mer_array *pos)
{
    int64_t limit = 4096;
    for (int64_t i = 0; pos && i < mer_count(pos); i++) {
        int64_t p = ((const int64_t *)pos->data)[i];
        limit = p >= limit ? p + 1 : -p >= limit ? 1 - p : limit;
    }
    return limit;
}
static int angles_new(struct rotation *s, const struct mer_call *c)
{
    char err[160];
    int64_t limit = rotate_limit(mer_in(c, "pos"));
    return mer_angles_new(&s->angles, c->row, c->params, limit, err, sizeof err) ? MER_BAD : MER_OK;
}

struct rope_shape rope_shape_of(int64_t d, int64_t rotary, int interleaved, int proportional)
{
    int64_t r = rotary ? rotary : d, pairs = (proportional ? d : r) / 2;
    return (struct rope_shape){ .d = d, .live = r / 2, .apart = interleaved ? 0 : pairs, .stride = pairs };
}
int rope_shape_bad(const struct rope_shape *s)
{
    return s->d < 2 || s->live < 1 || 2 * s->stride > s->d || s->live > s->stride;
}

int rotate_prepare(struct mer_call *c)
{
    /* stages of the table that a call brings itself are for the reference alone */
    if (mer_in(c, "freq") || mer_in(c, "angle") || mer_in(c, "cos") || mer_in(c, "sin"))
        return MER_SKIP;
    struct rotation *s = calloc(1, sizeof *s);
    if (!s)
        return MER_BAD;
    s->known = -1;
    s->shape = rope_shape_of(mer_int(c, "dim"), mer_int(c, "rotary"), mer_is(c, "layout", "interleaved"),
        mer_is(c, "partial", "proportional"));
    int rc = rope_shape_bad(&s->shape) ? MER_BAD : angles_new(s, c);
    if (rc == MER_OK)
        c->state = s;
    else
        rotate_release(s);
    return rc;
}

int rotate_prepare_back(struct mer_call *c)
{
    int rc = rotate_prepare(c);
    if (rc == MER_OK)
        ((struct rotation *)c->state)->back = 1;
    return rc;
}

void rotate_release(void *state)
{
    struct rotation *s = state;
    mer_angles_free(s->angles), free(s->pos), free(s->own), free(s);
}

/* The table of these positions, made again only where they differ from those of the last call.  MER_BAD without memory,
 * or where an entry is not decided. */
static int tables_for(struct rotation *s, const struct mer_array *pos)
{
    int64_t n = pos->dim[0], entries = n * s->shape.stride;
    if (s->known == n && (n == 0 || !memcmp(s->pos, pos->data, (size_t)n * sizeof *s->pos)))
        return MER_OK;
    free(s->pos), free(s->own);
    s->known = -1;
    /* Both tables start on a cache line, so rows of a multiple of 16 entries never split a load over two lines. */
    int64_t half = (entries + 15) / 16 * 16;
    s->pos = malloc((size_t)n * sizeof *s->pos + 1), s->own = aligned_alloc(64, (size_t)half * 2 * sizeof *s->own + 64);
    if (!s->pos || !s->own)
        return MER_BAD;
    if (n)
        memcpy(s->pos, pos->data, (size_t)n * sizeof *s->pos);
    s->cos = s->own, s->sin = s->own + half;
    int rc = mer_table_at_f32(s->own, s->own + half, s->angles, s->pos, n) ? MER_BAD : MER_OK;
    for (int64_t k = 0; s->back && rc == MER_OK && k < entries; k++)
        s->own[half + k] = -s->own[half + k];
    s->known = rc == MER_OK ? n : -1;
    return rc;
}

int rotate_interleaved(const struct mer_call *c) { return ((const struct rotation *)c->state)->shape.apart == 0; }

int rotate_run(const struct mer_call *c, rope_turn *turn)
{
    struct rotation *s = c->state;
    const struct mer_array *x = mer_in(c, s->back ? "dy" : "x"), *pos = mer_in(c, "pos");
    struct rope_shape shape = s->shape;
    shape.heads = x->dim[0], shape.n = x->dim[1];
    int rc = pos ? tables_for(s, pos) : MER_OK;
    if (rc == MER_OK)
        turn(mer_out(c, s->back ? "dx" : "y")->data, x->data, s->cos, s->sin, &shape);
    return rc;
}

int rotate_by(
    const struct mer_kernel *rope, const struct mer_array *y, const struct mer_array *x, const struct rotation *s)
{
    static const char *const name[MER_TYPES] = { [MER_F32] = "f32", [MER_F16] = "f16", [MER_BF16] = "bf16" };
    struct mer_array in = *x, out = *y;
    struct rotation by = *s;
    by.back = 0, in.name = "x", out.name = "y";
    /* a call without positions is turned by the table of its state */
    const struct mer_call c = { "rope", "", 1, 1, &in, &out, &by };
    while (rope->row && (strcmp(rope->out, "y") || strcmp(rope->type, name[x->type])))
        rope++;
    return rope->row ? rope->run(&c) : MER_SKIP;
}

int rotate_table(const struct mer_call *c)
{
    const struct mer_array *pos = mer_in(c, "pos");
    struct mer_array *cs = mer_out(c, "cos"), *sn = mer_out(c, "sin"); /* [n][k] */
    const struct rotation *s = c->state;
    void *y = cs ? cs->data : NULL, *z = sn ? sn->data : NULL;
    int type = cs ? cs->type : sn->type, bad;
    if (type == MER_F32)
        bad = mer_table_at_f32(y, z, s->angles, pos->data, pos->dim[0]);
    else
        bad = (type == MER_F16 ? mer_table_at_f16 : mer_table_at_bf16)(y, z, s->angles, pos->data, pos->dim[0]);
    return bad ? MER_BAD : MER_OK;
}

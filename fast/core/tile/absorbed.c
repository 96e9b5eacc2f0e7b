/* From a call of row `mla` to a problem (absorbed.h): tables of rotation and memory are made once, before any run. */
#include "tile/absorbed.h"
#include <math.h>
#include <stdio.h>

struct absorbed_state { struct absorbed a; float *tables, *room; };

double absorbed_factor(const struct mer_call *c)
{
    const int64_t d = mer_in(c, "q_nope")->dim[2], r = mer_in(c, "q_pe")->dim[2], l = mer_in(c, "c")->dim[1];
    const double wide = (double)(mer_is(c, "width", "nope") ? d : mer_is(c, "width", "latent") ? l + r : d + r);
    const double all = mer_real(c, "mscale_all_dim"), f = mer_real(c, "factor"), scale = mer_real(c, "scale");
    const int yarn = mer_is(c, "scaling", "yarn") && f > 1;
    const double g = yarn ? 0.1 * all * log(f) + 1 : 1, y = scale > 0 ? scale : 1 / sqrt(wide);
    return mer_is(c, "warming", "none") ? y : mer_is(c, "warming", "once") ? y * g : y * g * g;
}

void absorbed_release(void *state)
{
    struct absorbed_state *s = state;
    free(s->tables), free(s->room), free(s);
}

/* Tables of the positions 0 .. m - 1 of keys and first .. first + n - 1 of queries. */
static int tables(struct absorbed_state *s, const struct mer_call *c, int64_t first)
{
    struct absorbed *a = &s->a;
    struct mer_angles *angles;
    char text[8200], err[200];
    const int64_t keys = a->m * (a->r / 2), queries = a->n * (a->r / 2);
    if (mer_is(c, "rope", "off") || a->r == 0)
        return MER_OK;
    snprintf(text, sizeof text, "dim=%lld %.8000s", (long long)a->r, c->params);
    if (mer_angles_new(&angles, "rope", text, a->m + a->n + 1, err, sizeof err))
        return MER_BAD;
    float *t = s->tables = malloc((size_t)(2 * (keys + queries) + 1) * sizeof *t);
    if (t) {
        a->cos = t, a->sin = t + keys, a->q_cos = t + 2 * keys, a->q_sin = t + 2 * keys + queries;
        t = mer_table_f32(t, t + keys, angles, 0, a->m) ||
                mer_table_f32(t + 2 * keys, t + 2 * keys + queries, angles, first, a->n) ?
            NULL :
            t;
    }
    mer_angles_free(angles);
    return t ? MER_OK : MER_BAD;
}

static int rooms(struct absorbed_state *s)
{
    struct absorbed *a = &s->a;
    const int64_t heads = tile_whole(a->h < TILE_MOST ? a->h : TILE_MOST, TILE_ROWS),
                  some = heads > 0 ? TILE_MOST / heads : 1;
    a->x = (struct tile_rows){ .q_wide = tile_whole(a->l + a->r, 16), .acc_wide = tile_whole(a->l, 64) };
    a->wide = a->x.q_wide > a->x.acc_wide ? a->x.q_wide : a->x.acc_wide;
    a->rows = heads * (some < a->n ? some : a->n);
    const int64_t floats = tile_floats(&a->x, a->rows) + TILE_KEYS * a->wide + tile_whole(a->r, 16);
    s->room = aligned_alloc(64, (size_t)(floats + 16) * sizeof(float));
    if (!s->room)
        return MER_BAD;
    memset(s->room, 0, (size_t)(floats + 16) * sizeof(float));
    float *room = s->room;
    tile_place(&a->x, a->rows, &room);
    a->tile = tile_take(&room, TILE_KEYS * a->wide), a->turned = tile_take(&room, a->r);
    return MER_OK;
}

int absorbed_prepare(struct mer_call *c)
{
    struct absorbed_state *s = calloc(1, sizeof *s);
    const struct mer_array *q = mer_in(c, "q_nope"), *lat = mer_in(c, "c");
    if (!s)
        return MER_BAD;
    c->state = s;
    s->a = (struct absorbed){ .h = q->dim[0], .n = q->dim[1], .m = lat->dim[0], .d = q->dim[2],
        .r = mer_in(c, "q_pe")->dim[2], .e = mer_in(c, "w_uv")->dim[1], .l = lat->dim[1],
        .causal = mer_is(c, "causal", "on"), .factor = (float)absorbed_factor(c), .type = q->type,
        .layout = mer_is(c, "layout", "half") ? MER_HALF : MER_INTERLEAVED };
    const int rc = tables(s, c, mer_is(c, "start", "end") ? s->a.m - s->a.n : 0);
    return rc == MER_OK ? rooms(s) : rc;
}
struct absorbed absorbed_asked(const struct mer_call *c)
{
    struct absorbed a = ((const struct absorbed_state *)c->state)->a;
    const struct mer_array *o = mer_out(c, "o"), *lse = mer_out(c, "lse");
    a.q_nope = mer_in(c, "q_nope")->data, a.q_pe = mer_in(c, "q_pe")->data, a.c = mer_in(c, "c")->data;
    a.k_pe = mer_in(c, "k_pe")->data, a.w_uk = mer_in(c, "w_uk")->data, a.w_uv = mer_in(c, "w_uv")->data;
    a.o = o ? o->data : NULL, a.lse = lse ? lse->data : NULL;
    return a;
}

/* Rows txl and xlnet on the attention tiles (band.h).  Content is <q_i + u, k_j> and the place term <q_i + v, W_kR
 * R_x>, with x = m - n + i - j cut to near .. far: left keys share R_far, right keys R_near, which are hidden where
 * attention is causal.  The marks of xlnet are its segments, <q_i + b, e_s> each. */
#include "relative/band.h"
#include "relative/distance.h"

/* The distances that right and left keys share.  both: the clamp cuts negative distances too. */
struct band_reach { int64_t near, far; };
static struct band_reach reach_of(const struct mer_call *c, int both)
{
    const int64_t n = mer_in(c, "q")->dim[1], m = mer_in(c, "k")->dim[1], clamp = mer_int(c, "clamp");
    struct band_reach r = { n ? 1 - n : 0, m ? m - 1 : 0 }; /* the farthest distances that are asked for */
    if (clamp >= 0)
        r.far = clamp < r.far ? clamp : r.far, r.near = both && -clamp > r.near ? -clamp : r.near;
    r.near = mer_is(c, "causal", "causal") ? -1 : r.near;
    return r;
}

/* The sinusoids of the band, the last key's, which has the least distance, last; the caller frees them.  NULL: no
 * memory, or too far a distance. */
static float *waves_of(struct mer_call *c, struct band_reach r)
{
    const int64_t width = mer_in(c, "wr")->dim[1], rows = r.far - r.near + 1;
    const int negated = mer_is(c, "sign", "key-query");
    float *R = distance_table(c, width, negated ? -r.far : r.near, rows);
    for (int64_t t = 0; R && t < rows / 2 * width && !negated; t++) {
        float *x = R + t, *y = R + (rows - 1 - t / width) * width + t % width, z = *x;
        *x = *y, *y = z;
    }
    return R;
}
/* Sinusoids are those of parameters and sizes alone, so that they are made here and not at every call. */
static int prepare(struct mer_call *c, struct band_reach r, unsigned needs)
{
    const int64_t past = mer_in(c, "k")->dim[1] - mer_in(c, "q")->dim[1],
                  width = r.far > r.near ? r.far - r.near - 1 : 0;
    c->state = NULL; /* distance_table would take it for a table of its own. */
    float *R = waves_of(c, r);
    int rc = R ? band_prepare(c, (struct flash_place){ .at = past - r.far + 1, .width = width, .columns = width + 2 },
        BAND_BIASED | needs) : MER_BAD;
    struct band *b = c->state;
    if (b)
        b->waves = R, b->waves_rows = r.far - r.near + 1;
    else
        free(R);
    if (rc == MER_OK)
        b->all.bounded = mer_is(c, "causal", "causal"), b->all.shift = past;
    return rc;
}

static int run(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    b->u = mer_in(c, "u")->data, b->vr = mer_in(c, "vr")->data;
    return band_attend(c, slot, which);
}

int prepare_txl(struct mer_call *c) { return prepare(c, reach_of(c, 0), 0); }
int run_txl(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    return run(c, slot, which);
}

int prepare_xlnet(struct mer_call *c)
{
    const struct mer_array *seg = mer_in(c, "seg");
    if (mer_in(c, "rows") || seg->dim[2] != 2 || seg->dim[1] != mer_in(c, "k")->dim[1])
        return MER_SKIP;
    return prepare(c, reach_of(c, mer_is(c, "cut", "both")), BAND_MARKED);
}
int run_xlnet(const struct mer_call *c, const struct flash_slot *slot, enum band_which which)
{
    struct band *b = c->state;
    b->rs = mer_in(c, "rs")->data, b->place.marks = mer_in(c, "seg")->data;
    return run(c, slot, which);
}

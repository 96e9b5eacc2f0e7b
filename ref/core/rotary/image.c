/* Rotary encodings of images: which axis turns a pair, and the parameters; see image.h. */
#include "rotary/image.h"
#include "row/shared.h"

static const struct rope2d *own(const struct ask *w) { return w->params; }
int image_slot(const struct ask *w, long k)
{
    return (b_true(w, own(w)->axes == BLOCKS) ? i_div(w, k, own(w)->dim / 4) : i_mod(w, k, 2)) > 0;
}
/* Which of its axis's pairs is pair k? */
static long turn_of(const struct ask *w, long k)
{
    return b_true(w, own(w)->axes == BLOCKS) ? i_mod(w, k, own(w)->dim / 4) : i_div(w, k, 2);
}
long image_frequency(const struct ask *w, long k)
{
    const long turn = turn_of(w, k);
    return b_true(w, own(w)->frequency == WOVEN) ? i_add(w, i_mul(w, 2, turn), image_slot(w, k)) : turn;
}
int image_axis(const struct ask *w, int slot)
{
    return (b_true(w, own(w)->first == COLUMNS) ? lag(w, 1, slot) : slot) > 0;
}

const char *image_refuse(const void *params)
{
    const struct rope2d *p = params;
    const bool centred = p->coordinates == CENTRED;
    return p->dim % 4                        ? "dim: must be a multiple of 4: pairs of two axes" :
        mpq_cmp_ui(p->base, 1, 1) <= 0       ? "base: must be greater than 1" :
        mpq_sgn(p->stretch) <= 0             ? "stretch: must be above 0" :
        centred && (!p->height || !p->width) ? "height, width: coordinates=centred needs the size of the image" :
        centred && p->start                  ? "start: coordinates=centred has none" :
                                               NULL;
}
const struct param image_params[] = {
    { .as = &param_rotary_width, .at = offsetof(struct rope2d, dim) },
    { "base", "10000", "frequencies are powers of 1/base", RATIONAL, offsetof(struct rope2d, base) },
    { .as = &param_pairs, .at = offsetof(struct rope2d, layout) },
    { "first", "rows", "the axis of the first pairs", ENUM, offsetof(struct rope2d, first), .choices = "rows columns" },
    { "axes", "blocks", "which axis turns pair k", ENUM, offsetof(struct rope2d, axes),
        .choices = "blocks alternate" },
    { "frequency", "restart", "each axis has frequencies from 1 on, or every second one of a list", ENUM,
        offsetof(struct rope2d, frequency), .choices = "restart woven" },
    { "coordinates", "index", "what turns: the index of row and column, or their place from -1 to 1", ENUM,
        offsetof(struct rope2d, coordinates), .choices = "index centred" },
    { "start", "0", "added to every index", INT, offsetof(struct rope2d, start), .least = 0, .most = 1 << 20 },
    { "stretch", "1", "what a coordinate is multiplied by", RATIONAL, offsetof(struct rope2d, stretch) },
    { "height", "0", "rows of the image, with coordinates=centred", INT, offsetof(struct rope2d, height), .least = 0,
        .most = 1 << 20 },
    { "width", "0", "columns of the image, with coordinates=centred", INT, offsetof(struct rope2d, width), .least = 0,
        .most = 1 << 20 },
    { 0 },
};

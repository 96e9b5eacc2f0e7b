/* The parameters of rotary encodings of images; see image.h. */
#include "rotary/image.h"
#include "row/shared.h"

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

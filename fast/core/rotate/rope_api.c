/* The installed rotations (libmeridian.h): the kernel of row `rope` in the best slot that has one for the type and the
 * layout, asked with the caller's own table. */
#include "kernels.h"
#include "libmeridian.h"
#include "rotate/rotate.h"

/* Every type: `type` and `name` say the same one.  A call whose state has a table and whose inputs have no positions is
 * turned by that table (rotate_run). */
static int turn(int type, const char *name, void *y, const void *x, const float *cos, const float *sin,
    const struct mer_rotation *of)
{
    const int64_t d = of->d, r = of->r;
    const int layout = of->layout;
    struct rotation s = {
        .shape = rope_shape_of(d, r, layout & MER_INTERLEAVED, layout & MER_PROPORTIONAL), .cos = cos, .sin = sin
    };
    if (of->heads < 0 || of->n < 0 || r < 2 || r > d || r % 2 || (d % 2 && layout & MER_PROPORTIONAL) ||
        layout & ~(MER_INTERLEAVED | MER_PROPORTIONAL))
        return -1;
    struct mer_array in = { "x", type, 3, { of->heads, of->n, d }, (void *)(uintptr_t)x },
                     out = { "y", type, 3, { of->heads, of->n, d }, y };
    struct mer_call c = { "rope", "", 1, 1, &in, &out, &s };
    int last = 0;
    while (slots[last].name)
        last++;
    while (last--) {
        const struct mer_kernel *k = slots[last].kernel;
        if (strcmp(k->row, "rope") || !slots[last].here())
            continue;
        for (; k->row; k++)
            if (!strcmp(k->out, "y") && !strcmp(k->type, name) && k->run(&c) == MER_OK)
                return 0;
    }
    return -1;
}

int mer_rope_f32(float *y, const float *x, const float *cos, const float *sin, const struct mer_rotation *of)
{
    return turn(MER_F32, "f32", y, x, cos, sin, of);
}
int mer_rope_bf16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of)
{
    return turn(MER_BF16, "bf16", y, x, cos, sin, of);
}
int mer_rope_f16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, const struct mer_rotation *of)
{
    return turn(MER_F16, "f16", y, x, cos, sin, of);
}

/* The installed rotations: the best slot's row kernel, asked with the caller's own table. */
#include "kernels.h"
#include "libmeridian.h"
#include "rotate/rotate.h"

static int turn(int type, const char *name, void *y, const void *x, const float *cos, const float *sin, int64_t heads,
    int64_t n, int64_t d, int64_t r, int layout)
{
    struct rotation s = {
        .shape = rope_shape_of(d, r, layout & MER_INTERLEAVED, layout & MER_PROPORTIONAL), .cos = cos, .sin = sin
    };
    if (heads < 0 || n < 0 || r < 2 || r > d || r % 2 || (d % 2 && layout & MER_PROPORTIONAL) ||
        layout & ~(MER_INTERLEAVED | MER_PROPORTIONAL))
        return -1;
    struct mer_array in = { "x", type, 3, { heads, n, d }, (void *)(uintptr_t)x },
                     out = { "y", type, 3, { heads, n, d }, y };
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

int mer_rope_f32(float *y, const float *x, const float *cos, const float *sin, int64_t heads, int64_t n, int64_t d,
    int64_t r, int layout)
{
    return turn(MER_F32, "f32", y, x, cos, sin, heads, n, d, r, layout);
}
int mer_rope_bf16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, int64_t heads, int64_t n,
    int64_t d, int64_t r, int layout)
{
    return turn(MER_BF16, "bf16", y, x, cos, sin, heads, n, d, r, layout);
}
int mer_rope_f16(uint16_t *y, const uint16_t *x, const float *cos, const float *sin, int64_t heads, int64_t n,
    int64_t d, int64_t r, int layout)
{
    return turn(MER_F16, "f16", y, x, cos, sin, heads, n, d, r, layout);
}

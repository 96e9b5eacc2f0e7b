/* Rows at remapped distances on this slot's tiles, turned by its kernels of row rope: core/relative/rotary_far.h. */
#include "relative/rotary_far.h"

extern const struct mer_kernel rope_avx512[];
static int run(const struct mer_call *c, enum flash_which which)
{
    return far_attend(c, &flash_slot_avx512, rope_avx512, which);
}
int far_few_short_avx512(const struct mer_call *c) { return run(c, FLASH_FEW_SHORT); }
int far_few_long_avx512(const struct mer_call *c) { return run(c, FLASH_FEW_LONG); }
int far_many_short_avx512(const struct mer_call *c) { return run(c, FLASH_MANY_SHORT); }
int far_many_long_avx512(const struct mer_call *c) { return run(c, FLASH_MANY_LONG); }

/* Scaled dot-product attention, 16 lanes: tiles of 6 queries by 64 keys or columns.   Vaswani et al. 2017, eq. 1 */
#include "lanes512.h"
#define LANES_NAME "lanes16"
#include "attention/flash_kernels.h"

int flash_wide(const struct flash *f) { return attend_tiles(f); }
const struct flash_slot flash_slot_avx512 = { attend_tiles, multiply_rows, pack_lines, project_rows, attend_rows };
float flash_exp_avx512(float *y, const float *x, int64_t n, float by) { return exp_all(y, x, n, by); }
void flash_tanh_avx512(float *y, const float *x, int64_t n) { tanh_all(y, x, n); }
const struct mer_kernel attention_avx512[] = { FLASH_KERNELS { 0 } };

/* Scaled dot-product attention, 8 lanes: tiles of 6 queries by 16 keys or columns.   Vaswani et al. 2017, eq. 1 */
#include "lanes256.h"
#define LANES_NAME "lanes8"
#include "attention/flash_kernels.h"

const struct flash_slot flash_slot_avx2 = { attend_tiles, multiply_rows, pack_lines, project_rows, attend_rows };
float flash_exp_avx2(float *y, const float *x, int64_t n, float by) { return exp_all(y, x, n, by); }
void flash_tanh_avx2(float *y, const float *x, int64_t n) { tanh_all(y, x, n); }
const struct mer_kernel attention_avx2[] = { FLASH_KERNELS { 0 } };

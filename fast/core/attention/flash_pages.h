/* Kernels of the other quantities of row `attention`, float32 and bf16.  flash_scores and flash_weights are asked after
 * flash_prepare, the other two need no state. */
#ifndef FLASH_PAGES_H
#define FLASH_PAGES_H
#include "attention/flash.h"
/* Each fills the one output of the call: scores[h][n][m] at the stage that `stage` names; weights[h][n][m];
 * visible[h][n][m], 0 or 1; context[h][e] of one query against keys in columns, kt[g][d][m], by a slot's way to attend.
 * MER_OK, or MER_BAD without memory or where cumulative lengths are none. */
int flash_scores(const struct mer_call *c);
int flash_weights(const struct mer_call *c);
int flash_visible(const struct mer_call *c);
int flash_context(const struct mer_call *c, int (*attend)(const struct flash *f));
#endif

/* Kernels of attention's other quantities: see flash_pages.c.  Float32 and bf16; scores and weights after
 * flash_prepare. */
#ifndef FLASH_PAGES_H
#define FLASH_PAGES_H
#include "attention/flash.h"
/* Each fills the one output of the call: s[h][n][m] as `stage` says, p[h][n][m], visible[n][m] as 0 and 1, o[h][e] of
 * one query. MER_OK, MER_SKIP where this kernel does not do what is asked, MER_BAD on shapes that do not fit or without
 * memory. */
int flash_scores(const struct mer_call *c);
int flash_weights(const struct mer_call *c);
int flash_visible(const struct mer_call *c);
int flash_context(const struct mer_call *c, int (*attend)(const struct flash *f));
#endif

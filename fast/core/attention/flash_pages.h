/* Kernels of attention's other quantities: see flash_pages.c.  Float32 and bf16; scores and weights after flash_prepare. */
#ifndef FLASH_PAGES_H
#define FLASH_PAGES_H
#include "attention/flash.h"
int flash_scores(const struct mer_call *c);
int flash_weights(const struct mer_call *c);
int flash_visible(const struct mer_call *c);
int flash_context(const struct mer_call *c, int (*attend)(const struct flash *f));
#endif

/* Relative rows on the attention tiles: from a call to one problem a head, whose scores get a band of place terms and whose values a band of
 * vectors (flash.h: struct flash_place).  Memory beside the call's own arrays: at most about 2^20 place terms, and the tables; no array of pairs.  Float32.  prepare_ROW and run_ROW are the rows' own; which: kernels for at most FLASH_KEYS keys, and for more. */
#ifndef BAND_H
#define BAND_H
#include "flash.h"

enum band_which { BAND_SHORT, BAND_LONG };
void band_release(void *state);

int prepare_shaw(struct mer_call *c);  /* tables tk, tv; against=query */
int run_shaw(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_nezha(struct mer_call *c); /* nothing hidden by addition */
int run_nezha(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
int prepare_txl(struct mer_call *c);   /* causal; the band is the distances 0 .. clamp - 1, all of them without a clamp */
int run_txl(const struct mer_call *c, const struct flash_slot *slot, enum band_which which);
#endif

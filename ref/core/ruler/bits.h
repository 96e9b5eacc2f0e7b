/* The one random generator of the tree: splitmix64 (Steele, Lea and Flood 2014) of a counter.  A draw is a function of
 * seed, stream and index alone, so that neither order nor threads nor a run that was resumed change what is drawn. */
#ifndef BITS_H
#define BITS_H
#include <stdint.h>

/* 64 uniform bits; streams of one seed are independent of each other. */
uint64_t gen_bits(uint64_t seed, uint64_t stream, uint64_t index);
#endif

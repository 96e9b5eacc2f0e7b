/* The finalizer of splitmix64 (Steele, Lea and Flood 2014), from which random numbers and hashes are made: every bit of
 * the answer depends on all of z. */
#ifndef MIX64_H
#define MIX64_H
#include <stdint.h>
/* n steps of its state, each of 2^64 over the golden ratio. */
static inline uint64_t mix64_steps(uint64_t n) { return n * 0x9e3779b97f4a7c15u; }
static inline uint64_t mix64(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
#endif

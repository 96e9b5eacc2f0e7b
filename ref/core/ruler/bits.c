/* Random bits by a counter; see bits.h. */
#include "ruler/bits.h"
#include "arith/mix64.h"

/* This is splitmix64 of a counter, so that order and threads change nothing. */
uint64_t gen_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint64_t z = mix64_steps(seed) + stream * 0xd1342543de82ef95u + index * 0xbf58476d1ce4e5b9u + 1;
    return mix64(z);
}

/* Kernels are built of small functions that must be inlined into their caller: across a call, vector registers are
 * spilled to memory. */
#ifndef INLINE_H
#define INLINE_H
#define INLINE static inline __attribute__((always_inline))
#endif

/* Kernels are built of small functions that must be one with their caller: across a call, vector registers spill. */
#ifndef INLINE_H
#define INLINE_H
#define INLINE static inline __attribute__((always_inline))
#endif

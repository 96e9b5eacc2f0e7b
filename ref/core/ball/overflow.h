/* Where a format ends. */
#ifndef OVERFLOW_H
#define OVERFLOW_H
#include "arith/step.h"
#include "arith/up.h"

/* The largest finite number of the format. */
static inline struct up format_end(const struct format *f)
{
    return (struct up){ 1 - up_shift(1 + f->gone, -f->p), f->emax + 1 };
}
/* May a number of magnitude up to `top` be beyond it? */
static inline bool may_overflow(const struct format *f, struct up top) { return up_less(format_end(f), top); }
#endif

/* `judge` by itself: a kernel asked the questions of a covering design (cover.h), said as one verdict with what was
 * asked and what was not. */
#ifndef SURVEY_H
#define SURVEY_H
#include "judge/asked.h"
#include "judge/examine.h"

/* Asks kernel k, which states `words` as its arithmetic.  Every question that fails is said as a finding of its own;
 * two of
 * a preset end the preset, six end the kernel.  The others are one finding, "COVER".  How many questions were
 * answered. */
long survey(
    struct sink *s, const struct asked *a, const struct subject *who, const struct mer_kernel *k, uint64_t seed);
#endif

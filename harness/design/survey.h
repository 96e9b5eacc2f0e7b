/* What `judge` asks by itself: the questions of a covering design (cover.h) for one kernel, reported as one verdict
 * that states what was asked and what was not. */
#ifndef SURVEY_H
#define SURVEY_H
#include "judge/asked.h"
#include "examine/examine.h"

/* Asks kernel k of `who` and returns how many questions were answered.  Each question that fails is a finding of its
 * own in s; two failures under one preset end that preset, six end the kernel.  All others together are one finding
 * with the id "COVER".  It stops when its share of 16 s of judging is spent (divided among the kernels that `a` asks,
 * at least 1 s each; `slower` times that in slow builds). */
long survey(
    struct sink *s, const struct asked *a, const struct subject *who, const struct mer_kernel *k, uint64_t seed);
#endif

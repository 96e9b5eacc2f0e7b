/* Finds the words of a profile that have no effect on a question.  A valid word (valid.h) without effect is an error of
 * whoever states it. */
#ifndef PROFILE_H
#define PROFILE_H
#include "trial/trial.h"
#include "ball/trace.h"

/* Adds to *t which words of the profile `text` the outputs `outs` ("o lse") use.  Evaluates the first and last line of
 * small generated cases, with and without the optional inputs, under one preset after the other until every word is
 * used. sizes: as trial_make reads them, or NULL.  0, or -1 and one line in err: no preset can be asked. */
int profile_trace(struct trace *t, const struct row *r, const struct preset *presets, const char *outs,
    const char *sizes, const char *text, char *err, size_t n);
/* The first word without effect by *t, or whose structure of a sum has none because its step is no sum, as one line in
 * why, which is returned; NULL: there is none.  Parameters in text are left out. */
const char *profile_idle(const struct trace *t, const struct row *r, const char *text, char *why, size_t n);
#endif

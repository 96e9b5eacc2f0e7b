/* What a question does with the words of a profile: words that somebody states (valid.h) and that do nothing are errors
 * of theirs. */
#ifndef PROFILE_H
#define PROFILE_H
#include "trial/trial.h"
#include "ball/trace.h"

/* What the outputs `outs` ("o lse") do with the words of a profile, added to *t: every preset, on small made-up cases
 * with and without the optional inputs,
 * first and last line, until every word is seen.  sizes: as trial_make reads them, NULL: none.  0, or -1 and one line
 * where no preset can be asked. */
int profile_trace(struct trace *t, const struct row *r, const struct preset *presets, const char *outs,
    const char *sizes, const char *text, char *err, size_t n);
/* The first word that did nothing, or whose structure did nothing because its step sums nowhere, as one line; NULL:
 * none is idle.  Conventions are not asked. */
const char *profile_idle(const struct trace *t, const struct row *r, const char *text, char *why, size_t n);
#endif

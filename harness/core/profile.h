/* Profiles as somebody states them: the command line, a kernel, a declaration, a pack.  What the suite itself puts together (a profile and one step more) may
 * say a word twice, and then the later one holds; what somebody states may not, nor may it hold words that do nothing. */
#ifndef PROFILE_H
#define PROFILE_H
#include "trial.h"
#include "trace.h"

enum { PROFILE_MOST = 1000 }; /* characters */
/* 0; or -1 and one line: a word that is unknown, malformed or there twice, or `exact` beside a word that rounds. */
int profile_check(const struct row *r, const char *text, char *err, size_t n);
/* What the outputs `outs` ("o lse") do with the words of a profile, added to *t: every preset, on small made-up cases with and without the optional inputs,
 * first and last line, until every word is seen.  sizes: as trial_make reads them, NULL: none.  0, or -1 and one line where no preset can be asked. */
int profile_trace(struct trace *t, const struct row *r, const struct preset *presets, const char *outs, const char *sizes, const char *text, char *err, size_t n);
/* The first word that did nothing, or whose structure did nothing because its step sums nowhere, as one line; NULL: none is idle.  Conventions are not asked. */
const char *profile_idle(const struct trace *t, const struct row *r, const char *text, char *why, size_t n);
#endif

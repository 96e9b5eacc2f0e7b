/* One validation of a question, before any kernel, check or reader sees it: the outputs that are asked for, the
 * arithmetic that is declared, and
 * which kernel may be asked.  (Arrays are held to their signature by trial_check, and trial_make makes none that
 * trial_check would refuse.) Where something is refused, err holds one line that says what was found and what is
 * allowed. */
#ifndef VALID_H
#define VALID_H
#include "trial/trial.h"

/* bytes of a declared arithmetic: what a kernel may declare (kernel_fault), and what fits struct trial with a route */
enum { PROFILE_MOST = 900 };

/* 0, or -1.  `outs` ("o lse", words with blanks between): at least one, each a quantity of r, none twice, no more than
 * one call may have. */
int valid_outs(const struct row *r, const char *outs, char *err, size_t n);
/* Is r made of rows, and each of outs one line, all of which is made whatever is sampled? */
bool valid_whole(const struct row *r, const char *outs);
/* Does the kernel offer each word of outs, in any order? */
bool valid_offer(const struct mer_kernel *k, const char *outs);
/* 0, or -1.  A declared arithmetic of row r, as a user or a subject gives it: "step=format ..." of r's steps and of its
 * parts', routes of r, ftz=on or off;
 * each at most once, at most PROFILE_MOST bytes.  Other parameters are no arithmetic: they would ask another question.
 * A step must be named, except where `outs` (NULL: some are real) are integers alone, which nothing rounds. */
int valid_profile(const struct row *r, const char *outs, const char *profile, char *err, size_t n);
/* Can what kernel k declares (profile NULL: its own) be read?  Nothing declared, and a row that is not known here, can:
 * that is said elsewhere. */
bool valid_declares(const struct mer_kernel *k, const char *profile, char *err, size_t n);
/* The named contract of row r, or NULL and one line with the names that it has. */
const struct preset *valid_contract(const struct row *r, const char *name, char *err, size_t n);
#endif

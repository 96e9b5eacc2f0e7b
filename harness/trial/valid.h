/* Checks of a question before any kernel, check or reader sees it: the outputs and the sizes that are asked for, the
 * arithmetic that is declared, and which kernel may be asked.  Arrays are checked by trial_check, and trial_make makes
 * none that it would refuse.  Where something is refused, err holds one line that says what was found and what is
 * allowed. */
#ifndef VALID_H
#define VALID_H
#include "trial/trial_types.h"

/* Bytes of a profile at most, so that it fits the profile of struct trial together with a route; kernel_fault holds
 * kernels to it. */
enum { PROFILE_MOST = 900 };

/* Checks `outs`, words with blanks between ("o lse"): at least one, each a quantity of r, none twice, no more than one
 * call may have.  0, or -1. */
int valid_outs(const struct row *r, const char *outs, char *err, size_t n);
/* Checks that the row knows every word of sizes: its letters, its arrays, a way to fill.  0, or -1. */
int valid_sizes(const struct row *r, const char *sizes, char *err, size_t n);
/* Whether each extent that `sizes` names is the one that t, which was made with them, has.  It is not where the row's
 * parameters set it, which win.  false: err has the first that is not. */
bool valid_sized_so(const struct trial *t, const char *sizes, char *err, size_t n);
/* Whether r is made of other rows and each of outs is a single line, which must be computed whole even where few lines
 * are compared. */
bool valid_whole(const struct row *r, const char *outs);
/* Whether the kernel offers each word of outs, in any order, and there is one. */
bool valid_offer(const struct mer_kernel *k, const char *outs);
/* Checks a declared arithmetic of row r as a user or a subject gives it: "step=format ..." for steps of r and of its
 * parts, routes of r, "exact", ftz=on or ftz=off; each at most once unless conditions on sizes exclude each other
 * (sized.h), at most PROFILE_MOST bytes.  Other parameters are refused: they would ask another question.  At least one
 * step must be named, except where all of `outs` are integers, which nothing rounds (outs NULL: some are real).  0, or
 * -1. */
int valid_profile(const struct row *r, const char *outs, const char *profile, char *err, size_t n);
/* Whether the profile of kernel k (NULL: its own) is valid.  An empty one, and that of a row that is not known here,
 * is: those are refused elsewhere. */
bool valid_declares(const struct mer_kernel *k, const char *profile, char *err, size_t n);
/* The words of the contract of row r by its name, or `name` itself where it is words ("dot=f32/tc16:25") that r knows.
 * NULL, and one line in err with what is wrong with them or with the names that there are. */
const char *valid_contract(const struct row *r, const char *name, char *err, size_t n);
#endif

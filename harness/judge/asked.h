/* What somebody asks a subject for on the command line, refused in one line before anything runs where it cannot be. */
#ifndef ASKED_H
#define ASKED_H
#include "judge/declaration.h"
#include "subject/subject.h"

/* NULL: any; only: a case */
struct asked {
    const char *row, *params, *preset, *out, *type, *sizes, *profile, *contract, *only;
    const struct declaration *declared;
};
/* What the command line of judge and its kin asks; strings are borrowed from c, d may be NULL. */
struct asked asked_of(const struct cli *c, const struct declaration *d);
bool asks(const struct asked *a, const struct mer_kernel *k); /* of this kernel */
/* The conventions to ask kernel k's row under: what was given, and it alone; what is declared; or the row's.  given[2]:
 * room; ends with name NULL. */
const struct preset *asked_presets(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given);
/* The case is meant: its name, or that of the whole ("a" of "a/q0"). */
bool asked_case(const struct asked *a, const char *id);
/* The words that kernel k is judged by: the command line's, the claim's, its own. */
const char *asked_words(const struct asked *a, const struct mer_kernel *k);
/* Does one of those words do nothing (profile.h)?  Words of the command line and of a claim are about what is asked
 * here, a kernel's own about all that its row is
 * asked anywhere.  Asked of the first kernel that the words are about, the answer is for all of them; of the others it
 * is no.  One line. */
bool asked_idle(const struct asked *a, const struct subject *who, const struct mer_kernel *k, char *err, size_t n);
/* Is what is asked possible: for one kernel and preset of the subject at least, or one case of a pack; its arithmetic
 * for all of them.  Else one line. */
bool asked_possible(const struct asked *a, const struct subject *who, char *err, size_t n);
#endif

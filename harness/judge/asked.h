/* What the command line asks of a subject, and its check before anything runs: what is impossible is refused in one
 * line. */
#ifndef ASKED_H
#define ASKED_H
#include "core/cli.h"
#include "judge/declaration.h"
#include "subject/subject.h"

/* The values of the flags of these names, `only` that of --case (a case of a pack); NULL where a flag is not given,
 * which means any.  declared is borrowed, or NULL. */
struct asked {
    const char *row, *params, *preset, *out, *type, *sizes, *profile, *contract, *only;
    const struct declaration *declared;
    /* sizes found by asking, for kernels of which none are declared (offered.h), which adds to them; NULL: never */
    struct declaration *found;
};
/* What the command line c asks.  Strings are borrowed from c, except a profile, which is kept to the end of the program
 * (kept.h); d may be NULL. */
struct asked asked_of(const struct cli *c, const struct declaration *d);
/* Whether the row, the outputs and the type of kernel k are among what is asked. */
bool asks(const struct asked *a, const struct mer_kernel *k);
/* The conventions to ask row r under: --params alone where it is given, else those of the claim (NULL: none), else the
 * row's presets.  A list that ends with name NULL; given[2] is room for it and must live as long as it is used. */
const struct preset *asked_presets(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given);
/* The same, but where --preset names one of them and --params is not given, that one alone. */
const struct preset *asked_one(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given);
/* Whether --case names this case, by its whole name or by the part before "/", or is not given. */
bool asked_case(const struct asked *a, const char *id);
/* Whether the row, the outputs and the type of a recorded question are among what is asked. */
bool asks_recorded(const struct asked *a, const struct trial *t);
/* NULL, or a flag of c that such a subject does not read: one that brings its own cases is not asked with made-up ones,
 * and no other has any. */
const char *asked_unread(const struct cli *c, const struct subject *who);
/* The profile that kernel k is judged by: that of the command line, else of the claim, else the kernel's own.
 * Borrowed. */
const char *asked_words(const struct asked *a, const struct mer_kernel *k);
/* Whether the words are those that kernel k declares, also where the command line repeats them, as the command below a
 * failure does. */
bool asked_own_words(const struct mer_kernel *k, const char *words);
/* Whether a word of that profile does nothing (profile.h), which is an error of who stated it; err: one line.  Words of
 * the command line and of a claim must do something in what is asked here, a kernel's own in anything that its row can
 * be asked.  Kernels that share a profile are examined together: the answer is given at the first of them, and for the
 * others it is false. */
bool asked_idle(const struct asked *a, const struct subject *who, const struct mer_kernel *k, char *err, size_t n);
/* Whether the command line can be met: by at least one kernel and preset of the subject, or one case of a pack; a
 * profile must be valid for every row that is asked.  false: one line in err. */
bool asked_possible(const struct asked *a, const struct subject *who, char *err, size_t n);
#endif

/* The golden pack: one tar file of questions, exact answers and bounds, which has the same bytes on every machine.
 * The README.md in it is in data/reader. */
#ifndef GOLDENPACK_H
#define GOLDENPACK_H
#include "trial/trial.h"
/* Profiles that bounds are given for; bytes of a pack for each row of the program, at most, all rows sharing them, so
 * that a project can keep it beside its tests; elements of one answer, at most: longer ones are left out, and what they
 * ask stays in data/golden alone.  The longest answer that a mistake needs is one of rope with 1152;
 * tests/goldenpack.c fails for a mistake that lost its case. */
enum { PROFILES = 3, GOLDENPACK_ROW = 100 << 10, GOLDENPACK_LONGEST = 1200 };
extern const char *const goldenpack_profile[PROFILES]; /* f64angle f32 bf16 */
/* A case of the pack. where: the parameters, as a mistake's column or a question says them; question: from
 * data/golden, not of a mistake. */
struct goldcase { char id[64]; const struct row *row; char quantity[32], where[400]; bool question; };
/* Takes one case, whose trial it may fill; non-zero ends the walk. */
typedef int goldenpack_answer(const struct goldcase *g, struct trial *t, void *with);
/* Calls f for every case of that row (NULL: of all), with its trial t, which is closed afterwards: the questions of
 * data/golden/<row>.in, all positions of a question in one case, and each set of whole inputs in a case of its own;
 * then, for each mistake, one quantity under its parameters that reveals it.  Stops when f returns non-zero, and
 * returns that; -1 and err; 0: all. */
int goldenpack_each(const char *row, goldenpack_answer *f, void *with, char *err, size_t n);
/* So many bytes a pack has at most: GOLDENPACK_ROW for each row there is. */
size_t goldenpack_most(void);
/* writes the steps of a profile for a row, "phase=f64 table=f32 ..", into text[n] */
void goldenpack_steps(const struct row *r, int profile, char *text, size_t n);
/* Who answers the cases while a pack is made of them, as goldenpack_each would call f; f NULL: nobody. */
struct goldenpack_asked { goldenpack_answer *f; void *with; };
/* The bytes of the pack of that row, or of all where it is NULL, *size of them, which the caller frees; NULL and
 * err. */
char *goldenpack_make(
    const char *version, const char *row, struct goldenpack_asked also, size_t *size, char *err, size_t n);
#endif

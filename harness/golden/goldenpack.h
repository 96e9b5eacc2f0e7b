/* The golden pack: one tar file of questions, exact answers and bounds, the same bytes on every machine (README.md
 * inside it: data/reader). */
#ifndef GOLDENPACK_H
#define GOLDENPACK_H
#include "trial/trial.h"
/* bytes of a pack, elements of one answer */
enum { PROFILES = 3, GOLDENPACK_MAX = 5 << 20, GOLDENPACK_LONGEST = 4096 };
extern const char *const goldenpack_profile[PROFILES]; /* f64angle f32 bf16 */
/* where: as the mistakes' column says it, or a question's parameters */
struct goldcase { char id[64]; const struct row *row; char quantity[32], where[400]; bool question; };
/* Every case: the questions of data/golden/<row>.in, all positions of one in one case, given inputs each in its own;
 * then, for each mistake, one quantity under its parameters that gives it away. */
int goldenpack_each(int (*f)(const struct goldcase *g, struct trial *t, void *with), void *with, char *err, size_t n);
void goldenpack_steps(const struct row *r, int profile, char *text, size_t n); /* "phase=f64 table=f32 ..." */
char *goldenpack_make(const char *version, size_t *size, char *err, size_t n); /* malloc'd; NULL and err */
#endif

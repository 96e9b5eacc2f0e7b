/* Cases run and judged, and made as small as they can be while their class stays. */
#ifndef STORM_SHRINK_H
#define STORM_SHRINK_H
#include "launch.h"
/* Runs the case: NULL, or the class of what was found (a static buffer), and what was seen in `why`.  twice: asked
 * again where the first answer was quick, and both compared.  endless, where it is not 0: a case that is busy beyond
 * its limit is run once more, with so many seconds, and has to end: it is found where it is still busy then and has had
 * `work` seconds of processor time.  left, where it is not 0: seconds after which nothing is waited for any more; a
 * case that is cut off by them was not asked.  *late, *seconds: of the first run. */
struct trial_of { bool twice, leaks; double limit, endless, work, left; bool late; double seconds; };
const char *run_case(const struct script *s, const struct places *p, struct trial_of *t, struct bytes *why);
/* Exchanges *s for the smallest case found within `seconds` that has the same class. */
void shrink(struct script *s, const struct places *p, const char *class, const struct trial_of *t, double seconds);
#endif

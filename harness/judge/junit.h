/* One verdict as a test case of JUnit's XML, for the pages of CI servers. */
#ifndef JUNIT_H
#define JUNIT_H
#include "judge/verdict.h"
/* `at`: where the worst element lies, in words, or "".  Well-formed whatever bytes the names, parameters and reasons
 * hold. */
void junit_case(FILE *o, const struct finding *f, const char *at);
#endif

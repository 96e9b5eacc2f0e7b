/* Verdicts as test cases of JUnit's XML, which the pages of CI servers show. */
#ifndef JUNIT_H
#define JUNIT_H
#include "judge/verdict.h"
/* Writes one testcase element to o.  `at`: the worst element in words, or "".  The XML is well-formed whatever bytes
 * the names, parameters and reasons hold. */
void junit_case(FILE *o, const struct finding *f, const char *at);
#endif

/* Verdicts in the words of CI pages: JUnit's XML, and the lines by which GitHub marks the code of a failing kernel. */
#ifndef CI_H
#define CI_H
#include <stdio.h>
#include "judge/finding.h"
#include "subject/subject.h"

/* GitHub shows ten annotations of a step, so that one is said for each of the first ten kernels that fail. */
enum { ANNOTATED = 10 };
struct annotations {
    const struct subject *who;  /* borrowed: whose kernels may say where they are */
    const char *source;         /* "FILE:LINE" of kernels that do not say it, borrowed; NULL: unknown */
    bool workflow;              /* lines in the words of GitHub's workflow commands are wanted */
    char kernel[ANNOTATED][120];
    int n;                      /* kernels that were said */
};
/* "FILE:LINE" of the kernel that f is about, borrowed; NULL where nobody says it. */
const char *annotate_source(const struct annotations *a, const struct finding *f);
/* Cuts "FILE:LINE" into file[n] and *line; a text without a line is line 1. */
void annotate_cut(const char *source, char *file, size_t n, long *line);
/* Writes a line about a failure or crash f: "::error file=rope.c,line=42,title=..::reason", the first of each kernel
 * alone. */
void annotate_say(FILE *o, struct annotations *a, const struct finding *f);
/* Writes one testcase element to o.  `at`: the worst element in words, or "".  The XML is well-formed whatever bytes
 * the names, parameters and reasons hold. */
void junit_case(FILE *o, const struct finding *f, const char *at);
#endif

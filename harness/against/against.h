/* `model CONFIG ... --against LIBRARY`: what a library's own model class computes, judged by the conventions that the
 * card of its configuration states. */
#ifndef AGAINST_H
#define AGAINST_H
#include "core/cli.h"
/* Judges every configuration among the words of c, one process each, and prints verdicts as `judge` does.  Returns the
 * exit status; EXIT_NOTHING where the library is not installed. */
int against_run(const struct cli *c, const char *library);
#endif

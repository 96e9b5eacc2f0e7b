/* The program of a text to send, run with the library that is installed here. */
#ifndef RERUN_H
#define RERUN_H
#include <stddef.h>
#include "findings/sent.h"
/* What came of it: it printed what the text says and failed by its own assertion; it did something else; it was not
 * run, as a package is not installed, or the language's program is not there. */
enum rerun { RERUN_SHOWN, RERUN_OTHER, RERUN_ABSENT };
/* Runs it in a new folder below `work`, which is there, with `python` ("python3", or the interpreter of an environment)
 * or with cargo, whose crates are compiled once for all programs below `work`; at most `seconds`. said[n]: one
 * line: the installed versions where they are others than the text's, what it printed instead, or why it was not
 * run. */
enum rerun sent_rerun(
    const struct sent *s, const char *work, const char *python, long seconds, char *said, size_t n);
void rerun_drop(const char *work); /* removes such a folder with everything in it */
#endif

/* The oracle's own test: programs that misbehave in known ways, each of which must be found under its clause. */
#ifndef STORM_SELF_H
#define STORM_SELF_H
#include "script.h"
int self_test(const struct places *p); /* 0, or 1 after a line for each clause that let its own pass */
#endif

/* Ways from one convention to another, in words: data/bridges. */
#ifndef FINGERPRINT_BRIDGE_H
#define FINGERPRINT_BRIDGE_H
#include "row/row.h"

/* How to get from value `from` of a parameter to value `to`, by data/bridges ("pass W - 1"), else "pass P=value";
 * into text[n]. */
void fingerprint_bridge(
    char *text, size_t n, const struct row *r, const struct param *p, const char *from, const char *to);
/* The same from data/bridges alone, also for traits that are no parameter but read by a reader; "": it has no line. */
void fingerprint_advice(char *text, size_t n, const struct row *r, const char *trait, const char *from, const char *to);
#endif

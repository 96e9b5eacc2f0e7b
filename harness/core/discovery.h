/* What was found in released libraries: data/findings.tsv, one a line, each with the command that shows it again:
 *   library  version  row  effect  witness  command        "meridian judge data/peers/PACK --case ID"
 * The witness is the element with the most of its bound: its place, what the library gave (hexfloat), what it is exactly (40 digits). */
#ifndef DISCOVERY_H
#define DISCOVERY_H
#include "verdict.h"
struct discovery { char library[32], version[24], row[24], effect[240], witness[160], command[160], pack[64], id[96]; };
int discoveries_each(int (*f)(const struct discovery *d, void *with), void *with); /* stops when f returns non-zero; -1: no file, or a line of another form */
/* Judges the case again.  True: its verdict is KNOWN and its witness the one in the list, digit by digit.  seen: what was found instead, or the same. */
bool discovery_seen(const struct discovery *d, struct tally *y, char *seen, size_t n);
#endif

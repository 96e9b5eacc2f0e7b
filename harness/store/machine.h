/* What a result was found by: program, libraries, processor. */
#ifndef MACHINE_H
#define MACHINE_H
#include "store/store.h"
struct machine { char name[200], cpu[160], isa[120], program[120]; }; /* program: digest of its own bytes, and its libraries' versions */
void machine_describe(struct machine *m);
struct provenance machine_provenance(const struct machine *m); /* borrows from m */
#endif

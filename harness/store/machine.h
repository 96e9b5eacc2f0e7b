/* Describes what a result was measured with: program, libraries, processor. */
#ifndef MACHINE_H
#define MACHINE_H
#include "store/store.h"
/* program: a digest of its own bytes, and the versions of its libraries. */
struct machine { char name[200], cpu[160], isa[120], program[120]; };
/* Fills m for this process: name and processor of the machine, its instruction set, the program. */
void machine_describe(struct machine *m);
struct provenance machine_provenance(const struct machine *m); /* borrows from m */
#endif

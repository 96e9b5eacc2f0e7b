/* The causes of a run's failures.  One line for each sums up a long log: how many failures of a kernel have it, and
 * what is to be done about it. */
#ifndef CAUSES_H
#define CAUSES_H
#include <stdio.h>
#include "diagnose/anatomy.h"
struct diagnosis;
struct mistake;
/* One cause of failures of a kernel: n failures have it; name is the mistake, repair what to do about it.  name "":
 * nothing explains them, and `common` holds the facts that all `taken` failures with an anatomy share; or, late,
 * nobody looked into them, as the time for that was up.  shown: what the name is called under the parameters of the
 * failures ("interleaved" where half is declared in all; else the name itself, "layout+=1", and effect, what is
 * different, in place of a repair).  same: other names that the last of its failures could have as well, with ", "
 * between them; alone: what explains one failure and not the kernel's others; of_all: what explains every one so
 * far; rivalled: it is a coarser step that has a rival, which is what repair says (struct diagnosis); silent: of so
 * many of the failures it says nothing, while it explains the others. */
struct cause { char kernel[120], name[220], shown[220], repair[260], effect[260], same[400];
    bool late, alone, of_all, rivalled;
    long n, silent;
    int taken;
    struct anatomy common; };
/* In the order in which they were first seen; at[n] is owned, and { 0 } is none. */
struct causes { struct cause *at; int n; };

/* Adds a cause of further failures.  What explains every failure of the kernel so far gives earlier ones its name. */
void causes_add(struct causes *s, const struct cause *x);
/* Counts one failure of `kernel` ("rope.y f32") and of that row, as d says; match: what explains all of it, or NULL. */
void causes_count(struct causes *s, const char *kernel, const char *row, const struct mistake *match,
    const struct diagnosis *d);
/* Prints a line for each cause, of all `failures` of the run: text, or an object with the keys cause, kernel, failures,
 * of, matches, says_nothing_of, facts, and text. */
void causes_say(struct causes *s, long failures, bool json, FILE *to);
void causes_free(struct causes *s);
#endif

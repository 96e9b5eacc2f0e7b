/* Means over seeds with intervals, and the gates of data/gates.tsv decided by theirs, as tables beside the store's
 * `now`:
 *   asked(task encoding variant measure size depth value n seed)      what the runs answered; n: trials of a share
 *   mean(task encoding variant measure size depth mean low high worst seeds)
 *     low, high: the 95 % interval of interval.h; NULL where there is none: one seed, or seeds that do not differ
 *   gate(id task measure worse what better margin seen low high level seeds p verdict known before against source
 *     reason)
 *     seen: the mean paired difference; low, high: its interval of that level, NULL where there is none
 *     p: of the statement that was made or would be, after Holm's steps over all gates of the page that can be decided
 *     before: of the runs that it asks, those that kept a file of gates with this one in it from before their training
 *
 * A gate is decided by its interval over pairs that share seed, initial weights, batches and questions:
 *   exceeds   PASS: the interval of 95 % lies above the margin     FAIL: below it
 *   within    PASS: two one-sided tests of 5 %, which is the interval of 90 % inside of +- margin (Schuirmann 1987)
 *             FAIL: the interval of 95 % lies outside
 * at a familywise level of 5 % (Holm 1979), and all else is UNDECIDED: the interval holds the margin, fewer than
 * GATE_SEEDS seeds, seeds that do not differ, or both sides worse than single symbols in a seed.  SKIP: a side has no
 * answers. */
#ifndef GATES_H
#define GATES_H
#include <sqlite3.h>
#include <stddef.h>
enum { GATE_SEEDS = 5 };
/* Makes the tables asked and mean.  0, or -1 and one line in err. */
int means_make(sqlite3 *db, char *err, size_t n);
/* Makes the table gate from a file of gates.  lab: the folder of the runs, where gates_keep put the files that they
 * knew.  Losses above unigram, the bits of a symbol by itself, count as that.  0, or -1 and one line in err. */
int gates_make(sqlite3 *db, const char *path, const char *lab, double unigram, char *err, size_t n);
#endif

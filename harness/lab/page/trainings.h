/* Which answers of a results database a page is of, where nothing is trained for it.
 *
 * A run is named by task, encoding and seed, and by two digests: of its training and of its questions.  Digests hold
 * the program and the processor too, so a page cannot ask for them.  What it asks of the runs of a task is that they
 * share their training: every parameter of training but the seed. */
#ifndef TRAININGS_H
#define TRAININGS_H
#include <sqlite3.h>
#include "lab/train/design.h"
/* The design and the parameters of training (--set) that a page is asked for, and its folder. */
struct wanted { const struct study *study; long studies; const char *set, *dir; };
/* Writes the parameters of training in a text of words, without the seed, into to[TEXT_MAX]: equal trainings are equal
 * texts, and words that are no parameters are left out.  A text that cannot be read gives "". */
void training_of(const char *text, char *to);
/* Makes the table trained(key run what name task training) of all items of a results database whose runs have their
 * files in dir; name: the run's without its digests.  0, or -1 and one line in err. */
int trainings_make(sqlite3 *db, const char *dir, char *err, size_t n);
/* Fills the store's table `plan` with the latest answers of every task, encoding and seed, of one training a task:
 * where a task has several, that of the design.  0; or -1 and one line in err, where a task has several and none is the
 * design's. */
int trainings_plan(sqlite3 *db, const struct wanted *w, char *err, size_t n);
#endif

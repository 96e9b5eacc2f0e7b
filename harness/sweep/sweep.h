/* Running a plan: worker processes measure, this one writes; and the canonical dump of what is there. */
#ifndef SWEEP_H
#define SWEEP_H
#include "store/machine.h"
#include "sweep/plan.h"
#include "sweep/shard.h"

struct sweep {
    const struct plan *plan;
    struct shard shard;
    struct store *store;
    struct machine here;
    int jobs, seconds;          /* workers; limit of one cell, 0: none */
    bool fresh;                 /* measure again what is already there */
    const char *name;           /* the recipe's, for progress */
    /* Results.  cells: of this shard; done: measured now; reused: there already; damaged: there but altered, so
     * measured again; crashed; failed: without a result. */
    long cells, done, reused, damaged, crashed, failed;
    /* seconds in transactions that did not wait for the disk, and in the `waits` that did */
    double store_seconds, wait_seconds;
    long waits;
    char first[700];            /* the first cell that crashed or failed, and why */
};
/* Writes the key of a cell in the store: 32 hexadecimal digits, a digest of its text, the program and, where it
 * measures time, the machine. */
void sweep_key(const struct sweep *s, const char *what, char key[33]);
/* Measures what is missing.  0, or -1 and one line: the store cannot be written; what was committed is kept. */
int sweep_run(struct sweep *s, char *err, size_t n);
/* Counts the results of this shard's cells: FAIL; SKIP; VACUOUS or UNDECIDED; other.  Returns an SQLite code. */
int sweep_words(struct sweep *s, long count[4]);

/* Prints the latest results of every cell in the file, sorted, without timings and provenance: the same text wherever
 * and in however many shards they were measured.  Returns how many cells; -1 and one line in err: a cell was
 * altered. */
long dump_all(FILE *f, sqlite3 *db, char *err, size_t n);
/* Prints one cell of an attached file.  0, or -1. */
int dump_cell(FILE *f, sqlite3 *db, const char *schema, const char *key, int64_t run, const char *what);
/* Joins files into the new file `to`.  0; or -1 and one line in err: a file that is there already is not touched. */
int merge_files(const char *const *from, int files, const char *to, long *cells, char *err, size_t n);
#endif

/* Runs all shards of a sweep by an engine, and joins them: the sweep as one command, wherever its cells are measured.
 * Nothing here schedules work: the engine's own programs do (sbatch, squeue and sacct; parallel; mpirun). */
#ifndef ENGINE_H
#define ENGINE_H
#include <stdbool.h>
#include <stddef.h>
#include "sweep/shard.h"
/* name: slurm, parallel or mpirun.  job: its shards, of which there are two at least, are BASE.i-of-n.db, the whole
 * is BASE.db, the script BASE.job.sh.  cells: how many the recipe has.  wait: whether an array of Slurm is waited for;
 * the others are in any case. */
struct submission { const char *name; struct job job; long cells; bool wait; };
/* Runs them.  The exit status of the whole, as one process would have ended with it: 0, 1 where a result is a FAIL, 3
 * where cells are without a result (what was measured is kept, and the next run goes on), 77 where there are no
 * results; or -1 and one line in err: BASE.db is there already, the engine cannot be asked, shards disagree.  Where an
 * array was submitted and is not waited for, 0. */
int engine_run(const struct submission *e, char *err, size_t n);
#endif

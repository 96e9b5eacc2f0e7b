/* Which share of a sweep is this process's: cell k belongs to shard k mod count.  Nothing here starts or schedules
 * work: the user's engine does. */
#ifndef SHARD_H
#define SHARD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
struct shard { long index, count; }; /* 0 <= index < count */
/* Reads "2/7" (1/7 .. 7/7), or "auto": the environment of Slurm (array, task, or both), Open MPI, PMI (MPICH and
 * others), or Kubernetes indexed jobs, whose count MERIDIAN_SHARDS gives.  0, or -1 and one line in err. */
int shard_read(struct shard *s, const char *text, char *err, size_t n);
/* All shards of a sweep: the program, the recipe, the base of the files' names, and how many there are. */
struct job { const char *program, *recipe, *base; long shards; };
/* Prints a script that runs the shards of a job by an engine: slurm, parallel, mpirun or kubernetes; with `merge` also
 * the command that joins them, which is a comment where nothing waits for the shards.  0, or -1 and one line in err. */
int shard_script(FILE *f, const char *engine, const struct job *j, bool merge, char *err, size_t n);
#endif

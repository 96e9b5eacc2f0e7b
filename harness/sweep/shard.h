/* Which share of a sweep is this process's: cell k belongs to shard k mod count.  Nothing here starts or schedules
 * work: the user's engine does. */
#ifndef SHARD_H
#define SHARD_H
#include <stddef.h>
#include <stdio.h>
struct shard { long index, count; }; /* 0 <= index < count */
/* Reads "2/7" (1/7 .. 7/7), or "auto": the environment of Slurm (array, task, or both), Open MPI, PMI (MPICH and
 * others), or Kubernetes indexed jobs, whose count MERIDIAN_SHARDS gives.  0, or -1 and one line in err. */
int shard_read(struct shard *s, const char *text, char *err, size_t n);
/* Prints a script that runs `count` shards of a recipe by an engine: slurm, parallel, mpirun or kubernetes.  0, or -1
 * and one line in err. */
int shard_script(FILE *f, const char *engine, const char *program, const char *recipe, const char *out, long count,
    char *err, size_t n);
#endif

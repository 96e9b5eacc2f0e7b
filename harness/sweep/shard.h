/* Which share of a sweep is this process's: cell k belongs to shard k mod count.  Nothing here starts or schedules
 * work: the user's engine does. */
#ifndef SHARD_H
#define SHARD_H
#include <stddef.h>
#include <stdio.h>
struct shard { long index, count; }; /* 0 <= index < count */
/* "2/7" (1/7 .. 7/7), or "auto": from the environment of Slurm (array, task, both), Open MPI, MPICH and others' PMI,
 * Kubernetes indexed jobs (whose count
 * MERIDIAN_SHARDS gives).  0, or -1 and one line. */
int shard_read(struct shard *s, const char *text, char *err, size_t n);
/* slurm, parallel, mpirun, kubernetes */
int shard_script(FILE *f, const char *engine, const char *program, const char *recipe, const char *out, long count,
    char *err, size_t n);
#endif

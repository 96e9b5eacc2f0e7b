/* Finds the shard of a process by the environment variables that engines set.
 *   Slurm array   SLURM_ARRAY_TASK_ID, _MIN, _STEP, _COUNT: ids need not start at 0 nor be consecutive numbers
 *                 (--array=1-13:3)
 *   Slurm task    SLURM_PROCID of SLURM_STEP_NUM_TASKS.  SLURM_NTASKS alone says nothing: the batch script itself runs
 *                 once, whatever it is
 *   Open MPI      OMPI_COMM_WORLD_RANK of _SIZE; its daemons are Slurm tasks, so where it is set it comes before
 *                 SLURM_PROCID
 *   PMI           PMI_RANK of PMI_SIZE (MPICH, Intel MPI)
 *   Kubernetes    JOB_COMPLETION_INDEX; the job's completions are in no variable: MERIDIAN_SHARDS
 * An array of jobs of several tasks each is the product of both. */
#include "sweep/shard.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number from the environment.  1: it is there; 0: it is not; -1 and err: it is no such number. */
static int variable(const char *name, long least, long *x, char *err, size_t n)
{
    const char *s = getenv(name);
    char *end;
    if (!s)
        return 0;
    errno = 0;
    *x = strtol(s, &end, 10);
    if (end == s || *end || errno || *x < least || *x > 1L << 30)
        return snprintf(err, n, "%s: found '%.80s', allowed: an integer from %ld", name, s, least), -1;
    return 1;
}

/* Reads rank and size from two variables.  Returns as variable() does. */
static int pair(const char *rank, const char *size, struct shard *s, char *err, size_t n)
{
    long r, of;
    int has = variable(rank, 0, &r, err, n), sized = has > 0 ? variable(size, 1, &of, err, n) : 0;
    if (has <= 0 || sized < 0)
        return has < 0 || sized < 0 ? -1 : 0;
    if (!sized || r >= of)
        return snprintf(err, n, sized ? "%1$s is %3$ld, not below %2$s %4$ld" : "%s is set, %s is not", rank, size, r,
                   sized ? of : 0),
               -1;
    *s = (struct shard){ r, of };
    return 1;
}

static int array(struct shard *s, char *err, size_t n)
{
    long id, least, step = 1, count;
    int has = variable("SLURM_ARRAY_TASK_ID", 0, &id, err, n);
    if (has <= 0)
        return has;
    if (variable("SLURM_ARRAY_TASK_MIN", 0, &least, err, n) != 1 ||
        variable("SLURM_ARRAY_TASK_COUNT", 1, &count, err, n) != 1 ||
        variable("SLURM_ARRAY_TASK_STEP", 1, &step, err, n) < 0)
        return *err ? -1 : (snprintf(err, n, "SLURM_ARRAY_TASK_ID is set, SLURM_ARRAY_TASK_MIN or _COUNT is not"), -1);
    if (id < least || (id - least) % step || (id - least) / step >= count)
        return snprintf(err, n,
                   "SLURM_ARRAY_TASK_ID %ld is none of %ld tasks from %ld in steps of %ld: shards need an unbroken "
                   "list (--array=1-N)",
                   id, count, least, step),
               -1;
    *s = (struct shard){ (id - least) / step, count };
    return 1;
}

static int automatic(struct shard *s, char *err, size_t n)
{
    struct shard job = { 0, 1 }, task = { 0, 1 };
    *err = 0;
    int a = array(&job, err, n), t = a < 0 ? -1 : pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", &task, err, n);
    t = t ? t : pair("PMI_RANK", "PMI_SIZE", &task, err, n);
    if (!t && getenv("SLURM_STEP_NUM_TASKS"))
        t = pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", &task, err, n);
    if (!t && getenv("JOB_COMPLETION_INDEX") && !getenv("MERIDIAN_SHARDS"))
        return snprintf(err, n,
                   "JOB_COMPLETION_INDEX is set; the job's completions are in no variable: set MERIDIAN_SHARDS to "
                   "them"),
               -1;
    t = t ? t : pair("JOB_COMPLETION_INDEX", "MERIDIAN_SHARDS", &task, err, n);
    if (a < 0 || t < 0)
        return -1;
    if (!a && !t)
        return snprintf(err, n,
                   "--shard auto: none of SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID (in a step "
                   "of srun), JOB_COMPLETION_INDEX is set"),
               -1;
    *s = (struct shard){ job.index * task.count + task.index, job.count * task.count };
    return 0;
}

int shard_read(struct shard *s, const char *text, char *err, size_t n)
{
    char tail;
    if (!strcmp(text, "auto"))
        return automatic(s, err, n);
    if (sscanf(text, "%ld/%ld%c", &s->index, &s->count, &tail) != 2 || s->count < 1 || s->index < 1 ||
        s->index > s->count || s->count > 1L << 30)
        return snprintf(err, n, "--shard: found '%.80s', allowed: i/n with 1 <= i <= n, or auto", text), -1;
    s->index--;
    return 0;
}

/* The arguments of every format: program, recipe, shards, base, the base without its folder. */
static const struct { const char *engine, *run, *merge; } scripts[] = {
    { "slurm", "#!/bin/sh\n#SBATCH --job-name=meridian\n#SBATCH --array=1-%3$ld\n#SBATCH --ntasks=1\n#SBATCH "
        "--requeue\nexec srun '%1$s' sweep '%2$s' --shard auto --out '%4$s'\n",
        "# After all of them:  '%1$s' merge '%4$s'.*-of-%3$ld.db --out '%4$s.db'\n" },
    { "parallel", "#!/bin/sh\nset -e\nparallel --halt never \"'%1$s' sweep '%2$s' --shard {}/%3$ld --jobs 1 --out "
        "'%4$s'\" ::: $(seq %3$ld)\n", "'%1$s' merge '%4$s'.*-of-%3$ld.db --out '%4$s.db'\n" },
    { "mpirun", "#!/bin/sh\nset -e\n# more shards than slots: OpenMPI 4, then 5\nexport "
        "OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe\nmpirun -n %3$ld "
        "'%1$s' sweep '%2$s' --shard auto --jobs 1 --out '%4$s'\n",
        "'%1$s' merge '%4$s'.*-of-%3$ld.db --out '%4$s.db'\n" },
    { "kubernetes", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: meridian-sweep\nspec:\n  completionMode: "
        "Indexed\n  completions: %3$ld\n  parallelism: %3$ld\n  template:\n    spec:\n      restartPolicy: OnFailure\n"
        "      containers:\n      - name: meridian\n        image: meridian\n        command: [meridian, sweep, "
        "'%2$s', --shard, auto, --out, '/results/%5$s']\n        env:\n        - { name: MERIDIAN_SHARDS, value: "
        "'%3$ld' }\n        volumeMounts:\n        - { name: results, mountPath: /results }\n      volumes:\n      - "
        "name: results\n        persistentVolumeClaim: { claimName: meridian-results }\n",
        "# image: one with this program on its path and the recipe; the claim meridian-results: a volume that all pods "
        "may\n# write to.  After all of them, where it is mounted:\n#     meridian merge /results/%5$s.*-of-%3$ld.db "
        "--out /results/%5$s.db\n" },
};

int shard_script(FILE *f, const char *engine, const struct job *j, bool merge, char *err, size_t n)
{
    const char *const words[] = { j->program, j->recipe, j->base }, *slash = strrchr(j->base, '/');
    for (size_t k = 0; k < sizeof scripts / sizeof *scripts; k++) {
        if (strcmp(engine, scripts[k].engine) != 0)
            continue;
        for (int w = 0; w < 3; w++)
            if (strpbrk(words[w], "'\"\n$`\\"))
                return snprintf(err, n, "--emit: '%.200s' holds a quote, a dollar or a backslash: rename it", words[w]),
                       -1;
        const char *const part[] = { scripts[k].run, merge ? scripts[k].merge : "" };
        for (int p = 0; p < 2; p++)
            if (fprintf(f, part[p], j->program, j->recipe, j->shards, j->base, slash ? slash + 1 : j->base) < 0)
                return snprintf(err, n, "the script cannot be written"), -1;
        return 0;
    }
    return snprintf(err, n, "found '%.40s', allowed: slurm parallel mpirun kubernetes", engine), -1;
}

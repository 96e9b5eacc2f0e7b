/* Shards: seven pieces, one of them killed and resumed, are the whole; what disagrees, is damaged or is no shard is
 * refused and named. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include "kernels.h"
#include "sweeping.h"

static char whole[1 << 18];

static void make_whole(const char *recipe)
{
    sweeping_open();
    sweeping_recipe("r.recipe", recipe);
    cr_assert_eq(sweeping("r.recipe --out %s/whole"), 0, "%s", err);
    cr_assert_eq(sweeping("%s/whole.db --dump"), 0, "%s", err);
    memcpy(whole, out, sizeof whole);
}

static int merging(const char *args)
{
    char all[1000] = "merge ", rest[900];
    sweeping_args(rest, sizeof rest, args);
    strcat(all, rest);
    return meridian("", all);
}

static void expect_whole(const char *db)
{
    char args[100];
    snprintf(args, sizeof args, "%%s/%s --dump", db);
    cr_assert_eq(sweeping(args), 0, "%s", err);
    cr_expect(!strcmp(out, whole), "%s differs from the whole", db);
}

Test(merge, seven_shards_one_killed_and_resumed_are_byte_for_byte_the_whole)
{
    char args[100];
    int status;
    make_whole(SWEEPING_MANY);
    pid_t pid = sweeping_start("r.recipe --out %s/s --shard 3/7 --jobs 1");
    usleep(200000);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    for (int k = 1; k <= 7; k++) {
        snprintf(args, sizeof args, "r.recipe --out %%s/s --shard %d/7 --jobs 1", k);
        cr_assert_eq(sweeping(args), 0, "%s", err);
    }
    cr_assert_eq(merging("%s/s.7-of-7.db %s/s.1-of-7.db %s/s.2-of-7.db %s/s.3-of-7.db %s/s.4-of-7.db %s/s.5-of-7.db "
                         "%s/s.6-of-7.db -o %s/all.db"),
        0, "%s", err);
    expect_whole("all.db");
    cr_assert_eq(merging("%s/all.db %s/whole.db --out %s/twice.db"), 0, "%s", err);
    expect_whole("twice.db");
    cr_assert_eq(sweeping("r.recipe --out %s/all"), 0, "%s", err);
    cr_expect(strstr(out, ", 0 measured"), "a merged file is not resumed: %s", out);
    cr_assert_eq(merging("%s/s.1-of-7.db -o %s/one.db"), 0, "%s", err);
    cr_assert_eq(sweeping("%s/one.db --dump"), 0, "%s", err);
    cr_expect(strcmp(out, whole), "one shard passes for the whole");
    sweeping_close();
}

Test(merge, shards_that_disagree_are_refused_and_both_named_with_the_cell)
{
    struct stat st;
    char path[200];
    make_whole("measure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 5\n");
    sweeping_recipe("other.recipe", "measure accuracy\nrow rope\nlength = 3\ndim = 6\nn = 5\n");
    cr_assert_eq(sweeping("other.recipe --out %s/other"), 0, "%s", err);
    cr_assert_eq(merging("%s/whole.db %s/other.db -o %s/good.db"), 0, "shards that agree are refused: %s", err);
    /* Another result, honest and sealed as it was written. */
    sweeping_sql("other.db", "UPDATE result SET seed=seed+1, method='x'; DELETE FROM seal");
    cr_expect_eq(merging("%s/whole.db %s/other.db -o %s/all.db"), 2);
    cr_expect(strstr(err, "not as it was written") && strstr(err, "other.db"), "%s", err);
    if (!mer_isa_level()) /* The best slot of this machine is the scalar one. */
        return sweeping_close();
    cr_assert_eq(sweeping_in("MERIDIAN_ISA=scalar", "other.recipe --out %s/scalar"), 0, "%s", err);
    cr_expect_eq(merging("%s/scalar.db %s/whole.db -o %s/all.db"), 2, "own:scalar and own:avx.. taken for one");
    cr_expect(lines(err) == 1 && strstr(err, "scalar.db and ") &&
            strstr(err, "whole.db disagree about the cell 'accuracy rope dim=6 ") && strstr(err, "length=3"),
        "%s", err);
    snprintf(path, sizeof path, "%s/all.db", sweeping_dir);
    cr_expect(stat(path, &st) != 0, "a refused merge left a file");
    sweeping_close();
}

Test(merge, what_is_damaged_foreign_or_there_already_is_refused_and_not_touched)
{
    make_whole("measure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 5\n");
    cr_expect_eq(merging("%s/whole.db -o %s/whole.db"), 2);
    cr_expect(strstr(err, "is there already"), "%s", err);
    sweeping_sql("theirs.db", "CREATE TABLE theirs(x)");
    cr_expect_eq(merging("%s/whole.db %s/theirs.db -o %s/a.db"), 2);
    cr_expect(strstr(err, "theirs.db: no results store"), "%s", err);
    cr_expect_eq(merging("%s/whole.db %s/none.db -o %s/a.db"), 2);
    cr_expect(strstr(err, "none.db: unable to open"), "%s", err);
    expect_whole("whole.db");
    sweeping_damage("whole.db");
    cr_expect_eq(merging("%s/whole.db -o %s/a.db"), 2);
    cr_expect(lines(err) == 1 && strstr(err, "whole.db: damaged"), "%s", err);
    cr_expect_eq(meridian("", "merge a.db"), 2);
    cr_expect(strstr(err, "--out"), "%s", err);
    sweeping_close();
}

/* A shard of this sweep at work, by its arguments: the folder's name is nobody else's.  0: none. */
static pid_t shard_at_work(void)
{
    DIR *all = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *one; all && !found && (one = readdir(all));) {
        char path[300], text[4096], *word = text;
        snprintf(path, sizeof path, "/proc/%s/cmdline", one->d_name);
        FILE *f = atol(one->d_name) > 0 ? fopen(path, "r") : NULL;
        const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f)
            fclose(f);
        text[n] = 0, word += strlen(word) + 1; /* The words are meridian, sweep, recipe, --shard and its value. */
        if (n && word < text + n && !strcmp(word, "sweep") && strstr(word + strlen(word) + 1, sweeping_dir))
            found = (pid_t)atol(one->d_name);
    }
    if (all)
        closedir(all);
    return found;
}

/* The exit status of a job; with kill_one a shard is killed as soon as one is at work. */
static int job_ends(pid_t job, int kill_one)
{
    int status;
    while (waitpid(job, &status, WNOHANG) == 0) {
        const pid_t shard = kill_one ? shard_at_work() : 0;
        usleep(30000); /* By then it has begun. */
        kill_one = kill_one && !(shard && kill(shard, SIGKILL) == 0);
    }
    cr_assert(!kill_one, "no shard was seen at work");
    return status;
}

/* The script that --emit prints, as it is: a shard of its first run is killed, so that it fails and leaves no merged
 * file; its second run does what is missing. */
static void by_engine(const char *engine, const char *tool)
{
    char command[1600], self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    *strrchr(self, '/') = 0;
    snprintf(command, sizeof command, "command -v %s >/dev/null", tool);
    if (system(command))
        cr_skip_test("%s is not installed", tool);
    make_whole(SWEEPING_MANY);
    snprintf(command, sizeof command, "\"%s/meridian\" sweep %s/r.recipe --out %s/s --emit %s --shards 7 >%s/job.sh",
        self, sweeping_dir, sweeping_dir, engine, sweeping_dir);
    cr_assert_eq(system(command), 0);
    for (int run = 1; run <= 2; run++) {
        pid_t job = fork();
        if (!job) {
            snprintf(command, sizeof command, "%s/said", sweeping_dir);
            const int to = open(command, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            dup2(to, 1), dup2(to, 2);
            snprintf(command, sizeof command, "%s/job.sh", sweeping_dir);
            execlp("sh", "sh", command, (char *)NULL);
            _exit(127);
        }
        const int status = job_ends(job, run == 1);
        snprintf(command, sizeof command, "%s/said", sweeping_dir);
        slurp(command, out, sizeof out);
        cr_assert_eq(status == 0, run == 2, "run %d: %s", run, out);
        snprintf(command, sizeof command, "%s/s.db", sweeping_dir);
        cr_assert_eq(access(command, F_OK) == 0, run == 2, "run %d", run);
    }
    cr_expect(strstr(out, " already there") && !strstr(out, "\n0 already there"), "%s", out);
    expect_whole("s.db");
    sweeping_close();
}
/* Writes a program of the stand-in for Slurm into the folder's bin. */
static void stand_in(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/bin/%s", sweeping_dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fprintf(f, "#!/bin/sh\nat=%s/queue\n%s", sweeping_dir, text) > 0 && !fclose(f));
    cr_assert(!chmod(path, 0755));
}

/* A scheduler of one machine: sbatch starts the tasks of an array one after the other, with the variables that Slurm
 * sets, in the background; squeue and sacct say how they are. The file `lose` has the number of a task that never runs,
 * the file `deaf` makes squeue answer as when it has forgotten a job. */
static void scheduler(void)
{
    char command[200];
    snprintf(command, sizeof command, "mkdir %s/bin %s/queue", sweeping_dir, sweeping_dir);
    cr_assert_eq(system(command), 0);
    stand_in("srun", "exec \"$@\"\n");
    stand_in("sbatch", "[ \"$1\" = --parsable ] || exit 9\nn=$(sed -n 's/^#SBATCH --array=1-//p' \"$2\")\n"
        "rm -f $at/*.end\n"
        "for k in $(seq $n); do touch $at/$k.task; done\n"
        "(for k in $(seq $n); do\n"
        "  if [ \"$(cat $at/lose 2>/dev/null)\" = $k ]; then echo 'NODE_FAIL' >$at/$k.end; else\n"
        "  SLURM_JOB_ID=$((40 + k)) SLURM_ARRAY_JOB_ID=41 SLURM_ARRAY_TASK_ID=$k SLURM_ARRAY_TASK_MIN=1 \\\n"
        "    SLURM_ARRAY_TASK_MAX=$n SLURM_ARRAY_TASK_COUNT=$n SLURM_ARRAY_TASK_STEP=1 sh \"$2\" >$at/$k.out 2>&1\n"
        "  rc=$?; [ $rc = 0 ] && echo COMPLETED >$at/$k.end || echo FAILED >$at/$k.end; fi\n"
        "done) >/dev/null 2>&1 </dev/null &\necho '41;cluster'\n");
    stand_in("squeue", "[ -e $at/deaf ] && { echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; }\n"
        "for t in $at/*.task; do [ -e ${t%.task}.end ] || echo RUNNING; done\n");
    stand_in("sacct", "for t in $at/*.task; do if [ -e ${t%.task}.end ]; then cat ${t%.task}.end; else echo RUNNING; "
        "fi; done\n");
}

static int under_slurm(const char *more)
{
    char before[200], args[200];
    snprintf(before, sizeof before, "PATH=%s/bin:$PATH", sweeping_dir);
    snprintf(args, sizeof args, "r.recipe --out %%s/s --engine slurm --shards 7 %s", more);
    return sweeping_in(before, args);
}

static bool there(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", sweeping_dir, name);
    return !access(path, F_OK);
}

/* A mark for the stand-in, with a line of text, or without it: gone. */
static void mark(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/queue/%s", sweeping_dir, name);
    FILE *f = text ? fopen(path, "w") : NULL;
    cr_assert(text ? f && fputs(text, f) >= 0 && !fclose(f) : !unlink(path));
}

/* The whole way: submitted, waited for, joined; a node that is lost leaves no whole, and the same command goes on. */
Test(merge, an_array_of_slurm_is_waited_for_and_joined, .timeout = 60)
{
    make_whole(SWEEPING_MANY);
    scheduler();
    mark("lose", "3\n");
    cr_expect_eq(under_slurm("--wait"), 3, "%s%s", out, err);
    cr_expect(strstr(err, "Slurm job 41, 7 shards") && strstr(err, "have no result, of the shards 3;"), "%s", err);
    cr_expect(!there("s.db") && there("s.2-of-7.db") && !there("s.3-of-7.db"));
    mark("lose", NULL), mark("deaf", "");
    cr_expect_eq(under_slurm("--wait"), 0, "%s%s", out, err);
    cr_expect(strstr(out, "s.db: ") && strstr(out, " cells of 7 shards; results: ") && strstr(out, "FAIL 0"), "%s",
        out);
    expect_whole("s.db");
    cr_expect_eq(under_slurm("--wait"), 2, "what is there is written over: %s", out);
    cr_expect(lines(err) == 1 && strstr(err, "s.db: is there already"), "%s", err);
    sweeping_close();
}

/* Without --wait the number of the job is all that is printed; more shards than cells leave some without a cell; what
 * cannot be asked is one line. */
Test(merge, an_array_of_slurm_is_submitted_or_refused_in_one_line)
{
    static const struct { const char *more, *says; } wrong[] = {
        { "--shards 1", "--shards: found '1'" }, { "--engine kubernetes", "--emit kubernetes prints the job" },
        { "--engine lsf", "allowed: slurm parallel mpirun kubernetes" }, { "--shard 1/7", "one of --emit, --engine" },
        { "--emit slurm", "one of --emit, --engine" }, { "--fresh", "--fresh: has an effect on one process" },
        { "--jobs 2", "--jobs: has an effect on one process" } };
    sweeping_open();
    sweeping_recipe("r.recipe", "measure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 4\nlines = 0\nout = y\n");
    cr_expect_eq(sweeping_in("PATH=/proc/nonexistent", "r.recipe --out %s/s --engine slurm --wait"), 2);
    cr_expect(lines(err) == 1 && strstr(err, "sbatch is not on this machine's path"), "%s", err);
    cr_expect_eq(sweeping("r.recipe --out %s/s --wait"), 2, "%s", out);
    cr_expect_eq(sweeping("r.recipe --out %s/s --shards 3"), 2, "%s", out);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char args[200];
        const bool named = strstr(wrong[k].more, "--engine");
        snprintf(args, sizeof args, "r.recipe --out %%s/s %s %s", named ? "" : "--engine slurm", wrong[k].more);
        cr_expect_eq(sweeping(args), 2, "%s", args);
        cr_expect(lines(err) == 1 && strstr(err, wrong[k].says), "%s: %s", args, err);
    }
    scheduler();
    cr_expect_eq(under_slurm("--wait"), 0, "%s%s", out, err);
    cr_expect(strstr(out, "3 cells of 7 shards"), "%s", out);
    sweeping_close();
    sweeping_open();
    sweeping_recipe("r.recipe", "measure accuracy\nrow rope\nlength = 1\ndim = 6\nn = 4\nlines = 0\nout = y\n");
    scheduler();
    cr_expect_eq(under_slurm(""), 0, "%s", err);
    cr_expect_str_eq(out, "41\n");
    for (int k = 0; k < 500 && !there("queue/7.end"); k++)
        usleep(20000);
    sweeping_close();
}

Test(merge, seven_ranks_under_mpirun_one_killed_and_run_again_are_the_whole, .timeout = 60)
{
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1), setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    by_engine("mpirun", "mpirun");
}
Test(merge, seven_jobs_under_gnu_parallel_one_killed_and_run_again_are_the_whole, .timeout = 60)
{
    setenv("PARALLEL_HOME", "/tmp", 1);
    by_engine("parallel", "parallel");
}

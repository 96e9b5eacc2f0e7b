/* Sweeps: every mistake of a recipe is named with its line and column, cells are numbered the same way always, and a
 * sweep killed at any point goes on to the same results as one that was left alone. */
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/stat.h>
#include "command.h"
#include "base/clock.h"
#include "examine/examine.h"
#include "core/gen.h"
#include "sweep/plan.h"
#include "sweep/shard.h"
#include "store/store.h"
#include "sweeping.h"

static int planned(const char *text, struct plan *p, char *err_, size_t n)
{
    struct recipe *r;
    *p = (struct plan){ 0 };
    int rc = recipe_read(&r, "r", text, err_, n);
    rc = rc ? rc : plan_make(p, r, 0x1p30, err_, n);
    recipe_close(r);
    return rc;
}

Test(sweep, every_mistake_of_a_recipe_is_named_with_its_line_and_column)
{
    static const struct { const char *text, *says; } bad[] = {
        { "", "r:1:1: no measure" },
        { "measure accuracy\nrow rope\ndims = 8\n", "r:3:1: unknown axis 'dims'; accuracy has out type" },
        { "measure accuracy\nrow rope roope\n", "r:2:10: no row 'roope'" },
        { "measure acuracy\nrow rope\n", "r:1:9: no measure 'acuracy'; there are accuracy" },
        { "measure accuracy\n", "r:1:9: measure accuracy needs a row" },
        { "measure accuracy\nrow rope\ndim = 8 x 12\n", "r:3:9: " },
        { "measure accuracy\nrow rope\n  dim = 8 16..9\n", "r:3:11: the range 16..9 is empty" },
        { "measure accuracy\nrow rope\ndim =\n", "r:3:5: axis 'dim' is empty" },
        { "measure accuracy\nrow rope\ndim = 1..8 *1\n", "r:3:12: *1 never reaches" },
        { "measure accuracy\nrow rope\ndim = 1..8 +0\n", "r:3:12: +0 never reaches" },
        { "measure accuracy\nrow rope\ndim = 8 +2\n", "r:3:9: the step +2 follows no range" },
        { "measure accuracy\nrow rope\ndim = 1..2^40\n", "r:3:7: axis 'dim' has more than" },
        { "measure accuracy\nrow rope\ndim = a..8\n", "r:3:7: 'a..8' is no range" },
        { "measure accuracy\nrow rope\ntype = f32 f31\n", "r:3:12: type: found 'f31', allowed: f64 f32 f16 bf16" },
        { "measure accuracy\nrow rope\nlines = -1\n", "r:3:9: lines: found '-1', allowed: an integer from 0" },
        { "measure accuracy\nrow rope\nz = 4\n", "r:3:1: unknown axis 'z'" },
        { "measure accuracy\nrow rope\nn = 0\n", "r:3:5: n: found '0'" },
        { "measure accuracy\nrow rope\nd = 8\n", "r:3:5: d: it is 64 by the parameters of rope" },
        { "measure accuracy\nrow rope\nout = w\n", "r:3:7: out: rope has no output 'w'" },
        { "measure accuracy\nrow shaw\nout = o\nlength = 9\n", "r:4:10: length: shaw.o reads no positions" },
        { "measure accuracy\nrow rope\nn = @m\n", "r:3:5: '@m': no such axis in this block" },
        { "measure accuracy\nrow rope\nn = @h\nh = @n\n", "r:3:5: axes refer to each other in a circle" },
        { "measure accuracy\nrow rope\nn = 3\nn = 4\n", "r:4:1: axis 'n' is given twice: line 3" },
        { "measure accuracy\nrow rope\nh = 2\nn = 5 2^39\n", "r:4:7: needs about" },
        { "measure accuracy\nrow rope\nn = \"5\n", "r:3:5: a quote is not closed" },
        { "measure valid\nrow rope\ncontract = hf\n", "r:3:12: contract: rope has no contract 'hf'; it has 'hf-f32'" },
        { "measure valid\nrow rope\nlimit = 0\n", "r:3:9: limit: found '0', allowed: an integer from 1" },
        { "nonsense\n", "r:1:1: found 'nonsense', allowed: title" },
        { "figure Big\n", "r:1:8: a figure's name" },
        { "figure a x\nmeasure valid\nrow rope\n", "r:1:10: found 'x', allowed key=value" },
    };
    char said[1400];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct plan p;
        *said = 0;
        int rc = planned(bad[k].text, &p, said, sizeof said);
        plan_free(&p);
        cr_expect(rc == -1 && strstr(said, bad[k].says) && !strchr(said, '\n'), "of\n%s: '%s', not '%s'", bad[k].text,
            said, bad[k].says);
    }
}

Test(sweep, cells_come_in_one_order_and_each_once)
{
    static const char *const want[] = {
        "accuracy rope dim=6 h=1 inputs=uniform length=1 lines=16 n=4 out=y seed=7 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=1 lines=16 n=4 out=y seed=9 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=3 lines=16 n=6 out=y seed=7 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=3 lines=16 n=6 out=y seed=9 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=6 lines=16 n=9 out=y seed=7 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=6 lines=16 n=9 out=y seed=9 slot=best type=f32",
        "accuracy rope dim=6 h=1 inputs=uniform length=5 lines=16 n=8 out=y seed=1 slot=best type=f32",
    };
    enum { N = sizeof want / sizeof *want };
    struct plan p;
    char said[1400];
    /* The first cells of the second block are the last ones of the first. */
    cr_assert_eq(planned("seed = 7 9\nh=1\nmeasure accuracy\nrow rope\n", &p, said, sizeof said), -1,
        "'h=1' is a word, not an axis");
    plan_free(&p);
    cr_assert_eq(
        planned("seed = 7 9  # both\nh = 1\nmeasure accuracy\nrow rope\nlength = 1..8 *5/2\nn = @length+3\ndim = 6\n"
                "measure accuracy\nrow rope\ndim = 6\nn = 9\nlength = 6\n"
                "measure accuracy\nrow rope\nn = 8\ndim = 6\nlength = 5\nseed = 2^0\n",
            &p, said, sizeof said),
        0, "%s", said);
    cr_expect_eq(p.n, N, "%ld cells", p.n);
    for (long k = 0; k < p.n && k < N; k++)
        cr_expect_str_eq(p.what[k], want[k], "cell %ld: %s", k, p.what[k]);
    plan_free(&p);
}

static const struct { const char *set, *says; long index, count; } engines[] = {
    { "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_STEP=3", "", 2, 5 },
    { "SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=5 SLURM_ARRAY_TASK_STEP=3", "unbroken list",
        0, 0 },
    { "SLURM_ARRAY_TASK_ID=6", "is set", 0, 0 },
    /* The batch script itself is alone, and must not take a quarter for the whole. */
    { "SLURM_PROCID=0 SLURM_NTASKS=4", "none of", 0, 0 },
    { "SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", "", 3, 4 },
    { "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=6", "", 5, 6 },
    { "PMI_RANK=1 PMI_SIZE=3", "", 1, 3 },
    { "PMI_RANK=3 PMI_SIZE=3", "not below", 0, 0 },
    { "PMI_RANK=x PMI_SIZE=3", "PMI_RANK: found 'x'", 0, 0 },
    { "JOB_COMPLETION_INDEX=4 MERIDIAN_SHARDS=9", "", 4, 9 },
    { "JOB_COMPLETION_INDEX=4", "MERIDIAN_SHARDS", 0, 0 },
    /* An array of jobs with three tasks each. */
    { "SLURM_ARRAY_TASK_ID=11 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3",
        "", 5, 6 },
    { "", "none of", 0, 0 },
};

Test(sweep, shards_come_from_what_the_engine_sets)
{
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        struct shard s = { -1, -1 };
        char set[300], said[400] = "", *save = NULL;
        clearenv();
        snprintf(set, sizeof set, "%s", engines[k].set);
        for (char *w = strtok_r(set, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
            char *is = strchr(w, '=');
            *is = 0;
            setenv(w, is + 1, 1);
        }
        int rc = shard_read(&s, "auto", said, sizeof said);
        if (*engines[k].says)
            cr_expect(rc == -1 && strstr(said, engines[k].says), "%s: '%s'", engines[k].set, said);
        else
            cr_expect(rc == 0 && s.index == engines[k].index && s.count == engines[k].count, "%s: %ld of %ld %s",
                engines[k].set, s.index, s.count, said);
    }
    static const char *const bad[] = { "0/7", "8/7", "1", "1/7x", "", "1/0", "-1/7" };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct shard s;
        char said[400] = "";
        cr_expect(shard_read(&s, bad[k], said, sizeof said) == -1 && strstr(said, "--shard"), "%s taken", bad[k]);
    }
}

Test(sweep, a_second_run_does_only_what_is_missing)
{
    sweeping_open();
    sweeping_recipe("some.recipe", "measure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 5\n");
    cr_expect_eq(sweeping("some.recipe --out %s/a"), 0, "%s", err);
    cr_expect(strstr(out, "3 cells, 3 measured, 0 already there"), "%s", out);
    sweeping_recipe("some.recipe", "measure accuracy\nrow rope\nlength = 1 3 8 21\ndim = 6\nn = 5\n");
    cr_expect_eq(sweeping("some.recipe --out %s/a.db"), 0, "%s", err);
    cr_expect(strstr(out, "4 cells, 1 measured, 3 already there"), "%s", out);
    cr_expect_eq(sweeping("some.recipe --out %s/a --fresh"), 0, "%s", err);
    cr_expect(strstr(out, "4 measured, 0 already there"), "%s", out);
    sweeping_close();
}

Test(sweep, killed_at_any_point_it_goes_on_to_the_same_results)
{
    enum { KILLS = 8 };
    static char whole[1 << 18];
    long kept = 0, cut = 0;
    sweeping_open();
    sweeping_recipe("many.recipe", SWEEPING_MANY);
    double seconds = now();
    cr_assert_eq(sweeping("many.recipe --out %s/whole"), 0, "%s", err);
    seconds = now() - seconds;
    cr_assert_eq(sweeping("%s/whole.db --dump"), 0, "%s", err);
    memcpy(whole, out, sizeof whole);
    cr_assert(lines(whole) > 200);
    for (uint64_t k = 0; k < KILLS; k++) {
        pid_t pid = sweeping_start("many.recipe --out %s/cut --jobs 2");
        usleep((unsigned)(1e6 * seconds * (0.1 + 0.6 * (double)(gen_bits(5, 8, k) >> 11) * 0x1p-53)));
        kill(pid, SIGKILL);
        int status;
        waitpid(pid, &status, 0);
        cut += WIFSIGNALED(status);
    }
    cr_assert(cut > 0, "it was never cut");
    cr_assert_eq(sweeping("many.recipe --out %s/cut"), 0, "%s", err);
    cr_assert_eq(sscanf(strstr(out, "measured, "), "measured, %ld", &kept), 1);
    cr_expect(kept > 0, "nothing had been kept");
    cr_expect(!strstr(out, "not as they were written"), "%s", out);
    cr_assert_eq(sweeping("%s/cut.db --dump"), 0, "%s", err);
    cr_expect_str_eq(out, whole);
    sweeping_close();
}

Test(sweep, an_altered_number_is_measured_again_and_a_damaged_file_is_set_aside)
{
    static char whole[1 << 18];
    sweeping_open();
    sweeping_recipe("some.recipe",
        "measure accuracy\nrow rope\nlength = 1 3 8\ndim = 6\nn = 5\nmeasure valid\nrow rope\nlimit = 99\n");
    cr_assert_eq(sweeping("some.recipe --out %s/a"), 0, "%s", err);
    cr_assert_eq(sweeping("%s/a.db --dump"), 0, "%s", err);
    memcpy(whole, out, sizeof whole);
    /* Each result is another cell's, three to a cell.  The newest point, since a cell that was measured again leaves
     * its old ones behind, which count no more and whose place depends on the order in which the workers were done. */
    static const char *const alter[] = { "UPDATE result SET bits='3ff0000000000001' WHERE rowid=3",
        "UPDATE result SET value=value+1 WHERE rowid=6", "DELETE FROM result WHERE rowid=11",
        "UPDATE point SET x=x+1 WHERE rowid=(SELECT max(rowid) FROM point)" };
    for (size_t k = 0; k < sizeof alter / sizeof *alter; k++) {
        sweeping_sql("a.db", alter[k]);
        cr_expect_eq(sweeping("%s/a.db --dump"), 2, "dumped: %s", alter[k]);
        cr_expect(strstr(err, "not as it was written"), "%s", err);
        cr_expect_eq(sweeping("some.recipe --out %s/a"), 0, "%s", err);
        cr_expect(strstr(out, "1 measured, 3 already there") &&
                strstr(out, "1 cells were there, but not as they were written"),
            "%s: %s", alter[k], out);
        cr_assert_eq(sweeping("%s/a.db --dump"), 0, "%s", err);
        cr_expect_str_eq(out, whole);
    }
    sweeping_damage("a.db");
    cr_expect_eq(sweeping("some.recipe --out %s/a"), 0, "%s", err);
    cr_expect(strstr(err, "set aside as") && strstr(out, "4 measured, 0 already there"), "%s%s", err, out);
    struct stat st;
    char path[200];
    snprintf(path, sizeof path, "%s/a.db.corrupt-1", sweeping_dir);
    cr_expect_eq(stat(path, &st), 0, "the damaged file is gone");
    cr_assert_eq(sweeping("%s/a.db --dump"), 0, "%s", err);
    cr_expect_str_eq(out, whole);
    sweeping_close();
}

Test(sweep, a_full_disk_and_a_path_that_cannot_be_written_are_one_line_and_lose_nothing)
{
    char before[200];
    sweeping_open();
    sweeping_recipe("many.recipe", SWEEPING_MANY);
    cr_expect_eq(sweeping_in("ulimit -f 100;", "many.recipe --out %s/full --jobs 1"), 2, "%s", out);
    cr_expect(lines(err) == 1 && strstr(err, "earlier results are kept"), "%s", err);
    cr_assert_eq(sweeping("many.recipe --out %s/full"), 0, "%s", err);
    cr_expect(!strstr(out, " 0 already there") && !strstr(out, "not as they were"), "%s", out);
    snprintf(before, sizeof before, "touch %s/file;", sweeping_dir);
    cr_expect_eq(sweeping_in(before, "many.recipe --out %s/file/a"), 2);
    cr_expect(lines(err) == 1 && strstr(err, "file"), "%s", err);
    sweeping_sql("other.db", "CREATE TABLE theirs(x)");
    cr_expect_eq(sweeping("many.recipe --out %s/other"), 2);
    cr_expect(lines(err) == 1 && strstr(err, "left as it is"), "%s", err);
    cr_expect_eq(meridian("", "sweep no-such-recipe"), 2);
    cr_expect(lines(err) == 1 && strstr(err, "no recipe 'no-such-recipe'"), "%s", err);
    sweeping_close();
}

/* What a wait takes is the disk's matter, and a busy one makes no test fail: how many there are is the store's.  Its
 * clock counts whole seconds, so one more than there are begins in them, and the first item waits in any case. */
Test(sweep, the_store_waits_for_the_disk_once_a_second_and_not_once_a_cell)
{
    long cells = 0, waits = 0;
    double seconds = 0;
    sweeping_open();
    sweeping_recipe("many.recipe", SWEEPING_MANY);
    cr_assert_eq(sweeping("many.recipe --out %s/a"), 0, "%s", err);
    cr_assert_eq(sscanf(strstr(out, ": "), ": %ld cells", &cells), 1, "%s", out);
    const char *store = strstr(out, "SKIP ");
    cr_assert_eq(sscanf(store, "SKIP %*d; %lf s, the store %*f ms a cell, %ld waits", &seconds, &waits), 2, "%s", out);
    cr_expect(cells > 100 && waits > 0, "%s", out);
    cr_expect(waits <= (long)seconds + 2, "%s", out);
    sweeping_close();
}

/* Goes behind the key and its colon, where the line at s, less its indent and "- ", begins with that key; NULL: it does
 * not. */
static const char *after(const char *s, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(s, key, n) || s[n] != ':' ? NULL : s + n + 1 + strspn(s + n + 1, " ");
}

/* The value of the key somewhere below the line of the block `under`, whose lines are indented further or, for items of
 * a list, as far; also a key of a map in braces.  Copied without quotes into value[60], with `quoted` whether it had
 * any; NULL: there is none. */
static const char *below(const char *yaml, const char *under, const char *key, char value[60], bool *quoted)
{
    int at = -1;
    for (const char *s = yaml, *end; *s; s = end + (*end == '\n')) {
        const int indent = (int)strspn(s, " ");
        const char *v, *line = s + indent;
        end = s + strcspn(s, "\n");
        if (at >= 0 && (indent < at || (indent == at && *line != '-')))
            return NULL;
        line += *line == '-' ? 2 : 0, line += *line == '{' ? 2 : 0;
        if (at < 0 && after(line, under)) {
            at = indent, line = after(line, under);
            if (*line == '{')
                line += 2;
            else
                continue;
        }
        for (; at >= 0 && line && line < end; line = strchr(line, ','), line = line ? line + 2 : NULL)
            if ((v = after(line, key))) {
                *quoted = *v == '\'';
                snprintf(value, 60, "%.*s", (int)strcspn(v + *quoted, "',}\n "), v + *quoted);
                return value;
            }
    }
    return NULL;
}

/* A label of RFC 1123: letters in lower case, digits and, not at an end, hyphens; 63 of them at most. */
static bool label(const char *s)
{
    const size_t n = strlen(s);
    return n && n < 64 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == n && *s != '-' && s[n - 1] != '-';
}

/* What the scheme of batch/v1 Job refuses in a manifest; NULL: nothing. */
static const char *job_refused(const char *y, int shards)
{
    static const char *const need[][2] = { { "metadata", "name" }, { "template", "spec" }, { "containers", "name" },
        { "containers", "image" }, { "volumeMounts", "mountPath" }, { "volumes", "persistentVolumeClaim" },
        { "persistentVolumeClaim", "claimName" }, { "containers", "command" }, { "spec", "template" } };
    static const char *const labels[][2] = { { "metadata", "name" }, { "containers", "name" }, { "volumes", "name" },
        { "persistentVolumeClaim", "claimName" } };
    char v[60], w[60];
    bool q;
    if (strncmp(y, "apiVersion: batch/v1\nkind: Job\n", 31))
        return "it is no Job of batch/v1";
    for (size_t k = 0; k < sizeof need / sizeof *need; k++)
        if (!below(y, need[k][0], need[k][1], v, &q))
            return need[k][1];
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++)
        if (!below(y, labels[k][0], labels[k][1], v, &q) || !label(v))
            return "a name that is no label";
    if (!below(y, "template", "restartPolicy", v, &q) || (strcmp(v, "OnFailure") && strcmp(v, "Never")))
        return "restartPolicy";
    if (!below(y, "spec", "completionMode", v, &q) || strcmp(v, "Indexed"))
        return "completionMode";
    for (int k = 0; k < 2; k++)
        if (!below(y, "spec", k ? "parallelism" : "completions", v, &q) || q || atoi(v) != shards)
            return "completions and parallelism are numbers";
    if (!below(y, "env", "name", v, &q) || strcmp(v, "MERIDIAN_SHARDS") || !below(y, "env", "value", v, &q) || !q ||
        atoi(v) != shards)
        return "a variable's value is a text";
    if (!below(y, "volumeMounts", "name", v, &q) || !below(y, "volumes", "name", w, &q) || strcmp(v, w))
        return "what is mounted is no volume";
    return NULL;
}

/* The manifest has what a Job must have, and each fault planted in it is refused. */
Test(sweep, the_manifest_for_kubernetes_is_a_job)
{
    static const char *const faults[][2] = { { "batch/v1", "batch/v2" }, { "kind: Job", "kind: Pod" },
        { "OnFailure", "Always" }, { "completionMode: Indexed", "completionMode: Random" },
        { "value: '5'", "value: 5" },
        { "completions: 5", "completion: 5" }, { "image: meridian", "picture: meridian" }, { "claimName", "claim" },
        { "name: meridian-sweep", "name: Meridian_sweep" }, { "{ name: results", "{ name: answers" },
        { "mountPath", "path" }, { "command:", "order:" }, { "parallelism: 5", "parallelism: '5'" },
        { "containers:", "container:" }, { "  template:", "template:" } };
    char wrong[sizeof out];
    cr_assert_eq(meridian("", "sweep smoke --emit kubernetes --shards 5"), 0, "%s", err);
    const char *refused = job_refused(out, 5);
    cr_expect(!refused && !strchr(out, '\t'), "%s", refused);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        const char *at = strstr(out, faults[k][0]);
        cr_assert(at, "no %s", faults[k][0]);
        snprintf(wrong, sizeof wrong, "%.*s%s%s", (int)(at - out), out, faults[k][1], at + strlen(faults[k][0]));
        cr_expect(job_refused(wrong, 5), "%s passes", faults[k][1]);
    }
}

Test(sweep, job_scripts_are_printed_for_each_engine)
{
    static const struct {
        const char *engine, *has;
    } want[] = { { "slurm", "#SBATCH --array=1-5" }, { "parallel", "--shard {}/5" }, { "mpirun", "mpirun -n 5" },
        { "kubernetes", "completions: 5" } };
    char args[100];
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        snprintf(args, sizeof args, "sweep smoke --emit %s --shards 5", want[k].engine);
        cr_expect_eq(meridian("", args), 0, "%s", err);
        cr_expect(strstr(out, want[k].has), "%s", out);
    }
    cr_expect_eq(meridian("", "sweep smoke --emit lsf"), 2);
    cr_expect(strstr(err, "slurm parallel mpirun kubernetes"), "%s", err);
}

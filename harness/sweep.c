/* `sweep`: measures a recipe cell by cell: keeps what is there, does what is missing, and may be stopped at any
 * point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/cli.h"
#include "base/clock.h"
#include "examine/examine.h"
#include "core/files.h"
#include "sweep/engine.h"
#include "sweep/sweep.h"

/* The path of the results: BASE.db, or BASE.2-of-7.db for a shard; "x.db" as a base means "x". */
static void db_path(const struct cli *c, const struct recipe *r, const struct shard *s, char base[900], char path[1000])
{
    const char *out = cli_value(c, "out", NULL);
    size_t n = (size_t)(out ? snprintf(base, 900, "%s", out) : snprintf(base, 900, "report/sweep/%s", r->name));
    if (n > 3 && n < 900 && !strcmp(base + n - 3, ".db"))
        base[n - 3] = 0;
    if (s->count > 1)
        snprintf(path, 1000, "%s.%ld-of-%ld.db", base, s->index + 1, s->count);
    else
        snprintf(path, 1000, "%s.db", base);
}

static int dump(const struct cli *c, const char *path)
{
    char err[700] = "";
    sqlite3 *db = NULL;
    const bool good = !store_read(&db, path, err, sizeof err) && dump_all(stdout, db, err, sizeof err) >= 0;
    sqlite3_close(db);
    return good ? EXIT_PASS : cli_error(c, "%s", err);
}

/* Stores the recipe's text with its results, so that `meridian plot FILE.db` has its figures. */
static int keep_recipe(struct sweep *s, const struct recipe *r, char *err, size_t n)
{
    char key[33], what[100];
    snprintf(what, sizeof what, "recipe %s", r->name);
    store_key(key, r->text, what);
    if (store_has(s->store, key))
        return 0;
    char *text = need((size_t)2 * strlen(r->text) + 1, 1), *to = text; /* a field cannot hold the end of a line */
    for (const char *f = r->text; *f; f++)
        to += sprintf(to, *f == '\n' ? "\\n" : *f == '\\' ? "\\\\" : "%c", *f);
    if (store_begin(s->store, key, what) == 0)
        store_put(s->store,
            &(struct entry){ .measure = "recipe",
                .quantity = r->name,
                .value = (double)NAN,
                .bound = (double)NAN,
                .witness = text });
    free(text);
    return store_commit(s->store, 0, err, n);
}

static int report(struct sweep *s, const char *path, double start)
{
    long word[4] = { 0 };
    sweep_words(s, word);
    printf("%s: %ld cells", s->name, s->cells);
    if (s->shard.count > 1)
        printf(" of shard %ld/%ld", s->shard.index + 1, s->shard.count);
    printf(", %ld measured, %ld already there; results: %ld, FAIL %ld, VACUOUS or UNDECIDED %ld, SKIP %ld; %.1f s, the "
           "store %.2f ms a cell, %ld waits for the disk of %.1f ms. %s\n",
        s->done, s->reused, word[3], word[0], word[2], word[1], now() - start,
        s->done > s->waits ? 1e3 * s->store_seconds / (double)(s->done - s->waits) : 0, s->waits,
        s->waits ? 1e3 * s->wait_seconds / (double)s->waits : 0, path);
    if (s->damaged)
        printf("%ld cells were there, but not as they were written: measured anew\n", s->damaged);
    if (s->crashed || s->failed)
        printf("no result: %ld cells crashed or hung, %ld failed; the next run tries them again. The first: %s\n",
            s->crashed, s->failed, s->first);
    return s->crashed ? EXIT_CRASH : s->failed || word[0] ? EXIT_FAIL : word[3] ? EXIT_PASS : EXIT_NOTHING;
}

static int folder_of(const char *path, char *err, size_t n) /* makes it, where the path names one */
{
    char dir[1000];
    snprintf(dir, sizeof dir, "%s", path);
    char *slash = strrchr(dir, '/');
    if (!slash || slash == dir)
        return 0;
    *slash = 0;
    return folder_make(dir, err, n);
}

static int run_plan(const struct cli *c, const struct recipe *r, struct sweep *s, const char *path)
{
    char note[600], err[700] = "";
    double start = now();
    if (folder_of(path, err, sizeof err))
        return cli_error(c, "%s", err);
    int opened = store_open_plain(&s->store, path, note, sizeof note, err, sizeof err);
    if (*note)
        fprintf(stderr, "meridian sweep: %s\n", note);
    if (opened)
        return cli_error(c, "%s", err);
    machine_describe(&s->here);
    struct provenance who = machine_provenance(&s->here);
    int rc = store_run(s->store, &who, err, sizeof err) || keep_recipe(s, r, err, sizeof err) ||
            sweep_run(s, err, sizeof err) ?
        cli_error(c, "%s", err) :
        report(s, path, start);
    store_close(s->store);
    return rc;
}

/* --emit: prints the script; --engine: runs it, and joins the shards. */
static int by_engine(const struct cli *c, const char *base, long shards, long cells)
{
    char err[1400] = "", self[900];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    struct submission e = { .job = { self, c->word[0], base, shards }, .cells = cells, .wait = cli_has(c, "wait") };
    if (cli_has(c, "emit"))
        return shard_script(stdout, cli_value(c, "emit", ""), &e.job, true, err, sizeof err) ?
            cli_error(c, "--emit: %s", err) : EXIT_PASS;
    e.name = cli_value(c, "engine", "");
    if (!strcmp(e.name, "kubernetes"))
        return cli_error(c, "--engine kubernetes: its results lie in a volume of the cluster; --emit kubernetes prints "
            "the job, to be applied where kubectl is");
    static const char *const own[] = { "fresh", "list", "limit", "jobs" };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (cli_has(c, own[k]))
            return cli_error(c, "--%s: has an effect on one process, not with --engine; add it to the script of --emit",
                own[k]);
    if (shards < 2)
        return cli_error(c, "--shards: found '%ld', allowed with --engine: 2 or more", shards);
    if (folder_of(base, err, sizeof err))
        return cli_error(c, "%s", err);
    const int rc = engine_run(&e, err, sizeof err);
    return rc < 0 ? cli_error(c, "--engine %.20s: %s", e.name, err) : rc;
}

static int with_recipe(const struct cli *c, const struct recipe *r, struct plan *p)
{
    char err[1400] = "", base[900], path[1000];
    struct shard shard = { 0, 1 };
    long jobs, memory, seconds, shards,
        here = sysconf(_SC_NPROCESSORS_ONLN),
        megabytes = (long)((double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) * 0.8 * 0x1p-20);
    const bool emit = cli_has(c, "emit");
    if (!cli_long(c, "jobs", here, 1, 256, &jobs) || !cli_long(c, "memory", megabytes, 1, 1L << 30, &memory) ||
        !cli_long(c, "limit", 0, 0, 1L << 30, &seconds) || !cli_long(c, "shards", 7, 1, 1L << 20, &shards))
        return EXIT_USAGE;
    if (emit + cli_has(c, "engine") + cli_has(c, "shard") > 1)
        return cli_error(c, "one of --emit, --engine and --shard");
    if (cli_has(c, "shards") && !emit && !cli_has(c, "engine"))
        return cli_error(c, "--shards: has an effect only with --emit or --engine");
    if (cli_has(c, "shard") && shard_read(&shard, cli_value(c, "shard", ""), err, sizeof err))
        return cli_error(c, "%s", err);
    db_path(c, r, &shard, base, path);
    if (cli_has(c, "dump"))
        return dump(c, path);
    if (plan_make(p, r, (double)memory * 0x1p20 / (double)jobs, err, sizeof err))
        return cli_error(c, "%s", err);
    if (emit || cli_has(c, "engine"))
        return by_engine(c, base, shards, p->n);
    for (long k = shard.index; k < p->n && cli_has(c, "list"); k += shard.count)
        printf("%ld %s\n", k, p->what[k]);
    if (cli_has(c, "list"))
        return EXIT_PASS;
    struct sweep s = { .plan = p,
        .shard = shard,
        .jobs = (int)jobs,
        .seconds = (int)seconds,
        .fresh = cli_has(c, "fresh"),
        .name = r->name };
    return run_plan(c, r, &s, path);
}

static int run(const struct cli *c)
{
    char err[1400];
    struct recipe *r = NULL;
    struct plan p = { 0 };
    size_t n = strlen(c->word[0]);
    if (cli_has(c, "dump") && n > 3 && !strcmp(c->word[0] + n - 3, ".db"))
        return dump(c, c->word[0]);
    int rc = recipe_open(&r, c->word[0], err, sizeof err) ? cli_error(c, "%s", err) : with_recipe(c, r, &p);
    plan_free(&p), recipe_close(r);
    return rc;
}
static const struct flag flags[] = {
    { "out", "BASE", "results go to BASE.db, of a shard to BASE.i-of-n.db; default report/sweep/RECIPE" },
    { "jobs", "N", "worker processes; default: processors; what is timed runs alone" },
    { "shard", "i/n", "only every n-th cell, from the i-th; auto: from the variables of Slurm, MPI, Kubernetes" },
    { "list", NULL, "the cells, numbered; nothing is measured" },
    { "dump", NULL, "what is there (of a recipe or FILE.db), sorted, without timings and provenance" },
    { "emit", "ENGINE", "a job script for slurm, parallel, mpirun or kubernetes" },
    { "engine", "ENGINE", "runs all shards by slurm, parallel or mpirun, and joins them" },
    { "wait", NULL, "of an array of Slurm: wait for its end, join the shards, end with the status of the whole",
        .needs = "engine" },
    { "shards", "7", "how many, for --emit and --engine" },
    { "memory", "MiB", "that all workers may use together; default: 80 % of what the machine has" },
    { "limit", "SECONDS", "of one cell; a worker that takes longer is killed" },
    { "fresh", NULL, "measure again what is already there" },
    { 0 },
};
const struct verb verb_sweep = { "sweep", "RECIPE|FILE.db",
    "a recipe of data/recipes or your own, measured cell by cell; resumes", NO_ROW, 1, 1, flags, run };

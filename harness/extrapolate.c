/* `extrapolate`: trains the models of the design run by run, asks them far beyond their trained length, keeps the
 * answers in the results store, and writes DIR/extrapolation.html and .md.  A run that is finished is not repeated,
 * and one that was interrupted is continued. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "core/cli.h"
#include "core/data.h"
#include "base/clock.h"
#include "lab/net/own.h"
#include "lab/net/own_subject.h"
#include "base/progress.h"
#include "base/worker.h"
#include "lab/train/work.h"
#include "examine/examine.h"
#include "lab/page/extrapolation.h"
#include "lab/page/extrapolation_json.h"
#include "lab/page/gate_file.h"
#include "lab/page/gates.h"
#include "lab/page/trainings.h"
#include "core/files.h"
#include "lab/page/plateau.h"
#include "store/machine.h"
#include "sweep/shard.h"

enum { RUNS = 1024 };
struct extrapolate_plan {
    struct study study[STUDIES];
    long studies;
    struct run *run;
    long runs;
    struct corpus corpus;
    bool text;
    char gates[65];
};

static bool listed(const char *list, const char *word) /* whether the list "a,b,c" has the word; NULL has every word */
{
    const size_t n = strlen(word);
    for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',')
        if (strcspn(s, ",") == n && !memcmp(s, word, n))
            return true;
    return !list;
}

/* Is e a user's own encoding, and like that one?  It is trained wherever that is. */
static bool trains_own(const char *name, const struct encoding *e) { return e->base && !strcmp(e->base, name); }

/* Writes the tasks of the design into there[n], each once, with a blank before it. */
static void tasks_of(const struct extrapolate_plan *p, char *there, size_t n)
{
    size_t at = 0;
    for (const struct study *y = p->study; y < p->study + p->studies && at < n; y++) {
        const struct study *first = p->study;
        while (strcmp(first->task, y->task))
            first++;
        at += first == y ? (size_t)snprintf(there + at, n - at, " %s", y->task) : 0;
    }
}

/* Checks that every word of the list is a task or an encoding, and one of the design. */
static int known(const struct cli *c, const struct extrapolate_plan *p, const char *flag)
{
    const bool of_tasks = !strcmp(flag, "tasks");
    char word[64], name[40], there[600] = "";
    tasks_of(p, there, sizeof there);
    for (const char *s = cli_value(c, flag, NULL); s && *s; s += strcspn(s, ","), s += *s == ',') {
        bool found = false;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(s, ",") < 63 ? (int)strcspn(s, ",") : 63, s);
        if (of_tasks ? !task_named(word) : !encoding_named(word))
            return cli_error(c, "--%s: unknown '%s'; %s%s", flag, word,
                of_tasks ? "the design has" : "`meridian lab list` names what there is", of_tasks ? there : "");
        for (const struct study *y = p->study; y < p->study + p->studies; y++) {
            found |= of_tasks && !strcmp(y->task, word);
            for (const char *e = NULL; !of_tasks && study_next(y, &e, name);)
                found |= !strcmp(name, word) || trains_own(name, encoding_named(word));
        }
        if (!found)
            return cli_error(c, "--%s: the design does not train '%s'%s%s; --design FILE names another", flag, word,
                of_tasks ? "; it has" : "", there);
    }
    return 0;
}

/* The task of the design that reads a text, which is one at most (design_read); NULL: there is none. */
static const struct task *text_task(const struct extrapolate_plan *p)
{
    const struct study *s = p->study;
    while (s < p->study + p->studies && !task_named(s->task)->reads)
        s++;
    return s < p->study + p->studies ? task_named(s->task) : NULL;
}
/* Whether that task is asked for. */
static bool wants_text(const struct extrapolate_plan *p, const struct cli *c)
{
    const struct task *text = text_task(p);
    return text && listed(cli_value(c, "tasks", NULL), text->name);
}

/* Why there is nothing to run. */
static void say_nothing(const struct cli *c, const struct extrapolate_plan *p)
{
    /* Flags that would have an effect if there were a run: asked for here, so that they are not refused as idle. */
    cli_value(c, "json", NULL), cli_value(c, "set", NULL), cli_has(c, "all");
    fprintf(stderr, "meridian extrapolate: nothing to run and no page written: %s\n",
        !p->text && wants_text(p, c) ?
            "the text that is asked for is missing, as said above" :
            "no line of the design has one of these encodings beside one of these tasks; one in brackets wants --all");
}

static int add_run(struct extrapolate_plan *p, const struct cli *c, const char *dir, const struct run *run, char *err,
    size_t n)
{
    if (p->runs == RUNS)
        return snprintf(err, n, "more than %d runs", RUNS), -1;
    struct run *r = &p->run[p->runs++];
    *r = *run;
    snprintf(r->gates, sizeof r->gates, "%s", p->gates);
    return run_name(r, dir, cli_value(c, "set", ""), p->text ? &p->corpus : NULL, err, n);
}
/* The runs of one encoding of a study, and of the users' own that are like it. */
static int add_runs(struct extrapolate_plan *p, const struct cli *c, const char *dir, struct run run, bool wanted,
    char *err,
    size_t n)
{
    const char *name = run.encoding, *only = cli_value(c, "encodings", NULL);
    if (wanted && listed(only, name) && add_run(p, c, dir, &run, err, n))
        return -1;
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        run.encoding = e->name;
        if (trains_own(name, e) && listed(only, e->name) && add_run(p, c, dir, &run, err, n))
            return -1;
    }
    return 0;
}

/* Lists the runs seed by seed, so that wherever it is stopped the finished runs are paired across encodings. */
static int expand(struct extrapolate_plan *p, const struct cli *c, const char *dir, long seeds, char *err, size_t n)
{
    char name[40];
    int kind;
    for (long seed = 1; seed <= SEEDS_MOST; seed++)
        for (struct study *s = p->study; s < p->study + p->studies; s++)
            for (const char *at = NULL; (kind = study_next(s, &at, name));) {
                if (seed > (seeds ? seeds : s->seeds) || !listed(cli_value(c, "tasks", NULL), s->task) ||
                    (task_named(s->task)->reads && !p->text))
                    continue;
                if (add_runs(p, c, dir,
                    (struct run){ .study = s, .encoding = encoding_named(name)->name, .seed = seed },
                    kind == 1 || cli_has(c, "all"), err, n))
                    return -1;
            }
    return 0;
}

/* Leaves this process the runs of its shard: every count-th. */
static void keep_shard(struct extrapolate_plan *p, const struct shard *s)
{
    long n = 0;
    for (long k = s->index; k < p->runs; k += s->count)
        p->run[n++] = p->run[k];
    p->runs = n;
}

/* What a process that ran a model ends with: it did it; it failed; the answers were there. */
enum training_end { ENDED_RAN, ENDED_FAILED, ENDED_THERE };
/* Trains one model, in a process of its own. */
static void one_run(const struct run *r, const struct extrapolate_plan *p)
{
    char note[4400], err[4400];
    int rc = run_do(r, p->text ? &p->corpus : NULL, 1, note, sizeof note, err, sizeof err);
    if (*note)
        fprintf(stderr, "meridian extrapolate: %s\n", note);
    if (rc < 0)
        fprintf(stderr, "meridian extrapolate: %s %s seed %ld: %s\n", r->study->task, r->encoding, r->seed, err);
    own_close();
    fflush(NULL);
    _exit(rc < 0 ? ENDED_FAILED : rc ? ENDED_THERE : ENDED_RAN);
}

/* The runs that are at work: the process of each, and how much of all is done. */
struct crew { struct extrapolate_plan *p; pid_t *process; struct waited *waited; double *work; struct progress how;
    long alive; };
static bool crew_open(struct crew *w, struct extrapolate_plan *p)
{
    const size_t runs = (size_t)p->runs + 1;
    *w = (struct crew){ .p = p, .process = need(runs, sizeof *w->process), .work = need(runs, sizeof *w->work) };
    w->waited = mmap(NULL, runs * sizeof *w->waited, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w->waited == MAP_FAILED)
        return free(w->process), free(w->work), false;
    for (long k = 0; k < p->runs; k++) {
        char path[4300];
        snprintf(path, sizeof path, "%s.answers", p->run[k].asked);
        w->work[k] = access(path, R_OK) ? work_of_run(&p->run[k]) : 0;
        p->run[k].waited = &w->waited[k];
    }
    progress_begin(&w->how, "extrapolate", "steps", 1);
    return true;
}
static void crew_close(struct crew *w)
{
    progress_wipe(&w->how);
    for (long k = 0; k < w->p->runs; k++)
        w->p->run[k].waited = NULL;
    munmap(w->waited, ((size_t)w->p->runs + 1) * sizeof *w->waited);
    free(w->process), free(w->work);
}
/* Says how far all runs are, and names the first that is at work. */
static void crew_say(struct crew *w)
{
    char what[120] = "";
    double done = 0, of = 0;
    for (long k = 0; k < w->p->runs; k++) {
        const struct run *r = &w->p->run[k];
        const double here = w->work[k] - w->waited[k].spared;
        of += here > 0 ? here : 0, done += w->waited[k].done < here ? w->waited[k].done : here > 0 ? here : 0;
        if (!*what && w->process[k] > 0)
            snprintf(what, sizeof what, "%s %s seed %ld", r->study->task, r->encoding, r->seed);
    }
    w->how.of = of;
    progress_step(&w->how, done, what);
}
/* Takes note of a process that has ended; whether its run failed. */
static bool crew_ended(struct crew *w, pid_t child, int status)
{
    const bool failed = !WIFEXITED(status) || WEXITSTATUS(status) == ENDED_FAILED;
    w->alive--;
    for (long k = 0; k < w->p->runs; k++) {
        const struct run *r = &w->p->run[k];
        if (w->process[k] != child)
            continue;
        w->process[k] = 0, w->waited[k].done = w->work[k] - w->waited[k].spared;
        progress_wipe(&w->how);
        if (!failed && WEXITSTATUS(status) == ENDED_RAN)
            printf("%-8s %-9s seed %ld\n", r->study->task, r->encoding, r->seed), fflush(stdout);
    }
    return failed;
}

/* Runs all that is missing, `jobs` at a time; how many runs failed, -1: there is no memory to share. */
static long train_all(struct extrapolate_plan *p, long jobs)
{
    static const struct timespec tenth = { .tv_nsec = 100000000 };
    struct crew w;
    long failed = 0;
    int status;
    if (!crew_open(&w, p))
        return -1;
    for (long next = 0; next < p->runs || w.alive;) {
        if (next < p->runs && w.alive < jobs) {
            pid_t child = worker_fork();
            if (!child)
                one_run(&p->run[next], p);
            w.process[next++] = child, failed += child < 0, w.alive += child > 0;
            continue;
        }
        const pid_t child = waitpid(-1, &status, WNOHANG);
        if (child > 0)
            failed += crew_ended(&w, child, status);
        else
            nanosleep(&tenth, NULL);
        crew_say(&w);
    }
    crew_close(&w);
    return failed;
}

/* which gates there were before its training, for the page that is written from the database alone */
static void store_gates(struct store *s, const struct run *r, const char *text)
{
    char gates[65];
    if (sscanf(text, "%64[0-9a-f]", gates) == 1)
        store_put(s,
            &(struct entry){ .row = r->encoding,
                .quantity = r->study->task,
                .subject = "plain",
                .params = gates,
                .measure = "gates",
                .bound = (double)NAN,
                .seed = (uint64_t)r->seed });
}

/* Stores the training of a run, by which a page from the database alone tells runs apart; text: its identity. */
static void store_training(struct store *s, const struct run *r, const char *text)
{
    char training[TEXT_MAX];
    training_of(text, training);
    if (*training)
        store_put(s,
            &(struct entry){ .row = r->encoding,
                .quantity = r->study->task,
                .subject = "plain",
                .params = training,
                .measure = "training",
                .bound = (double)NAN,
                .seed = (uint64_t)r->seed });
}

/* stores the answers of every run as one item */
static int store_all(const struct extrapolate_plan *p, struct store *s, char *err, size_t n)
{
    int rc = 0;
    for (const struct run *r = p->run; r < p->run + p->runs && !rc; r++) {
        char key[33], path[4300], line[4000];
        bool first = true;
        snprintf(path, sizeof path, "%s.answers", r->asked);
        FILE *f = file_open(path);
        store_key(key, "extrapolate", strrchr(r->asked, '/') + 1);
        if (f && !store_has(s, key) && store_begin(s, key, strrchr(r->asked, '/') + 1) == 0) {
            while (fgets(line, sizeof line, f)) {
                char measure[32], variant[32], params[80];
                long long size, count;
                double depth, value;
                if (first)
                    store_training(s, r, line);
                first = false;
                if (!strncmp(line, "# gates ", 8))
                    store_gates(s, r, line + 8);
                if (sscanf(line, "%31[^\t]\t%31[^\t]\t%lld\t%lf\t%lf\t%lld", measure, variant, &size, &depth, &value,
                        &count) != 6)
                    continue; /* other lines: the identity of the run, the digest of its weights */
                snprintf(params, sizeof params, "size=%lld depth=%g", size, depth);
                store_put(s,
                    &(struct entry){ .row = r->encoding,
                        .quantity = r->study->task,
                        .subject = variant,
                        .params = params,
                        .measure = measure,
                        .value = value,
                        .bound = (double)NAN,
                        .method = "sample",
                        .n = count,
                        .seed = (uint64_t)r->seed });
            }
            rc = store_commit(s, 0, err, n);
        }
        if (f)
            fclose(f);
    }
    return rc;
}

/* The page's own words about what was run, in place of the design's name. */
static const char *kind_of(const struct cli *c)
{
    return cli_has(c, "quick") ? "A sketch: short trainings, few questions, and one seed where --seeds asks for no "
                                 "more. It shows what the study asks and how; no number of it is to be cited, nor a "
                                 "gate, which five seeds may decide." :
        cli_has(c, "design")   ? "Runs of a design that was given with --design." :
        cli_has(c, "all")      ? "The whole study, with the encodings in brackets (--all)." :
                                 "The study without the encodings in brackets, whose kernels have no vectors.";
}

static int report(const struct extrapolate_plan *p, const struct cli *c, const char *dir, char *err, size_t n)
{
    const bool again = cli_has(c, "page");
    char path[4200], note[600], gates[600];
    const double unigram = p->text ? p->corpus.unigram : (double)INFINITY;
    struct machine m;
    struct store *s;
    snprintf(path, sizeof path, "%s/extrapolation.db", dir);
    machine_describe(&m);
    int rc = store_open(&s, path, note, sizeof note, err, n);
    if (*note)
        fprintf(stderr, "meridian extrapolate: %s\n", note);
    if (rc)
        return rc;
    const struct wanted of = { p->study, p->studies, cli_value(c, "set", ""), dir };
    const struct provenance who = machine_provenance(&m);
    const bool settings = cli_has(c, "plateau");
    rc = store_run(s, &who, err, n) ? -1 :
        !again                      ? store_all(p, s, err, n) :
        settings                    ? 0 :
                                      trainings_plan(store_db(s), &of, err, n);
    if (settings)
        rc = rc ? rc : plateau_page(s, &of, data_path("gates.tsv", gates, sizeof gates), unigram, err, n);
    else
        rc = rc ? rc :
                  extrapolation_page(s, dir,
                      &(struct extrapolated){ kind_of(c), p->study, p->studies, cli_value(c, "set", ""), unigram,
                          p->text ? p->corpus.characters : 1 },
                      err, n);
    if (!rc && cli_has(c, "json"))
        rc = extrapolation_json(store_db(s), cli_value(c, "json", ""), err, n);
    store_close(s);
    return rc;
}

static bool store_there(const char *dir)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/extrapolation.db", dir);
    return !access(path, R_OK);
}

/* Reads the design and the gates, before anything is trained for them. */
static int plan_read(struct extrapolate_plan *p, const struct cli *c, char *err, size_t n)
{
    static struct gate gates[GATES_MOST];
    char path[600], of[600];
    const char *design = cli_value(c, "design", NULL);
    const bool settings = cli_has(c, "plateau");
    if (cli_has(c, "quick") && (design || settings))
        return snprintf(err, n, "--quick is a design of its own; leave --%s out", design ? "design" : "plateau"), -1;
    if (settings && cli_has(c, "json"))
        return snprintf(err, n, "--json: --plateau writes every answer into its plateau.tsv; leave --json out"), -1;
    if (!design)
        design = data_path(cli_has(c, "quick") ? "quick.tsv" : settings ? "plateau.tsv" : "extrapolate.tsv", path,
            sizeof path);
    p->studies = settings ? settings_read(p->study, design, err, n) : design_read(p->study, design, err, n);
    if (p->studies < 0 || gates_read(data_path("gates.tsv", of, sizeof of), gates, err, n) < 0)
        return -1;
    return 0;
}

/* Makes the folder lab of the runs, and keeps the gates there that they are trained under. */
static int runs_begin(struct extrapolate_plan *p, const struct cli *c, const char *lab, char *err, size_t n)
{
    char of[600];
    if (folder_make(lab, err, n))
        return -1;
    return cli_has(c, "page") ? 0 : gates_keep(data_path("gates.tsv", of, sizeof of), lab, p->gates, err, n);
}

static int run(const struct cli *c)
{
    static struct extrapolate_plan p;
    const char *dir = cli_value(c, "out", cli_has(c, "plateau") ? "report/plateau" : "report");
    const char *page_name = cli_has(c, "plateau") ? "plateau" : "extrapolation", *shared = cli_value(c, "shard", NULL);
    struct shard shard = { 0, 1 };
    const char *own, *why = fault_of_set(cli_value(c, "set", ""), false);
    char err[4400], lab[4100];
    long seeds, jobs;
    double start = now();
    const bool page = cli_has(c, "page");
    if (!cli_long(c, "seeds", 0, 1, SEEDS_MOST, &seeds) || !cli_long(c, "jobs", 2, 1, 64, &jobs))
        return EXIT_USAGE;
    if (shared && shard_read(&shard, shared, err, sizeof err))
        return cli_error(c, "--shard: %s", err);
    if (strlen(dir) > 3800)
        return cli_error(c, "--out: too long a path");
    if (why)
        return cli_error(c, "--set: %s", why);
    if (page && !store_there(dir))
        return cli_error(c, "--page: no %s/extrapolation.db; without --page its runs are made", dir);
    for (int k = 0; (own = cli_each(c, "own", &k));)
        if (own_encoding(own, err, sizeof err))
            return cli_error(c, "--own: %s", err);
    snprintf(lab, sizeof lab, "%s/lab", dir);
    if (plan_read(&p, c, err, sizeof err))
        return cli_error(c, "%s", err);
    if (known(c, &p, "tasks") || known(c, &p, "encodings"))
        return EXIT_USAGE;
    if (runs_begin(&p, c, lab, err, sizeof err))
        return cli_error(c, "%s", err);
    const struct task *text = text_task(&p);
    p.text = text && corpus_open(&p.corpus, text->reads, err, sizeof err) == 0;
    if (!p.text && wants_text(&p, c))
        fprintf(stderr, "meridian extrapolate: not run: task %s: %s\n", text->name, err);
    p.run = need(RUNS, sizeof *p.run);
    if (!page && expand(&p, c, lab, seeds, err, sizeof err))
        return cli_error(c, "%s", err);
    keep_shard(&p, &shard);
    if (!page && !p.runs)
        return say_nothing(c, &p), EXIT_NOTHING;
    const long failed = train_all(&p, jobs);
    if (failed < 0)
        return cli_error(c, "no memory to share with the processes that train");
    if (report(&p, c, dir, err, sizeof err))
        return cli_error(c, "%s", err);
    printf("%s/%s.html and %s/%s.md: ", dir, page_name, dir, page_name);
    if (page)
        printf("written again, nothing trained, %.1f s\n", now() - start);
    else
        printf("%ld runs, %ld failed, %.1f s\n", p.runs, failed, now() - start);
    corpus_close(&p.corpus), free(p.run);
    return failed ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "out", "DIR",
                                         "folder of the page, its figures, extrapolation.db and lab/; default report" },
    { "tasks", "lm,needle", "only these" }, { "encodings", "rope,alibi", "only these" },
    { "own", "TEXT", "an encoding of your own beside its base: \"NAME=BASE [WORDS] [by SUBJECT]\"", .many = true },
    { "all", NULL, "the encodings in brackets too, whose kernels have no vectors" },
    { "design", "FILE", "another design, a table as data/extrapolate.tsv" },
    { "plateau", NULL, "several rates and numbers of steps side by side (data/plateau.tsv); default of --out then "
                       "report/plateau" },
    { "shard", "1/2", "only this part of the runs, or auto; each part has a folder of its own, and merge joins their "
                      "extrapolation.db" },
    { "quick", NULL, "a sketch of one seed in a few minutes (data/quick.tsv)" },
    { "json", "FILE", "every answer, mean and gate too, as JSON", .writes = true },
    { "page", NULL, "the page again, from the answers of DIR/extrapolation.db; trains nothing" },
    { "seeds", "5", "of every run; default: as the design says" }, { "jobs", "2", "runs at a time" },
    { "set", "TEXT", "other parameters of training: \"steps=40 layers=2\"" }, { 0 } };
const struct verb verb_extrapolate = { "extrapolate", "",
    "small Transformers with every encoding, trained and asked far beyond their trained length", NO_ROW, 0, 0, flags,
    run };

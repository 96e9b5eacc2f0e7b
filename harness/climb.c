/* `climb`: an open-ended search for arithmetics within a profile that its bound refuses (climb/climb.h). */
#include <math.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include "base/clock.h"
#include "climb/climb_store.h"
#include "core/cli.h"
#include "store/machine.h"
#include "store/table.h"

static volatile sig_atomic_t stopped; /* set by SIGINT or SIGTERM; what was found until then is kept */
static void stop(int signal) { stopped = signal; }

static int replay(const struct cli *c, const char *text)
{
    struct climb *q = need(1, sizeof *q);
    struct climb_answer y;
    char err[900];
    int rc;
    if (climb_read(q, text, err, sizeof err))
        rc = cli_error(c, "%s", err);
    else {
        struct climber *m = climber_open();
        climb_ask(m, q, &y);
        climber_close(m);
        printf("share %.6g of the bound: got %a, ball %a +- %.17g", y.share, y.got, y.mid, y.bound);
        if (y.out)
            printf(", %s line %ld %ld, element %ld", y.out, y.at[0], y.at[1], y.k);
        printf("%s\n", y.undecided ? ", undecided" : "");
        rc = !y.asked ? EXIT_NOTHING : y.share <= 1 ? EXIT_PASS : EXIT_FAIL;
    }
    climb_close(q), free(q);
    return rc;
}

static void print_escape(const struct climb_escape *e, bool crash, double at, void *with)
{
    (void)with;
    if (crash)
        printf("CRASH %s, after %.1f s\n", e->key, at);
    else
        printf("ESCAPE %s: %.4g of its bound, after %.1f s\n", e->key, e->share, at);
    printf("  meridian climb --case '%s'\n", e->text);
    fflush(stdout);
}

static void print_escape_json(const struct climb_escape *e, bool crash, double at, void *with)
{
    (void)with;
    json_t *o = json_pack("{s:s, s:s, s:s, s:f, s:s}", crash ? "crash" : "escape", e->key, "row",
        all_rows[e->row]->name, "share", isinf(e->share) ? "inf" : "finite", "seconds", at, "case", e->text);
    if (o && !isinf(e->share))
        json_object_set_new(o, "share", json_real(e->share));
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n'), fflush(stdout);
    json_decref(o);
}

static int show(const struct cli *c, sqlite3 *db, bool escapes)
{
    for (const struct climb_table *t = climb_tables; t->name; t++) {
        if (!escapes && !strcmp(t->name, "escapes")) /* escapes were printed one by one already */
            continue;
        if (!cli_has(c, "json"))
            printf("\n%s\n", t->caption);
        if ((cli_has(c, "json") ? table_json(stdout, db, t->name, t->sql) : table_text(stdout, db, t->sql)) < 0)
            return cli_error(c, "%s", sqlite3_errmsg(db));
    }
    return 0;
}

/* With --write, writes the rows' files from the store.  Then prints what is wrong with their lines; how many are
 * wrong, or -1 and one line. */
static long tightness(const struct cli *c, sqlite3 *db)
{
    long wrong = 0;
    char err[900];
    for (const struct row *const *r = all_rows; *r; r++)
        if (!c->row || c->row == *r) {
            if (cli_has(c, "write") && tightness_write(db, *r, err, sizeof err))
                return cli_error(c, "%s", err), -1;
            wrong += cli_has(c, "tight") ? tightness_check(*r, stdout) : 0;
        }
    return wrong;
}

static int open_store(const struct cli *c, struct store **s)
{
    char note[600], err[700];
    struct machine here;
    machine_describe(&here);
    const struct provenance who = machine_provenance(&here);
    const int opened = store_open_plain(s, cli_value(c, "out", ":memory:"), note, sizeof note, err, sizeof err);
    if (*note)
        fprintf(stderr, "meridian climb: %s\n", note);
    return opened || store_run(*s, &who, err, sizeof err) ? cli_error(c, "%s", err) : 0;
}

static int climb(const struct cli *c, struct climb_run *r, struct store *s)
{
    struct climb_found *f = need(1, sizeof *f);
    char err[700];
    long asked = 0, wrong = 0;
    int rc = climb_run(r, f, err, sizeof err) || climb_keep(s, r, f, err, sizeof err) ? cli_error(c, "%s", err) :
                                                                                        show(c, store_db(s), false);
    for (int k = 0; k < CLIMB_ROWS; k++)
        asked += f->row[k].asked[0] + f->row[k].asked[1];
    if (!rc)
        wrong = tightness(c, store_db(s));
    rc = rc ? rc : f->escapes || wrong ? EXIT_FAIL : asked ? EXIT_PASS : EXIT_NOTHING;
    free(f);
    return rc;
}

static int run(const struct cli *c)
{
    long seconds, seed, jobs, patience, work;
    struct store *s = NULL;
    const char *only = cli_value(c, "only", NULL);
    if (cli_value(c, "case", NULL))
        return replay(c, cli_value(c, "case", NULL));
    if (!cli_long(c, "seconds", 20, 1, 1L << 30, &seconds) ||
        !cli_long(c, "seed", (long)seed_of_the_day(), 0, 1L << 40, &seed) ||
        !cli_long(c, "jobs", 1, 1, CLIMB_JOBS, &jobs) || !cli_long(c, "patience", 40, 0, 1L << 20, &patience) ||
        !cli_long(c, "work", 0, 0, 1L << 40, &work))
        return EXIT_USAGE;
    const bool steps = only && !strcmp(only, "steps");
    if (only && !steps && strcmp(only, "page") && strcmp(only, "own"))
        return cli_error(c, "--only: found '%.40s', allowed: page own steps", only);
    struct climb_run r = { .row = c->row,
        .page = !only || *only != 'o',
        .steps = steps,
        .own = !only || *only == 'o',
        .seed = (uint64_t)seed,
        .seconds = work && !cli_has(c, "seconds") ? 1e9 : (double)seconds,
        .work = (double)work * 1e6,
        .jobs = (int)jobs,
        .patience = patience,
        .say = cli_has(c, "json") ? print_escape_json : print_escape,
        .stop = &stopped };
    signal(SIGINT, stop), signal(SIGTERM, stop);
    int rc = open_store(c, &s);
    if (!rc && cli_has(c, "table"))
        rc = show(c, store_db(s), true) || tightness(c, store_db(s)) ? EXIT_FAIL : EXIT_PASS;
    else if (!rc) {
        if (!cli_has(c, "json"))
            printf("climb: seed %ld, %ld %s, %ld worker%s\n", seed, work ? work : seconds,
                work ? "million balls a worker" : "s", jobs, jobs > 1 ? "s" : "");
        rc = climb(c, &r, s);
    }
    store_close(s);
    return rc;
}
static const struct flag flags[] = { { "seconds", "20", "how long" },
    { "work", "N", "how much, in millions of balls made by a worker, in place of a time: the same questions on every "
        "machine" },
    { "seed", "N", "of every choice; default: today's, the days since 1970" }, { "jobs", "1", "worker processes" },
    { "patience", "40", "changes in a row that gain nothing, before the next question" },
    { "only", "page|own|steps",
        "pages under adverse arithmetic, or own kernels; both are the default; or one step of "
        "a page at a time" },
    { "out", "FILE", "a results store, in which runs add up" },
    { "table", NULL, "nothing is asked: what the store holds" },
    { "tight", NULL, "a step below 0.3 of its bound without a reason, or a stale reason, fails" },
    { "write", NULL, "data/tightness/ROW.tsv: the largest shares and their cases, from the store" },
    { "case", "CASE", "one question again" }, { "json", NULL, "one object a line" }, { 0 } };
const struct verb verb_climb = { "climb", "[ROW]", "searches for honest arithmetic outside its bound", MAYBE_ROW, 0, 1,
    flags, run };

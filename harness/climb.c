/* Adversarial containment: a search without end for an arithmetic that a profile allows and its bound refuses. */
#include <math.h>
#include <stdlib.h>
#include "climb_run.h"
#include "cli.h"

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

static void say(const struct climb_escape *e, bool crash, double at, void *with)
{
    (void)with;
    if (crash)
        printf("CRASH %s, after %.1f s\n", e->key, at);
    else
        printf("ESCAPE %s: %.4g of its bound, after %.1f s\n", e->key, e->share, at);
    printf("  meridian climb --case '%s'\n", e->text);
    fflush(stdout);
}

static int closing(const struct climb_found *f)
{
    long asked = 0, escapes = 0;
    double seconds = 0;
    printf("%-12s %10s %8s %8s  %-60s %10s %8s %8s  %s\n", "row", "of pages", "escapes", "largest", "where", "of kernels", "escapes", "largest", "where");
    for (int k = 0; all_rows[k]; k++) {
        const struct climb_sum *s = &f->row[k];
        if (s->asked[0] + s->asked[1] + s->crashed == 0)
            continue;
        printf("%-12s %10ld %8ld %8.3f  %-60.60s %10ld %8ld %8.3f  %s\n", all_rows[k]->name, s->asked[0], s->escapes[0], s->share[0], s->where[0], s->asked[1], s->escapes[1], s->share[1], s->where[1]);
        asked += s->asked[0] + s->asked[1], escapes += s->escapes[0] + s->escapes[1] + s->crashed, seconds += s->seconds;
    }
    printf("%ld questions in %.0f s of work, %ld escapes or crashes in %d classes\n", asked, seconds, escapes, f->escapes);
    return f->escapes ? EXIT_FAIL : asked ? EXIT_PASS : EXIT_NOTHING;
}

static int run(const struct cli *c)
{
    long seconds, seed, jobs, patience;
    char err[300];
    const char *only = cli_value(c, "only", NULL);
    if (cli_value(c, "case", NULL))
        return replay(c, cli_value(c, "case", NULL));
    if (!cli_long(c, "seconds", 20, 1, 1L << 30, &seconds) || !cli_long(c, "seed", 1, 0, 1L << 40, &seed) || !cli_long(c, "jobs", 1, 1, CLIMB_JOBS, &jobs) || !cli_long(c, "patience", 40, 0, 1L << 20, &patience))
        return EXIT_USAGE;
    if (only && strcmp(only, "page") && strcmp(only, "own"))
        return cli_error(c, "--only: found '%.40s', allowed: page own", only);
    struct climb_found *f = need(1, sizeof *f);
    struct climb_run r = { .row = c->row, .page = !only || *only == 'p', .own = !only || *only == 'o', .seed = (uint64_t)seed, .seconds = (double)seconds, .jobs = (int)jobs, .patience = patience, .say = say };
    int rc = climb_run(&r, f, err, sizeof err) ? cli_error(c, "%s", err) : closing(f);
    free(f);
    return rc;
}
static const struct flag flags[] = { { "seconds", "20", "how long" }, { "seed", "1", "of every choice" }, { "jobs", "1", "worker processes" }, { "patience", "40", "changes in a row that gain nothing, before the next question" },
    { "only", "page|own", "pages under adverse arithmetic, or own kernels; both are the default" }, { "case", "CASE", "one question again" }, { 0 } };
const struct verb verb_climb = { "climb", "[ROW]", "searches for honest arithmetic outside its bound", MAYBE_ROW, 0, 1, flags, run };

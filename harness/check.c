/* `check`: the suite's own conformance run. quick (at most 60 s, in make test): every kernel of this machine on
 * every preset, every law with its breaker, every mistake found and a third of them named, and a climb from a seed that
 * is new every day. full (at most 15 min) and soak (hours): the same with more sizes, seeds, lines and climbing, every
 * entry of the tables, the goldens, and recorded libraries. */
#include <stdlib.h>
#include "tier/climb_tier.h"
#include "base/clock.h"
#include "checks/core/probe.h"
#include "tier/tiers.h"

static const struct tier tiers[] = {
    { "quick", QUICK, 16, 30, 4, 0, false },
    { "full", FULL, 64, 1200, 40, 131072, true },
    { "soak", SOAK, 256, 30000, 2000, 1L << 20, true },
    { 0 },
};

static int run(const struct cli *c)
{
    const char *word = c->words ? c->word[0] : "quick", *only = cli_value(c, "row", NULL);
    struct tier_plan p = {
        .tier = tiers, .row = only, .checks = cli_value(c, "checks", "all"), .matrix = cli_has(c, "kill")
    };
    long jobs = atol(cli_value(c, "jobs", "0"));
    struct sink s;
    double start = now();
    char what[120], err[300];
    const char *fault = checks_fault(p.checks, err, sizeof err);
    if (fault)
        return cli_error(c, "--checks: %s", fault);
    while (p.tier->name && strcmp(p.tier->name, word))
        p.tier++;
    if (!p.tier->name)
        return cli_error(c, "found '%.80s'; allowed: quick full soak", word);
    if (only && !row_named(only))
        return cli_error(c, "--row: no row '%.80s'", only);
    if (jobs < 0 || jobs > 64 || (cli_has(c, "jobs") && !jobs))
        return cli_error(c, "--jobs: found '%.20s'; allowed: 1 to 64", cli_value(c, "jobs", ""));
    for (int k = 0; k < 2 && cli_has(c, "json"); k++)
        if (cli_has(c, k ? "cost" : "kill"))
            return cli_error(c, "--%s prints a table, no JSON; leave --json out", k ? "cost" : "kill");
    if (!sink_open(&s, c))
        return EXIT_USAGE;
    s.quiet = !cli_has(c, "verbose");
    plan_open(&p, &s);
    struct spent *spent = need((size_t)p.n + 1, sizeof *spent);
    plan_run(&p, &s, jobs ? (int)jobs : crew_hands(), spent);
    if (cli_has(c, "cost"))
        plan_costs(&p, spent, stdout);
    plan_close(&p), free(spent);
    snprintf(what, sizeof what, "check %s, %ld of %ld pairs of preset and size, climb of seed %ld, %.0f s",
        p.tier->name, p.asked, p.of, climb_tier_seed(), now() - start);
    return sink_close(&s, what);
}
static const struct flag flags[] = {
    { "row", "ROW", "only this row" },
    { "checks", "NAMES", "all, none, or only these of the checks" },
    { "verbose", NULL, "print every verdict" },
    { "kill", NULL, "print which mistake is killed by which quantity" },
    { "cost", NULL, "processor time a row" },
    { "jobs", "N", "processes; as many as there are processors" }, { "json", NULL, "one object a line" },
    { "junit", "FILE", "JUnit XML", .writes = true }, { "md", "FILE", "Markdown table", .writes = true }, { 0 },
};
const struct verb verb_check = { "check", "[quick|full|soak]", "own kernels, laws, mistakes; the suite's own run",
    NO_ROW, 0, 1, flags, run };

/* The suite's own conformance run.  quick (<= 60 s, inside make test): every kernel of this machine on every preset, every law with its breaker, every
 * mistake killed and named.  full (<= 15 min), soak (hours): the same with more sizes, seeds and lines; every table entry; goldens; recorded libraries. */
#include "apart.h"
#include "tiers.h"

static const struct tier tiers[] = {
    { "quick", 4, 1, 16, 4, 0, false }, { "full", 7, 3, 64, 40, 131072, true }, { "soak", 9, 400, 256, 2000, 1L << 20, true }, { 0 },
};

static int run(const struct cli *c)
{
    const char *word = c->words ? c->word[0] : "quick", *only = cli_value(c, "row", NULL);
    const struct tier *tier = tiers;
    struct sink s;
    struct apart other;
    double start = now();
    char what[80];
    while (tier->name && strcmp(tier->name, word))
        tier++;
    if (!tier->name)
        return cli_error(c, "found '%.80s'; allowed: quick full soak", word);
    if (only && !row_named(only))
        return cli_error(c, "--row: no row '%.80s'", only);
    if (!sink_open(&s, c))
        return EXIT_USAGE;
    s.quiet = !cli_has(c, "verbose");
    if (apart_here(&other, &s)) {
        check_kernels(&s, only, tier, 1);
        check_long(&s, only, tier);
        apart_done(&other, &s);
    }
    check_laws(&s, only, tier);
    check_mistakes(&s, only, cli_has(c, "kill") ? (s.json ? stderr : stdout) : NULL);
    check_kernels(&s, only, tier, 0);
    if (tier->limit)
        check_tables(&s, only, tier);
    if (tier->recorded) {
        check_goldens(&s, only);
        check_packs(&s, only, tier);
    }
    apart_join(&other, &s);
    snprintf(what, sizeof what, "check %s, %.0f s", tier->name, now() - start);
    return sink_close(&s, what);
}
static const struct flag flags[] = {
    { "row", "ROW", "only this row" }, { "verbose", NULL, "print every verdict" }, { "kill", NULL, "print which mistake is killed by which quantity" }, { "json", NULL, "one object a line" },
    { "junit", "FILE", "JUnit XML" }, { "md", "FILE", "Markdown table" }, { 0 },
};
const struct verb verb_check = { "check", "[quick|full|soak]", "own kernels, laws, mistakes; the suite's own run", NO_ROW, 0, 1, flags, run };

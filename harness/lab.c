/* The laboratory's own checks: `lab gradcheck`, every block of every encoding; `lab list`, what can be trained. */
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "gradcheck.h"

static int check_one(const char *encoding, const struct lab_size *s, uint64_t seed)
{
    struct gradcheck g[BLOCKS_MOST];
    char err[600];
    int n = gradcheck(encoding, s, seed, NULL, g, err, sizeof err), bad = 0;
    if (n < 0)
        return fprintf(stderr, "meridian lab: %s\n", err), -1;
    for (int k = 0; k < n; k++) {
        const int ok = g[k].difference <= 1e-6;
        bad += !ok;
        printf("%-10s %s %-12s %6lld  |g| %-10.4g difference %-10.3g kernels %-10.3g %s\n", encoding, s->encoders ? "encoder-decoder" : "decoder", g[k].block, (long long)g[k].count, g[k].norm, g[k].difference, g[k].kernels, ok ? "PASS" : "FAIL");
    }
    return bad;
}

static int gradients(const struct cli *c)
{
    long seed;
    int bad = 0, done = 0;
    const char *only = cli_value(c, "encoding", NULL);
    if (!cli_long(c, "seed", 1, 0, 1 << 30, &seed))
        return EXIT_USAGE;
    if (only && !encoding_named(only))
        return cli_error(c, "unknown encoding '%s'; see lab list", only);
    for (const struct encoding *e = encodings; e->name; e++)
        if (!only || !strcmp(only, e->name)) {
            bad += check_one(e->name, &gradcheck_size, (uint64_t)seed) != 0 || (e->source && check_one(e->name, &gradcheck_pair, (uint64_t)seed) != 0), done++;
        }
    printf("%d encodings, %d with a block whose gradient is off by more than 1e-6\n", done, bad);
    return bad ? EXIT_FAIL : EXIT_PASS;
}

static int list(void)
{
    for (const struct encoding *e = encodings; e->name; e++)
        printf("%-10s %s%s%s  [%s]\n", e->name, e->params ? e->params : "", e->sizes ? " " : "", e->sizes ? e->sizes : "", e->cite);
    return EXIT_PASS;
}

static int run(const struct cli *c)
{
    return !strcmp(c->word[0], "gradcheck") ? gradients(c) : !strcmp(c->word[0], "list") ? list() : cli_error(c, "unknown '%s'; there are: gradcheck list", c->word[0]);
}
static const struct flag flags[] = { { "encoding", "NAME", "only this one" }, { "seed", "1", "of parameters, tokens, directions" }, { 0 } };
const struct verb verb_lab = { "lab", "gradcheck | list", "models of the laboratory: their gradients against differences, block by block; what can be trained", NO_ROW, 1, 1, flags, run };

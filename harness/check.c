/* The suite's own conformance run: every kernel of this machine on every preset, and every law with its breaker.
 * quick (<= 60 s, inside make test), full (<= 15 min), soak (hours): the same questions, more sizes, seeds and lines. */
#include <stdlib.h>
#include <unistd.h>
#include "examine.h"

struct tier { const char *name; int sizes, seeds; long lines; uint64_t laws; };
static const struct tier tiers[] = { { "quick", 3, 1, 24, 4 }, { "full", 6, 8, 64, 40 }, { "soak", 8, 400, 256, 2000 }, { 0 } };
static const char *const sizes[] = { "n=17 m=9", "n=1 m=6", "n=40 m=33", "n=3 m=5 h=4 g=2", "n=2 m=70", "n=129 m=64", "n=300 m=257", "n=1000 m=1024" };

static void progress(const char *what, const char *row)
{
    if (isatty(2))
        fprintf(stderr, "\r\033[K%s %s", what, row ? row : "");
}

static void kernels(struct sink *s, const struct cli *c, const struct tier *tier)
{
    char err[600], name[40];
    for (const struct slot *o = slots; o->name; o++) {
        struct subject who;
        snprintf(name, sizeof name, "own:%s", o->name);
        if (!o->here() || subject_open(&who, name, err, sizeof err)) {
            struct finding f = { .word = SKIPPED, .subject = name, .row = "*", .quantity = "*" };
            snprintf(f.reason, sizeof f.reason, "this machine has no %s, or MERIDIAN_ISA masks it", o->name);
            sink_say(s, &f);
            continue;
        }
        for (const struct mer_kernel *k = who.kernel; k->row; k++) {
            progress(name, k->row);
            for (const struct preset *p = row_named(k->row)->presets; p->name && (!cli_has(c, "row") || !strcmp(cli_value(c, "row", ""), k->row)); p++)
                for (int z = 0; z < tier->sizes; z++)
                    for (int seed = 1; seed <= tier->seeds; seed++) {
                        struct trial t;
                        struct tally y;
                        struct finding f;
                        struct question q = { &who, k, p->text, NULL, sizes[z], (uint64_t)(seed + 10 * z), tier->lines };
                        examine(&q, &t, &y, &f);
                        trial_close(&t);
                        sink_say(s, &f);
                    }
        }
        who.close(&who);
    }
}

static int run(const struct cli *c)
{
    const char *word = c->words ? c->word[0] : "quick", *only = cli_value(c, "row", NULL);
    const struct tier *tier = tiers;
    struct sink s;
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
    kernels(&s, c, tier);
    for (const struct laws *l = all_laws; l->row; l++)
        for (const struct law *one = l->law; one->says && (!only || !strcmp(only, l->row)); one++) {
            progress("law", l->row);
            examine_law(&s, l->row, one, tier->laws);
        }
    progress("", NULL);
    snprintf(what, sizeof what, "check %s, %.0f s", tier->name, now() - start);
    return sink_close(&s, what);
}
static const struct flag flags[] = { { "row", "ROW", "only this row" }, { "verbose", NULL, "print every verdict" }, { "json", NULL, "one object a line" }, { "junit", "FILE", "JUnit XML" }, { "md", "FILE", "Markdown table" }, { 0 } };
const struct verb verb_check = { "check", "[quick|full|soak]", "own kernels and laws; the suite's own run", NO_ROW, 0, 1, flags, run };

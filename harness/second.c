/* `second`: questions and the reference's answers as text, for a second system: tests/second answers them with
 * formulas of its own. */
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/files.h"
#include "core/cli.h"
#include "golden/goldenpack.h"
#include "golden/second.h"

struct second_asking { const char *row; char err[900]; long lines; };

static int golden_line_asked(const struct golden *g, void *with)
{
    struct second_asking *a = with;
    struct trial t;
    long k;
    char id[160];
    progress_count(g->id);
    const int bad = golden_trial(&t, a->row, g, &k, a->err, sizeof a->err);
    snprintf(id, sizeof id, "%.60s/%.64s", a->row, g->id);
    if (!bad)
        second_ask(stdout, "golden", id, &t, g, 1);
    trial_close(&t);
    return bad;
}

static int goldens(const struct cli *c, const char *dir) /* writes the golden lines of the files dir/ROW.tsv */
{
    struct second_asking a = { .lines = 1 };
    for (const struct row *const *r = all_rows; *r; r++) {
        char path[700];
        if (c->row && c->row != *r)
            continue;
        snprintf(path, sizeof path, "%.600s/%s.tsv", dir, (*r)->name);
        char *text = file_read(path);
        a.row = (*r)->name;
        const bool bad =
            text && (golden_intact(text, a.err, sizeof a.err) || golden_each(text, golden_line_asked, &a) < 0);
        free(text);
        if (bad)
            return cli_error(c, "%s: %s", path, a.err);
    }
    return EXIT_PASS;
}

static int pack_case(const struct goldcase *g, struct trial *t, void *with)
{
    const struct second_asking *a = with;
    if (!a->row || !strcmp(a->row, g->row->name))
        second_ask(stdout, "pack", g->id, t, NULL, a->lines);
    return 0;
}

static int randoms(const struct cli *c, long count, long seed, long lines)
{
    long rows = 0, made = 0;
    while (all_rows[rows])
        rows++;
    for (long k = 0; k < count; k++) {
        const struct row *r = c->row ? c->row : all_rows[k % rows];
        struct trial t;
        char id[80];
        progress_count(r->name);
        if (second_draw(&t, r, (uint64_t)seed, (uint64_t)(c->row ? k : k / rows)))
            continue;
        snprintf(id, sizeof id, "random-%ld-%ld", seed, k);
        second_ask(stdout, "random", id, &t, NULL, lines);
        trial_close(&t);
        made++;
    }
    return made || !count ? EXIT_PASS : EXIT_NOTHING;
}

static void rows_listed(const struct cli *c) /* lists the rows and quantities that are to be covered */
{
    for (const struct row *const *r = all_rows; *r; r++)
        for (const struct quantity *q = (*r)->q; q->sign && (!c->row || c->row == *r); q++) {
            struct sign s;
            sign_read(&s, q->sign);
            printf("{\"source\":\"list\",\"row\":\"%s\",\"quantity\":\"%s\",\"lead\":%d}\n", (*r)->name, s.out.name,
                s.out.lead);
        }
}

static int run(const struct cli *c)
{
    struct second_asking a = { .row = c->row ? c->row->name : NULL };
    const char *path = cli_value(c, "kept", NULL);
    long count, seed;
    int rc = EXIT_PASS;
    if (!cli_long(c, "random", 0, 0, 1L << 24, &count) || !cli_long(c, "seed", 1, 0, 1L << 62, &seed) ||
        !cli_long(c, "lines", 4, 1, 1L << 20, &a.lines))
        return EXIT_USAGE;
    if (!cli_has(c, "golden") && !cli_has(c, "pack") && !cli_has(c, "random") && !cli_has(c, "kept"))
        return cli_error(c, "say --golden DIR, --pack, --kept FILE or --random N");
    if (cli_has(c, "lines") && !cli_has(c, "pack") && !cli_has(c, "random") && !cli_has(c, "kept"))
        return cli_error(c, "--lines is of --pack, --kept and --random; a golden line is one element");
    FILE *kept = path ? file_open(path) : NULL;
    if (path && !kept)
        return cli_error(c, "%s: cannot be read; give a regular file, as second --random prints it", path);
    rows_listed(c);
    progress_of("second", "questions", 0);
    if (cli_has(c, "golden"))
        rc = goldens(c, cli_value(c, "golden", ""));
    if (!rc && cli_has(c, "pack") && goldenpack_each(NULL, pack_case, &a, a.err, sizeof a.err))
        rc = cli_error(c, "%s", a.err);
    if (!rc && kept && second_asked(stdout, kept, a.lines, a.err, sizeof a.err))
        rc = cli_error(c, "%s: %s", path, a.err);
    if (kept)
        fclose(kept);
    return rc ? rc : count ? randoms(c, count, seed, a.lines) : rc;
}
static const struct flag flags[] = {
    { "golden", "DIR", "the lines of DIR/ROW.tsv (data/golden)" },
    { "pack", NULL, "the cases of the golden pack: every mistake's parameters" },
    { "kept", "FILE", "the questions of a file in this form, with today's answers (tests/second/kept.jsonl)" },
    { "random", "N", "questions at random" },
    { "seed", "1", "of the random ones", .needs = "random" },
    { "lines", "4", "of one output, of pack and random questions" },
    { 0 },
};
const struct verb verb_second = { "second", "[ROW]",
    "questions with exact answers as text, for a second system (tests/second)", MAYBE_ROW, 0, 1, flags, run };

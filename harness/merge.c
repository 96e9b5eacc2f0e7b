/* `merge`: shards of a sweep joined into one file; shards that disagree are refused. */
#include "core/cli.h"
#include "sweep/sweep.h"

static int run(const struct cli *c)
{
    char err[1200];
    long cells;
    const char *to = cli_value(c, "out", NULL);
    if (!to)
        return cli_error(c, "--out FILE.db says where to");
    if (!*to)
        return cli_error(c, "--out '': a file needs a name; give --out FILE.db");
    if (merge_files(c->word, c->words, to, &cells, err, sizeof err))
        return cli_error(c, "%s", err);
    printf("%s: %ld cells of %d files\n", to, cells, c->words);
    return EXIT_PASS;
}
static const struct flag flags[] = {
    { "out", "FILE.db", "the file to make (-o too); one that is there is never written over" }, { 0 }
};
const struct verb verb_merge = { "merge", "FILE.db ...",
    "joins the shards of a sweep; refuses shards that disagree about a cell", NO_ROW, 1, CLI_WORDS, flags, run };

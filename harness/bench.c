/* `bench`: speeds, each beside its passed check and the limit or peer that it is measured against, in one run on one
 * thread. */
#include <sys/resource.h>
#include "base/progress.h"
#include "bench/core/bench.h"
#include "core/cli.h"
#include "core/files.h"
#include "groups.h"

enum { GROUPS = sizeof found_groups / sizeof *found_groups - 1 }; /* the list ends with a NULL, which does not count */
static int earlier(const void *a, const void *b)
{
    const struct group *x = *(const struct group *const *)a, *y = *(const struct group *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

static int run(const struct cli *c)
{
    const char *path = cli_value(c, "json", NULL);
    struct bench b = { .turns = cli_has(c, "quick") ? 5 : TURNS, .only = cli_value(c, "only", NULL), };
    struct rusage use;
    struct draft json = { 0 };
    char err[400];
    if (path && draft_open(&json, path, err, sizeof err))
        return cli_error(c, "--json: %s", err);
    b.json = json.file;
    const struct group *all[GROUPS];
    memcpy(all, found_groups, sizeof all);
    qsort(all, GROUPS, sizeof *all, earlier);
    progress_of("bench", "items", 0);
    for (size_t k = 0; k < GROUPS; k++)
        all[k]->measure(&b);
    if (!b.wanted)
        return draft_drop(&json), cli_error(c, "--only: no item's name holds '%.80s'", b.only);
    if (!getrusage(RUSAGE_SELF, &use))
        bench_figure(&b, "peak resident memory", (double)use.ru_maxrss / 1024, "MiB");
    printf("goals: %d reached, %d missed; not run %d, checks failed %d\n", b.reached, b.missed, b.absent, b.failed);
    if (draft_keep(&json, err, sizeof err))
        return cli_error(c, "--json: %s", err);
    return b.failed ? EXIT_FAIL : b.reached + b.missed ? EXIT_PASS : EXIT_NOTHING;
}
static const struct flag flags[] = {
    { "quick", NULL, "5 turns instead of 31" },
    { "only", "NAME", "items whose name holds NAME" },
    { "json", "FILE", "one object a line", .writes = true },
    { 0 },
};
const struct verb verb_bench = { "bench", "", "speeds beside their checks, against peers and the machine's limits",
    NO_ROW, 0, 0, flags, run };

/* `laws`: every law of the rows, decided now, and the change that must break it. */
#include "base/progress.h"
#include "examine/examine.h"

static int run(const struct cli *c)
{
    struct sink s;
    long seeds;
    if (!cli_long(c, "seeds", 5, 1, 1L << 40, &seeds) || !sink_open(&s, c))
        return EXIT_USAGE;
    long laws = 0;
    for (const struct laws *l = all_laws; l->row; l++)
        for (const struct law *one = l->law; one->says && (!c->row || !strcmp(c->row->name, l->row)); one++)
            laws++;
    progress_of("laws", "laws", (double)laws);
    for (const struct laws *l = all_laws; l->row; l++)
        for (const struct law *one = l->law; one->says && (!c->row || !strcmp(c->row->name, l->row)); one++)
            examine_law(&s, l->row, one, (uint64_t)seeds);
    return sink_close(&s, "laws");
}
static const struct flag flags[] = { { "seeds", "5", "asked of each law" }, { "json", NULL, "one object a line" },
    { "junit", "FILE", "JUnit XML", .writes = true }, { "md", "FILE", "Markdown table", .writes = true }, { 0 } };
const struct verb verb_laws = { "laws", "[ROW]", "what must hold, and what must break it", MAYBE_ROW, 0, 1, flags,
    run };

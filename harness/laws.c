/* Every law of the rows, decided now, and the change that must break it. */
#include <stdio.h>
#include "law.h"
#include "trial.h"

static int run(int argc, char **argv)
{
    static const char *const word[] = { "FAIL", "PASS", "UNDECIDED" };
    int bad = 0, seen = 0;
    for (const struct laws *s = all_laws; s->row; s++)
        for (const struct law *l = s->law; l->says && (argc < 2 || !strcmp(argv[1], s->row)); l++, seen++) {
            char text[600];
            const struct row *r = row_named(s->row);
            enum truth v = YES;
            for (uint64_t seed = 1; seed <= 5 && v == YES; seed++)
                v = l->holds(r, l->params, seed);
            enum truth broken = l->broken_by ? l->holds(r, law_text(text, sizeof text, l->params, l->broken_by), 3) : NO;
            printf("%s %s: %s  [%s]%s%s%s\n", broken == NO ? word[v] : "FAIL", s->row, l->says, l->params, l->broken_by ? "  broken by " : "", l->broken_by ? l->broken_by : "", broken == NO ? "" : ": NOT BROKEN");
            bad |= v != YES || broken != NO;
        }
    return seen ? bad : 77;
}
const struct verb verb_laws = { "laws", "laws [ROW]                 what must hold, decided by balls; and what must break it", run };

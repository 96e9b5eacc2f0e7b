/* Reads data/mistakes/ROW.tsv; see mistake.h. */
#include <stdio.h>
#include "core/data.h"
#include "base/tsv.h"
#include "trial/mistake.h"

int mistakes_each(const char *row, int (*f)(const struct mistake *m, void *with), void *with)
{
    char path[600], what[80];
    struct mistake m;
    const struct tsv_place to[] = { { m.id, sizeof m.id }, { m.where, sizeof m.where }, { m.change, sizeof m.change },
        { m.effect, sizeof m.effect }, { m.cite, sizeof m.cite }, { m.repair, sizeof m.repair }, { 0 } };
    struct tsv t;
    int rc = 0;
    snprintf(what, sizeof what, "mistakes/%s.tsv", row);
    if (!tsv_open(&t, data_path(what, path, sizeof path)))
        return -1;
    while (!rc && tsv_next(&t)) {
        *m.repair = 0;
        if (tsv_take(&t, to) < 5) {
            tsv_left_out(&t, to, 5);
            continue;
        }
        if (!strcmp(m.where, "-"))
            *m.where = 0;
        rc = f(&m, with);
    }
    return tsv_close(&t), rc;
}

struct mistake_sought { const char *text; struct mistake *m; };
static int is_called(const struct mistake *m, void *with)
{
    const struct mistake_sought *c = with;
    return (strcmp(m->change, c->text) && strcmp(m->id, c->text)) || mistake_equivalent(m) ? 0 : (*c->m = *m, 1);
}
bool mistake_called(const char *row, const char *text, struct mistake *m)
{
    return mistakes_each(row, is_called, &(struct mistake_sought){ text, m }) == 1;
}

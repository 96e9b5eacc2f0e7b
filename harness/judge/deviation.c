/* Known deviations, read from data/peers. */
#include "judge/deviation.h"
#include "base/tsv.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "core/data.h"
#include "diagnose/diagnose.h"

int deviations_each(const char *list, int (*f)(const struct deviation *d, void *with), void *with)
{
    char path[600], what[80];
    struct deviation d;
    const struct tsv_place to[] = { { d.pack, sizeof d.pack }, { d.id, sizeof d.id }, { d.mistake, sizeof d.mistake },
        { d.what, sizeof d.what }, { d.cite, sizeof d.cite }, { 0 } };
    struct tsv t;
    int rc = 0;
    snprintf(what, sizeof what, "peers/%s.tsv", list);
    if (!tsv_open(&t, data_path(what, path, sizeof path)))
        return -1;
    while (!rc && tsv_next(&t))
        if (tsv_take(&t, to) == 5)
            rc = f(&d, with);
        else
            tsv_left_out(&t, to, 5);
    return tsv_close(&t), rc;
}

struct deviation_wanted { const char *pack, *id; size_t len; struct deviation *to; };
static int match(const struct deviation *d, void *with)
{
    struct deviation_wanted *w = with;
    if (strlen(d->pack) != w->len || strncmp(d->pack, w->pack, w->len) || fnmatch(d->id, w->id, 0))
        return 0;
    *w->to = *d;
    return 1;
}

const struct deviation *deviation_of(const char *list, const char *pack, const char *id)
{
    static struct deviation found;
    size_t len = strlen(pack);
    while (len && pack[len - 1] == '/')
        len--;
    const char *name = pack + len;
    while (name > pack && name[-1] != '/')
        name--;
    struct deviation_wanted w = { name, id, (size_t)(pack + len - name), &found };
    return deviations_each(list, match, &w) == 1 ? &found : NULL;
}

bool deviation_named(const struct deviation *d, const struct finding *f)
{
    const bool listed = f->match && f->diagnosis && f->diagnosis->answer[0].listed;
    return !strcmp(d->mistake, "*") || !strcmp(d->mistake, listed ? f->match->id : "-");
}

/* Checks by their names; and the outputs that a check asks about and the mistakes that must fail it: its own lists,
 * continued by data/checks/ROW.tsv of every row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/tsv.h"
#include "base/words.h"
#include "checks/core/probe.h"
#include "core/data.h"

enum { MOST = 128 };
/* the lists of all_checks, in their order; owned until the program ends */
static struct lists { char *asks, *kills; } found[MOST];

const struct check *check_named(const char *name, size_t len)
{
    for (const struct check *const *c = all_checks; *c; c++)
        if (strlen((*c)->name) == len && !strncmp((*c)->name, name, len))
            return *c;
    return NULL;
}

/* Appends the words of a column to a list; each is an output or a mistake of the row, whose name is put before it. */
static void append(char **list, const char *row, const char *words)
{
    size_t used = strlen(*list), room = used + 2;
    for (const char *s = words; *s; s = word_next(s))
        room += strcspn(s, " ") + strlen(row) + 2;
    *list = need_more(*list, room, 1);
    for (const char *s = strcmp(words, "-") ? words : ""; *s; s = word_next(s)) {
        const int len = (int)strcspn(s, " ");
        const bool whole = !*row || !strncmp(s, "fault.", 6);
        used += (size_t)snprintf(*list + used, room - used, "%s%s%s%.*s", used ? " " : "", whole ? "" : row,
            whole ? "" : ".", len, s);
    }
}

static void refuse(const struct tsv *t)
{
    fprintf(stderr,
        "meridian: %s:%ld: '%.60s': a check of `meridian list --checks`, outputs of the row, mistakes that it must "
        "fail (or -), with tabs between\n",
        t->path, t->line, t->text);
    exit(2);
}

static void read_row(const char *row)
{
    char what[80], path[600];
    struct tsv t;
    snprintf(what, sizeof what, "checks/%s.tsv", row);
    for (tsv_open(&t, data_path(what, path, sizeof path)); tsv_next(&t);) {
        const struct check *c = t.n == 3 ? check_named(t.col[0], strlen(t.col[0])) : NULL;
        int k = 0;
        while (c && all_checks[k] != c)
            k++;
        if (!c)
            refuse(&t);
        append(&found[k].asks, row, t.col[1]), append(&found[k].kills, row, t.col[2]);
    }
    tsv_close(&t);
}

static const struct lists *lists_of(const struct check *c)
{
    static struct lists own;
    int k = 0;
    if (!found[0].asks) {
        for (; all_checks[k] && k < MOST; k++) {
            found[k] = (struct lists){ need(1, 1), need(1, 1) };
            append(&found[k].asks, "", all_checks[k]->asks), append(&found[k].kills, "", all_checks[k]->kills);
        }
        for (const struct row *const *r = all_rows; *r; r++)
            read_row((*r)->name);
    }
    for (k = 0; all_checks[k]; k++)
        if (all_checks[k] == c)
            return &found[k];
    return (own = (struct lists){ (char *)c->asks, (char *)c->kills }), &own;
}

const char *check_asked(const struct check *c) { return lists_of(c)->asks; }
const char *check_killed(const struct check *c) { return lists_of(c)->kills; }

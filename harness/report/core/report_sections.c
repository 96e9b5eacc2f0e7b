/* Lists the report's sections, which are found by name (every harness/report/NAME.c defines section_NAME), and draws
 * their figures. */
#include <stdlib.h>
#include "page/plot.h"
#include "report/core/report.h"
#include "sections.h"

enum { SECTIONS = sizeof found_sections / sizeof *found_sections }; /* the NULL behind the last counted */

static int by_order(const void *a, const void *b)
{
    const struct section *x = *(const struct section *const *)a, *y = *(const struct section *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

const struct section *const *report_sections(void)
{
    static const struct section *list[SECTIONS];
    for (int k = 0; k < SECTIONS - 1; k++)
        list[k] = found_sections[k];
    qsort(list, SECTIONS - 1, sizeof *list, by_order);
    return list;
}

/* gnuplot's text without its brackets: 2^{-8} is 2^-8. */
static void plain(const char *text, char *to)
{
    for (; *text; text++)
        if (*text != '{' && *text != '}')
            *to++ = *text;
    *to = 0;
}

/* Notes a figure as drawn, for the pages that show it. */
static void note_drawn(struct report *r, const struct plot *p)
{
    char title[sizeof p->title], says[sizeof p->subtitle];
    plain(p->title, title), plain(p->subtitle, says);
    char *sql = sqlite3_mprintf("INSERT OR REPLACE INTO temp.drawn VALUES(%Q,%Q,%Q)", p->name, title, says);
    if (sql)
        sqlite3_exec(store_db(r->store), sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

static int draw(struct report *r, const struct figure *f)
{
    struct plot p;
    report_progress(r, f->name);
    if (f->draw(r, &p))
        return report_skip(r, "figure", f->name, p.why), 0;
    return note_drawn(r, &p), 1;
}

int report_figures(struct report *r)
{
    int drawn = 0;
    bool ok = store_freeze(r->store) == SQLITE_OK;
    for (const struct section *const *s = report_sections(); *s; s++)
        ok = ok && (!(*s)->views || sqlite3_exec(store_db(r->store), (*s)->views, NULL, NULL, NULL) == SQLITE_OK);
    if (!ok)
        return snprintf(r->err, sizeof r->err, "%s", sqlite3_errmsg(store_db(r->store))), 0;
    for (const struct section *const *s = report_sections(); *s; s++)
        for (const struct figure *f = (*s)->figure; f->name; f++)
            drawn += draw(r, f);
    for (const struct row *const *row = all_rows; *row; row++) {
        struct plot p;
        if (row_figure(r, *row, &p))
            continue;
        note_drawn(r, &p);
        drawn++;
    }
    return drawn;
}

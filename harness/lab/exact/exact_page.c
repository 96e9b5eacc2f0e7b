/* Puts facts into a table of the database and prints their section; see exact_page.h. */
#include "lab/exact/exact_page.h"
#include <string.h>
#include "lab/exact/exact_facts.h"
#include "lab/exact/insert.h"

static int put(sqlite3 *db, const struct fact *y)
{
    return insert_line(db, "fact", "tttttt", y->topic, y->of, y->what, y->value, y->low, y->high);
}

int facts_table(sqlite3 *db, char *err, size_t n)
{
    static const struct fact_for short_ones = { .dim = 128, .lengths = 2, .length = { 1024, 2048 } }, own = { 0 };
    if (sqlite3_exec(db,
            "DROP TABLE IF EXISTS temp.fact; CREATE TEMP TABLE fact(topic TEXT, of TEXT, what TEXT, value TEXT, low "
            "TEXT, high TEXT)",
            NULL, NULL, NULL))
        return snprintf(err, n, "%s", sqlite3_errmsg(db)), -1;
    for (const struct topic *t = topics; t->name; t++) {
        struct facts f = { 0 };
        if (!strcmp(t->name, "bound") || !strcmp(t->name, "buckets"))
            continue;
        int rc = facts_make(&f, t, strcmp(t->name, "bases") ? &own : &short_ones, err, n);
        for (const struct fact *y = f.fact; y < f.fact + f.n && !rc; y++)
            rc = put(db, y) ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
        facts_close(&f);
        if (rc)
            return rc;
    }
    return 0;
}

void facts_part(struct page *p)
{
    page_heading(p, 2, "exact", "What no training changes");
    page_text(p,
        "Numbers about the encodings themselves, each with the digits that are certain; meridian exact prints these "
        "and more, with their enclosures. Every base below a least feasible one is excluded by intervals that cover "
        "them all, every base of a feasible stretch is feasible at every distance (Men et al. 2024, eq. 11).");
    page_table(p, "Bases of rotary encodings: least and robust, certified", NULL,
        "SELECT of, what, value, low AS \"from\", high AS \"to\" FROM temp.fact WHERE topic='bases' AND of NOT LIKE "
        "'%stretch%' ORDER BY rowid");
    page_table(p, "Interpolation: the published bound and the worst score", NULL,
        "SELECT of, what, value FROM temp.fact WHERE topic='interpolation' ORDER BY rowid");
    page_table(p, "Others", "Facts by topic",
        "SELECT topic, of, what, value FROM temp.fact WHERE topic NOT IN ('bases', 'interpolation') ORDER BY rowid");
}

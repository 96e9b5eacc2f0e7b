/* Figures of the page on extrapolation: every curve is drawn, and none in a colour of another one of its panel. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/files.h"
#include "lab/page/extrapolation_figures.h"

/* A database with the means of `many` encodings, e00 and on, of task copy at two sizes. */
static sqlite3 *means_of(int many)
{
    sqlite3 *db;
    char sql[300];
    cr_assert(sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite3_exec(db,
        "CREATE TABLE mean(task, measure, variant, encoding, size, depth, mean, low, high)", NULL, NULL, NULL) ==
            SQLITE_OK);
    for (int k = 0; k < 4 * many; k++) {
        snprintf(sql, sizeof sql, "INSERT INTO mean VALUES('copy', '%s', 'plain', 'e%02d', %d, -1, 0.5, 0.4, 0.6)",
            k & 1 ? "exact" : "bits", k / 4, k & 2 ? 20 : 10);
        cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    }
    return db;
}
/* The piece of a script from `at` to the next panel. */
static char *panel_of(const char *at)
{
    const char *end = strstr(at, "set lmargin at screen");
    char *piece = calloc(strlen(at) + 1, 1);
    memcpy(piece, at, end ? (size_t)(end - at) : strlen(at));
    return piece;
}
static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)); s++)
        n++;
    return n;
}

Test(lab_figures, more_curves_than_colours_stand_in_panels, .timeout = 60)
{
    static const struct { int many, panels; } list[] = { { 1, 0 }, { 6, 0 }, { 7, 2 }, { 17, 3 }, { 40, 7 } };
    char dir[100], path[200], why[300], name[40];
    snprintf(dir, sizeof dir, "/tmp/meridian-lab-figures-%d", (int)getpid());
    cr_assert(!folder_make(dir, why, sizeof why), "%s", why);
    snprintf(path, sizeof path, "%s/fig-extrapolate-copy.gp", dir);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sqlite3 *db = means_of(list[i].many);
        struct study s = { .task = "copy", .sizes = 2, .size = { 10, 20 }, .steps = 1, .seeds = 1 };
        const struct extrapolated of = { .study = &s, .studies = 1, .set = "" };
        extrapolation_figures(db, dir, &of);
        sqlite3_close(db);
        char *script = file_read(path);
        cr_assert(script != NULL);
        const int pictures = count(script, "unset multiplot");
        cr_expect(count(script, "set lmargin at screen") == list[i].panels * pictures && !pictures == !list[i].panels,
            "%d curves: %d pictures, %d panels in all", list[i].many, pictures, count(script, "set lmargin at screen"));
        for (int k = 0; k < list[i].many; k++) {
            snprintf(name, sizeof name, "\"e%02d\" at graph 1.015", k);
            cr_expect(strstr(script, name) != NULL, "%d curves: %s is left out", list[i].many, name);
        }
        for (const char *at = script; (at = strstr(at, "set lmargin at screen")); at++) {
            char *piece = panel_of(at + 1);
            cr_expect_leq(count(piece, "yerrorlines"), 6, "%d curves: more than there are colours", list[i].many);
            free(piece);
        }
        free(script);
    }
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_assert_eq(system(path), 0);
}

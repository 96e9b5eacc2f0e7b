/* Figures of sweeps: drawn whole, with script and data that redraw them; what cannot be drawn is said. */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include "sweeping.h"

static char text[1 << 16];

static int plotting(const char *args)
{
    char all[1000] = "plot ", rest[900];
    sweeping_args(rest, sizeof rest, args);
    strcat(all, rest);
    return meridian("", all);
}

static const char *read_file(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", sweeping_dir, name);
    slurp(path, text, sizeof text);
    return text;
}

#define CELLS "seed = 1..3\nmeasure accuracy\nrow rope\nh = 1\nn = 5\nlength = 9 70 600\ndim = 6 48\ntype = f32 bf16\n"

Test(plot, a_figure_is_drawn_thrice_with_its_script_and_its_data)
{
    static const char *const kinds[] = { "svg", "png", "pdf", "gp", "tsv" };
    static const char *const begins[] = { "<?xml", "\x89PNG", "%PDF", "# one", "9\t" };
    char name[40], command[400];
    if (system("command -v gnuplot >/dev/null"))
        cr_skip_test("gnuplot is not installed");
    sweeping_open();
    sweeping_recipe("r.recipe",
        CELLS "figure one x=length logx=2 y=gauge logy=10 by=dim panel=type title=\"Error\"\nfigure two kind=heat "
              "x=length by=dim panel=type y=used title=\"Used\"\n");
    cr_assert_eq(sweeping("r.recipe --out %s/a"), 0, "%s", err);
    cr_assert_eq(plotting("a.db --out %s/new/figures"), 0, "%s%s", out, err);
    cr_expect_eq(lines(out), 2, "%s", out);
    cr_assert_eq(plotting("r.recipe --db %s/a.db"), 0, "%s%s", out, err);
    for (int k = 0; k < 5; k++) {
        snprintf(name, sizeof name, "one.%s", kinds[k]);
        cr_expect(!strncmp(read_file(name), begins[k], strlen(begins[k])), "%s: %.40s", name, text);
    }
    /* Lengths from 9 to 600 in three points of mean and interval, for each of two widths and types: what the store
     * has. */
    read_file("one.tsv");
    double x, low, high, mean;
    cr_assert_eq(sscanf(text, "%lf\t%lf\t%lf\t%lf", &x, &low, &high, &mean), 4);
    cr_expect(x == 9 && low <= mean && mean <= high && low < high, "%s", text);
    cr_expect_eq(lines(text), 3 * 4 + 2 * 4, "%s", text);
    sqlite3 *db;
    sqlite3_stmt *q;
    snprintf(command, sizeof command, "%s/a.db", sweeping_dir);
    cr_assert_eq(sqlite3_open(command, &db), SQLITE_OK);
    cr_assert_eq(
        sqlite3_prepare_v2(db,
            "SELECT min(value), max(value), avg(value) FROM result JOIN item USING (key, run) WHERE measure='gauge' "
            "AND what LIKE '% dim=6 %' AND what LIKE '% length=9 %' AND what LIKE '% type=bf16'",
            -1, &q, NULL),
        SQLITE_OK);
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW);
    cr_expect(sqlite3_column_double(q, 0) == low && sqlite3_column_double(q, 1) == high &&
            sqlite3_column_double(q, 2) == mean,
        "%s", text);
    sqlite3_finalize(q), sqlite3_close(db);
    snprintf(command, sizeof command,
        "cd %s && rm one.svg && gnuplot one.gp && test -s one.svg && ! ls -a | grep -q new\\.", sweeping_dir);
    cr_expect_eq(system(command), 0, "the script does not redraw it");
    sweeping_close();
}

Test(plot, what_cannot_be_drawn_is_said)
{
    static const struct { const char *figure, *says; int status; } bad[] = {
        { "figure a x=length y=gauge bye=dim", "unknown key 'bye' of a figure; it may have", 2 },
        { "figure a y=gauge", "figure a needs x=", 2 },
        { "figure a x=length", "figure a needs y=", 2 },
        { "figure a kind=pie x=length y=gauge", "kind: found 'pie', allowed: line heat", 2 },
        { "figure a kind=heat x=length y=gauge", "a heat map needs by=", 2 },
        { "figure a x=length y=speed", "not drawn: a: no results", 1 },
        { "figure a x=length y=gauge where=dim:7", "not drawn: a: no results", 1 },
        { "figure a x=length y=gauge by=seed panel=none", "not drawn: a: no results", 1 },
    };
    char recipe[900];
    sweeping_open();
    sweeping_recipe("r.recipe", CELLS);
    cr_assert_eq(sweeping("r.recipe --out %s/a"), 0, "%s", err);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(recipe, sizeof recipe, CELLS "%s\n", bad[k].figure);
        sweeping_recipe("bad.recipe", recipe);
        int rc = plotting("bad.recipe --db %s/a.db");
        cr_expect(rc == bad[k].status && strstr(bad[k].status == 2 ? err : out, bad[k].says), "%s: %d '%s%s'",
            bad[k].figure, rc, out, err);
        cr_expect(bad[k].status != 2 || strstr(err, "bad.recipe:9:"), "%s: %s", bad[k].figure, err);
    }
    cr_expect_eq(plotting("r.recipe --db %s/none.db"), 2);
    cr_expect(strstr(err, "none.db: unable to open") && lines(err) == 1, "%s", err);
    cr_expect_eq(plotting("r.recipe --db %s/a.db"), 77, "a recipe without figures passes");
    sweeping_close();
}

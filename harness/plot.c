/* `plot`: the figures of a sweep, from its results. */
#include <stdlib.h>
#include <string.h>
#include "sweep/chart.h"
#include "core/cli.h"
#include "core/files.h"
#include "arith/need.h"
#include "store/store.h"

static int draw(const struct cli *c, sqlite3 *db, const struct recipe *r, const char *dir, int *bad)
{
    char err[1400];
    const char *only = cli_value(c, "only", NULL);
    int drawn = 0;
    struct plan p;
    /* a recipe that this program cannot plan is another version's: every cell in the file counts */
    int known = plan_make(&p, r, 0x1p80, err, sizeof err), open = chart_open(db, known ? NULL : &p, err, sizeof err);
    plan_free(&p);
    if (open)
        return cli_error(c, "%s", err), -1;
    for (int k = 0; k < r->figures; k++)
        if (chart_check(r, &r->figure[k], err, sizeof err))
            return cli_error(c, "%s", err), -1;
    for (int k = 0; k < r->figures; k++)
        if (!only || strstr(r->figure[k].name, only)) {
            if (chart_draw(db, &r->figure[k], dir, err, sizeof err)) {
                printf("not drawn: %s\n", err);
                ++*bad;
                continue;
            }
            printf("%s/%s.svg .png .pdf, with .gp and .tsv\n", dir, r->figure[k].name);
            drawn++;
        }
    return drawn;
}

static char *unescaped(const char *s) /* the recipe as it was: sweep.c writes the end of a line as \n */
{
    char *text = need_copy(s), *to = text;
    for (; *s; s++)
        *to++ = *s == '\\' && s[1] ? *++s == 'n' ? '\n' : *s : *s;
    *to = 0;
    return text;
}

/* Draws the figures of every recipe that the file's results come from; how many. */
static int draw_kept(const struct cli *c, sqlite3 *db, const char *dir, int *bad)
{
    char err[1400];
    sqlite3_stmt *q = NULL;
    int drawn = 0;
    if (sqlite3_prepare_v2(db,
            "SELECT quantity, witness, max(rowid) FROM result WHERE measure = 'recipe' GROUP BY quantity", -1, &q,
            NULL) != SQLITE_OK)
        return cli_error(c, "%s", sqlite3_errmsg(db)), -1;
    while (drawn >= 0 && sqlite3_step(q) == SQLITE_ROW) {
        struct recipe *r;
        char *text = unescaped((const char *)sqlite3_column_text(q, 1));
        int rc = recipe_read(&r, (const char *)sqlite3_column_text(q, 0), text, err, sizeof err) ?
            cli_error(c, "%s", err),
            -1 : draw(c, db, r, dir, bad);
        drawn = rc < 0 ? -1 : drawn + rc;
        recipe_close(r), free(text);
    }
    sqlite3_finalize(q);
    return drawn;
}

static int run(const struct cli *c)
{
    char err[1400], path[1100], dir[1100];
    const char *what = c->word[0];
    size_t n = strlen(what);
    bool file = n > 3 && !strcmp(what + n - 3, ".db");
    struct recipe *r = NULL;
    sqlite3 *db = NULL;
    int bad = 0, drawn = -1;
    if (!file && recipe_open(&r, what, err, sizeof err))
        return recipe_close(r), cli_error(c, "%s", err);
    if (file)
        snprintf(path, sizeof path, "%s", what);
    else
        snprintf(path, sizeof path, "report/sweep/%s.db", r->name);
    if (cli_has(c, "db"))
        snprintf(path, sizeof path, "%s", cli_value(c, "db", ""));
    snprintf(dir, sizeof dir, "%s", cli_value(c, "out", path));
    if (!cli_has(c, "out")) { /* by default beside the results */
        char *slash = strrchr(dir, '/');
        snprintf(slash ? slash : dir, slash ? 1 : 2, "%s", slash ? "" : ".");
    }
    if (store_read(&db, path, err, sizeof err) || folder_make(*dir ? dir : ".", err, sizeof err))
        cli_error(c, "%s", err);
    else
        drawn = file ? draw_kept(c, db, dir, &bad) : draw(c, db, r, dir, &bad);
    sqlite3_close(db);
    recipe_close(r);
    return drawn < 0 ? EXIT_USAGE : bad ? EXIT_FAIL : drawn ? EXIT_PASS : EXIT_NOTHING;
}
static const struct flag flags[] = {
    { "db", "FILE.db", "the results of a recipe; default report/sweep/RECIPE.db" },
    { "out", "DIR", "where figures go; default: beside the results" },
    { "only", "NAME", "figures whose name holds NAME" },
    { 0 },
};
const struct verb verb_plot = { "plot", "RECIPE|FILE.db", "the figures of a sweep: SVG, PNG, PDF, with script and data",
    NO_ROW, 1, 1, flags, run };

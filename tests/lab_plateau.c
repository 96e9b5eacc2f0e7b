/* Settings of training compared: the rate of each number of steps, gates at these, the file that keeps them, designs
 * that train a task several times, and the verb with its shards. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "core/data.h"
#include "folder.h"
#include "lab/page/plateau.h"

/* Two encodings, two rates, two numbers of steps; of the first the second rate is better, and with more steps the
 * first.  What is said of 128, behind the trained length, chooses no rate. */
static const char kept[] =
    "lm\tnone\t0.003\t10\t1\t64\tplain\ttail\t64\t-1\t2.5\t40\taa\nlm\tnone\t0.003\t10\t1\t64\tplain\ttail\t128\t-1\t"
    "2.75\t40\taa\nlm\tnone\t0.006\t10\t1\t64\tplain\ttail\t64\t-1\t2.25\t40\tab\nlm\tnone\t0.006\t10\t1\t64\tplain\t"
    "tail\t128\t-1\t3.5\t40\tab\nlm\tnone\t0.003\t40\t1\t64\tplain\ttail\t64\t-1\t2\t40\tac\nlm\tnone\t0.003\t40\t1\t"
    "64\tplain\ttail\t128\t-1\t9\t40\tac\nlm\tnone\t0.006\t40\t1\t64\tplain\ttail\t64\t-1\t2.125\t40\tad\nlm\tnone\t"
    "0.006\t40\t1\t64\tplain\ttail\t128\t-1\t2.5\t40\tad\nlm\trope\t0.003\t10\t1\t64\tplain\ttail\t64\t-1\t1.75\t40\t"
    "ae\nlm\trope\t0.003\t10\t1\t64\tplain\ttail\t128\t-1\t3.25\t40\tae\nlm\trope\t0.003\t40\t1\t64\tplain\ttail\t64\t"
    "-1\t1.740\t40\taf\nlm\trope\t0.003\t40\t1\t64\tplain\ttail\t128\t-1\t4\t40\taf\nlm\trope\t0.003\t40\t1\t64\tpi\t"
    "tail\t128\t-1\t2.5\t40\taf\nlm\tnone\t0.003\t40\t1\t64\tpi\ttail\t128\t-1\t7\t40\tac\n";
static const char gates[] =
    "none is longer\tlm\ttail\tnone/plain@128\texceeds\trope/plain@128\t0.125\tnew\tnobody\n"
    "near\tlm\ttail\tnone/plain@64\twithin\trope/plain@64\t0.3\tnew\tnobody\n"
    "changed\tlm\ttail\trope/plain@128\texceeds\trope/pi@128\t1\tnew\tnobody\n"
    "nothing\tlm\ttail\tnone/plain@128\texceeds\tnone/pi@128\t0\tnew\tnobody\n"
    "another\tlm\ttail\trope/plain@128\texceeds\talibi/plain@128\t1\tnew\tnobody\n";

static void folder_of(char dir[80], const char *name)
{
    char why[300];
    snprintf(dir, 80, "/tmp/meridian-plateau-%s-%d", name, (int)getpid());
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
}
static void remove_folder(const char *dir)
{
    char command[120];
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}
/* The first column of a query as text; "" where there is none. */
static const char *said(sqlite3 *db, const char *sql)
{
    static char text[300];
    sqlite3_stmt *q = NULL;
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK, "%s", sql);
    const char *is = sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    snprintf(text, sizeof text, "%s", is ? is : "");
    sqlite3_finalize(q);
    return text;
}

Test(lab_plateau, a_rate_is_the_best_at_the_trained_length)
{
    char dir[80], path[120], of[120], why[400];
    sqlite3 *db;
    folder_of(dir, "best"), snprintf(path, sizeof path, "%s/k.tsv", dir), snprintf(of, sizeof of, "%s/g.tsv", dir);
    put(dir, "k.tsv", kept), put(dir, "g.tsv", gates);
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(plateau_of_file(db, path, why, sizeof why), 0, "%s", why);
    cr_assert_eq(plateau_make(db, of, 4.5, why, sizeof why), 0, "%s", why);
    cr_expect_str_eq(said(db, "SELECT group_concat(encoding || steps || ' ' || rate || ' ' || loss || ' ' || far || "
        "' ' || line, '; ') FROM budget"), "none10 0.006 2.25 3.5 1; none40 0.003 2.0 9.0 1; rope10 0.003 1.75 3.25 2; "
        "rope40 0.003 1.74 4.0 2");
    /* 9 counts as 4.5, and what is a distance has no direction. */
    cr_expect_str_eq(said(db, "SELECT group_concat(id || steps || ' ' || difference || ' ' || agrees, '; ') FROM "
        "turned WHERE agrees >= 0"), "none is longer10 0.25 1; near10 0.5 0; none is longer40 0.5 1; near40 0.26 1; "
        "changed40 1.5 1");
    cr_expect_str_eq(said(db, "SELECT count(*) FROM turned WHERE id='another'"), "0", "a side is not there");
    cr_expect_str_eq(said(db, "SELECT count(*) || ' ' || steps || ' ' || agrees || ' ' || (difference IS NULL) FROM "
        "turned WHERE id='nothing'"), "1 40 -1 1", "both sides are worse than single symbols");
    sqlite3_close(db);
    remove_folder(dir);
}

Test(lab_plateau, what_is_kept_comes_back_bit_by_bit)
{
    static const char *const bad[] = { "lm\tnone\t0.003\n", "lm\tnone\t0.003\t10\t1\t64\tplain\ttail\t64\t-1\t2.5\t40\t"
        "aa\tmore\n" };
    char dir[80], path[120], again[120], why[400], hex[65], other[65];
    sqlite3 *db;
    folder_of(dir, "kept"), snprintf(path, sizeof path, "%s/k.tsv", dir);
    snprintf(again, sizeof again, "%s/again.tsv", dir);
    put(dir, "k.tsv", kept);
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(plateau_of_file(db, path, why, sizeof why), 0, "%s", why);
    cr_assert_eq(sqlite3_exec(db, "UPDATE tuned SET value=value/3, rate=rate/7", NULL, NULL, NULL), SQLITE_OK);
    plateau_digest(db, hex);
    cr_assert_eq(plateau_keep(db, path, why, sizeof why), 0, "%s", why);
    cr_assert_eq(plateau_of_file(db, path, why, sizeof why), 0, "%s", why);
    plateau_digest(db, other);
    cr_expect_str_eq(hex, other);
    cr_assert_eq(plateau_keep(db, again, why, sizeof why), 0, "%s", why);
    char *first = file_read(path), *second = file_read(again);
    cr_expect(first && second && strstr(first, hex), "the file says its digest");
    cr_expect_str_eq(first ? first : "", second ? second : "-");
    cr_expect_str_eq(said(db, "SELECT count(*) FROM tuned WHERE value IN (2.5 / 3, 1.740 / 3)"), "4");
    free(first), free(second);
    cr_assert_eq(sqlite3_exec(db, "UPDATE tuned SET weights='b' WHERE weights='aa'", NULL, NULL, NULL), SQLITE_OK);
    plateau_digest(db, other);
    cr_expect(strcmp(hex, other), "other weights are other runs");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put(dir, "k.tsv", bad[k]);
        cr_expect(plateau_of_file(db, path, why, sizeof why) == -1 && strstr(why, "k.tsv: line 1: thirteen columns"),
            "%s", why);
    }
    snprintf(path, sizeof path, "%s/nowhere.tsv", dir);
    cr_expect(plateau_of_file(db, path, why, sizeof why) == -1 && strstr(why, "nowhere.tsv"), "%s", why);
    sqlite3_close(db);
    remove_folder(dir);
}

Test(lab_plateau, a_design_of_settings_trains_a_task_several_times)
{
    static const struct { const char *text, *says; } list[] = {
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t9\t1\tnone\t4\t-\t5\t-\n", NULL },
        { "copy\t8\t1\tnone\t4\t-\t5\trate=1/100\ncopy\t8\t1\trope\t4\t-\t5\trate=1/50\n", NULL },
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t8\t1\tnone\t4\t-\t5\t-\n", "line 2: an earlier line trains this task" },
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t9\t1\tnone\t4 5\t-\t5\t-\n", "line 2: an earlier line asks this task" },
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t9\t1\tnone\t5\t-\t5\t-\n", "line 2: an earlier line asks this task" },
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t9\t1\tnone\t4\t-\t6\t-\n", "line 2: an earlier line asks this task" },
        { "needle\t8\t1\tnone\t16\t0\t5\t-\nneedle\t9\t1\tnone\t16\t1\t5\t-\n", "line 2: an earlier line asks this" },
        { "lm\t8\t1\tnone\t16\t-\t5\t-\nsubwords\t9\t1\tnone\t16\t-\t5\t-\n", "line 2: an earlier line reads the" },
    };
    static struct study s[STUDIES];
    char dir[80], path[120], why[600];
    folder_of(dir, "design"), snprintf(path, sizeof path, "%s/d.tsv", dir);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        put(dir, "d.tsv", list[k].text);
        cr_expect_eq(settings_read(s, path, why, sizeof why), list[k].says ? -1 : 2, "%s", list[k].text);
        cr_expect(!list[k].says || strstr(why, list[k].says), "%s", why);
        cr_expect_eq(design_read(s, path, why, sizeof why), -1, "%s", list[k].text);
    }
    cr_expect_gt(settings_read(s, data_path("plateau.tsv", path, sizeof path), why, sizeof why), 5, "%s", why);
    remove_folder(dir);
}

/* The verb: two shards in folders of their own, joined, say what one process says; a wish that contradicts itself is
 * refused before anything is trained. */
Test(lab_plateau, shards_joined_are_one_study, .timeout = 120)
{
    static const char small[] = "layers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5";
    char dir[80], args[500], text[1000], design[100];
    folder_of(dir, "verb"), snprintf(design, sizeof design, "%s/d.tsv", dir);
    const int n = snprintf(text, sizeof text, "mode\t20\t1\tnone rope\t7 30\t-\t6\t%s rate=1/100\nmode\t20\t1\tnone "
        "rope\t7 30\t-\t6\t%s rate=1/50\nmode\t40\t1\tnone\t7 30\t-\t6\t%s rate=1/100\n", small, small, small);
    cr_assert_lt(n, (int)sizeof text);
    put(dir, "d.tsv", text);
    static const char *const part[] = { "a --jobs 2", "b --shard 1/2", "c --shard 2/2" };
    for (int k = 0; k < 3; k++) {
        snprintf(args, sizeof args, "extrapolate --plateau --design %s --out %s/%s", design, dir, part[k]);
        cr_expect(meridian("", args) == 0 && strstr(out, k == 0 ? "5 runs" : k == 1 ? "3 runs" : "2 runs") &&
            strstr(out, "plateau.html"), "%s%s", out, err);
    }
    snprintf(args, sizeof args, "cd %s && mkdir -p d/lab && cp b/lab/* d/lab && cp -n c/lab/* d/lab", dir);
    cr_expect_eq(system(args), 0);
    snprintf(args, sizeof args, "merge %s/b/extrapolation.db %s/c/extrapolation.db --out %s/d/extrapolation.db", dir,
        dir, dir);
    cr_expect_eq(meridian("", args), 0, "%s", err);
    snprintf(args, sizeof args, "extrapolate --plateau --page --design %s --out %s/d", design, dir);
    cr_expect(meridian("", args) == 0 && strstr(out, "nothing trained"), "%s", err);
    snprintf(args, sizeof args, "cd %s && cmp a/plateau.tsv d/plateau.tsv && cmp a/plateau.md d/plateau.md", dir);
    cr_expect_eq(system(args), 0, "shards joined differ");
    snprintf(args, sizeof args, "%s/d/plateau.md", dir);
    char *page = file_read(args);
    cr_expect(page && strstr(page, "| none | 20 |") && strstr(page, "| none | 40 |") && strstr(page, "rate 0.01") &&
        strstr(page, "5 trainings; SHA-256"), "%s", page ? page : "no page");
    free(page);
    static const struct { const char *flags, *says; } bad[] = { { "--quick", "leave --plateau out" },
        { "--json x.json", "leave --json out" }, { "--shard 3/2", "--shard: " } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(args, sizeof args, "extrapolate --plateau --out %s/e %s", dir, bad[k].flags);
        cr_expect(meridian("", args) == 2 && strstr(err, bad[k].says), "%s", err);
    }
    remove_folder(dir);
}

/* The outcome that the project keeps is whole: it has the digest that it says, and every setting of the design. */
Test(lab_plateau, the_outcome_that_is_kept_is_that_of_the_design)
{
    static struct study s[STUDIES];
    char path[600], why[600], hex[65], sql[600], name[40];
    sqlite3 *db;
    const long n = settings_read(s, data_path("plateau.tsv", path, sizeof path), why, sizeof why);
    cr_assert_gt(n, 0, "%s", why);
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(plateau_of_file(db, data_path("plateau-kept.tsv", path, sizeof path), why, sizeof why), 0, "%s", why);
    plateau_digest(db, hex);
    char *text = file_read(path);
    cr_expect(text && strstr(text, hex), "%s", hex);
    free(text);
    for (long k = 0; k < n; k++)
        for (const char *at = NULL; study_next(&s[k], &at, name);) {
            struct training set = { 0 };
            cr_assert_eq(params_read(training_params, &set, s[k].set, why, sizeof why), 0, "%s", why);
            snprintf(sql, sizeof sql, "SELECT count(*) FROM tuned WHERE task='%s' AND encoding='%s' AND steps=%ld AND "
                "abs(rate - %.17g) < 1e-12 AND variant='plain' AND length(weights)=64", s[k].task, name, s[k].steps,
                mpq_get_d(set.rate));
            params_clear(training_params, &set);
            cr_expect_eq(atol(said(db, sql)), s[k].sizes * s[k].seeds, "%s %ld steps, %s", name, s[k].steps, s[k].set);
        }
    sqlite3_close(db);
}

/* Beside the runs of a page of the same task stands what is kept of other settings. */
Test(lab_plateau, a_page_shows_what_is_kept_of_its_tasks, .timeout = 60)
{
    char dir[80], args[300], env[120];
    folder_of(dir, "page"), snprintf(env, sizeof env, "MERIDIAN_DATA=%s", dir);
    put(dir, "extrapolate.tsv",
        "mode\t2\t1\tnone\t7\t-\t2\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    put(dir, "gates.tsv", "a gate\tmode\tbits\tnone/plain@7\texceeds\trope/plain@7\t0\tnew\tnobody\n");
    for (int k = 0; k < 2; k++) {
        put(dir, "plateau-kept.tsv", k ? kept :
            "mode\tnone\t0.003\t10\t1\t7\tplain\tbits\t7\t-1\t2.5\t40\taa\nmode\tnone\t0.003\t40\t1\t7\tplain\t"
            "bits\t7\t-1\t2.25\t40\tab\n");
        snprintf(args, sizeof args, "extrapolate --out %s/a", dir);
        cr_expect_eq(meridian(env, args), 0, "%s", err);
        snprintf(args, sizeof args, "%s/a/extrapolation.md", dir);
        char *page = file_read(args);
        cr_expect_eq(page && strstr(page, "| none | 2.500 | 2.250 | -0.250 |") && strstr(page, "plateau-kept.tsv"), !k,
            "%s", page ? page : "no page");
        free(page);
    }
    remove_folder(dir);
}

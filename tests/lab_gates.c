/* Gates and designs: a verdict is that of its interval, files are whole or say which line is not, and the design trains
 * what the gates ask. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>
#include "core/data.h"
#include "folder.h"
#include "lab/page/gate_file.h"
#include "lab/page/gates.h"
#include "lab/train/design.h"

static void answer(sqlite3 *db, const char *side, const char *measure, double value, int n, int seed)
{
    char encoding[32], variant[32], depth[16] = "-1";
    int size;
    cr_assert_geq(sscanf(side, "%31[^/]/%31[^@]@%d:%15s", encoding, variant, &size, depth), 3, "%s", side);
    char *sql = sqlite3_mprintf(
        "INSERT INTO now VALUES('%s', 'lm', '%s', 'size=%d depth=%s', '%s', %.17g, %d, %d, 'sample', 1)", encoding,
        variant, size, depth, measure, value, n, seed);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
}

/* A gate, the values of its sides for up to five seeds (a row shorter than that ends with 0 0), and what is to be said
 * of it: the interval is checked where it is given. */
struct decided {
    const char *line;
    double value[5][2];
    const char *verdict;
    double low, high;
    const char *reason;
};
static const char from_one_to_two[] = "b\tlm\ttail\tsinusoid/plain@128\texceeds\tsinusoid/plain@64\t1\tseen\tnobody";
static const struct decided decisions[] = {
    /* differences 1.5 1.4 1.6 1.45 1.55: mean 1.5, variance of the mean 0.00625 / 5, Student's point for 4 degrees */
    { from_one_to_two, { { 3.5, 2 }, { 3.5, 2.1 }, { 4, 2.4 }, { 3.65, 2.2 }, { 3.85, 2.3 } }, "PASS", 1.401838,
        1.598162, "" },
    { from_one_to_two, { { 3.5, 2 }, { 3.5, 2.1 }, { 4, 2.4 }, { 3.65, 2.2 } }, "UNDECIDED", 0, 0,
        "4 of the 5 seeds that a gate wants; the mean agrees" },
    { from_one_to_two, { { 3.5, 2 } }, "UNDECIDED", 0, 0, "1 of the 5 seeds that a gate wants; the mean agrees" },
    { from_one_to_two, { { 2.1, 2 }, { 2.22, 2.1 }, { 2.49, 2.4 }, { 2.31, 2.2 }, { 2.4, 2.3 } }, "FAIL", 0, 0,
        "the order is this, by less than the margin" },
    { from_one_to_two, { { 2, 2.1 }, { 2.1, 2.22 }, { 2.4, 2.49 }, { 2.2, 2.31 }, { 2.3, 2.4 } }, "FAIL", 0, 0,
        "the order is the other way round, or none" },
    { from_one_to_two, { { 3.5, 2 }, { 3, 2.1 }, { 4, 2.4 }, { 2.9, 2.2 }, { 3.85, 2.3 } }, "UNDECIDED", 0, 0,
        "the mean agrees, and the interval or the number of gates leaves it open" },
    { from_one_to_two, { { 9, 8 }, { 7, 6 }, { 5, 6 }, { 4.5, 9 }, { 6, 5 } }, "UNDECIDED", 0, 0,
        "both are worse than the frequencies of single symbols in 5 of 5 seeds: collapsed, no order" },
    /* a loss of 9 counts as 4.4, the entropy of single symbols */
    { from_one_to_two, { { 9, 2.9 }, { 9, 2.9 }, { 9, 2.8 }, { 9, 3 }, { 9, 2.9 } }, "PASS", 0, 0, "" },
    { from_one_to_two, { { 3.5, 2 }, { 3.5, 2 }, { 3.5, 2 }, { 3.5, 2 }, { 3.5, 2 } }, "UNDECIDED", 0, 0,
        "no seed differs from another, so nothing says how far they could" },
    { "w\tlm\ttail\talibi/plain@1024\twithin\talibi/plain@64\t0.05\tnew\tnobody",
        { { 2, 2.01 }, { 2.1, 2.1 }, { 2.21, 2.2 }, { 2, 2.005 }, { 2.3, 2.31 } }, "PASS", 0, 0, "" },
    { "w\tlm\ttail\talibi/plain@1024\twithin\talibi/plain@64\t0.05\tnew\tnobody",
        { { 2, 2.3 }, { 2.1, 2.42 }, { 2.21, 2.5 }, { 2, 2.3 }, { 2.3, 2.61 } }, "FAIL", 0, 0,
        "they are farther apart; the first is better" },
    /* the mean difference is 0, but nobody could tell it from 0.06 */
    { "w\tlm\ttail\talibi/plain@1024\twithin\talibi/plain@64\t0.05\tnew\tnobody",
        { { 2, 2.1 }, { 2.1, 2 }, { 2.2, 2.2 }, { 2.1, 2 }, { 2.2, 2.3 } }, "UNDECIDED", 0, 0,
        "the mean agrees, and the interval or the number of gates leaves it open" },
    /* shares, the first side's being the worse one: of 5 seeds of 7 trials each 0.6 .. 0.8 against all */
    { "s\tlm\tright\trope/window@512:0\texceeds\trope/pi@512:0\t0.3\tnew\tnobody",
        { { 0.01, 1 }, { 0.02, 1 }, { 0.01, 1 }, { 0, 1 }, { 0.02, 1 } }, "PASS", 0, 0, "" },
    { "s\tlm\tright\trope/window@512:0\texceeds\trope/pi@512:0\t0.3\tnew\tnobody",
        { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } }, "FAIL", -0.09890, 0.09890,
        "the order is the other way round, or none" },
};

static sqlite3 *made_up(void)
{
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db,
                     "CREATE TABLE now(row TEXT, quantity TEXT, subject TEXT, params TEXT, measure TEXT, value REAL, n "
                     "INTEGER, seed INTEGER, method TEXT, at INTEGER)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    return db;
}
static void answers(sqlite3 *db, const struct decided *d)
{
    char worse[64], better[64], measure[16];
    cr_assert_eq(sscanf(d->line, "%*s lm %15s %63s %*s %63s", measure, worse, better), 3, "%s", d->line);
    for (int seed = 0; seed < 5 && (d->value[seed][0] > 0 || d->value[seed][1] > 0); seed++)
        answer(db, worse, measure, d->value[seed][0], 7, seed), answer(db, better, measure, d->value[seed][1], 7, seed);
}
/* The columns of a gate as one text; "" where there is none. */
static const char *gate_text(sqlite3 *db, const char *id, const char *columns)
{
    static char text[400];
    sqlite3_stmt *q;
    char *sql = sqlite3_mprintf("SELECT %s FROM gate WHERE id=%Q", columns, id);
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK, "%s", sql);
    snprintf(text, sizeof text, "%s", sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : "");
    sqlite3_finalize(q), sqlite3_free(sql);
    return text;
}

Test(lab_gates, a_verdict_is_that_of_its_interval)
{
    char dir[60], path[80], why[600], id[2] = "";
    snprintf(dir, sizeof dir, "/tmp/meridian-gates-%d", (int)getpid()), snprintf(path, sizeof path, "%s/g.tsv", dir);
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
    for (size_t k = 0; k < sizeof decisions / sizeof *decisions; k++) {
        const struct decided *d = &decisions[k];
        sqlite3 *db = made_up();
        put(dir, "g.tsv", d->line);
        *id = *d->line;
        answers(db, d);
        cr_assert_eq(means_make(db, why, sizeof why), 0, "%s", why);
        cr_assert_eq(gates_make(db, path, dir, 4.4, why, sizeof why), 0, "%s", why);
        cr_expect_str_eq(gate_text(db, id, "verdict"), d->verdict, "case %zu: %s", k, gate_text(db, id, "verdict"));
        cr_expect_str_eq(gate_text(db, id, "reason"), d->reason, "case %zu: %s", k, gate_text(db, id, "reason"));
        if (d->high > 0)
            cr_expect(fabs(strtod(gate_text(db, id, "low"), NULL) - d->low) <= 1e-5 &&
                    fabs(strtod(gate_text(db, id, "high"), NULL) - d->high) <= 1e-5,
                "case %zu: %s", k, gate_text(db, id, "low || ' .. ' || high"));
        sqlite3_close(db);
    }
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_expect_eq(system(path), 0);
}

/* A database that says every answer twice has no more seeds than one that says it once. */
Test(lab_gates, an_answer_that_is_there_twice_counts_once)
{
    char dir[60], path[80], why[600];
    sqlite3 *db = made_up();
    snprintf(dir, sizeof dir, "/tmp/meridian-twice-%d", (int)getpid()), snprintf(path, sizeof path, "%s/g.tsv", dir);
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
    const struct decided d = { from_one_to_two, { { 3.5, 2 }, { 3.5, 2.1 }, { 4, 2.4 } }, NULL, 0, 0, NULL };
    put(dir, "g.tsv", d.line);
    answers(db, &d), answers(db, &d);
    cr_assert_eq(means_make(db, why, sizeof why), 0, "%s", why);
    cr_assert_eq(gates_make(db, path, dir, 4.4, why, sizeof why), 0, "%s", why);
    cr_expect_str_eq(gate_text(db, "b", "seeds || ' ' || verdict"), "3 UNDECIDED", "%s",
        gate_text(db, "b", "seeds || ' ' || verdict"));
    cr_expect_str_eq(gate_text(db, "b", "(SELECT min(seeds) || ' ' || max(seeds) FROM mean)"), "3 3", "%s",
        gate_text(db, "b", "(SELECT min(seeds) || ' ' || max(seeds) FROM mean)"));
    sqlite3_close(db);
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_expect_eq(system(path), 0);
}

/* Twenty gates of which each would pass alone at 5 % leave one another open; of three that contradict one another each
 * names the next; and a run that kept other gates before its training is told from one that kept these. */
Test(lab_gates, gates_of_a_page_are_judged_together_and_say_what_was_known)
{
    enum { GATES = 20 };
    char dir[60], path[80], why[600], text[4000], id[8], hex[65], *sql;
    size_t at = 0;
    sqlite3 *db = made_up();
    snprintf(dir, sizeof dir, "/tmp/meridian-holm-%d", (int)getpid()), snprintf(path, sizeof path, "%s/g.tsv", dir);
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
    for (int k = 0; k < GATES; k++) { /* differences 0 .. 4: t = 2.83, p = 0.047 of two sides */
        char side[2][40];
        snprintf(side[0], sizeof side[0], "rope/plain@%d", 1000 + k),
            snprintf(side[1], sizeof side[1], "none/plain@%d", 10);
        at += (size_t)snprintf(text + at, sizeof text - at, "g%d\tlm\ttail\t%s\texceeds\t%s\t0\tnew\tnobody\n", k,
            side[0], side[1]);
        for (int seed = 0; seed < 5; seed++)
            answer(db, side[0], "tail", 2 + (double)(seed % 5), 7, seed),
                seed + k * 5 < 5 ? answer(db, side[1], "tail", 2, 7, seed) : (void)0;
    }
    at += (size_t)snprintf(text + at, sizeof text - at,
        "a\tlm\ttail\tx/w@9\twithin\tx/p@1\t0.05\tseen\tn\nb\tlm\ttail\tx/s@9\twithin\tx/p@1\t0.1\tseen\tn\n"
        "c\tlm\ttail\tx/w@9\texceeds\tx/s@9\t0.5\tseen\tn\nd\tlm\ttail\tx/w@9\texceeds\tx/q@9\t0.5\tseen\tn\n");
    put(dir, "old.tsv", "g0\tlm\ttail\trope/plain@1000\texceeds\tnone/plain@10\t0.5\tnew\tnobody\n");
    put(dir, "g.tsv", text);
    cr_assert_eq(gates_keep(path, dir, hex, why, sizeof why), 0, "%s", why);
    sql = sqlite3_mprintf("INSERT INTO now VALUES('rope', 'lm', 'plain', '%s', 'gates', 0, 0, 1, '', 1)", hex);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    snprintf(why, sizeof why, "%s/old.tsv", dir);
    cr_assert_eq(gates_keep(why, dir, hex, text, sizeof text), 0, "%s", text);
    sql = sqlite3_mprintf("INSERT INTO now VALUES('rope', 'lm', 'plain', '%s', 'gates', 0, 0, 2, '', 1)", hex);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    cr_assert_eq(means_make(db, why, sizeof why), 0, "%s", why);
    cr_assert_eq(gates_make(db, path, dir, 40, why, sizeof why), 0, "%s", why);
    for (int k = 0; k < GATES; k++) {
        snprintf(id, sizeof id, "g%d", k);
        cr_expect_str_eq(gate_text(db, id, "verdict"), "UNDECIDED", "%s", id);
    }
    cr_expect_str_eq(gate_text(db, "g0", "before"), "1 of 10");
    cr_expect_str_eq(gate_text(db, "a", "verdict"), "SKIP");
    cr_expect(*gate_text(db, "a", "against") && *gate_text(db, "b", "against") && *gate_text(db, "c", "against") &&
        !*gate_text(db, "d", "against") && !*gate_text(db, "g0", "against"));
    put(dir, "g.tsv", "g0\tlm\ttail\trope/plain@1000\texceeds\tnone/plain@10\t0\tnew\tnobody\n");
    cr_assert_eq(gates_make(db, path, dir, 40, why, sizeof why), 0, "%s", why);
    cr_expect_str_eq(gate_text(db, "g0", "verdict"), "PASS", "alone");
    sqlite3_close(db);
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_expect_eq(system(path), 0);
}

Test(lab_gates, a_file_of_gates_is_whole_or_says_which_line_is_not)
{
    static const struct { const char *text, *says; } bad[] = {
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\t0.1\tseen\n", "line 1: nine columns" },
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\t0.1\tseen\tn\na\tlm\ttail\tx/p@1\twithin\ty/p@2\t0.1\tseen\tn\n",
            "line 2: an earlier line has this id" },
        { "a\tlm\ttail\tx/p@1\tabout\ty/p@1\t0.1\tseen\tn\n", "exceeds or within" },
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\t0.1x\tseen\tn\n", "no number" },
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\tnan\tseen\tn\n", "no number" },
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\t0\tseen\tn\n", "above 0" },
        { "a\tlm\ttail\tx/p\twithin\ty/p@1\t0.1\tseen\tn\n", "a side is" },
        { "a\tlm\ttail\tx/p@1:2\twithin\ty/p@1\t0.1\tseen\tn\n", "a side is" },
        { "a\tlm\ttail\tx/p@1:0.5z\twithin\ty/p@1\t0.1\tseen\tn\n", "a side is" },
        { "a\tlm\ttail\tx/p@1\twithin\ty/p@1\t0.1\tperhaps\tn\n", "seen or new" } };
    static struct gate g[GATES_MOST];
    char dir[60], path[80], why[600];
    snprintf(dir, sizeof dir, "/tmp/meridian-file-%d", (int)getpid()), snprintf(path, sizeof path, "%s/g.tsv", dir);
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put(dir, "g.tsv", bad[k].text);
        cr_expect_eq(gates_read(path, g, why, sizeof why), -1, "%s", bad[k].text);
        cr_expect(strstr(why, bad[k].says), "%s", why);
    }
    /* The project's own: all of it is read, and the three of windows, which cannot hold together, are found. */
    const long n = gates_read(data_path("gates.tsv", why, sizeof why), g, path, sizeof path);
    int against = 0;
    cr_assert_gt(n, 30, "%s", path);
    for (long k = 0; k < n; k++)
        against += *g[k].against != 0;
    cr_expect_eq(against, 3, "%d", against);
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_expect_eq(system(path), 0);
}

/* Whether the study of a gate's task asks what a side names. */
static int is_asked(const struct study *s, const struct side *g)
{
    const char *at = NULL;
    char name[40];
    int encoding = 0, size = 0, depth = s->depths == 0 && g->depth < 0, variant = 0;
    while (study_next(s, &at, name))
        encoding |= !strcmp(name, g->encoding);
    for (long k = 0; k < s->sizes; k++)
        size |= s->size[k] == g->size;
    for (long k = 0; k < s->depths; k++)
        depth |= s->depth[k] == g->depth;
    for (const struct variant *v = variants; v->name; v++)
        variant |= !strcmp(v->name, g->variant);
    return encoding && size && depth && (variant || task_named(s->task)->source);
}

/* No gate of the project's own file asks for what the project's own designs do not train, that of two hours or that of
 * a night, and what is trained has five seeds; the sketch is a design as well. */
Test(lab_gates, the_design_trains_what_the_gates_ask)
{
    static struct gate g[GATES_MOST];
    static struct study s[STUDIES], quick[STUDIES], night[STUDIES];
    char path[600], why[600];
    const long n = gates_read(data_path("gates.tsv", path, sizeof path), g, why, sizeof why);
    const long studies = design_read(s, data_path("extrapolate.tsv", path, sizeof path), why, sizeof why);
    cr_assert(n > 0 && studies > 0, "%s", why);
    cr_assert_gt(design_read(quick, data_path("quick.tsv", path, sizeof path), why, sizeof why), 0, "%s", why);
    const long nights = design_read(night, data_path("middle.tsv", path, sizeof path), why, sizeof why);
    cr_assert(nights > 0, "%s", why);
    for (long k = 0; k < n; k++) {
        bool asked = false;
        for (long of = 0; of < studies + nights; of++) {
            const struct study *y = of < studies ? &s[of] : &night[of - studies];
            asked |= !strcmp(y->task, g[k].task) && is_asked(y, &g[k].side[0]) && is_asked(y, &g[k].side[1]) &&
                y->seeds >= GATE_SEEDS;
        }
        cr_expect(asked, "%s", g[k].id);
    }
}

Test(lab_gates, a_design_that_contradicts_itself_says_where)
{
    static const struct { const char *text, *says; } bad[] = {
        { "", "no line says what is trained" },
        { "needle\t8\t1\tnone\t16\t0\t5\n", "line 1: eight columns" },
        { "recall\t8\t1\tnone\t4 512\t-\t5\t-\n", "task 'recall' has at most 256" },
        { "copy\t8\t1\tnone\t4\t0.5\t5\t-\n", "task 'copy' has none" },
        { "needle\t8\t1\tnone\t16\t1.5\t5\t-\n", "a depth is a share" },
        { "needle\t8\t1\tnone\t16\tnan\t5\t-\n", "a depth is a share" },
        { "needle\t8\t1\tnone\t16\t0 0\t5\t-\n", "depths '0 0': they ascend" },
        { "needle\t8\t1\tnone\t16\t0 1 0.5\t5\t-\n", "depths '0 1 0.5': they ascend" },
        { "needle\t8x\t1\tnone\t16\t0\t5\t-\n", "line 1: steps '8x': allowed is a whole number from 1 to" },
        { "needle\t8\t1\tnone\t16\t0\t0\t-\n", "trials '0': allowed is a whole number from 1 to" },
        { "needle\t8\t1\tnone\t16\t0\t99999999999999999999\t-\n", "trials '99999999999999999999': allowed is" },
        { "needle\t8\t65\tnone\t16\t0\t5\t-\n", "seeds '65': allowed is a whole number from 1 to 64" },
        { "copy\t8\t1\tnone\t5.5 10\t-\t5\t-\n", "sizes '5.5 10': allowed are 1 to 16 whole numbers" },
        { "copy\t8\t1\tnone\t5+8\t-\t5\t-\n", "sizes '5+8'" },
        { "copy\t8\t1\tnone\t5\t-\t5\tlayers=1 steps=7\n", "line 1: set: found 'steps=7', allowed: " },
        { "copy\t8\t1\tnone\t5\t-\t5\tseed=7\n", "line 1: set: found 'seed=7', allowed: " },
        { "needle\t8\t1\tnone rope none\t16\t0\t5\t-\n", "encoding 'none' is there twice" },
        { "needle\t8\t1\tnone nonesuch\t16\t0\t5\t-\n", "unknown encoding 'nonesuch'" },
        { "nonesuch\t8\t1\tnone\t16\t0\t5\t-\n", "unknown task 'nonesuch'" },
        { "encdec-reverse\t8\t1\txpos\t5\t-\t5\t-\n", "has no form for an encoder" },
        { "copy\t8\t1\tnone\t4\t-\t5\t-\ncopy\t9\t1\tnone\t4\t-\t5\t-\n", "line 2: an earlier line has this task" },
        { "copy\t8\t1\tnone\t4 x\t-\t5\t-\n", "sizes '4 x'" },
        { "copy\t8\t1\tnone\tinf\t-\t5\t-\n", "sizes 'inf'" } };
    static struct study s[STUDIES];
    char dir[60], path[80], why[600];
    snprintf(dir, sizeof dir, "/tmp/meridian-design-%d", (int)getpid()), snprintf(path, sizeof path, "%s/d.tsv", dir);
    cr_assert_eq(folder_make(dir, why, sizeof why), 0, "%s", why);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put(dir, "d.tsv", bad[k].text);
        cr_expect_eq(design_read(s, path, why, sizeof why), -1, "%s", bad[k].text);
        cr_expect(strstr(why, bad[k].says), "%s", why);
    }
    snprintf(path, sizeof path, "rm -r %s", dir);
    cr_expect_eq(system(path), 0);
}

/* Questions to models: what a row of tokens may depend on, what changes at evaluation leave alone, gates on made-up
 * answers, the verb. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include "command.h"
#include "lab/train/design.h"
#include "core/files.h"
#include "core/data.h"
#include "lab/page/gate_file.h"
#include "lab/page/gates.h"

static const struct lab_size small = {
    .layers = 2, .heads = 2, .channels = 12, .inner = 10, .vocab = 28, .length = 10, .reach = 40
};

struct asked { struct model m; float *params; int64_t *token; int64_t n; };
static void open_model(struct asked *a, const char *encoding, int64_t n)
{
    char why[400];
    cr_assert_eq(model_open(&a->m, encoding, &small, why, sizeof why), 0, "%s", why);
    a->params = need((size_t)a->m.count, sizeof *a->params), a->token = need((size_t)n, sizeof *a->token), a->n = n;
    model_draw(&a->m, &maths_f32, 3, a->params);
    for (int64_t k = 0; k < n; k++)
        a->token[k] = (k * 7 + k * k * 3 + 1) % small.vocab;
}
/* The logits y[n][vocab] of n tokens. */
static void logits(const struct asked *a, const struct variant *v, int64_t n, float *y)
{
    struct pass p = { 0 };
    char why[400];
    cr_assert_eq(pass_open(&p, &a->m, (struct pass_form){ .maths = &maths_f32, .rows = 1, .length = n, .variant = v },
        why, sizeof why), 0, "%s", why);
    cr_assert_eq(pass_forward(&p, a->params, a->token), MER_OK, "%s", a->m.enc->name);
    memcpy(y, p.logits, (size_t)(n * small.vocab) * sizeof *y);
    pass_close(&p);
}
static void close_model(struct asked *a) { free(a->params), free(a->token); }
static int same(const float *x, const float *y, int64_t n) { return !memcmp(x, y, (size_t)n * sizeof *x); }

Test(lab_ask, no_encoding_sees_a_later_token)
{
    enum { N = 37, AT = 21 };
    static float x[N * 32], y[N * 32];
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        for (const struct variant *v = variants; v->name; v++) {
            struct asked a;
            if (!variant_fits(v, e))
                continue;
            open_model(&a, e->name, N);
            logits(&a, v, N, x);
            a.token[AT] = (a.token[AT] + 1) % small.vocab;
            logits(&a, v, N, y);
            cr_expect(same(x, y, AT * small.vocab), "%s %s: a token before changed", e->name, v->name);
            cr_expect(!same(x + AT * small.vocab, y + AT * small.vocab, small.vocab) &&
                    (v->window || !same(x + (N - 1) * small.vocab, y + (N - 1) * small.vocab, small.vocab)),
                "%s %s: nothing changed", e->name, v->name);
            close_model(&a);
        }
}

/* Rows that take the place of rope and attention are the rotary model itself while every distance lies below their
 * window or cache, in float64 but for its roundings; beyond it they are not.  This would notice a query that is turned
 * twice, a missing scale, another base, or an end one too early. */
Test(lab_ask, remapped_distances_are_the_rotary_model_within_their_window_and_not_beyond)
{
    static const struct variant near[] = { { "rerope", .attend = "rerope", .encoding = "window=7" },
        { "leaky", .attend = "rerope", .encoding = "window=7 leak=3" },
        { "selfextend", .attend = "selfextend", .encoding = "window=7 group=3" },
        { "streaming", .attend = "streaming", .encoding = "sinks=2 recent=5" } };
    struct asked a;
    char why[400];
    open_model(&a, "rope", 11);
    double *params = need((size_t)a.m.count, sizeof *params);
    model_draw(&a.m, &maths_f64, 3, params);
    for (size_t k = 0; k < sizeof near / sizeof *near; k++)
        for (int64_t n = 7; n <= 11; n += 4) {
            struct pass p[2] = { { 0 }, { 0 } };
            double most = 0;
            for (int other = 0; other < 2; other++) {
                cr_assert_eq(pass_open(&p[other], &a.m,
                    (struct pass_form){ .maths = &maths_f64, .rows = 1, .length = n,
                        .variant = other ? &near[k] : NULL },
                    why, sizeof why),
                    0, "%s", why);
                cr_assert_eq(pass_forward(&p[other], params, a.token), MER_OK);
            }
            for (int64_t i = 0; i < n * small.vocab; i++) {
                const double off = fabs(((double *)p[0].logits)[i] - ((double *)p[1].logits)[i]);
                most = !(off <= most) ? off : most;
            }
            cr_expect(n == 7 ? most <= 0x1p-40 : most > 0x1p-20, "%s: %lld tokens, logits differ by %g", near[k].name,
                (long long)n, most);
            pass_close(&p[0]), pass_close(&p[1]);
        }
    free(params);
    close_model(&a);
}

/* Two layers with windows of w tokens read the last 2 (w - 1) + 1 tokens and no more; with sinks they read the first
 * ones, too. */
Test(lab_ask, a_window_reads_as_far_as_its_layers_reach_and_no_farther)
{
    enum { N = 40, LAST = N - 1 };
    static const struct variant window = { "w", .window = "8" }, sinks = { "s", .window = "8", .sinks = "2" };
    static float x[N * 32], y[N * 32];
    const int64_t line = LAST * small.vocab, reach = small.layers * 7;
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        struct asked a;
        open_model(&a, e->name, N);
        for (int64_t at = LAST - reach - 1; at <= LAST - reach; at++) {
            a.token[at] = 5, logits(&a, &window, N, x);
            a.token[at] = 6, logits(&a, &window, N, y);
            cr_expect_eq(same(x + line, y + line, small.vocab), at == LAST - reach - 1,
                "%s: token %lld behind the last", e->name, (long long)(LAST - at));
        }
        for (int64_t at = 1; at < 3; at++) {
            a.token[at] = 5, logits(&a, &sinks, N, x);
            a.token[at] = 6, logits(&a, &sinks, N, y);
            cr_expect_eq(same(x + line, y + line, small.vocab), at == 2, "%s: token %lld with two sinks", e->name,
                (long long)at);
        }
        close_model(&a);
    }
}

/* A length factor of 1 changes nothing: frequencies, temperatures, windows and clips are those of the trained
 * length. */
Test(lab_ask, at_the_trained_length_changes_by_length_change_nothing)
{
    static const char *const still[] = { "pi", "ntk", "dynamic", "yarn", "yarn-32", "logn", "window", "sinks",
        "unclipped" };
    static float x[40 * 32], y[40 * 32];
    int tried = 0;
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e))
        for (const struct variant *v = variants; v->name; v++) {
            struct asked a;
            int quiet = 0;
            for (size_t k = 0; k < sizeof still / sizeof *still; k++)
                quiet |= !strcmp(v->name, still[k]);
            if (!variant_fits(v, e))
                continue;
            open_model(&a, e->name, 40);
            if (quiet)
                logits(&a, NULL, small.length, x), logits(&a, v, small.length, y);
            cr_expect(
                !quiet || same(x, y, small.length * small.vocab), "%s %s at the trained length", e->name, v->name);
            logits(&a, NULL, 40, x), logits(&a, v, 40, y);
            cr_expect(v == variants || !strcmp(v->name, "sinks") || !strcmp(v->name, "unclipped") ||
                    !same(x, y, 40 * small.vocab),
                "%s %s changes nothing at four times the trained length", e->name, v->name);
            tried++;
            close_model(&a);
        }
    cr_expect_geq(tried, 40, "%d", tried);
}

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

static void put(const char *dir, const char *name, const char *text)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(file_replace(path, text, strlen(text), why, sizeof why), 0, "%s", why);
}


Test(lab_ask, a_verdict_is_that_of_its_interval)
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
Test(lab_ask, an_answer_that_is_there_twice_counts_once)
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
Test(lab_ask, gates_of_a_page_are_judged_together_and_say_what_was_known)
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

Test(lab_ask, a_file_of_gates_is_whole_or_says_which_line_is_not)
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

/* No gate of the project's own file asks for what the project's own design does not train, and what is trained has
 * five seeds; the sketch is a design as well. */
Test(lab_ask, the_design_trains_what_the_gates_ask)
{
    static struct gate g[GATES_MOST];
    static struct study s[STUDIES], quick[STUDIES];
    char path[600], why[600];
    const long n = gates_read(data_path("gates.tsv", path, sizeof path), g, why, sizeof why);
    const long studies = design_read(s, data_path("extrapolate.tsv", path, sizeof path), why, sizeof why);
    cr_assert(n > 0 && studies > 0, "%s", why);
    cr_assert_gt(design_read(quick, data_path("quick.tsv", path, sizeof path), why, sizeof why), 0, "%s", why);
    for (long k = 0; k < n; k++) {
        long of = 0;
        while (of < studies && strcmp(s[of].task, g[k].task))
            of++;
        cr_assert(of < studies, "%s: no task %s", g[k].id, g[k].task);
        cr_expect(is_asked(&s[of], &g[k].side[0]) && is_asked(&s[of], &g[k].side[1]) && s[of].seeds >= GATE_SEEDS,
            "%s", g[k].id);
    }
}

Test(lab_ask, a_design_that_contradicts_itself_says_where)
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

/* Another seed has other windows, one in each equal part of the text, and the same seed the same ones. */
Test(lab_ask, windows_are_drawn_anew_for_each_seed)
{
    int equal = 0;
    for (int64_t w = 0; w < 512; w++) {
        const int64_t a = window_place(1, w, 512, 200000), b = window_place(2, w, 512, 200000);
        cr_expect(a >= 200000 * w / 512 && a < 200000 * (w + 1) / 512, "%lld", (long long)a);
        cr_expect_eq(a, window_place(1, w, 512, 200000));
        equal += a == b;
    }
    cr_expect_leq(equal, 20, "%d of 512 windows are the same", equal); /* 1.3 are expected; P(> 20) < 10^-17 */
    cr_expect_eq(window_place(1, 3, 8, 4), 1, "fewer places than windows");
}

/* Runs of two trainings in one folder are not seeds of one: the page is of that which the design and --set name, and
 * where neither is, it is refused with what differs; so too where the database keeps no trainings but the folder of the
 * runs is there. */
Test(lab_ask, a_page_is_of_one_training_a_task, .timeout = 60)
{
    static const char size[] = "layers=1 heads=2 channels=16 inner=16 length=16 batch=2 part=2 warm=1";
    static const struct { const char *steps; int rc; const char *says, *table; } pages[] = {
        { "steps=9", 0, "nothing trained", "| copy | none | 1 | 4 | 96 |" },
        { "steps=5", 2, "several trainings of task copy (steps=2; steps=9), and none is the design's", NULL } };
    char dir[80], command[300], args[400], path[200];
    snprintf(dir, sizeof dir, "/tmp/meridian-trainings-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -rf %s; mkdir %s", dir, dir);
    cr_assert_eq(system(command), 0);
    put(dir, "d.tsv", "copy\t2\t3\tnone\t3 6\t-\t4\t-\necho\t2\t1\tnone\t8 32\t-\t4\t-\n");
    for (int k = 0; k < 2; k++) {
        snprintf(args, sizeof args, "extrapolate --design %s/d.tsv --out %s/a --set '%s%s' --jobs 1%s", dir, dir, size,
            k ? " steps=9" : "", k ? " --seeds 1" : "");
        cr_assert_eq(meridian("", args), 0, "%s", err);
    }
    static const struct { const char *of, *has; } figures[] = { { "copy", "set arrow 1 from 7, graph 0" },
        { "copy", "exact answers" }, { "echo", "set arrow 1 from 16, graph 0" }, { "echo", "bits a symbol" },
        { "echo", "with lines lw 2 dt 3" } };
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        snprintf(path, sizeof path, "%s/a/fig-extrapolate-%s.gp", dir, figures[k].of);
        char *figure = file_read(path);
        cr_expect(figure && strstr(figure, figures[k].has), "%s: %s", figures[k].has, figure ? figure : "no figure");
        free(figure);
    }
    for (int old = 0; old < 2; old++) {
        for (size_t k = (size_t)old; k < sizeof pages / sizeof *pages; k++) {
            snprintf(args, sizeof args, "extrapolate --quick --tasks copy --out %s/a --set '%s %s' --page", dir, size,
                pages[k].steps);
            cr_expect_eq(meridian("", args), pages[k].rc, "%s: %s%s", pages[k].steps, out, err);
            cr_expect(strstr(pages[k].rc ? err : out, pages[k].says) && lines(err) == (pages[k].rc ? 1 : 0), "%s: %s%s",
                pages[k].steps, out, err);
            snprintf(path, sizeof path, "%s/a/extrapolation.md", dir);
            char *page = file_read(path);
            cr_expect(!pages[k].table || (page && strstr(page, pages[k].table) &&
                !strstr(page, "A sketch: one seed")), "%s: %s", pages[k].steps, page ? page : "no page");
            free(page);
        }
        sqlite3 *db;
        snprintf(path, sizeof path, "%s/a/extrapolation.db", dir);
        cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
        cr_expect_eq(sqlite3_exec(db, "DELETE FROM result WHERE measure='training'", NULL, NULL, NULL), SQLITE_OK);
        cr_expect_gt(sqlite3_changes(db), 0 - old);
        sqlite3_close(db);
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_expect_eq(system(command), 0);
}

/* The line of what was trained stands where the training's rows end, whatever is asked first or could be trained. */
Test(lab_ask, the_trained_size_is_what_fits_into_a_row)
{
    static const struct { struct study s; const char *set; int64_t trained; } list[] = {
        { { .task = "lm", .steps = 2, .sizes = 3, .size = { 32, 64, 96 } }, "", 64 },
        { { .task = "lm", .steps = 2, .sizes = 1, .size = { 32 }, .set = "length=16" }, "length=48", 48 },
        { { .task = "copy", .steps = 2, .sizes = 1, .size = { 3 }, .set = "length=8" }, "", 3 },
        { { .task = "copy", .steps = 2, .sizes = 1, .size = { 3 } }, "", 30 },
        { { .task = "needle", .steps = 2, .sizes = 1, .size = { 16 } }, "", 64 },
        { { .task = "encdec-reverse", .steps = 2, .sizes = 1, .size = { 5 }, .set = "layers=2 length=42" }, "", 20 },
        { { .task = "echo", .steps = 2, .sizes = 1, .size = { 32 } }, "", 64 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect_eq(study_trained(&list[k].s, list[k].set), list[k].trained, "%s: %lld", list[k].s.task,
            (long long)study_trained(&list[k].s, list[k].set));
}

Test(lab_ask, the_verb_trains_asks_writes_the_page_and_goes_on_where_it_was_stopped, .timeout = 120)
{
    char dir[80], command[200], args[400], env[120], *first, *again;
    snprintf(dir, sizeof dir, "/tmp/meridian-ask-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -rf %s; mkdir %s", dir, dir),
        snprintf(env, sizeof env, "MERIDIAN_DATA=%s", dir);
    cr_assert_eq(system(command), 0);
    put(dir, "extrapolate.tsv",
        "needle\t120\t1\tnone rope\t16 40\t0 1\t5\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 "
        "warm=5\nmode\t40\t2\talibi\t7 30\t-\t6\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    put(dir, "gates.tsv", "a gate\tneedle\tright\trope/window@40:0\texceeds\tnone/plain@40:0\t-1\tnew\tnobody\n");
    for (int life = 0; life < 3; life++) { /* The run is cut short twice by the clock, and then goes on to its end. */
        snprintf(args, sizeof args, "extrapolate --out %s/a --jobs 2", dir),
            snprintf(command, sizeof command, "%s %s", env,
                life < 2 ? life ? "timeout -s KILL 0.6" : "timeout -s KILL 0.35" : "");
        cr_expect(meridian(command, args) == 0 || life < 2, "%s", err);
    }
    cr_expect(strstr(out, "4 runs, 0 failed"), "%s%s", out, err);
    snprintf(args, sizeof args, "extrapolate --out %s/b --jobs 1", dir);
    cr_expect_eq(meridian(env, args), 0, "%s", err);
    snprintf(command, sizeof command,
        "cd %s && for f in a/lab/*.answers; do cmp $f b/lab/${f##*/} || exit 1; done; ls a/lab/*.answers | wc -l | "
        "grep -qx 4",
        dir);
    cr_expect_eq(system(command), 0, "answers differ");
    snprintf(command, sizeof command, "%s/a/extrapolation.md", dir);
    first = file_read(command);
    cr_expect(first && strstr(first, "0 of 1 orderings that were asked are reproduced, 0 are not, 1 are undecided") &&
            strstr(first, "1 of the 5 seeds") && strstr(first, "| rope") &&
            strstr(first, "fig-extrapolate-needle"),
        "%s", first ? first : "no page");
    cr_expect(first && !strstr(first, "± 0.000") &&
            strstr(first, "| d=128 L=2048 published=1.6e4 | published least base | corrected: 11587.24 |"),
        "one seed has no interval; what needs no training stands there too");
    snprintf(args, sizeof args, "extrapolate --out %s/a", dir);
    cr_expect_eq(meridian(env, args), 0, "%s", err);
    again = file_read(command);
    cr_expect_str_eq(first, again, "the page of a run that found everything done differs");
    free(again);
    snprintf(args, sizeof args, "extrapolate --out %s/a --page", dir);
    cr_expect(meridian(env, args) == 0 && strstr(out, "nothing trained"), "%s%s", out, err);
    again = file_read(command);
    cr_expect_str_eq(first, again, "the page from the database alone differs");
    free(first), free(again);
    snprintf(args, sizeof args, "extrapolate --out %s/nowhere --page", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "nowhere/extrapolation.db"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --encodings rope,nonesuch", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "nonesuch"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --set layers=99", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "layers"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --set steps=0", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "steps: found '0', allowed: an integer from 1 to 1073741824"),
        "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --set 'layers=1 seed=7'", dir);
    cr_expect(meridian(env, args) == 2 && lines(err) == 1 && strstr(err, "--set: found 'seed=7', allowed: "), "%s",
        err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --tasks recall", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "does not train 'recall'; it has needle mode"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --encodings t5", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "does not train 't5'"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/e --tasks mode --encodings rope", dir);
    cr_expect(meridian(env, args) == 77 && strstr(err, "nothing to run and no page written: no line"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --quick --design x", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "--quick is a design of its own"), "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/a --page --json %s/all.json", dir, dir);
    cr_expect_eq(meridian(env, args), 0, "%s", err);
    snprintf(command, sizeof command, "%s/all.json", dir);
    char *json = file_read(command);
    cr_expect(json && strstr(json, "\"asked\": [") && strstr(json, "\"verdict\": \"UNDECIDED\"") &&
            strstr(json, "\"before\": \"2 of 2\"") && strstr(json, "\"low\": null") && !strstr(json, "nan"),
        "%s", json ? json : "no file");
    free(json);
    put(dir, "text.tsv", "lm\t2\t1\tnone\t16\t-\t2\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    char nowhere[200];
    snprintf(nowhere, sizeof nowhere, "%s PATH=/nonexistent", env),
        snprintf(args, sizeof args, "extrapolate --out %s/c --tasks lm --design %s/text.tsv", dir, dir);
    cr_expect(meridian(nowhere, args) == 77 && strstr(err, "apt-get install bible-kjv bible-kjv-text") &&
            strstr(err, "synthetic"),
        "%s", err);
    snprintf(args, sizeof args, "extrapolate --out %s/c --design %s/text.tsv --json %s/c.json --set steps=1 --all", dir,
        dir, dir);
    cr_expect(meridian(nowhere, args) == 77 && strstr(err, "nothing to run") && !strstr(err, "no effect"), "%s", err);
    put(dir, "extrapolate.tsv",
        "mode\t2\t1\tnone (rope)\t7\t-\t2\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    for (int all = 0; all < 2; all++) {
        snprintf(args, sizeof args, "extrapolate --out %s/d%s", dir, all ? " --all" : "");
        cr_expect(
            meridian(env, args) == 0 && strstr(out, all ? "2 runs, 0 failed" : "1 runs, 0 failed"), "%s%s", out, err);
    }
    put(dir, "extrapolate.tsv", "needle\t8\t1\tnone\t16 9\t0\t5\t-\n");
    snprintf(args, sizeof args, "extrapolate --out %s/a", dir);
    cr_expect(meridian(env, args) == 2 && strstr(err, "line 1: sizes ascend"), "%s", err);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_expect_eq(system(command), 0);
}

/* Questions to models: what a row of tokens may depend on, what changes at evaluation leave alone, gates on made-up
 * answers, the verb. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include "command.h"
#include "lab/train/design.h"
#include "core/files.h"
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

static void answer(
    sqlite3 *db, const char *encoding, const char *variant, const char *measure, int size, double value, int seed)
{
    char *sql =
        sqlite3_mprintf("INSERT INTO now VALUES('%s', 'lm', '%s', 'size=%d depth=-1', '%s', %.17g, 7, %d, 'sample', 1)",
            encoding, variant, size, measure, value, seed);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
}
static void gate_is(sqlite3 *db, const char *id, const char *verdict, double seen, double half)
{
    sqlite3_stmt *q;
    cr_assert_eq(sqlite3_prepare_v2(db, "SELECT verdict, seen, half FROM gate WHERE id LIKE ?1 || '%'", -1, &q, NULL),
        SQLITE_OK);
    sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(q), SQLITE_ROW, "%s", id);
    cr_expect_str_eq((const char *)sqlite3_column_text(q, 0), verdict, "%s", id);
    cr_expect(isnan(seen) ? sqlite3_column_type(q, 1) == SQLITE_NULL :
                            fabs(sqlite3_column_double(q, 1) - seen) <= 1e-12 &&
                fabs(sqlite3_column_double(q, 2) - half) <= 1e-9 * half,
        "%s: %.17g +- %.17g", id, sqlite3_column_double(q, 1), sqlite3_column_double(q, 2));
    sqlite3_finalize(q);
}

Test(lab_ask, gates_pair_seeds_cut_collapsed_losses_and_say_ties)
{
    char why[600];
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db,
                     "CREATE TABLE now(row TEXT, quantity TEXT, subject TEXT, params TEXT, measure TEXT, value REAL, n "
                     "INTEGER, seed INTEGER, method TEXT, at INTEGER)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    const double near[] = { 2, 2.1, 2.4 }, far[] = { 3.5, 3.1, 5.4 };
    for (int seed = 0; seed < 3; seed++)
        answer(db, "sinusoid", "plain", "tail", 64, near[seed], seed),
            answer(db, "sinusoid", "plain", "tail", 128, far[seed], seed);
    /* A seed without its pair. */
    answer(db, "learned", "plain", "tail", 64, 2, 1), answer(db, "learned", "plain", "tail", 128, 2.9, 1),
        answer(db, "learned", "plain", "tail", 128, 9, 2);
    answer(db, "rope", "plain", "tail", 256, 6, 1), answer(db, "alibi", "plain", "tail", 256, 5, 1),
        answer(db, "shaw", "plain", "tail", 256, 3, 1);
    answer(db, "alibi", "plain", "tail", 64, 2, 1), answer(db, "alibi", "plain", "tail", 1024, 1.96, 1);
    cr_assert_eq(means_make(db, why, sizeof why), 0, "%s", why);
    cr_assert_eq(gates_make(db, 4.4, why, sizeof why), 0, "%s", why);
    /* The differences are 1.5, 1.0 and 4.4 - 2.4 = 2: their mean is 1.5, the variance of the mean (1/4) / 3, and
     * Student's quantile for two degrees of freedom 4.303. */
    gate_is(db, "sinusoid breaks", "PASS", 1.5, 4.303 * sqrt(0.25 / 3));
    gate_is(db, "learned rows", "FAIL", 0.9, 0);
    gate_is(db, "rotary before linear", "TIE", 0, 0);
    gate_is(db, "clipped distances reach", "PASS", 4.4 - 3, 0);
    gate_is(db, "linear biases stay", "PASS", -0.04, 0);
    gate_is(db, "a window forgets", "SKIP", (double)NAN, 0);
    static const char *const why_not[][2] = { { "learned rows beyond training are noise",
                                                  "the order holds, by less than the margin" },
        { "rotary before linear biases", "both are worse than the frequencies of single symbols: collapsed, no order" },
        { "a window forgets", "not trained, or not asked" }, { "clipped distances reach beyond", "" } };
    for (size_t k = 0; k < sizeof why_not / sizeof *why_not; k++) {
        sqlite3_stmt *q;
        cr_assert_eq(sqlite3_prepare_v2(db, "SELECT reason FROM gate WHERE id=?1", -1, &q, NULL), SQLITE_OK);
        sqlite3_bind_text(q, 1, why_not[k][0], -1, SQLITE_STATIC);
        cr_assert_eq(sqlite3_step(q), SQLITE_ROW, "%s", why_not[k][0]);
        cr_expect_str_eq((const char *)sqlite3_column_text(q, 0), why_not[k][1]);
        sqlite3_finalize(q);
    }
    sqlite3_close(db);
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(file_replace(path, text, strlen(text), why, sizeof why), 0, "%s", why);
}

Test(lab_ask, the_verb_trains_asks_writes_the_page_and_goes_on_where_it_was_stopped, .timeout = 120)
{
    char dir[80], command[200], args[300], env[120], *first, *again;
    snprintf(dir, sizeof dir, "/tmp/meridian-ask-%d", (int)getpid()),
        snprintf(command, sizeof command, "rm -rf %s; mkdir %s", dir, dir),
        snprintf(env, sizeof env, "MERIDIAN_DATA=%s", dir);
    cr_assert_eq(system(command), 0);
    put(dir, "extrapolate.tsv",
        "needle\t120\t1\tnone rope\t16 40\t0 1\t5\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 "
        "warm=5\nmode\t40\t2\talibi\t7 30\t-\t6\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    put(dir, "gates.tsv", "a gate\tneedle\tright\trope/window@40:0\texceeds\tnone/plain@40:0\t-1\tnobody\n");
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
    cr_expect(first && strstr(first, "1 of 1 orderings") && strstr(first, "| rope") &&
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
    char nowhere[200];
    snprintf(nowhere, sizeof nowhere, "%s PATH=/nonexistent", env),
        snprintf(args, sizeof args, "extrapolate --out %s/c --tasks lm", dir);
    cr_expect(meridian(nowhere, args) == 77 && strstr(err, "apt-get install bible-kjv bible-kjv-text") &&
            strstr(err, "synthetic"),
        "%s", err);
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

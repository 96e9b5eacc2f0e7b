/* Keeps and compares settings of training; see plateau.h. */
#include "lab/page/plateau.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "base/tsv.h"
#include "core/files.h"
#include "lab/exact/insert.h"
#include "lab/page/gate_file.h"
#include "lab/text/sha256.h"

static int done(sqlite3 *db, int rc, char *err, size_t n)
{
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

static const char tuned[] =
    "DROP TABLE IF EXISTS temp.tuned; CREATE TEMP TABLE tuned(task TEXT, encoding TEXT, rate REAL, steps INTEGER, seed "
    "INTEGER, trained INTEGER, variant TEXT, measure TEXT, size INTEGER, depth REAL, value REAL, n INTEGER, weights "
    "TEXT);";

/* SQL function weights(what): the digest that a run's file of answers has of its weights; "-" where there is none. */
static void weights_function(sqlite3_context *c, int n, sqlite3_value **v)
{
    const char *dir = sqlite3_user_data(c);
    char path[4600], hex[65] = "";
    (void)n;
    snprintf(path, sizeof path, "%.4000s/lab/%.400s.answers", dir, (const char *)sqlite3_value_text(v[0]));
    char *text = file_read(path), *at = text ? strstr(text, "\n# weights ") : NULL;
    const bool there = at && sscanf(at, "\n# weights %64[0-9a-f]", hex) == 1;
    sqlite3_result_text(c, there ? hex : "-", -1, SQLITE_TRANSIENT);
    free(text);
}

/* The models that the gates of a file ask, beside those without a change. */
static int asked_by_gates(sqlite3 *db, const char *path, char *err, size_t n)
{
    static struct gate g[GATES_MOST];
    const long gates = gates_read(path, g, err, n);
    int rc = sqlite3_exec(db,
        "DROP TABLE IF EXISTS temp.side; CREATE TEMP TABLE side(encoding TEXT, variant TEXT, UNIQUE(encoding, variant) "
        "ON CONFLICT IGNORE)", NULL, NULL, NULL);
    for (long k = 0; k < 2 * gates && !rc; k++)
        rc = insert_line(db, "side", "tt", g[k / 2].side[k % 2].encoding, g[k / 2].side[k % 2].variant);
    return gates < 0 ? -1 : done(db, rc, err, n);
}

/* The rate of a study's training, and the largest of its sizes that training has rows of. */
static double rate_of(const struct study *s, const char *set)
{
    struct training t = { 0 };
    char text[700], why[300];
    study_training(s, set, 1, text, sizeof text);
    const int rc = params_read(training_params, &t, text, why, sizeof why);
    /* mpq_get_d cuts; both of its integers are short. */
    const double rate = rc ? 0 : mpz_get_d(mpq_numref(t.rate)) / mpz_get_d(mpq_denref(t.rate));
    params_clear(training_params, &t);
    return rate;
}
static long trained_size(const struct study *s, const char *set)
{
    const int64_t most = study_trained(s, set);
    long size = s->size[0];
    for (long k = 0; k < s->sizes; k++)
        size = s->size[k] <= most ? s->size[k] : size;
    return size;
}

static int study_put(sqlite3 *db, const struct study *s, const char *set)
{
    static const char take[] =
        "INSERT INTO temp.tuned SELECT t.task, r.row, ?3, ?4, r.seed, ?5, r.subject, r.measure, CAST(substr(r.params, "
        "6) AS INTEGER), CAST(substr(r.params, instr(r.params, 'depth=') + 6) AS REAL), r.value, r.n, weights(t.what) "
        "FROM temp.trained t JOIN main.result r ON r.key=t.key AND r.run=t.run WHERE t.task=?1 AND t.training=?2 AND "
        "t.run=(SELECT max(u.run) FROM temp.trained u WHERE u.name=t.name AND u.training=t.training) AND "
        "r.method='sample' AND r.measure IN ('tail', 'bits', 'right', 'exact') AND (r.subject='plain' OR EXISTS "
        "(SELECT 1 FROM temp.side s WHERE s.encoding=r.row AND s.variant=r.subject)) ORDER BY r.rowid";
    char text[700], of[TEXT_MAX];
    sqlite3_stmt *q = NULL;
    study_training(s, set, 1, text, sizeof text), training_of(text, of);
    int rc = sqlite3_prepare_v2(db, take, -1, &q, NULL);
    if (!rc) {
        sqlite3_bind_text(q, 1, s->task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, of, -1, SQLITE_STATIC);
        sqlite3_bind_double(q, 3, rate_of(s, set)), sqlite3_bind_int64(q, 4, s->steps);
        sqlite3_bind_int64(q, 5, trained_size(s, set));
        rc = sqlite3_step(q) == SQLITE_DONE ? 0 : -1;
    }
    sqlite3_finalize(q);
    return rc;
}

int plateau_of_store(sqlite3 *db, const struct wanted *w, const char *gates, char *err, size_t n)
{
    char dir[4100];
    snprintf(dir, sizeof dir, "%s", w->dir);
    if (trainings_make(db, w->dir, err, n) || asked_by_gates(db, gates, err, n))
        return -1;
    int rc = sqlite3_create_function(db, "weights", 1, SQLITE_UTF8, dir, weights_function, NULL, NULL) ||
        sqlite3_exec(db, tuned, NULL, NULL, NULL);
    for (const struct study *s = w->study; s < w->study + w->studies && !rc; s++)
        rc = study_put(db, s, w->set);
    return done(db, rc, err, n);
}

int plateau_of_file(sqlite3 *db, const char *path, char *err, size_t n)
{
    static char text[13][80];
    struct tsv_place to[14] = { { NULL, 0 } };
    struct tsv t;
    for (int k = 0; k < 13; k++)
        to[k] = (struct tsv_place){ text[k], sizeof text[k] };
    int rc = sqlite3_exec(db, tuned, NULL, NULL, NULL);
    if (!tsv_open(&t, path))
        return tsv_close(&t), snprintf(err, n, "no %.500s", path), -1;
    while (!rc && tsv_next(&t)) {
        if (tsv_take(&t, to) != 13)
            return snprintf(err, n, "%.400s: line %ld: thirteen columns", path, t.line), tsv_close(&t), -1;
        rc = insert_line(db, "tuned", "ttdiiittiddit", text[0], text[1], strtod(text[2], NULL),
            (int64_t)atoll(text[3]), (int64_t)atoll(text[4]), (int64_t)atoll(text[5]), text[6], text[7],
            (int64_t)atoll(text[8]), strtod(text[9], NULL), strtod(text[10], NULL), (int64_t)atoll(text[11]), text[12]);
    }
    tsv_close(&t);
    return done(db, rc, err, n);
}

/* Prints the columns of the current row, tabs between, numbers by the fewest digits that give them back. */
static void print_row(FILE *f, sqlite3_stmt *q)
{
    for (int k = 0; k < sqlite3_column_count(q); k++) {
        const double x = sqlite3_column_double(q, k);
        char digits[40];
        for (int n = 1; n <= 17 && sqlite3_column_type(q, k) == SQLITE_FLOAT; n++) {
            snprintf(digits, sizeof digits, "%.*g", n, x);
            if (strtod(digits, NULL) == x)
                break;
        }
        fprintf(f, "%s%s", k ? "\t" : "",
            sqlite3_column_type(q, k) == SQLITE_FLOAT ? digits : (const char *)sqlite3_column_text(q, k));
    }
    fprintf(f, "\n");
}
/* Prints all rows of a query.  An SQLite code. */
static int print_all(FILE *f, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &q, NULL);
    while (!rc && sqlite3_step(q) == SQLITE_ROW)
        print_row(f, q);
    sqlite3_finalize(q);
    return rc;
}

void plateau_digest(sqlite3 *db, char hex[65])
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = need_stream(&text, &size);
    print_all(f, db, "SELECT DISTINCT task, encoding, rate, steps, seed, weights FROM temp.tuned ORDER BY task, "
        "encoding, rate, steps, seed, weights");
    fclose(f);
    sha256_of(text, size, hex);
    free(text);
}

int plateau_keep(sqlite3 *db, const char *path, char *err, size_t n)
{
    char hex[65], *text = NULL;
    size_t size = 0;
    FILE *f = need_stream(&text, &size);
    plateau_digest(db, hex);
    fprintf(f, "# settings of training compared (make extrapolate EXTRAPOLATE=plateau): task, encoding, rate, steps, "
        "seed, largest size trained, change, measure, size, depth, value, answers, SHA-256 of the weights\n# digest of "
        "all trainings and their weights: %s\n", hex);
    int rc = print_all(f, db, "SELECT * FROM temp.tuned ORDER BY task, encoding, steps, rate, seed, variant<>'plain', "
        "variant, measure, size, depth");
    fclose(f);
    rc = rc ? done(db, rc, err, n) : file_replace(path, text, size, err, n);
    free(text);
    return rc;
}

/* The mean of a side's answers at the rate of a number of steps, cut at `most`; NaN: there is none. */
static double answer_at(sqlite3 *db, const struct gate *g, int side, long steps, double most)
{
    static const char ask[] =
        "SELECT avg(min(t.value, ?8)) FROM temp.tuned t JOIN temp.budget b USING(task, encoding, steps, rate) WHERE "
        "task=?1 AND encoding=?2 AND steps=?3 AND t.variant=?4 AND t.measure=?5 AND t.size=?6 AND t.depth=?7";
    sqlite3_stmt *q = NULL;
    double x = (double)NAN;
    if (sqlite3_prepare_v2(db, ask, -1, &q, NULL))
        return x;
    sqlite3_bind_text(q, 1, g->task, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, g->side[side].encoding, -1, SQLITE_STATIC), sqlite3_bind_int64(q, 3, steps);
    sqlite3_bind_text(q, 4, g->side[side].variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, g->measure, -1, SQLITE_STATIC), sqlite3_bind_int64(q, 6, g->side[side].size);
    sqlite3_bind_double(q, 7, g->side[side].depth), sqlite3_bind_double(q, 8, most);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
        x = sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    return x;
}
/* In the column `agrees`: both sides are worse than single symbols, and there is no order. */
enum { COLLAPSED = -1 };
/* A gate at one number of steps: positive differences are in its direction, as in gates.h. */
static int gate_at(sqlite3 *db, const struct gate *g, long steps, double unigram)
{
    const double most = measure_of_text(g->measure) ? unigram : (double)INFINITY,
                 worse = answer_at(db, g, 0, steps, most), better = answer_at(db, g, 1, steps, most),
                 seen = measure_is_loss(g->measure) ? worse - better : better - worse;
    const bool agrees = strcmp(g->what, "within") ? seen >= g->margin : fabs(seen) <= g->margin;
    const bool collapsed = measure_is_loss(g->measure) && worse >= most && better >= most;
    return isnan(seen) ? 0 :
        insert_line(db, "turned", "tttttdidi", g->id, g->task, g->worse, g->what, g->better, g->margin, (int64_t)steps,
            collapsed ? (double)NAN : seen, (int64_t)(collapsed ? COLLAPSED : agrees));
}
static int gates_at(sqlite3 *db, const char *path, double unigram, char *err, size_t n)
{
    static struct gate g[GATES_MOST];
    sqlite3_stmt *q = NULL;
    const long gates = gates_read(path, g, err, n);
    if (gates < 0)
        return -1;
    int rc = sqlite3_prepare_v2(db, "SELECT DISTINCT task, steps FROM temp.budget ORDER BY task, steps", -1, &q, NULL);
    while (!rc && sqlite3_step(q) == SQLITE_ROW)
        for (long k = 0; k < gates && !rc; k++)
            if (!strcmp(g[k].task, (const char *)sqlite3_column_text(q, 0)))
                rc = gate_at(db, &g[k], (long)sqlite3_column_int64(q, 1), unigram);
    sqlite3_finalize(q);
    return done(db, rc, err, n);
}

int plateau_make(sqlite3 *db, const char *gates, double unigram, char *err, size_t n)
{
    static const char make[] =
        "DROP TABLE IF EXISTS temp.budget; DROP TABLE IF EXISTS temp.turned;"
        "CREATE TEMP TABLE budget AS WITH loss AS (SELECT task, encoding, steps, rate, size, trained, avg(value) AS "
        "loss FROM temp.tuned WHERE variant='plain' AND measure IN ('tail', 'bits') GROUP BY task, encoding, steps, "
        "rate, size),"
        " best AS (SELECT task, encoding, steps, rate, min(loss) AS loss FROM loss WHERE size=trained GROUP BY task, "
        "encoding, steps)"
        " SELECT b.task, b.encoding, b.steps, b.rate, b.loss, (SELECT l.loss FROM loss l WHERE l.task=b.task AND "
        "l.encoding=b.encoding AND l.steps=b.steps AND l.rate=b.rate ORDER BY l.size DESC LIMIT 1) AS far, 0 AS line "
        "FROM best b;"
        "UPDATE temp.budget SET line=(SELECT 1 + count(*) FROM temp.budget o WHERE o.task=budget.task AND "
        "o.steps=(SELECT max(steps) FROM temp.budget m WHERE m.task=budget.task) AND o.loss > (SELECT s.loss FROM "
        "temp.budget s WHERE s.task=budget.task AND s.encoding=budget.encoding ORDER BY s.steps DESC LIMIT 1));"
        "CREATE TEMP TABLE turned(id TEXT, task TEXT, worse TEXT, what TEXT, better TEXT, margin REAL, steps INTEGER, "
        "difference REAL, agrees INTEGER);";
    return done(db, sqlite3_exec(db, make, NULL, NULL, NULL), err, n) || gates_at(db, gates, unigram, err, n) ? -1 : 0;
}

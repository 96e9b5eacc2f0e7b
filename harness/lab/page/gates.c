/* Computes means with intervals and decides gates; see gates.h. */
#include "lab/page/gates.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "lab/exact/insert.h"
#include "lab/page/gate_file.h"
#include "lab/page/interval.h"
#include "lab/train/design.h"

static const double level = 0.95, alpha = 0.05;

static int sql(sqlite3 *db, const char *text, char *err, size_t n)
{
    char *why = NULL;
    int rc = sqlite3_exec(db, text, NULL, NULL, &why);
    if (rc)
        snprintf(err, n, "%s", why);
    sqlite3_free(why);
    return rc ? -1 : 0;
}

/* One group of answers that differ in their seeds alone; seed is that of the last of them. */
struct gate_answered {
    char task[32], encoding[40], variant[40], measure[40];
    int64_t size, trials, seed;
    double depth, x[SEEDS_MOST];
    long n;
};

static int mean_put(sqlite3 *db, const struct gate_answered *a)
{
    if (!a->n)
        return 0;
    double worst = a->x[0];
    for (long k = 1; k < a->n; k++)
        worst = measure_is_loss(a->measure) ? fmax(worst, a->x[k]) : fmin(worst, a->x[k]);
    const struct interval y =
        mean_interval(a->x, a->n, measure_is_share(a->measure) ? (double)a->trials : 0, level);
    return insert_line(db, "mean", "ttttidddddi", a->task, a->encoding, a->variant, a->measure, a->size, a->depth,
        sample_mean(&(struct sample){ .x = a->x, .n = a->n }), y.low, y.high, worst, (int64_t)a->n);
}

static void answered_read(struct gate_answered *a, sqlite3_stmt *q)
{
    *a = (struct gate_answered){ .size = sqlite3_column_int64(q, 4), .depth = sqlite3_column_double(q, 5) };
    char *const to[] = { a->task, a->encoding, a->variant, a->measure };
    static const size_t room[] = { sizeof a->task, sizeof a->encoding, sizeof a->variant, sizeof a->measure };
    for (int k = 0; k < 4; k++)
        snprintf(to[k], room[k], "%s", (const char *)sqlite3_column_text(q, k));
}
static bool of_one_group(const struct gate_answered *a, const struct gate_answered *b)
{
    return !strcmp(a->task, b->task) && !strcmp(a->encoding, b->encoding) && !strcmp(a->variant, b->variant) &&
        !strcmp(a->measure, b->measure) && a->size == b->size && a->depth == b->depth;
}

int means_make(sqlite3 *db, char *err, size_t n)
{
    static const char make[] =
        "DROP VIEW IF EXISTS temp.asked; DROP TABLE IF EXISTS temp.mean;"
        "CREATE TEMP VIEW asked AS SELECT quantity AS task, row AS encoding, subject AS variant, measure, "
        "CAST(substr(params, 6) AS INTEGER) AS size,"
        " CAST(substr(params, instr(params, 'depth=') + 6) AS REAL) AS depth, value, n, seed FROM now WHERE "
        "method='sample' AND params LIKE 'size=%';"
        "CREATE TEMP TABLE mean(task TEXT, encoding TEXT, variant TEXT, measure TEXT, size INTEGER, depth REAL, mean "
        "REAL, low REAL, high REAL, worst REAL, seeds INTEGER);";
    sqlite3_stmt *q = NULL;
    if (sql(db, make, err, n))
        return -1;
    int rc = sqlite3_prepare_v2(db,
        "SELECT task, encoding, variant, measure, size, depth, value, n, seed FROM asked ORDER BY task, encoding, "
        "variant, measure, size, depth, seed",
        -1, &q, NULL);
    struct gate_answered *now = need(2, sizeof *now), *next = now + 1;
    while (!rc && sqlite3_step(q) == SQLITE_ROW) {
        answered_read(next, q);
        if (!of_one_group(now, next))
            rc = mean_put(db, now), *now = *next;
        const int64_t seed = sqlite3_column_int64(q, 8);
        if (now->n < SEEDS_MOST && !(now->n && seed == now->seed)) /* an answer that is there twice counts once */
            now->x[now->n++] = sqlite3_column_double(q, 6), now->trials += sqlite3_column_int64(q, 7);
        now->seed = seed;
    }
    rc = rc ? rc : mean_put(db, now);
    sqlite3_finalize(q), free(now);
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

/* What the runs say about a gate: the paired differences of the seeds that have both sides, positive in the direction
 * of the gate. */
struct gates_asked { double x[SEEDS_MOST]; long n, ties; struct sample s; double p[2]; };

static sqlite3_stmt *ask(sqlite3 *db, const char *text, const struct gate *g)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(db, text, -1, &q, NULL))
        return NULL;
    sqlite3_bind_text(q, 1, g->task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, g->measure, -1, SQLITE_STATIC);
    for (int k = 0; k < 2; k++) {
        sqlite3_bind_text(q, 3 + 4 * k, g->side[k].encoding, -1, SQLITE_STATIC),
            sqlite3_bind_text(q, 4 + 4 * k, g->side[k].variant, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 5 + 4 * k, g->side[k].size), sqlite3_bind_double(q, 6 + 4 * k, g->side[k].depth);
    }
    return q;
}

static int answers_of(sqlite3 *db, const struct gate *g, double unigram, struct gates_asked *a)
{
    const bool loss = measure_is_loss(g->measure), share = measure_is_share(g->measure);
    sqlite3_stmt *q = ask(db,
        "SELECT p.value, q.value, p.n, q.n, p.seed FROM asked p JOIN asked q ON p.seed=q.seed WHERE p.task=?1 AND "
        "q.task=?1 AND p.measure=?2 AND q.measure=?2"
        " AND p.encoding=?3 AND p.variant=?4 AND p.size=?5 AND p.depth=?6 AND q.encoding=?7 AND q.variant=?8 AND "
        "q.size=?9 AND q.depth=?10 ORDER BY p.seed",
        g);
    double sum[2] = { 0 }, trials[2] = { 0 };
    int64_t seed = 0;
    unigram = measure_of_text(g->measure) ? unigram : (double)INFINITY;
    *a = (struct gates_asked){ .n = 0 };
    while (q && a->n < SEEDS_MOST && sqlite3_step(q) == SQLITE_ROW) {
        double v[2];
        if (a->n && seed == sqlite3_column_int64(q, 4))
            continue; /* a pair that is there twice counts once */
        seed = sqlite3_column_int64(q, 4);
        for (int k = 0; k < 2; k++) {
            v[k] = sqlite3_column_double(q, k), sum[k] += v[k];
            trials[k] += share ? (double)sqlite3_column_int64(q, 2 + k) : 0;
        }
        a->ties += loss && v[0] >= unigram && v[1] >= unigram;
        for (int k = 0; k < 2; k++)
            v[k] = loss && v[k] > unigram ? unigram : v[k];
        a->x[a->n++] = loss ? v[0] - v[1] : v[1] - v[0];
    }
    const double n = a->n ? (double)a->n : 1;
    a->s = (struct sample){ a->x, a->n, { sum[1] / n, sum[0] / n }, { trials[1], trials[0] } };
    sqlite3_finalize(q);
    return q ? 0 : -1;
}

/* Whether an interval decides anything. */
static bool decidable(const struct gates_asked *a) { return a->n >= GATE_SEEDS && !a->ties && sample_spreads(&a->s); }

/* p[0]: of the statement that would pass the gate; p[1]: of the one that would fail it. */
static void levels(const struct gate *g, struct gates_asked *a)
{
    const double m = g->margin, above = sample_beyond(&a->s, m, 1), below = sample_beyond(&a->s, m, -1);
    if (strcmp(g->what, "within")) {
        a->p[0] = fmin(1, 2 * above), a->p[1] = fmin(1, 2 * below);
        return;
    }
    a->p[0] = fmax(below, sample_beyond(&a->s, -m, 1));
    a->p[1] = fmin(1, 2 * fmin(above, sample_beyond(&a->s, -m, -1)));
}

static const char *verdict_of(const struct gates_asked *a, double p)
{
    return !a->n                          ? "SKIP" :
        !decidable(a) || !(p <= alpha)    ? "UNDECIDED" :
        a->p[0] < a->p[1]                 ? "PASS" :
                                            "FAIL";
}

/* Why a gate is not passed, in words. */
static const char *reason(const struct gate *g, const struct gates_asked *a, const char *verdict)
{
    static char text[200];
    const double seen = a->n ? sample_mean(&a->s) : 0;
    const bool within = !strcmp(g->what, "within"),
               agrees = within ? fabs(seen) <= g->margin : seen >= g->margin;
    if (!strcmp(verdict, "PASS"))
        return "";
    if (!a->n)
        return "not trained, or not asked";
    if (a->ties)
        snprintf(text, sizeof text, "both are worse than the frequencies of single symbols in %ld of %ld seeds: "
            "collapsed, no order", a->ties, a->n);
    else if (a->n < GATE_SEEDS)
        snprintf(text, sizeof text, "%ld of the %d seeds that a gate wants; the mean %s", a->n, GATE_SEEDS,
            agrees ? "agrees" : "disagrees");
    else if (!sample_spreads(&a->s))
        snprintf(text, sizeof text, "no seed differs from another, so nothing says how far they could");
    else if (!strcmp(verdict, "UNDECIDED"))
        snprintf(text, sizeof text, "the mean %s, and the interval or the number of gates leaves it open",
            agrees ? "agrees" : "disagrees");
    else if (within)
        snprintf(text, sizeof text, "they are farther apart; the first is %s", seen > 0 ? "worse" : "better");
    else
        snprintf(text, sizeof text, "%s",
            seen > 0 ? "the order is this, by less than the margin" : "the order is the other way round, or none");
    return text;
}

/* In how many of the runs that a gate asks it stood in the file of gates that they kept before their training. */
static void kept_before(sqlite3 *db, const struct gate *g, const char *lab, char *to, size_t n)
{
    static struct gate then[GATES_MOST];
    char path[4300], hex[72] = "", why[600];
    long runs = 0, had = 0, count = 0;
    sqlite3_stmt *q = ask(db,
        "SELECT DISTINCT r.row, r.seed, coalesce(b.params, '') FROM now r LEFT JOIN now b ON b.row=r.row AND "
        "b.quantity=r.quantity AND b.seed=r.seed AND b.measure='gates' WHERE r.quantity=?1 AND r.measure=?2 AND "
        "(r.row=?3 AND r.subject=?4 OR r.row=?7 AND r.subject=?8) ORDER BY 3",
        g);
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(q, 2);
        if (strcmp(text, hex)) {
            snprintf(hex, sizeof hex, "%s", text);
            snprintf(path, sizeof path, "%.4000s/gates-%s.tsv", lab, hex);
            count = *hex ? gates_read(path, then, why, sizeof why) : 0;
        }
        runs++, had += gates_have(then, count > 0 ? count : 0, g);
    }
    sqlite3_finalize(q);
    snprintf(to, n, "%ld of %ld", had, runs);
}

static int gate_put(sqlite3 *db, const struct gate *g, const struct gates_asked *a, double p, const char *before)
{
    const double shown = strcmp(g->what, "within") ? level : 1 - 2 * alpha;
    const struct interval y =
        a->n ? sample_interval(&a->s, shown) : (struct interval){ (double)NAN, (double)NAN };
    const char *verdict = verdict_of(a, p);
    return insert_line(db, "gate", "ttttttdddddidtttttt", g->id, g->task, g->measure, g->worse, g->what, g->better,
        g->margin, a->n ? sample_mean(&a->s) : (double)NAN, y.low, y.high, shown, (int64_t)a->n,
        a->n && decidable(a) ? p : (double)NAN, verdict, g->known, before, g->against, g->source,
        reason(g, a, verdict));
}

int gates_make(sqlite3 *db, const char *path, const char *lab, double unigram, char *err, size_t n)
{
    static struct gate g[GATES_MOST];
    static struct gates_asked a[GATES_MOST];
    double p[GATES_MOST];
    long open = 0, at = 0;
    char before[64];
    if (sql(db,
            "DROP TABLE IF EXISTS temp.gate; CREATE TEMP TABLE gate(id TEXT, task TEXT, measure TEXT, worse TEXT, what "
            "TEXT, better TEXT, margin REAL, seen REAL, low REAL, high REAL, level REAL, seeds INTEGER, p REAL, "
            "verdict TEXT, known TEXT, before TEXT, against TEXT, source TEXT, reason TEXT)",
            err, n))
        return -1;
    const long gates = gates_read(path, g, err, n);
    int rc = gates < 0 ? -1 : 0;
    for (long k = 0; k < gates && !rc; k++) {
        rc = answers_of(db, &g[k], unigram, &a[k]);
        if (decidable(&a[k]))
            levels(&g[k], &a[k]), p[open++] = fmin(a[k].p[0], a[k].p[1]);
    }
    holm(p, open);
    for (long k = 0; k < gates && !rc; k++) {
        kept_before(db, &g[k], lab, before, sizeof before);
        rc = gate_put(db, &g[k], &a[k], decidable(&a[k]) ? p[at++] : 1, before);
    }
    return rc && gates >= 0 ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : rc;
}

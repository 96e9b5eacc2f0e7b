/* Selects the answers of one training for each task; see trainings.h. */
#include "lab/page/trainings.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/files.h"

void training_of(const char *text, char *to)
{
    struct training set = { 0 };
    char why[300];
    const int rc = params_read(training_params, &set, text, why, sizeof why);
    set.seed = 1;
    *to = 0;
    if (!rc)
        params_write(training_params, &set, to, TEXT_MAX);
    params_clear(training_params, &set);
}

/* SQL function training(kept, what): the training that a result keeps; where it is NULL, as in databases of earlier
 * versions, that of the file of answers in the folder of the runs; "" where there is neither. */
static void training_function(sqlite3_context *c, int n, sqlite3_value **v)
{
    const char *dir = sqlite3_user_data(c), *kept = (const char *)sqlite3_value_text(v[0]);
    char path[4600], to[TEXT_MAX] = "", *text = NULL;
    (void)n;
    snprintf(path, sizeof path, "%.4000s/lab/%.400s.answers", dir, (const char *)sqlite3_value_text(v[1]));
    if (!kept && (text = file_read(path)) != NULL)
        text[strcspn(text, "\n")] = 0, training_of(text, to);
    sqlite3_result_text(c, kept ? kept : to, -1, SQLITE_TRANSIENT);
    free(text);
}

/* The words of a that b does not have, at most as many bytes as `to` holds: what a reader has to see of a training. */
static void apart(const char *a, const char *b, char *to, size_t n)
{
    size_t at = 0;
    *to = 0;
    for (const char *s = a; *s; s += strcspn(s, " \n"), s += strspn(s, " \n")) {
        const size_t len = strcspn(s, " \n");
        bool there = false;
        for (const char *t = b; *t && !there; t += strcspn(t, " \n"), t += strspn(t, " \n"))
            there = strcspn(t, " \n") == len && !memcmp(s, t, len);
        if (!there && at + len + 2 < n)
            at += (size_t)snprintf(to + at, n - at, "%s%.*s", at ? " " : "", (int)len, s);
    }
    if (!at)
        snprintf(to, n, "%s", *a ? "other parameters" : "parameters that are not kept");
}

/* Leaves one training of a task in the table `trained`: that of the design. */
static int one_training(sqlite3 *db, const char *task, const char *first, const char *last, const struct wanted *w,
    char *err, size_t n)
{
    char text[700], of[TEXT_MAX] = "", here[200], there[200];
    sqlite3_stmt *q = NULL;
    for (const struct study *s = w->study; s < w->study + w->studies; s++)
        if (!strcmp(s->task, task))
            study_training(s, w->set, 1, text, sizeof text), training_of(text, of);
    int rc = sqlite3_prepare_v2(db,
        "DELETE FROM temp.trained WHERE task=?1 AND training<>?2 AND EXISTS (SELECT 1 FROM temp.trained WHERE task=?1 "
        "AND training=?2)", -1, &q, NULL);
    if (!rc)
        sqlite3_bind_text(q, 1, task, -1, SQLITE_STATIC), sqlite3_bind_text(q, 2, of, -1, SQLITE_STATIC);
    rc = !rc && sqlite3_step(q) == SQLITE_DONE ? 0 : -1;
    sqlite3_finalize(q);
    if (rc)
        return snprintf(err, n, "%s", sqlite3_errmsg(db)), -1;
    if (sqlite3_changes(db))
        return 0;
    apart(first, last, here, sizeof here), apart(last, first, there, sizeof there);
    return snprintf(err, n, "--page: %.2000s/extrapolation.db has answers of several trainings of task %s (%s; %s), "
        "and none is the design's; name one by --design and --set", w->dir, task, here, there), -1;
}

int trainings_make(sqlite3 *db, const char *dir, char *err, size_t n)
{
    /* A run's name ends in two digests (run_name): 26 bytes with their lines. */
    static const char make[] =
        "DROP TABLE IF EXISTS temp.trained; CREATE TEMP TABLE trained AS SELECT i.key, i.run, i.what, "
        "substr(i.what, 1, length(i.what) - 26) AS name, (SELECT r.quantity FROM main.result r WHERE r.key=i.key AND "
        "r.run=i.run LIMIT 1) AS task, training((SELECT r.params FROM main.result r WHERE r.key=i.key AND r.run=i.run "
        "AND r.measure='training' LIMIT 1), i.what) AS training FROM main.item i;";
    char of[4100];
    snprintf(of, sizeof of, "%s", dir);
    const int rc = sqlite3_create_function(db, "training", 2, SQLITE_UTF8, of, training_function, NULL, NULL) ||
        sqlite3_exec(db, make, NULL, NULL, NULL);
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

int trainings_plan(sqlite3 *db, const struct wanted *w, char *err, size_t n)
{
    static const char several[] = "SELECT task, min(training), max(training) FROM temp.trained WHERE task IS NOT NULL "
                                  "GROUP BY task HAVING min(training)<>max(training) ORDER BY task";
    static const char take[] =
        "INSERT OR REPLACE INTO temp.plan SELECT key, max(run) FROM temp.trained GROUP BY name";
    sqlite3_stmt *q = NULL;
    if (trainings_make(db, w->dir, err, n))
        return -1;
    int rc = sqlite3_prepare_v2(db, several, -1, &q, NULL);
    while (!rc && sqlite3_step(q) == SQLITE_ROW) {
        char task[40], *first = strdup((const char *)sqlite3_column_text(q, 1)),
             *last = strdup((const char *)sqlite3_column_text(q, 2));
        snprintf(task, sizeof task, "%s", (const char *)sqlite3_column_text(q, 0));
        rc = first && last ? one_training(db, task, first, last, w, err, n) : -1;
        free(first), free(last);
        if (rc)
            return sqlite3_finalize(q), -1;
    }
    sqlite3_finalize(q);
    rc = rc || sqlite3_exec(db, take, NULL, NULL, NULL);
    return rc ? (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1) : 0;
}

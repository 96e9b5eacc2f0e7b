/* Computes what a longer context is worth from the losses of every token; see contexts.h. */
#include "lab/page/contexts.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab/exact/insert.h"
#include "lab/text/reading.h"

enum { SHARES = 3 };
static const double shares[SHARES] = { 0.1, 0.5, 1 }, least_gain = 0.01;

struct hard { double loss; int64_t at; };
/* Orders targets by loss, the largest first, a NaN before all; ties by their place. */
static int harder(const void *a, const void *b)
{
    const struct hard *x = a, *y = b;
    if (isnan(x->loss) != isnan(y->loss))
        return isnan(x->loss) ? -1 : 1;
    return x->loss > y->loss ? -1 : x->loss < y->loss ? 1 : x->at < y->at ? -1 : x->at > y->at;
}
static double loss_of(const struct losses *l, int64_t k, int64_t tail, int64_t at)
{
    return (double)losses_at(l, k, at / tail)[l->length[k] - tail + at % tail];
}

/* The targets by the least loss of all models at length k, the hardest first. */
static void rank_targets(const struct losses *l, int models, int64_t k, int64_t tail, struct hard *best)
{
    const int64_t all = l->windows * tail;
    for (int64_t t = 0; t < all; t++) {
        best[t] = (struct hard){ loss_of(&l[0], k, tail, t), t };
        for (int i = 1; i < models; i++) {
            const double other = loss_of(&l[i], k, tail, t);
            best[t].loss = other < best[t].loss ? other : best[t].loss;
        }
    }
    qsort(best, (size_t)all, sizeof *best, harder);
}
/* g of one model, from length number `from` to `to`, over the first `some` targets that were ranked at `from`. */
static double gain(
    const struct losses *l, const struct hard *best, int64_t some, int64_t tail, int64_t from, int64_t to)
{
    double here = 0, next = 0;
    for (int64_t t = 0; t < some; t++) {
        const double now = loss_of(l, from, tail, best[t].at), then = loss_of(l, to, tail, best[t].at);
        here += (now < best[t].loss ? now : best[t].loss) / (double)some,
            next += (then < best[t].loss ? then : best[t].loss) / (double)some;
    }
    return (exp(here) - exp(next)) / exp(here);
}

void recl_of(const struct losses *l, int models, int64_t tail, double r, bool net, int64_t *recl)
{
    const int64_t all = l->windows * tail, some = (int64_t)ceil(r * (double)all);
    struct hard *best = need((size_t)all, sizeof *best), *back = need((size_t)all, sizeof *back);
    for (int i = 0; i < models; i++)
        recl[i] = 0;
    for (int64_t k = 0; k < l->lengths; k++) {
        const bool last = k + 1 == l->lengths;
        rank_targets(l, models, k, tail, best);
        if (net && !last)
            rank_targets(l, models, k + 1, tail, back);
        for (int i = 0; i < models; i++) {
            double g = recl[i] || last ? 0 : gain(&l[i], best, some, tail, k, k + 1);
            if (net && !recl[i] && !last)
                g -= gain(&l[i], back, some, tail, k + 1, k);
            if (!recl[i] && (last || !(g >= least_gain)))
                recl[i] = l->length[k];
        }
    }
    free(best), free(back);
}

double losses_between(const struct losses *l, int64_t k, int64_t first, int64_t last)
{
    double sum = 0;
    for (int64_t w = 0; w < l->windows; w++)
        for (int64_t i = first; i <= last; i++)
            sum += (double)losses_at(l, k, w)[i];
    return sum / (double)(l->windows * (last - first + 1)) / log(2);
}

struct contexts_group { const struct task *task; long seed; int n; char encoding[GROUP_MOST][40];
    struct losses l[GROUP_MOST]; };
static int put(sqlite3 *db, const struct contexts_group *g, int i, const char *what, double at, double value)
{
    return insert_line(db, "context", "ttitdd", g->task->name, g->encoding[i], (int64_t)g->seed, what, at, value);
}
static int store_group(sqlite3 *db, struct contexts_group *g)
{
    int64_t recl[GROUP_MOST];
    int rc = 0;
    const int64_t last = g->task->distance ? CONTROL_TAIL : TAIL;
    for (int k = 0; k < SHARES && g->n && !rc; k++) {
        for (int net = 0; net < 2; net++) {
            recl_of(g->l, g->n, last < g->l[0].length[0] ? last : g->l[0].length[0], shares[k], net, recl);
            for (int i = 0; i < g->n && !rc; i++)
                rc = put(db, g, i, net ? "net recl" : "recl", shares[k], (double)recl[i]);
        }
    }
    for (int i = 0; i < g->n; i++) {
        const struct losses *l = &g->l[i];
        const int64_t k = l->lengths - 1, length = l->length[k];
        for (int o = 0; octave_first(o) < length && !rc; o++)
            rc = put(db, g, i, "position", (double)octave_first(o),
                losses_between(
                    l, k, octave_first(o), octave_first(o + 1) < length ? octave_first(o + 1) - 1 : length - 1));
        losses_close(&g->l[i]);
    }
    g->n = 0;
    return rc;
}

static bool same_shape(const struct losses *a, const struct losses *b)
{
    return a->lengths == b->lengths && a->windows == b->windows &&
        !memcmp(a->length, b->length, (size_t)a->lengths * sizeof *a->length);
}

static int forget_task(sqlite3 *db, const char *task)
{
    sqlite3_stmt *q = NULL;
    const bool done = sqlite3_prepare_v2(db, "DELETE FROM temp.context WHERE task=?1", -1, &q, NULL) == SQLITE_OK &&
        sqlite3_bind_text(q, 1, task, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    return done ? 0 : -1;
}

int contexts_make(sqlite3 *db, const char *dir, const struct study *s, char *err, size_t n)
{
    static struct contexts_group g;
    sqlite3_stmt *q = NULL;
    char path[4400];
    int rc = sqlite3_exec(db,
                 "CREATE TEMP TABLE IF NOT EXISTS context(task TEXT, encoding TEXT, seed INTEGER, what TEXT, at REAL, "
                 "value REAL)",
                 NULL, NULL, NULL) ||
        forget_task(db, s->task) ||
        sqlite3_prepare_v2(db,
            "SELECT DISTINCT r.row, r.seed, i.what FROM temp.plan p JOIN main.item i USING(key, run) JOIN main.result "
            "r USING(key, run) WHERE r.quantity=?1 ORDER BY r.seed, i.what",
            -1, &q, NULL) ||
        sqlite3_bind_text(q, 1, s->task, -1, SQLITE_STATIC);
    if (rc)
        return sqlite3_finalize(q), snprintf(err, n, "%s", sqlite3_errmsg(db)), -1;
    g.n = 0, g.task = task_named(s->task);
    while (!rc && sqlite3_step(q) == SQLITE_ROW) {
        const long seed = (long)sqlite3_column_int64(q, 1);
        snprintf(path, sizeof path, "%.3800s/lab/%.400s.losses", dir, (const char *)sqlite3_column_text(q, 2));
        if (access(path, R_OK))
            continue;
        if (g.n && seed != g.seed && store_group(db, &g))
            rc = (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1);
        else if (g.n == GROUP_MOST)
            rc = (snprintf(err, n, "more than %d encodings of seed %ld", GROUP_MOST, seed), -1);
        else
            rc = losses_read(&g.l[g.n], path, err, n);
        if (!rc && g.n && !same_shape(&g.l[g.n], g.l)) /* of another design: not of this group */
            losses_close(&g.l[g.n]);
        else if (!rc)
            g.seed = seed,
            snprintf(g.encoding[g.n++], sizeof g.encoding[0], "%s", (const char *)sqlite3_column_text(q, 0));
    }
    if (!rc && store_group(db, &g))
        rc = (snprintf(err, n, "%s", sqlite3_errmsg(db)), -1);
    for (int i = 0; i < g.n; i++)
        losses_close(&g.l[i]);
    g.n = 0;
    sqlite3_finalize(q);
    return rc;
}

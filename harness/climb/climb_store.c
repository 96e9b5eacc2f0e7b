/* Writes what a climb found into a results store, and has the queries that make tables of it. */
#include "climb/climb_store.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct climb_table climb_tables[] = {
    { "climb", "by row: questions, escapes, and the largest share of a bound that was used",
      "SELECT row, sum(CASE WHEN measure='climb' AND subject='page' THEN n ELSE 0 END) AS 'of pages', sum(CASE WHEN "
          "measure='climb escapes' AND subject='page' THEN n ELSE 0 END) AS escapes,"
      " printf('%.3f', max(CASE WHEN measure='climb' AND subject='page' THEN value END)) AS largest,"
      " sum(CASE WHEN measure='climb' AND subject='own' THEN n ELSE 0 END) AS 'of kernels', sum(CASE WHEN "
          "measure='climb escapes' AND subject='own' THEN n ELSE 0 END) AS 'escapes ',"
      " printf('%.3f', max(CASE WHEN measure='climb' AND subject='own' THEN value END)) AS 'largest ',"
      " (SELECT w.subject || ' ' || w.witness FROM main.result w WHERE w.measure='climb' AND w.row=r.row ORDER BY "
          "w.value DESC LIMIT 1) AS 'where' FROM main.result r WHERE measure IN ('climb', 'climb escapes') GROUP BY "
          "row ORDER BY row" },
    { "steps", "steps whose bound, each rounded alone, was used least",
        "SELECT row, quantity AS step, sum(n) AS questions, printf('%.3f', max(value)) AS largest FROM main.result "
        "WHERE measure='climb step' GROUP BY row, quantity HAVING max(value) < 0.3 ORDER BY row, max(value)" },
    { "escapes", "escapes and crashes, by class", "SELECT quantity AS class, sum(n) AS seen, printf('%.4g', "
        "max(value)) AS share, min(witness) AS 'case' FROM main.result WHERE measure='climb escape' GROUP BY quantity "
        "ORDER BY quantity" },
    { "all", "in all", "SELECT sum(CASE WHEN measure='climb' THEN n ELSE 0 END) AS questions, sum(CASE WHEN "
        "measure='climb escapes' THEN n ELSE 0 END) AS escapes, count(DISTINCT CASE WHEN measure='climb escape' THEN "
        "quantity END) AS classes, count(DISTINCT key) AS runs FROM main.result WHERE measure LIKE 'climb%'" },
    { NULL, NULL, NULL },
};

static void keep_row(struct store *s, const struct climb_run *r, const char *row, const struct climb_sum *x)
{
    static const char *const who[] = { "page", "own" };
    for (int own = 0; own < 2; own++) {
        if (!x->asked[own])
            continue;
        store_put(s,
            &(struct entry){ .row = row,
                .subject = who[own],
                .measure = "climb",
                .value = x->share[own],
                .bound = 1,
                .witness = x->where[own],
                .method = "search",
                .n = x->asked[own],
                .seed = r->seed,
                .verdict = x->escapes[own] ? "FAIL" : "PASS" });
        store_put(s,
            &(struct entry){ .row = row,
                .subject = who[own],
                .measure = "climb escapes",
                .value = (double)x->escapes[own],
                .bound = (double)NAN,
                .method = "search",
                .n = x->escapes[own] + (own ? x->crashed : 0),
                .seed = r->seed,
                .verdict = "" });
    }
}

static void keep_steps(struct store *s, const struct climb_run *r, const struct row *row, const struct climb_sum *x)
{
    size_t len;
    const char *name;
    char step[40];
    for (int k = 0; (name = row_step(row, k, &len)); k++) {
        snprintf(step, sizeof step, "%.*s", (int)len, name);
        if (x->alone_asked[k])
            store_put(s,
                &(struct entry){ .row = row->name,
                    .quantity = step,
                    .subject = "page",
                    .measure = "climb step",
                    .value = x->alone[k],
                    .bound = 1,
                    .witness = x->alone_case[k],
                    .method = "search",
                    .n = x->alone_asked[k],
                    .seed = r->seed,
                    .verdict = "" });
    }
}

int climb_keep(struct store *s, const struct climb_run *r, const struct climb_found *f, char *err, size_t n)
{
    char what[200], key[33], stamp[40];
    snprintf(what, sizeof what, "climb %s seed=%llu seconds=%g jobs=%d", r->row ? r->row->name : "all",
        (unsigned long long)r->seed, r->seconds, r->jobs);
    /* a stamp makes the key unique: with the same seed other questions are asked again, as their number depends on
     * the machine's speed */
    snprintf(stamp, sizeof stamp, "%lld.%ld", (long long)store_run_id(s), (long)getpid());
    store_key(key, stamp, what);
    if (store_begin(s, key, what))
        return store_commit(s, 0, err, n);
    for (int k = 0; all_rows[k] && k < CLIMB_ROWS; k++)
        keep_row(s, r, all_rows[k]->name, &f->row[k]), keep_steps(s, r, all_rows[k], &f->row[k]);
    for (int k = 0; k < f->escapes; k++) {
        const struct climb_escape *e = &f->escape[k];
        store_put(s,
            &(struct entry){ .row = all_rows[e->row]->name,
                .quantity = e->key,
                .subject = "",
                .measure = "climb escape",
                .value = isinf(e->share) ? 1e300 : e->share,
                .bound = 1,
                .witness = e->text,
                .method = "search",
                .n = e->n,
                .seed = r->seed,
                .verdict = "FAIL" });
    }
    return store_commit(s, r->seconds, err, n);
}

/* Earlier answers of a subject.  Two runs ask the same question where row, outputs, type, parameters, case, sizes, seed
 * and number of lines agree.  The arithmetic it was judged under does not count: gauge and ulp are measured from the
 * exact value. */
#include "judge/baseline.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include "store/machine.h"

struct baseline_answer {
    char *row, *out, *asked, word[12];
    double ulp, gauge;
    int64_t n;
    uint64_t seed;
    bool measured;
};
struct baseline {
    struct store *store;
    char *subject;
    sqlite3_stmt *good, *latest;
    struct baseline_answer *answer;
    size_t n, room;
    long same, better, worse, fresh; /* questions of this run against the latest one; fresh: never asked before */
};

/* The latest earlier run with a gauge below ?5: when it started, commit, gauge, ulp. */
static const char find_good[] =
    "SELECT r.started, r.\"commit\", g.value, u.value FROM result g JOIN result u ON u.run = g.run AND u.key = g.key "
    "AND u.row = g.row AND u.quantity = g.quantity AND u.params = g.params AND u.measure = 'judge ulp'"
    " JOIN run r ON r.id = g.run WHERE g.measure = 'judge gauge' AND g.subject = ?1 AND g.row = ?2 AND g.quantity = ?3 "
    "AND g.params = ?4 AND g.value < ?5 ORDER BY g.run DESC LIMIT 1";
static const char find_latest[] =
    "SELECT r.started, r.\"commit\", v.verdict, v.value FROM result v JOIN run r ON r.id = v.run WHERE v.measure = "
    "'judge gauge' AND v.subject = ?1 AND v.row = ?2 AND v.quantity = ?3 AND v.params = ?4 ORDER BY v.run DESC LIMIT 1";

/* The commit of what is judged, not of meridian: what GitHub or GitLab state in the environment, else that of the
 * working directory; "" where neither knows. */
static void commit_of(char *text, size_t n)
{
    static const char *const names[] = { "GITHUB_SHA", "CI_COMMIT_SHA" };
    const char *said = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !said; k++)
        said = getenv(names[k]);
    snprintf(text, n, "%.12s", said ? said : "");
    FILE *git = said ? NULL : popen("git rev-parse --short=12 HEAD 2>/dev/null", "r");
    if (git && fgets(text, (int)n, git))
        text[strcspn(text, "\n")] = 0;
    if (git)
        pclose(git);
}

int baseline_open(struct baseline **to, const char *path, const char *subject, char *err, size_t n)
{
    char note[600], commit[16], key[33];
    struct machine m;
    struct baseline *b = need(1, sizeof *b);
    *to = b;
    b->subject = need_copy(subject);
    if (store_open_plain(&b->store, path, note, sizeof note, err, n))
        return -1;
    if (*note)
        fprintf(stderr, "meridian judge: %s\n", note);
    store_key(key, "judge", subject);
    if (store_has(b->store, key) && !store_sound(b->store, key))
        return snprintf(err, n, "%s: its numbers are not those that were written; give another file", path), -1;
    int rc = sqlite3_prepare_v2(store_db(b->store), find_good, -1, &b->good, NULL);
    rc = rc == SQLITE_OK ? sqlite3_prepare_v2(store_db(b->store), find_latest, -1, &b->latest, NULL) : rc;
    if (rc != SQLITE_OK)
        return snprintf(err, n, "%s: %s", path, sqlite3_errmsg(store_db(b->store))), -1;
    machine_describe(&m), commit_of(commit, sizeof commit);
    struct provenance p = machine_provenance(&m);
    p.commit = commit;
    return store_run(b->store, &p, err, n);
}

/* Writes what tells this question from others of the same row and outputs, and returns text.  Parameters are written
 * without defaults.  Several kernels of one output and type ask the same question: from the second on "#2" and so on is
 * appended. */
static const char *identity(const struct baseline *b, const struct finding *f, char *text, size_t n)
{
    const struct row *r = row_named(f->row);
    const struct quantity *q = r ? row_quantity(r, f->quantity) : NULL;
    struct sign s = { 0 };
    int again = 0;
    if (q)
        sign_read(&s, q->sign);
    char brief[TEXT_MAX] = "", err[300];
    void *p = r ? need(1, r->size) : NULL;
    if (r && !params_read(row_params(r), p, f->params, err, sizeof err))
        params_brief(row_params(r), p, brief, sizeof brief);
    if (r)
        params_clear(row_params(r), p);
    free(p);
    size_t len = (size_t)snprintf(text, n, "%s|%s|%s|%s|seed %llu|lines %ld", f->type && !s.out.integer ? f->type : "",
        r ? brief : f->params, f->id ? f->id : "", f->sizes ? f->sizes : "", (unsigned long long)f->seed, f->lines);
    for (const struct baseline_answer *a = b->answer; a && a < b->answer + b->n; a++)
        again += !strncmp(a->asked, text, len) && strchr("#", a->asked[len]) && !strcmp(a->row, f->row) &&
            !strcmp(a->out, f->quantity);
    if (again && len < n)
        snprintf(text + len, n - len, "#%d", again + 1);
    return text;
}

/* Runs one of the two queries for a question; true: q stands on the line that was found. */
static bool find_earlier(struct baseline *b, sqlite3_stmt *q, const struct finding *f, const char *asked, double below)
{
    const char *text[] = { b->subject, f->row, f->quantity, asked };
    sqlite3_reset(q);
    for (int k = 0; k < 4; k++)
        sqlite3_bind_text(q, k + 1, text[k], -1, SQLITE_TRANSIENT);
    if (q == b->good)
        sqlite3_bind_double(q, 5, below);
    return sqlite3_step(q) == SQLITE_ROW;
}

/* Writes the day and the commit of the line that q stands on, "2026-01-31 (commit 0123abc)", and returns text. */
static const char *since(sqlite3_stmt *q, char *text, size_t n)
{
    const char *day = (const char *)sqlite3_column_text(q, 0), *commit = (const char *)sqlite3_column_text(q, 1);
    snprintf(text, n, "%.10s%s%.12s%s", day, *commit ? " (commit " : "", commit, *commit ? ")" : "");
    return text;
}

/* Copies what baseline_close will store of f; a finding without elements is kept with NaN for its measures. */
static void keep(struct baseline *b, const struct finding *f, const char *asked)
{
    if (b->n == b->room)
        b->answer = need_more(b->answer, b->room = 2 * b->room + 64, sizeof *b->answer);
    struct baseline_answer *a = &b->answer[b->n++];
    *a = (struct baseline_answer){ .row = need_copy(f->row),
        .out = need_copy(f->quantity),
        .asked = need_copy(asked),
        .seed = f->seed,
        .measured = f->tally && f->tally->n };
    snprintf(a->word, sizeof a->word, "%s", word_name[f->word]);
    a->ulp = a->measured ? f->tally->ulp : (double)NAN, a->gauge = a->measured ? f->tally->gauge : (double)NAN,
    a->n = a->measured ? f->tally->n : 0;
}

const struct finding *baseline_meets(struct baseline *b, const struct finding *f, struct finding *g)
{
    char asked[TEXT_MAX + 400], when[60];
    if (f->elsewhere) /* counted with another kernel */
        return f;
    const bool measured = f->tally && f->tally->n,
               before = find_earlier(b, b->latest, f, identity(b, f, asked, sizeof asked), 0);
    const double last = before ? sqlite3_column_double(b->latest, 3) : 0, gauge = measured ? f->tally->gauge : 0;
    const bool passed = before && !strcmp((const char *)sqlite3_column_text(b->latest, 2), word_name[PASS]);
    keep(b, f, asked);
    *g = *f;
    /* A FAIL or CRASH keeps its word, and its reason adds when the question last passed. */
    if (passed && f->word != PASS && f->word != KNOWN_DEVIATION) {
        size_t at = strlen(g->reason);
        const bool unjudged = f->word == VACUOUS || f->word == UNDECIDED_VERDICT || f->word == SKIPPED;
        since(b->latest, when, sizeof when);
        if (unjudged)
            g->word = FAILED,
            snprintf(g->reason, sizeof g->reason, "passed on %s, now %s: %.400s", when, word_name[f->word], f->reason);
        else
            snprintf(g->reason + at, sizeof g->reason - at, "%spassed on %s", at ? "; " : "", when);
        b->worse++;
        return g;
    }
    if (f->word == PASS && measured && !(gauge <= 1) && find_earlier(b, b->good, f, asked, gauge / 2)) {
        g->word = FAILED, b->worse++;
        snprintf(g->reason, sizeof g->reason, "accuracy regressed: %.2g -> %.2g ulp, gauge %.2g -> %.2g, since %s",
            sqlite3_column_double(b->good, 3), f->tally->ulp, sqlite3_column_double(b->good, 2), gauge,
            since(b->good, when, sizeof when));
        return g;
    }
    b->fresh += !before, b->better += before && measured && gauge < last,
        b->same += before && !(measured && gauge < last);
    return f;
}

int baseline_close(struct baseline *b, FILE *to, char *err, size_t n)
{
    char key[33];
    int rc = 0;
    if (!b)
        return 0;
    if (to && b->store) {
        store_key(key, "judge", b->subject);
        rc = store_begin(b->store, key, "judge");
        for (const struct baseline_answer *a = b->answer; a < b->answer + b->n && !rc; a++) {
            struct entry e = { .row = a->row,
                .quantity = a->out,
                .subject = b->subject,
                .params = a->asked,
                .measure = "judge gauge",
                .value = a->gauge,
                .bound = (double)NAN,
                .method = a->measured ? "sample" : "",
                .n = a->n,
                .seed = a->seed,
                .verdict = a->word };
            store_put(b->store, &e);
            e.measure = "judge ulp", e.value = a->ulp;
            store_put(b->store, &e);
        }
        rc = rc ? (snprintf(err, n, "the baseline cannot be written: %s", sqlite3_errmsg(store_db(b->store))), -1) :
                  store_commit(b->store, 0, err, n);
        if (!rc)
            fprintf(to, "baseline: %ld questions as before, %ld better, %ld worse, %ld new\n", b->same, b->better,
                b->worse, b->fresh);
    }
    for (struct baseline_answer *a = b->answer; a && a < b->answer + b->n; a++)
        free(a->row), free(a->out), free(a->asked);
    sqlite3_finalize(b->good), sqlite3_finalize(b->latest);
    store_close(b->store);
    free(b->answer), free(b->subject), free(b);
    return rc;
}

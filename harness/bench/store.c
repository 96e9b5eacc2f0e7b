/* What the results store adds to a cell of a sweep: one transaction of four results and a curve of eight points, in
 * a file of its own, waits for the disk included.  The check: every cell is found again as it was written. */
#include <stdlib.h>
#include <unistd.h>
#include "bench/core/bench.h"
#include "base/clock.h"
#include "examine/examine.h"
#include "store/store.h"

enum { CELLS = 1000, RESULTS = 4, POINTS = 8 };

static void cell_text(char *what, size_t n, int k)
{
    snprintf(what, n, "accuracy rope dim=64 length=%d out=y seed=1 slot=best type=f32", k);
}

static int fill(struct store *s, double *most, int *waits, char *err, size_t n)
{
    char what[100], key[33];
    int rc = 0;
    for (int k = 0; k < CELLS && !rc; k++) {
        const double start = now();
        cell_text(what, sizeof what, k), store_key(key, "", what);
        rc = store_begin(s, key, what);
        for (int r = 0; r < RESULTS; r++)
            store_put(s,
                &(struct entry){ .row = "rope",
                    .quantity = "y",
                    .subject = "own:avx512",
                    .params = "dim=64 base=10000",
                    .measure = "gauge",
                    .value = 0.1 * k + r,
                    .bound = 1,
                    .witness = what,
                    .method = "sample",
                    .n = 64,
                    .seed = 1,
                    .verdict = "PASS" });
        for (int p = 0; p < POINTS; p++)
            store_point(s, "y", p, 0.5 * k);
        rc = rc ? rc : store_commit(s, 0, err, n);
        const double took = now() - start;
        *most = took > *most ? took : *most, *waits += store_waited(s);
    }
    return rc;
}

static void measure(struct bench *b)
{
    static const char name[] = "results store, a cell";
    char dir[] = "/tmp/meridian-bench-XXXXXX", path[64], what[100], key[33], note[600], err[600] = "no folder in /tmp";
    const struct provenance who = { "", "", "", "", "", "", "" };
    struct store *s = NULL;
    double most = 0;
    int waits = 0, sound = 0;
    if (!bench_wants(b, name))
        return;
    if (!mkdtemp(dir)) {
        bench_absent(b, name, err);
        return;
    }
    snprintf(path, sizeof path, "%s/cells.db", dir);
    int rc = store_open_plain(&s, path, note, sizeof note, err, sizeof err) || store_run(s, &who, err, sizeof err);
    const double start = now();
    rc = rc || fill(s, &most, &waits, err, sizeof err);
    const double took = now() - start;
    for (int k = 0; k < CELLS && !rc; k++) {
        cell_text(what, sizeof what, k), store_key(key, "", what);
        sound += store_sound(s, key);
    }
    if (s)
        store_close(s);
    unlink(path), rmdir(dir);
    snprintf(b->check, sizeof b->check, "%d of %d cells as written; %d waits for the disk; the longest %.2f ms", sound,
        CELLS, waits, 1e3 * most);
    if (rc || sound != CELLS) {
        b->failed++, printf("%-32s no speed: the check failed: %s\n", name, rc ? err : b->check);
        return;
    }
    bench_goal(b, name, 1e3 * took / CELLS, "ms", 1, false);
}
const struct group group_store = { 800, measure };

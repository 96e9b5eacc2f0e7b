/* Questions to models: what a row of tokens may depend on, what changes at evaluation leave alone, gates on made-up
 * answers, the verb. */
#include <criterion/criterion.h>
#include <math.h>
#include <sqlite3.h>
#include "command.h"
#include "lab/train/design.h"
#include "folder.h"
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
        if (!variant_fits(&window, e)) /* its row takes no choice of keys */
            continue;
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
    snprintf(nowhere, sizeof nowhere, "%s PATH=/proc/nonexistent", env),
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

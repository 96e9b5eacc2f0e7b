/* The climb: what it once found stays inside; what it is made of does what it says; it finds a bound that is too
 * small. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "climb/climb_run.h"
#include "core/data.h"

static struct climb *fresh(void) { return need(1, sizeof(struct climb)); }
static void drop(struct climb *c) { climb_close(c), free(c); }

/* Every line of data/climb/ROW.tsv: a case, and what it showed. */
static long replay_file(const char *path, struct climber *m, long *elsewhere)
{
    char *line = NULL, err[900];
    size_t room = 0;
    long n = 0;
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    while (getline(&line, &room, f) > 0) {
        struct climb *c = fresh();
        struct climb_answer y;
        if (*line == '#')
            goto next;
        line[strcspn(line, "\t\n")] = 0;
        const int rc = climb_read(c, line, err, sizeof err);
        *elsewhere += rc == 1, n += rc == 0;
        cr_expect(rc >= 0, "%s: %s", path, err);
        if (rc == 0) {
            climb_ask(m, c, &y);
            cr_expect(y.n > 0 && !y.undecided && y.share <= 1,
                "%s: %ld elements, %g of the bound: meridian climb --case '%s'", path, y.n, y.share, line);
        }
    next:
        drop(c);
    }
    free(line), fclose(f);
    return n;
}

/* A question that the page answers no number to, here what a shift reads behind its end, has no bound to leave. */
Test(climb, what_is_no_number_is_not_asked)
{
    static const char text[] =
        "xlnet|shifted|f64|page|-|dp=f16|n=1 m=4 p=1 seed=12750|seed=2104177|s=0*1";
    struct climb *c = fresh();
    struct climber *m = climber_open();
    struct climb_answer y;
    char err[900];
    cr_assert_eq(climb_read(c, text, err, sizeof err), 0, "%s", err);
    climb_ask(m, c, &y);
    cr_expect(!y.asked && y.share == 0, "%g of the bound", y.share);
    climber_close(m), drop(c);
}

Test(climb, what_was_found_stays_inside, .timeout = 120)
{
    char folder[600], path[1000];
    struct climber *m = climber_open();
    long n = 0, elsewhere = 0;
    DIR *d = opendir(data_path("climb", folder, sizeof folder));
    cr_assert_not_null(d, "%s", folder);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".tsv")) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            n += replay_file(path, m, &elsewhere);
        }
    closedir(d), climber_close(m);
    cr_expect_gt(n, 0);
    fprintf(stderr, "%ld cases, %ld of slots that are not here\n", n, elsewhere);
}

/* A case is the question: written and read again it is the same line and has the same answer, bit for bit. */
Test(climb, a_case_is_its_question, .timeout = 120)
{
    struct climber *m = climber_open();
    struct chance r = { .seed = 5 };
    long n = 0;
    for (const struct row *const *row = all_rows; *row; row++) {
        struct climb *c = fresh(), *d = fresh();
        struct climb_answer y, z;
        char err[900];
        if ((*row)->parts || climb_draw(c, *row, NULL, NULL, &r)) {
            drop(c), drop(d);
            continue;
        }
        char *text = climb_text(c);
        cr_assert_eq(climb_read(d, text, err, sizeof err), 0, "%s: %s", err, text);
        char *again = climb_text(d);
        climb_ask(m, c, &y), climb_ask(m, d, &z);
        cr_expect(!strcmp(text, again) || strchr(text, '@'), "%s\n%s", text, again);
        cr_expect(y.share == z.share && y.n == z.n && y.asked == z.asked, "%g %g: %s", y.share, z.share, text);
        free(text), free(again), drop(c), drop(d), n++;
    }
    cr_expect_gt(n, 10);
    climber_close(m);
}

/* Choices that matter only together stand in no preset: all of them are drawn, with one another. */
Test(climb, every_choice_meets_every_other)
{
    static const char *const words[] = { "direction=causal", "last=open", "edge=nearest", "form=pairs" };
    bool met[16] = { false };
    struct chance r = { 11, 0 };
    const struct row *row = row_named("t5");
    for (int k = 0; k < 400; k++) {
        struct climb *c = fresh();
        int with = 0;
        if (!climb_draw(c, row, NULL, NULL, &r))
            for (int j = 0; j < 4; j++)
                with |= (strstr(c->params, words[j]) != NULL) << j;
        met[with] = true;
        drop(c);
    }
    for (int k = 0; k < 16; k++)
        cr_expect(met[k], "%s %s %s %s", k & 1 ? words[0] : "-", k & 2 ? words[1] : "-", k & 4 ? words[2] : "-",
            k & 8 ? words[3] : "-");
}

/* Many integers that sizes and seed make are left out of a case, which stays short enough to be kept; others are
 * written. */
Test(climb, a_case_makes_its_integers_again)
{
    for (int changed = 0; changed < 2; changed++) {
        struct climb *c = fresh(), *d = fresh();
        char err[900];
        static const char text_of[] =
            "sparse|o|f32|page|block_size=9|-|c=292 d=1 e=1 g=1 h=1 m=50 n=61 seed=7|-|q=@one:1";
        cr_assert_eq(climb_read(c, text_of, err, sizeof err), 0, "%s", err);
        struct mer_array *index = trial_in(&c->t, "index");
        if (changed)
            array_put(index, 9999, array_get(index, 9999) == 1 ? 2 : 1);
        char *text = climb_text(c);
        cr_expect_eq(strstr(text, "index=") != NULL, changed, "%.200s", text);
        cr_expect(changed || strlen(text) < 2000);
        cr_assert_eq(climb_read(d, text, err, sizeof err), 0, "%s: %.200s", err, text);
        cr_expect(!memcmp(trial_in(&d->t, "index")->data, index->data, (size_t)array_len(index) * sizeof(int64_t)));
        free(text), drop(c), drop(d);
    }
}

Test(climb, a_case_that_is_none_is_refused_in_one_line)
{
    static const struct { const char *text, *says; } bad[] = {
        { "", "9 fields" },
        { "nosuch|o|f32|page|-|-|-|-|-", "no row" },
        { "rope|y|f99|page|-|-|-|-|-", "type" },
        { "rope|y|f32|mine|-|-|-|-|-", "page, or SLOT:NUMBER" },
        { "rope|nosuch|f32|page|-|-|-|-|-", "no quantity" },
        { "softmax|p|f32|page|-|exp=f99|n=1 m=1|-|-", "format" },
        { "softmax|p|f32|page|-|exp=f32|n=1 m=1|0=sideways/left|-", "sideways" },
        { "softmax|p|f32|page|-|exp=f32|n=1 m=2|-|x=1", "1 values" },
        { "softmax|p|f32|page|-|exp=f32|n=1 m=2|-|x=1,2,3", "more than its 2" },
        { "softmax|p|f32|page|-|exp=f32|n=1 m=2|-|t=1,2", "no input" },
        { "softmax|p|f32|page|-|exp=f32|n=1 m=2|-|x=@nosuch:1", "@WAY:SEED" },
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct climb *c = fresh();
        char err[900] = "";
        cr_expect(climb_read(c, bad[k].text, err, sizeof err) == -1 && strstr(err, bad[k].says) && !strchr(err, '\n'),
            "'%s': %s", bad[k].text, err);
        drop(c);
    }
}

/* A profile that contradicts the question is no question: three terms in a tree of height 1. */
Test(climb, what_no_arithmetic_does_is_not_asked)
{
    static const struct { const char *text; bool asked; } list[] = {
        { "layernorm|mean|f32|page|-|mean=f32/h1|d=3 n=1|-|x=1,2,4", false },
        { "layernorm|mean|f32|page|-|mean=f32/h2|d=3 n=1|-|x=1,2,4", true },
        { "layernorm|mean|f32|page|-|mean=f32/h1|d=2 n=1|-|x=1,2", true },
        { "xlnet|content|f32|page|-|dot=f32/h1|h=1 m=2 n=1 d=3|convert|q=0x1.8p-1,0x1.40839p-1,0x1.929p-8 "
            "k=0*3,0x1.66e0acp+1,0x1.e8p+0,0x1.93febp+0", false },
    };
    struct climber *m = climber_open();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct climb *c = fresh();
        struct climb_answer y;
        char err[900];
        cr_assert_eq(climb_read(c, list[k].text, err, sizeof err), 0, "%s", err);
        climb_ask(m, c, &y);
        cr_expect(y.asked == list[k].asked && y.share <= 1, "%s: %g", list[k].text, y.share);
        drop(c);
    }
    climber_close(m);
}

static double rounded(double x, const char *word, enum adverse_way way, bool ftz, bool flush)
{
    struct adverse a = { .flush = flush };
    struct arith arith = { .how = ROUND, .adverse = &a, .ftz = ftz };
    mpfr_t y;
    cr_assert_null(rounding_read(&arith.at[0], word));
    a.way[0] = (unsigned char)way;
    mpfr_init2(y, 100);
    mpfr_set_d(y, x, MPFR_RNDN);
    adverse_round(&arith, 0, y);
    const double z = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return z;
}

/* The farthest number of the format within the error, on the side that was asked for; only ties where the error is half
 * an ulp. */
Test(climb, adverse_roundings_are_the_farthest_that_are_allowed)
{
    const double x = 1 + 0x1p-9; /* Between the bf16 numbers 1 and 1 + 2^-7, nearer to 1. */
    cr_expect_eq(rounded(x, "bf16", UPWARD, false, false), 1);
    cr_expect_eq(rounded(x, "bf16:1.6", UPWARD, false, false), 1 + 0x1p-7);
    cr_expect_eq(rounded(x, "bf16:1.4", UPWARD, false, false), 1);
    cr_expect_eq(rounded(x, "bf16:2", DOWNWARD, false, false), 1 - 0x1p-8);
    cr_expect_eq(rounded(x, "bf16:2", TOWARD_ZERO, false, false), 1 - 0x1p-8);
    cr_expect_eq(rounded(-x, "bf16:2", TOWARD_ZERO, false, false), -1 + 0x1p-8);
    cr_expect_eq(rounded(-x, "bf16:2", AWAY_FROM_ZERO, false, false), -1 - 0x1p-7);
    cr_expect_eq(rounded(x, "bf16:4", UPWARD, false, false), 1 + 0x1p-6);
    cr_expect_eq(rounded(1 + 0x1p-8, "bf16", UPWARD, false, false), 1 + 0x1p-7);
    cr_expect_eq(rounded(1 + 0x1p-8, "bf16", DOWNWARD, false, false), 1);
    cr_expect_eq(rounded(1 + 3 * 0x1p-8, "bf16", TO_NEAREST, false, false), 1 + 0x1p-6);
    cr_expect_eq(rounded(1 + 3 * 0x1p-8, "bf16", TOWARD_ZERO, false, false), 1 + 0x1p-7);
    cr_expect_eq(rounded(0x1p-24, "f16:2", DOWNWARD, false, false), 0);
    cr_expect_eq(rounded(0x1p-25, "f16:32", DOWNWARD, false, false), 0); /* The answer does not go below 0, */
    cr_expect_eq(rounded(65504, "f16:8", UPWARD, false, false), 65504);   /* nor beyond the largest number. */
    cr_expect_eq(rounded(65519, "f16", UPWARD, false, false), 65504);
    cr_expect_eq(rounded(65520, "f16", TO_NEAREST, false, false), (double)INFINITY);
    cr_expect_eq(rounded(0x1p-15, "f16", TO_NEAREST, true, true), 0);
    cr_expect_eq(rounded(0x1p-15, "f16", TO_NEAREST, true, false), 0x1p-15);
    cr_expect_eq(rounded(0x1p-15, "f16", TO_NEAREST, false, true), 0x1p-15);
}

static double summed(const char *word, enum adverse_tree tree, bool convert, const double *x, int n)
{
    struct adverse a = { .seed = 3, .convert = convert };
    struct arith arith = { .how = ROUND, .adverse = &a };
    struct ask w = { .arith = &arith };
    const struct ball *t[16];
    cr_assert_null(rounding_read(&arith.at[0], word));
    a.tree[0] = (unsigned char)tree;
    ask_reset(&w, 200);
    for (int k = 0; k < n; k++) {
        const struct mer_array one = { "x", MER_F64, 1, { 1 }, (void *)&x[k], { 0 } };
        t[k] = b_element(&w, &one, 0);
    }
    const double y = b_value(adverse_sum(&w, 0, t, n));
    ask_clear(&w);
    return y;
}

Test(climb, adverse_sums_go_by_their_order)
{
    /* bf16 has 8 bits, so that 256 + 1 is 256. */
    static const double x[] = { 256, 1, 1, 1 }, small[] = { 1 + 0x1p-9, 1 };
    cr_expect_eq(summed("bf16", LEFT_TO_RIGHT, false, x, 4), 256);
    cr_expect_eq(summed("bf16", RIGHT_TO_LEFT, false, x, 4), 260); /* 3 + 256 = 259 is rounded to 260. */
    cr_expect_eq(summed("bf16", LEAST_FIRST, false, x, 4), 260);
    cr_expect_eq(summed("bf16", GREATEST_FIRST, false, x, 4), 256);
    cr_expect_eq(summed("bf16", HALVES, false, x, 4), 258);
    /* The sum of two lanes, (256 + 1) + (1 + 1). */
    cr_expect_eq(summed("bf16/lanes2", LEFT_TO_RIGHT, false, x, 4), 258);
    cr_expect_eq(summed("bf16/h2", LEFT_TO_RIGHT, false, x, 4), 258);
    cr_expect_eq(summed("f32", LEFT_TO_RIGHT, false, small, 2), 2 + 0x1p-9);
    cr_expect_eq(summed("bf16:1", LEFT_TO_RIGHT, true, small, 2), 2);
}

/* Bounds of half the error: the climb leaves them. */
Test(climb, a_bound_that_is_too_small_is_left, .timeout = 300)
{
    static const char *const rows[] = { "softmax", "rope", "rmsnorm", "attention", "product" };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct climber *m = climber_open();
        struct chance r = { .seed = 9 };
        struct climb_answer y = { .share = 0 };
        long asked = 0;
        for (int tries = 0; tries < 3000 && y.share <= 1; tries++) {
            struct climb *c = fresh();
            if (!climb_draw(c, row_named(rows[k]), NULL, NULL, &r)) {
                for (int s = 0; s < STEPS; s++)
                    c->wide.at[s].ulps /= 2;
                climb_ask(m, c, &y);
                if (y.asked && y.share <= 1)
                    climb_uphill(m, c, &y, &r, 20, 100000, &asked);
            }
            drop(c);
        }
        cr_expect(y.share > 1 && isfinite(y.share), "%s: %g after %ld changes", rows[k], y.share, asked);
        climber_close(m);
    }
}

/* A seed asks the same questions however fast the machine is and whatever else runs on it: the run ends by work, and
 * rows take turns by work.  With turns by time a change failed for an escape that only a fast machine reached. */
Test(climb, a_seed_asks_the_same_however_long_it_takes, .timeout = 300)
{
    struct climb_found *once = need(1, sizeof *once), *twice = need(1, sizeof *twice);
    const struct climb_run r = {
        .page = true, .own = true, .seed = 5, .seconds = 1e6, .work = 4e5, .jobs = 1, .patience = 20
    };
    char err[300] = "";
    cr_assert(!climb_run(&r, once, err, sizeof err), "%s", err);
    const pid_t other = fork(); /* takes a processor's time away from the second run */
    if (!other)
        for (;;)
            ;
    cr_assert(!climb_run(&r, twice, err, sizeof err), "%s", err);
    kill(other, SIGKILL), waitpid(other, NULL, 0);
    long asked = 0;
    for (int k = 0; k < CLIMB_ROWS; k++) {
        asked += once->row[k].asked[0] + once->row[k].asked[1];
        cr_expect(once->row[k].asked[0] == twice->row[k].asked[0] && once->row[k].asked[1] == twice->row[k].asked[1],
            "row %d: %ld and %ld, then %ld and %ld", k, once->row[k].asked[0], once->row[k].asked[1],
            twice->row[k].asked[0], twice->row[k].asked[1]);
        cr_expect_eq(once->row[k].work, twice->row[k].work);
        cr_expect_eq(once->row[k].share[0], twice->row[k].share[0]);
    }
    cr_expect(asked > 50, "%ld questions", asked);
    free(once), free(twice);
}

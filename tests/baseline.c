/* What was measured before is not forgotten: an error that has doubled, and a question that is no longer answered, fail
 * and say since when. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include "command.h"

static char db[80], so[80];

static void build(const char *change) /* Builds the example plug-in with a change of its text by sed. */
{
    char command[900];
    snprintf(so, sizeof so, "/tmp/meridian-baseline-%d.so", (int)getpid());
    snprintf(command, sizeof command,
        "sed '%s' harness/adapters/examples/rope.c >%s.c && cc -std=c11 -O1 -ffp-contract=off -Ifast -fPIC -shared -o "
        "%s %s.c -lm && rm %s.c",
        change, so, so, so, so);
    cr_assert_eq(system(command), 0, "%s", command);
}

static int judge(const char *more)
{
    char args[500];
    snprintf(args, sizeof args,
        "judge %s --preset gpt-neox --profile 'exponent=f64 power=f64:2 freq=f32 phase=f64 table=f64:2 product=f64 "
        "sum=f64' --baseline %s %s",
        so, db, more);
    return meridian("GITHUB_SHA=0123456789abcdef", args);
}

static void fresh(void)
{
    snprintf(db, sizeof db, "/tmp/meridian-baseline-%d.db", (int)getpid());
    unlink(db);
}

static const char coarser[] =
    "s/c->state = p;/for (int64_t k = 0; k < p->half; k++) p->freq[k] = (double)(float)p->freq[k]; c->state = p;/";

Test(baseline, accuracy_that_was_lost_is_a_failure_until_it_is_back, .timeout = 60)
{
    fresh(), build("");
    cr_expect(
        judge("") == 0 && strstr(out, "baseline: 0 questions as before, 0 better, 0 worse, ") && !strstr(out, " 0 new"),
        "%s%s", out, err);
    cr_expect(
        judge("") == 0 && !strstr(out, "baseline: 0 questions as before") && strstr(out, " 0 better, 0 worse, 0 new"),
        "%s%s", out, err);
    build(coarser); /* The error is larger, and still within the declared arithmetic. */
    for (int again = 0; again < 2; again++) /* The larger error does not become the measure of the next run. */
        cr_expect(judge("--few --checks none") == 1 && strstr(out, "accuracy regressed: 0.5 -> ") &&
                strstr(out, "(commit 0123456789ab)") && strstr(out, " 2 worse, 0 new"),
            "%s%s", out, err);
    build("");
    cr_expect(judge("--few --checks none") == 0 && strstr(out, "0 questions as before, 2 better, 0 worse, 0 new"),
        "%s%s", out, err);
    unlink(db), unlink(so);
}

Test(baseline, what_passed_and_is_not_judged_any_more_is_a_failure, .timeout = 60)
{
    fresh(), build("");
    cr_expect_eq(judge("--few --checks none"), 0);
    build("s/!mer_is(c, \"scaling\", \"default\")/1/"); /* This one declines every question. */
    cr_expect(judge("--few --checks none") == 1 && strstr(out, "passed on 20") && strstr(out, "now SKIP: not offered"),
        "%s%s", out, err);
    build("s/co - v \\* si/co + v * si/");
    cr_expect(judge("--few --checks none") == 1 && strstr(out, "FAIL"), "%s", out);
    unlink(db), unlink(so);
}

Test(baseline, a_file_that_cannot_be_one_is_refused_before_anything_is_asked, .timeout = 60)
{
    fresh(), build("");
    FILE *f = fopen(db, "w");
    cr_assert(f && !fclose(f));
    cr_expect(judge("--few --checks none") == 0, "an empty file is a new one: %s%s", out, err);
    sqlite3 *s;
    cr_assert(sqlite3_open(db, &s) == SQLITE_OK &&
        sqlite3_exec(s, "UPDATE result SET value = 0.25 WHERE rowid = 1", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(s);
    cr_expect(
        judge("") == 2 && lines(err) == 1 && !*out && strstr(err, "not those that were written"), "%s%s", out, err);
    snprintf(db, sizeof db, "/no/such/folder/results.db");
    cr_expect(judge("") == 2 && lines(err) == 1 && !*out, "%s%s", out, err);
    fresh();
    cr_assert(
        sqlite3_open(db, &s) == SQLITE_OK && sqlite3_exec(s, "CREATE TABLE mine(x)", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(s);
    cr_expect(judge("") == 2 && lines(err) == 1 && !*out && strstr(err, "no results store"), "%s%s", out, err);
    unlink(db), unlink(so);
}

/* A failure without a name is taken apart: what is planted in right outputs is what the facts say, and nothing else. */
#include <criterion/criterion.h>
#include <math.h>
#include <unistd.h>
#include "command.h"
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "diagnose/copies.h"
#include "diagnose/factor.h"
#include "diagnose/joint/joint.h"
#include "diagnose/pattern.h"
#include "trial/change.h"

Test(anatomy, sets_in_words)
{
    static const struct {
        long extent;
        const char *in, *says; /* `in` has a letter for each index, x where it is in the set. */
    } list[] = {
        { 8, "...x....", "n = 3" },
        { 8, "xxx.xxxx", "n != 3" },
        { 8, ".x.x.x.x", "n odd" },
        { 9, "x..x..x..", "n mod 3 = 0" },
        { 8, "xxx.....", "n <= 2" },
        { 8, "......xx", "n >= 6" },
        { 19, "................xxx", "n >= 16 (behind the last whole block of 4, 8, 16)" },
        { 8, "..xxxx..", "2 <= n <= 5" },
        { 8, "xx.x..xx", "" },
        { 8, "xxxxxxxx", "" },
        { 8, "........", "" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bool in[32];
        long at[32];
        char text[100];
        for (int i = 0; i < list[k].extent; i++)
            in[i] = list[k].in[i] == 'x', at[i] = i;
        cr_expect_eq(
            pattern_say(in, at, (int)list[k].extent, list[k].extent, 'n', text, sizeof text), *list[k].says != 0);
        cr_expect_str_eq(text, list[k].says);
    }
}

/* Three elements are doubled; the fourth is 5 where 0 is exact, which no factor explains. */
Test(anatomy, a_factor_holds_for_elements_near_zero_too)
{
    double got[] = { 2, 4, 6, 0 }, want[] = { 1, 2, 3, 0 }, radius[] = { 0x1p-20, 0x1p-20, 0x1p-20, 0x1p-20 };
    bool wrong[] = { true, true, true, false };
    char text[200];
    const struct number_terms none = { 0 };
    const struct grid g = { .out = "o", .rank = 1, .axis[0] = { .letter = 'n', .extent = 4, .n = 4, .step = 1 },
        .cells = 4, .wrongs = 3, .got = got, .want = want, .radius = radius, .wrong = wrong };
    cr_expect(factor_say(&g, &none, text, sizeof text));
    got[3] = 5, wrong[3] = true;
    cr_expect(!factor_say(&g, &none, text, sizeof text), "%s", text);
}

/* Elements that are no number, or infinite, where that is exact hide no map of the others. */
Test(anatomy, copies_are_seen_beside_what_is_no_number)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 7 };
    static const char *const says[] = { "o holds, along n, what belongs to n - 1", "o is the same for every n" };
    for (int k = 0; k < 8; k++) {
        const double x = odd[k % 4];
        double want[] = { x, 1, x, 2, x, 3 }, shifted[] = { x, 1, x, 1, x, 2 }, flat[] = { x, 5, x, 5, x, 5 },
               radius[] = { 0, 0, 0, 0, 0, 0 }, *got = k < 4 ? shifted : flat;
        bool wrong[6];
        char text[200] = "";
        struct grid g = { .out = "o", .rank = 2, .cells = 6, .got = got, .want = want, .radius = radius,
            .wrong = wrong, .axis = { { .letter = 'n', .extent = 3, .n = 3, .step = 2, .at = { 0, 1, 2 } },
            { .letter = 'e', .extent = 2, .n = 2, .step = 1, .at = { 0, 1 } } } };
        for (int c = 0; c < 6; c++)
            wrong[c] = c % 2 && !(got[c] == want[c]), g.wrongs += wrong[c];
        cr_expect(copies_say(&g, text, sizeof text), "%g", x);
        cr_expect_str_eq(text, says[k / 4], "%g: %s", x, text);
    }
    /* Where all that is expected is no number, one number for all is a sameness too. */
    double want[] = { NAN, 2 }, got[] = { 4, 4 }, radius[] = { 0, 0 };
    struct grid g = { .out = "o", .rank = 1, .cells = 2, .got = got, .want = want, .radius = radius,
        .wrong = (bool[]){ true, true }, .axis = { { .letter = 'n', .extent = 2, .n = 2, .step = 1, .at = { 0,
        1 } } } };
    char text[200] = "";
    cr_expect(!copies_say(&g, text, sizeof text), "an output of one value alone says nothing: %s", text);
}

/* Right outputs o[2,6,5] of attention with 2 heads, 6 queries, 7 keys and values of 5 numbers, as its contract rounds
 * them. */
static void right(struct trial *t)
{
    struct arith a;
    char err[600];
    cr_assert_eq(trial_make(t, &(struct trial_spec){ "attention", "causal=none", "o", MER_F32,
        "h=2 g=2 n=6 m=7 d=4 e=5", 3 }, err, sizeof err), 0, "%s", err);
    snprintf(t->profile, sizeof t->profile, "%s", row_named("attention")->contracts[0].text);
    cr_assert_geq(trial_profile(t, "", &a, EXACT, err, sizeof err), 0, "%s", err);
    reference_run(t, &a);
    snprintf(t->profile, sizeof t->profile, "%s", row_named("attention")->contracts[0].text);
}

static float *at(struct trial *t, long h, long n, long e) { return (float *)t->out[0].data + (h * 6 + n) * 5 + e; }

/* What is planted at [h,n,e], made of the right outputs `was`. */
static float half_of_head(float (*was)[6][5], long h, long n, long e) { return was[h][n][e] * (h == 1 ? 0.5f : 1); }
static float heads(float (*was)[6][5], long h, long n, long e) { return was[1 - h][n][e]; }
static float before(float (*was)[6][5], long h, long n, long e) { return was[h][n ? n - 1 : 0][e]; }
static float rolled(float (*was)[6][5], long h, long n, long e) { return was[h][(n + 5) % 6][e]; }
static float back(float (*was)[6][5], long h, long n, long e) { return was[h][5 - n][e]; }
static float signs(float (*was)[6][5], long h, long n, long e) { return e % 2 ? -was[h][n][e] : was[h][n][e]; }
static float tail(float (*was)[6][5], long h, long n, long e) { return n >= 4 ? 0 : was[h][n][e]; }
static float by_value(float (*was)[6][5], long h, long n, long e) { return was[h][n][e] * (float)(e + 2); }
static float more(float (*was)[6][5], long h, long n, long e) { return was[h][n][e] + 1; }
static float none(float (*was)[6][5], long h, long n, long e) { return n == 2 ? (float)NAN : was[h][n][e]; }
static float ordered(float (*was)[6][5], long h, long n, long e)
{
    const long flat = (h * 6 + n) * 5 + e; /* What is written as [n,h,e] and read as [h,n,e]. */
    return was[flat / 5 % 2][flat / 10][flat % 5];
}

/* Each column but the last has more or less by the value of the last, in turn, so that the sum of a row stays. */
static float moved(float (*was)[6][5], long h, long n, long e)
{
    return was[h][n][e] + (e < 4 ? (e % 2 ? -was[h][n][4] : was[h][n][4]) : 0);
}

Test(anatomy, facts_of_what_is_planted)
{
    static const struct {
        float (*of)(float (*was)[6][5], long h, long n, long e);
        const char *says[3];
    } list[] = {
        { half_of_head, { "o is wrong only where h = 1", "every wrong element of o is 0.5 times what it should be" } },
        { heads, { "every element of o is wrong", "o holds, along h, what belongs to h - 1, the last ones first" } },
        { before, { "o is wrong only where n >= 1", "o holds, along n, what belongs to n - 1" } },
        { rolled, { "every element of o is wrong", "o holds, along n, what belongs to n - 1, the last ones first" } },
        { back, { "every element of o is wrong", "o holds, along n, what belongs to the same in reverse order of n" } },
        { signs, { "o is wrong only where e odd", "every wrong element of o is -1 times what it should be" } },
        { tail, { "o is wrong only where n >= 4 (behind the last whole block of 4)", "o: every wrong element is 0" } },
        { by_value, { "every element of o is wrong",
                        "o is its exact value times a number, one number for each e: 2 at 0, 3 at 1, 4 (d) at 2, 5 (e) "
                            "at 3, 6 (n) at 4" } },
        { more, { "every element of o is wrong", "every wrong element of o is off by +1" } },
        { none, { "o is wrong only where n = 2", "o: every wrong element is NaN" } },
        { ordered, { "", "o is written with the axes h and n exchanged" } },
        { moved, { "o is wrong only where e != 4", "o: the sum of the elements along e is right" } },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        static struct anatomy a;
        float was[2][6][5];
        char all[2000] = "";
        right(&t);
        memcpy(was, t.out[0].data, sizeof was);
        for (long i = 0; i < 60; i++)
            *at(&t, i / 30, i / 5 % 6, i % 5) = list[k].of(was, i / 30, i / 5 % 6, i % 5);
        anatomy_read(&t, &a);
        for (int j = 0; j < a.n; j++)
            strcat(all, "\n"), strcat(all, a.fact[j]);
        for (int j = 0; j < 3 && list[k].says[j]; j++)
            cr_expect(strstr(all, list[k].says[j]), "%zu: '%s' is not among:%s", k, list[k].says[j], all);
        trial_close(&t);
    }
}

/* Random numbers are no copy, no multiple and have no right sums; right outputs have no facts at all. */
Test(anatomy, says_nothing_that_is_not_so)
{
    struct trial t;
    static struct anatomy a;
    struct { uint64_t state; } noise = { 5 };
    right(&t);
    anatomy_read(&t, &a);
    cr_expect_eq(a.n, 0, "%s", a.fact[0]);
    for (long i = 0; i < 60; i++)
        noise.state = noise.state * 6364136223846793005u + 1442695040888963407u,
        ((float *)t.out[0].data)[i] = (float)(int64_t)noise.state * 0x1p-62f;
    anatomy_read(&t, &a);
    cr_expect(a.n == 1 && !strcmp(a.fact[0], "every element of o is wrong"), "%d: %s; %s", a.n, a.fact[0], a.fact[1]);
    memset(t.out[0].data, 0xff, 60 * sizeof(float));
    anatomy_read(&t, &a);
    cr_expect(a.n == 2 && strstr(a.fact[1], "never written"), "%d: %s", a.n, a.fact[1]);
    trial_close(&t);
}

/* Places that are left out, and numbers that are wrong, are two things: of what was never written no cause is looked
 * for, and what was written is explained without it.  A kernel that writes every line one further leaves the first one
 * out; one that writes all to the first line leaves the last one there, and the others out. */
Test(anatomy, what_was_never_written_is_no_number)
{
    enum { TAIL, FURTHER, FIRST, FAULTS };
    static const char *const says[] = { "unwritten", "back", "last" };
    static const long left[] = { 0, 10, 50 };
    static struct diagnosis d;
    struct trial t;
    float was[2][6][5];
    for (int fault = 0; fault < FAULTS; fault++) {
        right(&t);
        memcpy(was, t.out[0].data, sizeof was);
        for (long i = 0; i < 60; i++) {
            const long h = i / 30, n = i / 5 % 6, e = i % 5;
            if (fault == TAIL ? e == 4 && h : fault == FURTHER ? n == 0 : n > 0)
                memset(at(&t, h, n, e), 0xff, sizeof(float));
            else if (fault != TAIL)
                *at(&t, h, n, e) = was[h][fault == FURTHER ? n - 1 : 5][e];
        }
        joint_begin("left out");
        cr_assert(joint_diagnose(&t, &d) && d.explained && !d.alone, "%s", says[fault]);
        const struct answer *a = d.answer;
        cr_expect(d.unwritten == (fault == TAIL) && (strstr(a->m.id, says[fault]) || strstr(d.same, says[fault])),
            "%s: %s, %s", says[fault], a->m.id, d.same);
        cr_expect(a->left == left[fault] && a->n == (fault == TAIL ? 6 : 60 - left[fault]) && a->explained == a->n,
            "%s: %ld of %ld, %ld left", a->m.id, a->explained, a->n, a->left);
        cr_expect(fault != TAIL || (a->partly && d.declared == 54 && d.of_all), "%ld of %ld", d.declared, d.n);
        trial_close(&t);
        joint_begin(NULL);
    }
}

/* Head 1 alone does something wrong; the other is as declared.  The diagnosis has to name the mistake and to say that
 * it is partial. */
Test(anatomy, a_cause_of_the_wrong_elements_alone)
{
    static const char *const change[] = { "q@=negate", "k@m=roll", "edit=score:double", "scale=1" },
                      *const name[] = { "q@=negate", "k@m=roll", "edit=score:double", "scale-missing" };
    for (size_t k = 0; k < sizeof change / sizeof *change; k++) {
        struct trial t, wrong;
        struct arith a;
        static struct diagnosis d;
        char err[600];
        right(&t);
        cr_assert(!trial_copy(&wrong, &t, err, sizeof err), "%s", err);
        *wrong.profile = 0;
        cr_assert(!trial_change(&wrong, change[k], err, sizeof err), "%s", err);
        cr_assert(trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) >= 0, "%s", err);
        reference_run(&wrong, &a);
        memcpy(at(&t, 1, 0, 0), (float *)wrong.out[0].data + 30, 30 * sizeof(float));
        joint_begin(NULL);
        cr_expect(!joint_diagnose(&t, &d) && d.explained && d.single && d.answer[0].partly &&
                diagnosis_holds(&d, d.answer[0].m.id) && diagnosis_holds(&d, name[k]),
            "%s: %s; %s", change[k], d.answers ? d.answer[0].m.id : "no name", d.same);
        trial_close(&wrong), trial_close(&t);
    }
}

/* What explained the whole of one failure explains the tail of the next, whose other queries are as declared. */
Test(anatomy, one_story_of_a_whole_and_a_tail)
{
    static struct diagnosis d;
    joint_begin("a whole, then a tail");
    for (int tail = 0; tail < 2; tail++) {
        struct trial t, wrong;
        struct arith a;
        char err[600];
        right(&t);
        cr_assert(!trial_copy(&wrong, &t, err, sizeof err), "%s", err);
        *wrong.profile = 0;
        cr_assert(!trial_change(&wrong, "q@=zero", err, sizeof err), "%s", err);
        cr_assert(trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) >= 0, "%s", err);
        reference_run(&wrong, &a);
        for (long h = 0; h < 2; h++)
            for (long n = tail ? 4 : 0; n < 6; n++)
                memcpy(at(&t, h, n, 0), (float *)wrong.out[0].data + (h * 6 + n) * 5, 5 * sizeof(float));
        cr_expect(joint_diagnose(&t, &d) && diagnosis_holds(&d, "mean-v") && d.answer[0].partly == tail && !d.alone,
            "%d: %s; %s", tail, d.answers ? d.answer[0].m.id : "no name", d.same);
        trial_close(&wrong), trial_close(&t);
    }
    joint_begin(NULL);
}

/* The smallest case that a report gives is smaller, and its command fails, too, when it is pasted. */
Test(anatomy, smallest_case)
{
    static char all[sizeof out];
    cr_assert_eq(meridian("", "judge build/plugin.so "
                          "--preset 'gemma-4 global' --few --checks none --profile exact"), 1, "%s", err);
    strcpy(all, out);
    const char *line = strstr(all, "  smallest: meridian judge "), *sizes = line ? strstr(line, "--sizes '") : NULL;
    cr_assert(line && sizes, "%s", all);
    cr_expect(strstr(sizes, "h=1") && strstr(sizes, "n=1"), "%.200s", sizes);
    char again[2000];
    snprintf(again, sizeof again, "%.*s --verdicts", (int)strcspn(line + 21, "\n"), line + 21);
    cr_expect_eq(meridian("", again), 1, "%s: %s", again, err);
}

/* What a subject does not declare is not asked of it, however small the case would be. */
Test(anatomy, smallest_case_of_what_is_declared)
{
    const char *path = "build/anatomy-declared.json";
    cr_assert_eq(system("cc -std=c11 -D_GNU_SOURCE -O1 -Ifast -fPIC -shared -o build/anatomy-rude.so "
                        "tests/plugin/rude.c"),
        0);
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs("{\"meridian_declaration\": 1, \"claims\": [{\"row\": \"rope\", \"conventions\": [{\"layout\": \"half\"}], "
          "\"sizes\": {\"h\": [2, 4], \"n\": [5, 40]}}]}",
        f);
    fclose(f);
    cr_expect_eq(meridian("RUDE=scrambles", "judge build/anatomy-rude.so --few --checks none --profile exact "
                                            "--declaration build/anatomy-declared.json"),
        1, "%s", err);
    cr_expect(strstr(out, "  smallest: ") && strstr(out, "h=2 n=5"), "%.3000s", out);
    unlink(path), unlink("build/anatomy-rude.so");
}

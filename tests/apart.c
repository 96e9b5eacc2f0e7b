/* A half of a run in another process: its verdicts join, its death is a crash and not silence. */
#include <criterion/criterion.h>
#include <signal.h>
#include "apart.h"
#include "examine.h"

static void say(struct sink *s, enum word word) { sink_say(s, &(struct finding){ .word = word, .subject = "nobody", .row = "none", .quantity = "none" }); }

Test(apart, verdicts_of_both_halves_are_counted_once)
{
    struct sink s = { .quiet = true };
    struct apart a;
    say(&s, PASS);
    if (apart_here(&a, &s)) {
        say(&s, VACUOUS), say(&s, PASS), say(&s, PASS);
        apart_done(&a, &s);
    }
    say(&s, SKIPPED);
    apart_join(&a, &s);
    cr_expect(s.count[PASS] == 3 && s.count[VACUOUS] == 1 && s.count[SKIPPED] == 1, "%ld %ld %ld", s.count[PASS], s.count[VACUOUS], s.count[SKIPPED]);
}

Test(apart, what_the_other_half_prints_comes_after_and_reports_hold_it)
{
    struct sink s = { .quiet = true, .junit = tmpfile(), .md = tmpfile() };
    struct apart a;
    char text[2000] = "";
    if (apart_here(&a, &s)) {
        sink_say(&s, &(struct finding){ .word = PASS, .subject = "second", .row = "none", .quantity = "none" });
        apart_done(&a, &s);
    }
    sink_say(&s, &(struct finding){ .word = PASS, .subject = "first", .row = "none", .quantity = "none" });
    apart_join(&a, &s);
    FILE *f[] = { s.junit, s.md };
    for (int k = 0; k < 2; k++) {
        rewind(f[k]);
        text[fread(text, 1, sizeof text - 1, f[k])] = 0;
        cr_expect(strstr(text, "first") && strstr(text, "second") && strstr(text, "first") < strstr(text, "second"), "%s", text);
        fclose(f[k]);
    }
}

Test(apart, a_half_that_dies_is_a_crash)
{
    struct sink s = { .quiet = true };
    struct apart a;
    if (apart_here(&a, &s)) {
        say(&s, PASS);
        raise(SIGKILL);
    }
    apart_join(&a, &s);
    cr_expect(s.count[CRASHED] == 1 && s.count[PASS] == 0, "%ld crashes", s.count[CRASHED]);
}

Test(apart, a_case_that_another_kernel_answers_is_counted_apart_in_both_halves)
{
    struct sink s = { .quiet = true };
    struct apart a;
    struct finding left = { .word = SKIPPED, .subject = "half", .row = "none", .quantity = "none", .elsewhere = true };
    if (apart_here(&a, &s)) {
        sink_say(&s, &left);
        apart_done(&a, &s);
    }
    sink_say(&s, &left);
    say(&s, SKIPPED);
    apart_join(&a, &s);
    cr_expect(s.count[ELSEWHERE] == 2 && s.count[SKIPPED] == 1, "%ld %ld", s.count[ELSEWHERE], s.count[SKIPPED]);
}

static int declines(const struct mer_call *c) { (void)c; return MER_SKIP; }
static int declines_too(const struct mer_call *c) { return declines(c); }
static int answers(const struct mer_call *c) { (void)c; return MER_OK; } /* NaN everywhere: answered, and wrong */
static int ask_here(struct subject *s, const struct mer_kernel *k, struct mer_call *c, char *why, size_t n) { (void)s, (void)why, (void)n; return k->run(c); }

Test(apart, a_kernel_that_declines_is_a_skip_unless_one_of_its_output_and_type_answers)
{
    static const struct mer_kernel list[] = { { "rope", "cos", "f32", "table=f32", 0, declines }, { "rope", "cos", "bf16", "table=f32", 0, answers }, { "rope", "sin", "f32", "table=f32", 0, answers },
        { "rope", "cos", "f32", "table=f32", 0, answers }, { 0 } };
    static const struct mer_kernel twice = { "rope", "cos", "f32", "table=f32", 0, declines_too }, nobody[] = { { "rope", "cos", "f32", "table=f32", 0, declines }, { "rope", "cos", "f32", "table=f32", 0, declines_too }, { 0 } };
    struct mer_kernel alone[] = { list[0], list[1], list[2], { 0 } };
    for (int k = 0; k < 2; k++) {
        struct subject who = { .name = "two", .kernel = k ? list : alone, .run = ask_here };
        struct question q = { &who, who.kernel, "dim=8", NULL, "n=3", 1, 4 };
        struct trial t;
        struct tally y;
        struct finding f;
        cr_expect_eq(examine(&q, &t, &y, &f), 0);
        cr_expect(f.word == SKIPPED && f.elsewhere == (k == 1), "%s: %s", word_name[f.word], f.reason);
        trial_close(&t);
        q.kernel = &twice;
        who.kernel = nobody;
        cr_expect_eq(examine(&q, &t, &y, &f), 0);
        cr_expect(f.word == SKIPPED && f.elsewhere && !strcmp(f.reason, "not offered"), "the second to decline is counted again: %s", f.reason);
        trial_close(&t);
    }
}

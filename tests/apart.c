/* A half of a run in another process: its verdicts join, its death is a crash and not silence. */
#include <criterion/criterion.h>
#include <signal.h>
#include "apart.h"

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

/* A run divided among processes says the same as by one, and a process that dies is a CRASH with the name of its
 * part. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "diagnose/diagnose.h"
#include "tier/crew.h"

enum { N = 40 };
struct dying { long first, last; };
static void part(struct sink *s, long k, void *with)
{
    struct finding f = {
        .word = k % 7 == 3 ? SKIPPED : PASS, .subject = "part", .row = "r", .quantity = "q", .elsewhere = k % 14 == 3
    };
    nanosleep(&(struct timespec){ .tv_nsec = k % 5 == 0 ? 3000000 : 1000 }, NULL); /* Parts end out of their order. */
    if (with && ((struct dying *)with)->first <= k && k <= ((struct dying *)with)->last)
        raise(SIGKILL);
    snprintf(f.params, sizeof f.params, "k=%ld", k);
    sink_say(s, &f);
}

/* Failures of three kernels: of many causes, with a name or without, and of facts that not all of them share; some were
 * not looked into; and SKIPs of two reasons. */
static void failing(struct sink *s, long k, void *with)
{
    static struct diagnosis d;
    struct mistake m = { .id = "one" };
    struct finding f = { .word = k % 6 == 5 ? SKIPPED : FAILED, .subject = "part", .row = "r", .quantity = "q" };
    (void)with;
    nanosleep(&(struct timespec){ .tv_nsec = k % 5 == 0 ? 3000000 : 1000 }, NULL);
    f.type = type_name[k % 3], f.match = k % 4 ? NULL : &m;
    d = (struct diagnosis){ .spent = k % 11 == 7, .answer = { { .repair = "mend it" } } };
    if (k % 4 && !d.spent && k % 5)
        anatomy_add(&d.anatomy, "last n"), anatomy_add(&d.anatomy, "k mod 2 is %ld", k % 2),
            anatomy_add(&d.anatomy, "all");
    f.diagnosis = &d;
    snprintf(f.reason, sizeof f.reason, "reason %ld", k % 12 / 6);
    sink_say(s, &f);
    f.quantity = k == 8 ? "alone" : "p", f.type = NULL; /* each part has a cause of its own as well */
    snprintf(m.id, sizeof m.id, "of %ld", k);
    sink_say(s, &f);
}
static const char *name(long k, void *with)
{
    static char text[40];
    (void)with;
    snprintf(text, sizeof text, "the part %ld", k);
    return text;
}

static void slurp(FILE *f, char *text, size_t n)
{
    rewind(f);
    text[fread(text, 1, n - 1, f)] = 0;
    fclose(f);
}

enum { TEXT = 20000 };
struct words { char out[TEXT], junit[TEXT], md[TEXT]; };
typedef void work(struct sink *s, long k, void *with);
static void said_by(work *part, int hands, struct dying *dies, struct words *w, struct sink *s, struct spent *spent)
{
    FILE *f = tmpfile();
    int out = dup(1);
    s->junit = tmpfile(), s->md = tmpfile();
    fflush(stdout);
    dup2(fileno(f), 1);
    crew_run(s, N, hands, part, name, dies, spent);
    FILE *junit = s->junit;
    s->junit = NULL;
    sink_close(s, "all");
    fflush(stdout);
    dup2(out, 1), close(out);
    slurp(f, w->out, TEXT), slurp(junit, w->junit, TEXT), slurp(s->md, w->md, TEXT);
}
static void said(int hands, struct dying *dies, struct words *w, struct sink *s, struct spent *spent)
{
    *s = (struct sink){ 0 };
    said_by(part, hands, dies, w, s, spent);
}

Test(crew, says_the_same_with_any_number_of_processes)
{
    static struct words one, more;
    struct sink a, b;
    struct spent spent[N];
    said(1, NULL, &one, &a, memset(spent, 0, sizeof spent));
    cr_expect(a.count[PASS] == 34 && a.count[ELSEWHERE] == 3 && a.count[SKIPPED] == 3, "%ld %ld %ld", a.count[PASS],
        a.count[ELSEWHERE], a.count[SKIPPED]);
    for (int hands = 2; hands < 6; hands++) {
        said(hands, NULL, &more, &b, memset(spent, 0, sizeof spent));
        cr_expect_str_eq(more.out, one.out, "%d processes", hands);
        cr_expect_str_eq(more.junit, one.junit, "%d processes", hands);
        cr_expect_str_eq(more.md, one.md, "%d processes", hands);
        for (int k = 0; k < COUNTS; k++)
            cr_expect_eq(b.count[k], a.count[k], "%d processes: %ld of %d, not %ld", hands, b.count[k], k, a.count[k]);
        for (long k = 0; k < N; k++)
            cr_expect(spent[k].done && spent[k].verdicts == (k % 7 != 3), "part %ld", k);
    }
}

Test(crew, causes_and_what_is_left_unsaid_do_not_depend_on_the_number_of_processes)
{
    static struct words one, more;
    struct spent spent[N] = { 0 };
    for (int brief = 0; brief < 2; brief++) {
        struct sink a = { .brief = brief, .quiet = !brief };
        said_by(failing, 1, NULL, &one, &a, spent);
        cr_expect(strstr(one.out, "match r.of 8: mend it") && strstr(one.out, "consistent with r.one") &&
                strstr(one.out, "were not looked into") && strstr(one.out, "no known mistake: last n; all\n") &&
                strstr(one.out, "no known mistake: last n; k mod 2 is 0; all\n"), "%s", one.out);
        long sum = 0, n;
        for (const char *line = one.out; (line = strstr(line, "why: ")); line++)
            sum += sscanf(line, "why: %ld of", &n) == 1 ? n : 0;
        cr_expect(sum == a.count[FAILED] && sum > 40, "causes of %ld of %ld failures", sum, a.count[FAILED]);
        cr_expect_eq(strstr(one.out, "for reasons above") != NULL, brief, "%s", one.out);
        for (int hands = 2; hands < 6; hands++) {
            struct sink b = { .brief = brief, .quiet = !brief };
            said_by(failing, hands, NULL, &more, &b, spent);
            cr_expect_str_eq(more.out, one.out, "%d processes", hands);
        }
    }
}

Test(crew, causes_are_objects_where_verdicts_are)
{
    static struct words w, text;
    struct spent spent[N] = { 0 };
    struct sink json = { .json = true }, plain = { .quiet = true };
    said_by(failing, 1, NULL, &text, &plain, spent);
    said_by(failing, 2, NULL, &w, &json, spent);
    long sum = 0, causes = 0, matched = 0;
    for (char *line = strtok(w.out, "\n"); line; line = strtok(NULL, "\n")) {
        json_t *o = *line == '{' ? json_loads(line, 0, NULL) : NULL;
        cr_expect(!*line || o, "no object: %s", line);
        const char *says = json_string_value(json_object_get(o, "text"));
        if (json_object_get(o, "cause")) {
            char as_text[2000];
            snprintf(as_text, sizeof as_text, "\nwhy: %s\n", says);
            cr_expect(strstr(text.out, as_text), "%s", line);
            cr_expect_eq(json_integer_value(json_object_get(o, "of")), json.count[FAILED]);
            causes++, sum += json_integer_value(json_object_get(o, "failures"));
            matched += json_is_true(json_object_get(o, "matches"));
        }
        json_decref(o);
    }
    cr_expect(sum == json.count[FAILED] && causes > 3 && matched && matched < causes, "%ld causes of %ld, %ld matched",
        causes, sum, matched);
}

Test(crew, a_process_that_dies_loses_one_part_and_says_which)
{
    static struct words w;
    struct spent spent[N] = { 0 };
    struct sink s;
    said(3, &(struct dying){ 11, 11 }, &w, &s, spent);
    cr_expect_eq(s.count[CRASHED], 1, "%ld", s.count[CRASHED]);
    cr_expect(strstr(w.out, "the part 11") && strstr(w.out, "k=39"), "%s", w.out);
    cr_expect_eq(s.count[PASS] + s.count[SKIPPED] + s.count[ELSEWHERE], N - 1);
    cr_expect(!spent[11].done && spent[12].done);
}

Test(crew, parts_that_nobody_is_left_for_are_crashes_too)
{
    static struct words w;
    struct spent spent[N] = { 0 };
    struct sink s;
    said(2, &(struct dying){ 11, 12 }, &w, &s, spent);
    cr_expect_eq(s.count[PASS] + s.count[SKIPPED] + s.count[ELSEWHERE], 11);
    cr_expect_eq(s.count[CRASHED], N - 11, "%ld", s.count[CRASHED]);
    cr_expect(strstr(w.out, "the part 39: no other process was left for it"), "%s", w.out);
}

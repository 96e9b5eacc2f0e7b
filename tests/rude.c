/* Subjects that misbehave, as plug-in and as process: each way is named in one line, the other questions are asked,
 * what is printed stays readable. */
#include <criterion/criterion.h>
#include "command.h"

struct way { const char *name, *says; int rc; };

static char so[80];
/* AddressSanitizer reserves more address space than any limit allows, so there is none then, and a plug-in that takes
 * memory without end is stopped by its time alone. */
#ifdef __SANITIZE_ADDRESS__
static const char without_end[] = "CRASH";
#else
static const char without_end[] = "crashed: ";
#endif

static void build(void)
{
    char command[400];
    snprintf(so, sizeof so, "/tmp/meridian-rude-%d.so", (int)getpid());
    snprintf(
        command, sizeof command, "cc -std=c11 -D_GNU_SOURCE -O1 -Ifast -fPIC -shared -o %s tests/plugin/rude.c", so);
    cr_assert_eq(system(command), 0);
}

static int count(const char *word)
{
    int n = 0;
    for (const char *s = out; (s = strstr(s, word)); s++)
        n++;
    return n;
}

static void named(const char *what, const struct way *w, int rc, int questions)
{
    cr_expect(rc == w->rc && strstr(out, w->says), "%s, %s: exit %d, no '%s' in %.1500s%.300s", what, w->name, rc,
        w->says, out, err);
    cr_expect(
        count("\nFAIL") + count("\nCRASH") + count("\nPASS") + (*out == 'F' || *out == 'C' || *out == 'P') >= questions,
        "%s, %s: the rest was not asked: %.900s", what, w->name, out);
    cr_expect(strstr(out, " undecided, ") && strstr(out, " skipped"), "%s, %s: no closing line", what, w->name);
}

Test(rude, plug_ins, .timeout = 120)
{
    static const struct way list[] = {
        { "random", "answers differently twice", 1 },
        { "overruns", "its output 'y'", 3 },
        { "underruns", "its output 'y'", 3 },
        { "sleeps", "hung: killed after 1 s", 3 },
        { "exit0", "left early (exit 0) before it answered", 3 },
        { "closes", "FAIL", 1 },
        { "allocates", without_end, 3 },
        { "prints and dies", "crashed: Aborted; it printed 'assertion failed: n % 8 == 0'", 3 },
        { "prints", "FAIL", 1 }, { "floods", "FAIL", 1 }, { "loading", "FAIL", 1 },
    };
    build();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int patience = strcmp(list[k].name, "sleeps") ? 9 : 1;
        char args[300], before[80];
        snprintf(before, sizeof before, "RUDE='%s'", list[k].name);
        snprintf(args, sizeof args,
            "judge %s --params dim=96 --seconds %d --megabytes 200 --verdicts --checks TWICE,ONEHOT", so, patience);
        named("plug-in", &list[k], meridian(before, args), 2);
        snprintf(args, sizeof args, "judge %s --params dim=96 --seconds %d --megabytes 200 --checks none --few", so,
            patience);
        if (list[k].rc == 3) /* The answers of the others are as wrong again, and to find out why takes seconds. */
            named("plug-in", &list[k], meridian(before, args), 2);
        if (!strcmp(list[k].name, "prints") || !strcmp(list[k].name, "loading") || !strcmp(list[k].name, "floods")) {
            snprintf(args, sizeof args, "judge %s --params dim=96 --checks none --verdicts --json", so);
            meridian(before, args);
            for (const char *s = out; *s; s = strchr(s, '\n') + 1)
                cr_expect(!strncmp(s, "{\"verdict\"", 10), "%s: %.80s", list[k].name, s);
            cr_expect(strcmp(list[k].name, "prints") ||
                    strstr(err, "prints to standard output ('step 1 of 3 <&>'): put aside"),
                "%s", err);
        }
    }
    char args[200];
    snprintf(args, sizeof args, "judge %s", so);
    cr_expect(meridian("RUDE=gone", args) == 3 && count("CRASH") == 1 &&
            strstr(out, "while it was loaded it left early (exit 0)"),
        "%s%s", out, err);
    unlink(so);
}

/* Of what is quick every time, memory has to be measured between questions. */
Test(rude, a_process_that_keeps_a_little_of_every_question_is_killed, .timeout = 120)
{
    cr_expect_eq(meridian("", "judge --exec 'exec python3 tests/plugin/rude.py keeps' --row rope --params dim=96 "
                              "--megabytes 200 --verdicts"), 3, "%s%s", out, err);
    cr_expect(strstr(out, "killed: it held "), "%s", out);
}

Test(rude, processes, .timeout = 120)
{
    static const struct way list[] = {
        { "random", "answers differently twice", 1 },
        { "exit0", "left early (exit 0) before it answered", 3 },
        { "closes", "closed its output before it answered", 3 },
        { "allocates", "killed: it held ", 3 },
        { "prints", "broke the protocol", 3 }, { "long", "wrong size: it sent more", 3 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[300];
        snprintf(args, sizeof args,
            "judge --exec 'exec python3 tests/plugin/rude.py %s' --row rope --params dim=96 --seconds 9 --megabytes "
            "200 --checks TWICE,ONEHOT",
            list[k].name);
        named("process", &list[k], meridian("", args), 2);
    }
}

/* A false program for every clause. */
#include "self.h"
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif
#include "shrink.h"

static const char *part; /* which way to misbehave */

static bool is(const char *name) { return !strcmp(part, name); }

static void save(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (f)
        fputs(text, f), fclose(f);
}

static int *volatile freed; /* volatile: the compiler would see it */

static void ways_to_write(void)
{
    if (is("half"))
        save("new.json", "{\"a\":");
    if (is("half xml"))
        save("new.xml", "<a><b></a>");
    if (is("half temporary"))
        save("new.xml.part", "<a/>");
    if (is("half store"))
        save("new.db", "SQLite format 3, but not really");
    if (is("killed")) { /* what a killed run began is there twice */
        FILE *f = fopen("new", "a");
        if (f)
            fputs("once\n", f), fclose(f);
        sleep(1);
    }
    if (is("journal") && unlink("new.db-journal")) { /* the run after a kill takes it back */
        save("new.db-journal", "");
        sleep(1);
    }
    if (is("lost"))
        unlink("words");
    if (is("taken") && !rename("words", "words.corrupt-1"))
        save("words", "another file's\n");
}

static int errs(int argc, char **argv)
{
    static volatile int zero;
    (void)argc, (void)argv;
    ways_to_write();
    if (is("signal"))
        raise(SIGKILL);
    if (is("report"))
        freed = malloc(sizeof *freed), free(freed), *freed = 7;
#ifdef __SANITIZE_ADDRESS__
    if (is("notice"))
        __sanitizer_report_error_summary("==1==Unable to get registers from thread 1.");
#endif
    if (is("leak"))
        for (int k = 0; k < 9; k++) /* one may still lie in a register */
            freed = malloc(1000), freed = NULL;
    if (is("undefined"))
        zero = INT_MAX + argc;
    if (is("status"))
        return 5 + zero;
    if (is("crash"))
        return 3;
    if (is("lines"))
        fputs("1\n2\n3\n4\n", stderr);
    if (is("bytes"))
        fputs("meridian eval: \x1b[31m\n", stderr);
    if (is("reason"))
        return fputs("bad input\n", stderr), 2;
    if (is("silent"))
        return 77;
    if (is("child") && !fork())
        sleep(60);
    if (is("hang"))
        sleep(60);
    if ((is("orphan") || is("lone")) && !fork())
        sleep(60);
    sleep(is("lone") ? 60 : is("orphan")); /* with nothing that it waits for; until it is ended */
    if (is("helper")) { /* without whom the work is not done, which it does not see */
        const pid_t helper = fork();
        if (!helper)
            sleep(1), save("new", "whole\n"), _exit(0);
        waitpid(helper, NULL, 0);
    }
    while (is("spin"))
        zero = 0;
    for (char *p; is("memory") && (p = malloc(64 << 20)); usleep(1000))
        memset(p, 1, 64 << 20);
    if (is("twice"))
        printf("%ld\n", (long)getpid());
    return 0;
}

struct planted { const char *way, *class, *more; };

static bool one(const struct planted *w, const struct places *p)
{
    struct script s = { 0 };
    struct bytes why = { 0 };
    struct trial_of t = { .twice = true, .leaks = !strcmp(w->way, "leak"), .limit = 1 };
    part = w->way;
    script_add(&s, "file words some");
    if (*w->more)
        script_add(&s, "%s", w->more);
    script_word(&s, "meridian"), script_word(&s, "eval"), script_word(&s, "rope"), script_word(&s, "nosuch");
    if (is("memory") || is("leak"))
        t.limit = 120; /* of a machine that does other work */
    if (is("spin") && !strcmp(w->class, "accepted"))
        t.limit = 6;
    t.endless = strcmp(w->class, "endless") ? 0 : 3, t.work = 0.1;
    const char *bad = run_case(&s, p, &t, &why);
    const bool right = *w->class ? bad && !strncmp(bad, w->class, strlen(w->class)) : !bad;
    if (!right)
        printf("fuzz: the oracle made '%s' of a program that errs by '%s'; expected '%s'\n", bad ? bad : "nothing",
            w->way, w->class);
    script_free(&s), free(why.s);
    return right;
}

int self_test(const struct places *p)
{
    static const struct planted list[] = {
        { "nothing", "", "" }, { "signal", "signal:SIGKILL", "" }, { "status", "status:5", "" }, { "crash", "status:3",
            "" }, { "lines", "lines", "" }, { "bytes", "bytes", "" }, { "reason", "reason", "" },
        { "silent", "silent", "" }, { "half", "half-JSON", "" }, { "half xml", "half-XML", "" }, { "half temporary",
            "half-", "" }, { "half store", "half-SQLite", "" }, { "lost", "lost", "" }, { "taken", "taken", "" },
        { "child", "child", "" },
        { "hang", "hang", "" }, { "spin", "", "" }, { "spin", "accepted", "refuse" },
        { "spin", "endless", "" }, { "memory", "memory", "" },
            { "twice", "twice", "" }, { "nothing", "accepted", "refuse" }, { "nothing", "acquitted", "guilty" },
        { "killed", "killed", "kill 100 same" }, { "journal", "", "kill 400" },
        { "orphan", "child", "end 100 0" }, { "lone", "hang", "end 100 1" },
        { "helper", "killed", "end 100 1 same" },
#ifdef __SANITIZE_ADDRESS__
        { "report", "report:heap-use-after-free", "" }, { "leak", "report:detected", "" },
        { "undefined", "report:signed-integer-overflow", "" }, { "notice", "", "" },
#endif
    };
    int (*program)(int, char **) = launch_program;
    size_t right = 0, n = sizeof list / sizeof *list;
    launch_prepare();
    launch_program = errs;
    for (size_t k = 0; k < n; k++)
        right += one(&list[k], p);
    launch_program = program;
    printf("fuzz: the oracle finds %zu of %zu planted misbehaviours\n", right, n);
    return right == n ? 0 : 1;
}

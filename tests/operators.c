/* Every plug-in that tests/plugin/operators.c can be: one thing that goes wrong, at one place.  What it says of itself
 * is demanded: the verdict, words of the reason; and of each the same: a closing line, JUnit where it was asked for, at
 * most three lines on standard error, an end in time, and no process left. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <sys/mman.h>
#include <time.h>
#include "command.h"
#include "base/clock.h"

enum { HANDS = 6, SAYS = 1 << 16, CASES = 400, QUIET = 3 };
struct wanted { char place[20], name[40], verdict[10], says[80]; };

static bool marked(const char *pid, const char *mark) /* Has the process that text in its environment? */
{
    char path[300], text[1 << 14];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *f = fopen(path, "r");
    const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return n && memmem(text, n, mark, strlen(mark) + 1);
}

static int left_over(const char *mark)
{
    int n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
        n += *e->d_name >= '1' && *e->d_name <= '9' && marked(e->d_name, mark);
    closedir(d);
    return n;
}

static void one(const struct wanted *w, const char *so, char *says, size_t n)
{
    char before[200], mark[80], args[400], junit[80];
    const bool hangs = strstr(w->says, "hung");
    const double start = now();
    snprintf(mark, sizeof mark, "MARK=%d-%s-%s", (int)getpid(), w->place, w->name);
    snprintf(before, sizeof before, "OPERATOR=%s:%s %s timeout 60", w->place, w->name, mark);
    /* The path is that of this folder, wherever the plug-in changes to. */
    snprintf(junit, sizeof junit, "build/operators-%d.xml", (int)getpid());
    snprintf(args, sizeof args, "judge %s --params dim=16 --sizes n=4 --checks none --junit %s --seconds %d", so, junit,
        hangs ? 1 : 20);
    const int rc = meridian(before, args),
              status = !strcmp(w->verdict, "PASS") ? 0 :
        !strcmp(w->verdict, "FAIL")                ? 1 :
                                                     3,
              left = left_over(mark);
    const double took = now() - start;
    const bool closed = strstr(out, " undecided, ") && !unlink(junit);
    if (rc != status || strncmp(out, w->verdict, strlen(w->verdict)) || !strstr(out, w->says) || lines(err) > QUIET ||
        left || !closed || !(took < 30))
        snprintf(says + strlen(says), n - strlen(says),
            "%s:%s: exit %d, expected %s with '%s'%s, %d processes left, %.1f s: %.300s%.300s\n", w->place, w->name, rc,
            w->verdict, w->says, closed ? "" : ", no closing line or no JUnit", left, took, out, err);
}

static bool fits_here(const struct wanted *w)
{
/* Under AddressSanitizer there is no limit of memory, and it handles the signals of faults itself. */
#ifdef __SANITIZE_ADDRESS__
    return !strstr("greedy no-memory segv deep handler traps", w->name);
#else
    return w != NULL;
#endif
}

/* Compiles the plug-in to so and reads what it can be; at most CASES, and only those at `place` where that is not NULL. */
static int compiled(const char *flags, const char *so, const char *place, struct wanted *list)
{
    char program[80], command[400], line[200];
    int n = 0;
    snprintf(program, sizeof program, "/tmp/meridian-operators-%d", (int)getpid());
    snprintf(command, sizeof command,
        "cc -std=c11 -D_GNU_SOURCE %s -ffp-contract=off -O1 -Ifast -fPIC -shared -o %s tests/plugin/operators.c -lm "
        "-lpthread",
        flags, so);
    cr_assert_eq(system(command), 0);
    snprintf(command, sizeof command,
        "cc -std=c11 -D_GNU_SOURCE %s -Ifast -o %s tests/plugin/operators.c -lm -lpthread", flags, program);
    cr_assert_eq(system(command), 0);
    FILE *f = popen(program, "r");
    while (f && n < CASES && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        cr_assert(
            sscanf(line, "%19s %39s %9s %79[^\n]", list[n].place, list[n].name, list[n].verdict, list[n].says) >= 3,
            "%s", line);
        n += !place || !strcmp(list[n].place, place);
    }
    pclose(f), unlink(program);
    return n;
}

static void all_of(const char *flags, const char *place, int least)
{
    static struct wanted list[CASES];
    char so[80];
    snprintf(so, sizeof so, "/tmp/meridian-operators-%d.so", (int)getpid());
    const int n = compiled(flags, so, place, list);
    cr_assert(n > least && n < CASES, "%d", n);
    char *says = mmap(NULL, HANDS * SAYS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int h = 0; h < HANDS; h++)
        if (!fork()) {
            for (int k = h; k < n; k += HANDS)
                if (fits_here(&list[k]))
                    one(&list[k], so, says + h * SAYS, SAYS);
            _exit(0);
        }
    int done = 0;
    for (int status; wait(&status) > 0;)
        done += !status;
    cr_expect_eq(done, HANDS, "%d of %d processes asked all of their cases", done, HANDS);
    unlink(so);
    for (int h = 0; h < HANDS; h++)
        cr_expect(!says[h * SAYS], "%s", says + h * SAYS);
}

Test(operators, every_way_to_go_wrong_at_every_place_has_its_verdict, .timeout = 200) { all_of("", NULL, 200); }

/* The same of a plug-in whose child goes on to the next question: only what happens in a call differs. */
Test(operators, every_way_to_go_wrong_has_its_verdict_where_the_child_stays, .timeout = 200)
{
    all_of("-DSTAYS", "run", 40);
}

/* One child answers the second question, too; after a crash there is a new one, and the questions go on; its memory is
 * limited as that of a process is. */
Test(operators, a_child_that_stays_is_the_same_until_it_crashes, .timeout = 120)
{
    static const struct { const char *flags, *what, *says; int rc; } list[] = {
        { "", "remembers", "0 crash", 0 },
        { "-DSTAYS", "remembers", "run answered 77", 3 },
        { "", "forgets", "0 crash", 0 },
        { "-DSTAYS", "forgets", "2 pass, 0 known deviations, 0 fail, 1 crash", 3 },
        { "-DSTAYS", "swallow", "killed: it held", 3 },
        { "-DSTAYS", "none", "0 crash", 0 },
    };
    static struct wanted all[CASES];
    char so[80], before[80], args[300];
    snprintf(so, sizeof so, "/tmp/meridian-operators-%d.so", (int)getpid());
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
#ifdef __SANITIZE_ADDRESS__
        if (!strcmp(list[k].what, "swallow"))
            continue; /* The judge's own memory counts, too, with all that the sanitizer adds to it. */
#endif
        compiled(list[k].flags, so, "run", all);
        snprintf(before, sizeof before, "OPERATOR=run:%s", list[k].what);
        snprintf(args, sizeof args,
            "judge %s --params dim=16 --checks FREQ,TRIG,OFFSET --seconds 20 --megabytes 400", so);
        const int rc = meridian(before, args);
        cr_expect(rc == list[k].rc && strstr(out, list[k].says) && !strstr(out, "not asked"), "%s %s: exit %d\n%s%s",
            list[k].flags, list[k].what, rc, out, err);
    }
    unlink(so);
}

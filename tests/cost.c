/* What each test costs: MERIDIAN_COST=FILE build/alarm adds a line "suite::test SECONDS" to FILE for each that ends,
 * the seconds of processor of the test and of all programs that it waited for.  Unlike a clock's, they do not depend on
 * what else the machine does, so that `sort -k2 -rn FILE` says where the time of `make test` goes. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static double seconds_of(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}
static void tell(void)
{
    const char *name = getenv("MERIDIAN_COST");
    char line[300];
    const int n = snprintf(line, sizeof line, "%s::%s %.2f\n", criterion_current_test->category,
        criterion_current_test->name, seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN));
    const int f = open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (f < 0 || write(f, line, (size_t)n) != n) /* in one piece, as others write at the same time */
        fprintf(stderr, "cost: %s cannot be written\n", name);
    if (f >= 0)
        close(f);
}

ReportHook(PRE_ALL)(struct criterion_test_set *all)
{
    if (!getenv("MERIDIAN_COST"))
        return;
    FOREACH_SET(struct criterion_suite_set *suite, all->suites)
        FOREACH_SET(struct criterion_test *test, suite->tests)
            test->data->fini = tell; /* No test has one of its own. */
}

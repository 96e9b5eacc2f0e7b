/* The time limits of all tests times MERIDIAN_PATIENCE (1 where it is not set): sanitizers, emulators and machines with
 * other work make honest tests slow, and a limit met there says nothing.  `make sanitize` sets it.  A test that states
 * no limit has one all the same, or one that hangs would take the whole run with it and what the others found; the
 * programs that a test starts end by command.h. */
#include "command.h"
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#include <stddef.h>

/* Seconds for a test that states none, and where everything is asked (MERIDIAN_FULL), which takes hours. */
enum { LIMIT = 1800, LIMIT_FULL = 12 * 3600 };

ReportHook(PRE_ALL)(struct criterion_test_set *all)
{
    const char *said = getenv("MERIDIAN_PATIENCE");
    const double patience = said && atof(said) > 0 ? atof(said) : 1;
    FOREACH_SET(struct criterion_suite_set *suite, all->suites) {
        if (suite->suite.data)
            suite->suite.data->timeout *= patience;
        FOREACH_SET(struct criterion_test *test, suite->tests) {
            if (!(test->data->timeout > 0))
                test->data->timeout = getenv("MERIDIAN_FULL") ? LIMIT_FULL : LIMIT;
            test->data->timeout *= patience;
        }
    }
}

/* The limit of the test that asks, in seconds.  It stands in the test's own record, which every test has as a copy; a
 * child sees what the hook made of it. */
static double own_limit(void)
{
    const char *said = getenv("MERIDIAN_PATIENCE");
    double limit; /* Criterion's record need not be aligned as a double has to be. */
    memcpy(&limit,
        (const char *)criterion_current_test->data + offsetof(struct criterion_test_extra_data, timeout), sizeof limit);
    return limit / (said && atof(said) > 0 ? atof(said) : 1);
}
Test(patience, a_limit_is_multiplied, .timeout = 40) { cr_assert_eq(own_limit(), 40); }
Test(patience, no_test_is_without_a_limit)
{
    cr_assert_eq(own_limit(), getenv("MERIDIAN_FULL") ? LIMIT_FULL : LIMIT);
}

Test(patience, a_program_that_does_not_end_is_ended)
{
    char slow[200];
    snprintf(slow, sizeof slow, "%s --kill-after=1 1 sh -c 'trap \"\" TERM; sleep 30 & wait' 2>/dev/null", TIMEOUT);
    cr_expect_eq(status_of(system(slow)), 128 + SIGKILL);
    cr_expect_eq(meridian("PATH=/proc/nonexistent", "--version"), 0, "the limit itself needs no path: %s", err);
}

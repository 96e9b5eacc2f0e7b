/* The time limits of all tests times MERIDIAN_PATIENCE (1 where it is not set): sanitizers, emulators and machines with
 * other work make honest tests slow, and a limit met there says nothing.  `make sanitize` sets it. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

ReportHook(PRE_ALL)(struct criterion_test_set *all)
{
    const char *said = getenv("MERIDIAN_PATIENCE");
    const double patience = said ? atof(said) : 1;
    if (!(patience > 0))
        return;
    FOREACH_SET(struct criterion_suite_set *suite, all->suites) {
        if (suite->suite.data)
            suite->suite.data->timeout *= patience;
        FOREACH_SET(struct criterion_test *test, suite->tests)
            test->data->timeout *= patience;
    }
}

/* The limit stands in the test's own record, which every test has as a copy; a child sees what the hook made of it. */
Test(patience, a_limit_is_multiplied, .timeout = 40)
{
    const char *said = getenv("MERIDIAN_PATIENCE");
    double limit; /* Criterion's record need not be aligned as a double has to be. */
    memcpy(&limit,
        (const char *)criterion_current_test->data + offsetof(struct criterion_test_extra_data, timeout), sizeof limit);
    cr_assert_eq(limit, 40 * (said && atof(said) > 0 ? atof(said) : 1));
}

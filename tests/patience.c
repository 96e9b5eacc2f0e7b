/* No test may wait for ever: one that hangs would take the whole run with it, and what the others found.  Criterion's
 * own limit holds only for tests that state one (2.4.1 heeds --timeout for no other), and does not reach the programs
 * that a test has started; those have a limit of their own in command.h. */
#include "command.h"
#include <criterion/criterion.h>

/* Seconds for one test, and where tests take hours. */
enum { PATIENCE = 1800, PATIENCE_FULL = 6 * 3600 };

/* Criterion starts this binary again for every test, with BXFI_MAP in its environment: this limits those processes, and
 * not the one that waits for them all. */
static __attribute__((constructor)) void limit_of_each_test(void)
{
    if (getenv("BXFI_MAP"))
        alarm(takes_hours() ? PATIENCE_FULL : PATIENCE);
}

Test(patience, every_test_has_an_end)
{
    unsigned left = alarm(PATIENCE);
    cr_expect(left && left <= PATIENCE_FULL, "%u seconds", left);
}

Test(patience, a_program_that_does_not_end_is_ended)
{
    char slow[200];
    snprintf(slow, sizeof slow, "%s --kill-after=1 1 sh -c 'trap \"\" TERM; sleep 30 & wait' 2>/dev/null", TIMEOUT);
    cr_expect_eq(status_of(system(slow)), 128 + SIGKILL);
    cr_expect_eq(meridian("PATH=/proc/nonexistent", "--version"), 0, "the limit itself needs no path: %s", err);
}

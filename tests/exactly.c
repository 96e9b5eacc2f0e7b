/* What ref/core/arith/exactly.h promises: an exact operation goes through, and one that rounds ends the program. */
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arith/exactly.h"

/* x at `bits` bits set to 1/3 as a double, and asked as a double where `back`. */
static void third(int bits, bool back)
{
    mpfr_t x;
    mpfr_init2(x, bits);
    if (back)
        mpfr_set_ui(x, 1, MPFR_RNDN), mpfr_div_ui(x, x, 3, MPFR_RNDN), exact_double(x);
    else
        exactly(mpfr_set_d(x, 1.0 / 3, MPFR_RNDN));
    mpfr_clear(x);
}
/* Does the program end there, and say so? */
static bool ends(int bits, bool back)
{
    int status = 0, to[2];
    char said[200] = "";
    cr_assert_eq(pipe(to), 0);
    const pid_t pid = fork();
    if (!pid) {
        dup2(to[1], 2);
        third(bits, back);
        _exit(0);
    }
    close(to[1]);
    const ssize_t n = read(to[0], said, sizeof said - 1);
    close(to[0]);
    cr_assert(pid > 0 && waitpid(pid, &status, 0) == pid);
    const bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    cr_expect(aborted ? n > 0 && strstr(said, "a number was rounded where") : n == 0, "%d bits: '%s'", bits, said);
    return aborted;
}

Test(exactly, what_is_rounded_ends_the_program)
{
    cr_expect(!ends(53, false) && !ends(60, false), "a double has 53 bits");
    cr_expect(ends(52, false), "not all bits of a double are in 52");
    cr_expect(!ends(53, true) && ends(54, true), "a double has 53 bits");
}

Test(exactly, what_is_no_number_is_the_same_as_a_double)
{
    mpfr_t x;
    mpfr_init2(x, 200);
    mpfr_set_nan(x);
    cr_expect(isnan(exact_double(x)));
    mpfr_set_inf(x, -1);
    cr_expect_eq(exact_double(x), -INFINITY);
    mpfr_set_d(x, 0.1, MPFR_RNDN);
    cr_expect_eq(exact_double(x), 0.1);
    mpfr_clear(x);
}

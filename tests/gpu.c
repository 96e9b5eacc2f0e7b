/* Subjects that run on GPUs, as far as a machine without one can tell: CUDA sources are read by clang, on both sides,
 * with declarations in the place of CUDA's headers (tests/cuda); what a subject answered elsewhere is asked again. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include "command.h"

Test(gpu, cuda_examples_are_read_by_a_compiler, .timeout = 120)
{
    static const char *const sides[] = { "--cuda-host-only", "--cuda-device-only" };
    glob_t g;
    if (system("command -v clang-14 >/dev/null")) {
        fprintf(stderr, "not run: whether a compiler reads the CUDA examples; no clang-14 here\n");
        return;
    }
    cr_assert_eq(glob("harness/adapters/examples/cuda/*.cu", 0, NULL, &g), 0);
    cr_expect(g.gl_pathc >= 2);
    for (size_t k = 0; k < g.gl_pathc; k++)
        for (int s = 0; s < 2; s++) {
            char text[600];
            snprintf(text, sizeof text, "clang-14 -x cuda -std=c++17 -nocudainc -nocudalib %s --cuda-gpu-arch=sm_80 "
                "-fsyntax-only -Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-unused-function "
                "-isystem tests/cuda -Ifast %s", sides[s], g.gl_pathv[k]);
            cr_expect_eq(system(text), 0, "%s", text);
        }
    /* A mistake in a kernel is noticed, so that silence above is no accident. */
    cr_expect_neq(system("sed 's/widened(x\\[a\\])/widened(x)/' harness/adapters/examples/cuda/rope.cu "
        ">build/wrong.cu && "
        "clang-14 -x cuda -std=c++17 -nocudainc -nocudalib --cuda-device-only --cuda-gpu-arch=sm_80 -fsyntax-only "
        "-isystem tests/cuda -Ifast -Iharness/adapters/examples/cuda build/wrong.cu 2>/dev/null"), 0);
    unlink("build/wrong.cu");
    globfree(&g);
}

/* The verdicts of the second run are those of the first, word for word but for times, though the subject is gone. */
Test(gpu, a_process_is_written_down_and_asked_again, .timeout = 60)
{
    static char first[1 << 18];
    static const char ask[] = "judge --row rope --profile 'phase=f32 product=f32' --params 'dim=8' --few --checks none "
        "--json --exec '%s python3 harness/adapters/recorded.py %s build/gpu-recorded%s'";
    char args[500];
    unlink("build/gpu-recorded");
    snprintf(args, sizeof args, ask, "exec", "write", " python3 tests/plugin/rude.py identity");
    const int rc = meridian("", args);
    cr_assert(rc == 1 && strstr(out, "\"FAIL\""), "%d %s%s", rc, out, err);
    snprintf(first, sizeof first, "%s", out);
    snprintf(args, sizeof args, ask, "exec", "read", "");
    cr_expect_eq(meridian("", args), rc, "%s", err);
    const char *a = strstr(first, "\"used\""), *b = strstr(out, "\"used\"");
    cr_expect(a && b && !strncmp(a, b, 60), "%s\n%s", first, out);
    /* Another question was not recorded. */
    snprintf(args, sizeof args, ask, "exec", "read", "");
    char *dim = strstr(args, "dim=8");
    dim[4] = '6';
    cr_expect_eq(meridian("", args), 77, "%s%s", out, err);
    cr_expect(!truncate("build/gpu-recorded", 7));
    snprintf(args, sizeof args, ask, "exec", "read", "");
    cr_expect_eq(meridian("", args), 3, "%s%s", out, err); /* It ends before it answers, and says why. */
    unlink("build/gpu-recorded");
}

/* Answers that are no numbers of the call: what memory held that nobody wrote, and what changes each time. */
#include <criterion/criterion.h>
#include "command.h"

/* The example plug-in with its first product changed by `sed`, asked under one preset. */
static int judged(const char *sed, const char *checks)
{
    char command[900], args[200];
    const int me = (int)getpid();
    snprintf(command, sizeof command,
        "sed 's/double u = (double)\\*a/double *unset = malloc(64), u = %s/; s/#include <math.h>/&\\n#include "
        "<unistd.h>/' harness/adapters/examples/rope.c > build/unset%d.c && cc -std=gnu11 -O1 -w -ffp-contract=off "
        "-Ifast -fPIC -shared -o build/unset%d.so build/unset%d.c -lm", sed, me, me, me);
    cr_assert_eq(system(command), 0, "%s", command);
    snprintf(args, sizeof args, "judge build/unset%d.so --params dim=8 --few --checks %s", me, checks);
    const int rc = meridian("", args);
    snprintf(command, sizeof command, "rm build/unset%d.so build/unset%d.c", me, me);
    cr_expect_eq(system(command), 0);
    return rc;
}

static const char unset[] = "matches rope.unset-memory: it reads memory that nobody wrote",
                  unsteady[] = "matches rope.unsteady: it answers the same question otherwise each time";
#ifdef __SANITIZE_ADDRESS__
enum { FILLED = false }; /* AddressSanitizer has memory of its own. */
#else
enum { FILLED = true };
#endif

Test(steady, what_memory_held_is_a_cause_of_its_own)
{
    if (!FILLED)
        return;
    cr_expect(judged("(double)*a + 1e-300 * unset[4]", "none") == 1 && strstr(out, unset) &&
            strstr(out, "repair: write memory before it is read") && !strstr(out, unsteady),
        "%s%s", out, err);
    /* Wrong everywhere, and beside that one pair of memory: a cause of some elements is none of all. */
    cr_expect(judged("(double)*a * 0.75 + (k == 2 ? 1e-300 * unset[4] : 0)", "none") == 1 && !strstr(out, unset) &&
            !strstr(out, unsteady), "%s%s", out, err);
}
Test(steady, what_changes_each_time_is_another)
{
    cr_expect(judged("(double)*a * (1 + getpid() % 97)", "none") == 1 && strstr(out, unsteady) &&
            !strstr(out, unset), "%s%s", out, err);
}
Test(steady, what_is_wrong_each_time_is_neither)
{
    cr_expect(judged("(double)*a * 0.75", "none") == 1 && !strstr(out, unset) && !strstr(out, unsteady), "%s%s", out,
        err);
    cr_expect(judged("(double)*a", "none") == 0, "%s%s", out, err);
}
/* Right as long as memory holds what it usually does. */
Test(steady, memory_that_is_read_unset_fails_where_it_holds_other_bytes)
{
    if (!FILLED)
        return;
    static const char way[] = "(double)*a * (unset[4] > 0 ? 1 : 2)";
    cr_expect(judged(way, "TWICE") == 1 && strstr(out, ", where memory that nobody wrote holds other bytes: "), "%s%s",
        out, err);
    cr_expect(judged(way, "none") == 0, "%s%s", out, err);
}
/* What a kernel never wrote is no zero. */
Test(steady, memory_is_not_zero_by_itself)
{
    cr_expect(!FILLED || judged("(double)*a + 1e-290 * unset[4]", "none") == 1, "%s%s", out, err);
}
/* Of whole numbers one call does not tell what was never written: -1 has all its bits set. */
Test(steady, a_whole_number_that_was_never_written_is_told)
{
    cr_assert_eq(system("mkdir -p build/unset_rows && cat > build/unset_rows/axis.c <<'C'\n"
                        "#include \"meridian.h\"\n"
                        "static int run(const struct mer_call *c)\n"
                        "{\n"
                        "    struct mer_array *y = mer_out(c, \"axis\");\n"
                        "    for (int64_t k = 0; k + 1 < y->dim[0]; k++)\n"
                        "        ((int64_t *)y->data)[k] = k < 2 ? 0 : k < 5 ? 1 : 2;\n"
                        "    return MER_OK;\n"
                        "}\n"
                        "static const struct mer_kernel k[] = { { .row = \"mrope\", .out = \"axis\", .type = \"f32\", "
                        ".profile = \"store=f32\", .run = run }, { 0 } };\n"
                        "static const struct mer_plugin p = { MER_ABI, \"left\", k };\n"
                        "const struct mer_plugin *meridian_plugin(void);\n"
                        "const struct mer_plugin *meridian_plugin(void) { return &p; }\n"
                        "C\n"
                        "cc -std=gnu11 -O1 -w -Ifast -fPIC -shared -o build/unset_rows/axis.so build/unset_rows/axis.c "
                        "-lm"), 0);
    cr_expect(
        meridian("", "judge build/unset_rows/axis.so --params 'dim=16 sections=2,3,3' --few --checks none") == 1 &&
            strstr(out, "matches mrope.unwritten: every wrong element was never written"), "%s%s", out, err);
}
/* Behind the last piece of memory that it was given, a kernel has written over what the C library keeps there. */
Test(steady, what_is_written_behind_the_last_piece_of_memory_is_a_crash)
{
    static const char way[] = "(double)*a + (r + 1 == rows \\&\\& k + 1 == p->half ? (unset = malloc(5000), "
                              "unset[625] = 1, 0) : 0)";
    cr_expect(!FILLED || (judged(way, "none") == 3 && strstr(out, "CRASH ") && strstr(out, "crashed: Aborted")), "%s%s",
        out, err);
}
/* Behind the inputs and behind the outputs of a call there is an array without extents: a kernel that counts one too
 * many reads no array of another kind, whose extents might do. */
Test(steady, an_array_too_many_is_none)
{
    static const char first[] = "(double)*a * (c->in[c->n_in].rank ? 1 : 2)",
                      second[] = "(double)*a * (c->out[1].rank || c->out[1].data ? 1 : 2)";
    cr_expect(judged(first, "none") == 1, "%s%s", out, err);
    cr_expect(judged(second, "none") == 1, "%s%s", out, err);
}

/* `meridian confirm`: a plug-in whose sines are all 0 is confirmed to be that, and nothing else, by questions that no
 * search has seen; words that are no cause are refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "command.h"

/* Tables whose sines are 0 with -DZERO; without, all is right but under the condition BACK, where positions
 * are read backwards. */
static const char source[] = "#include <math.h>\n#include \"meridian.h\"\n"
    "#ifndef BACK\n#define BACK mer_is(c, \"layout\", \"interleaved\")\n#endif\n"
    "static int tables_of(const struct mer_call *c, int zero)\n{\n"
    "    const struct mer_array *pos = mer_in(c, \"pos\");\n"
    "    struct mer_array *x = mer_out(c, \"cos\"), *y = mer_out(c, \"sin\");\n"
    "    const int64_t n = pos->dim[0], width = x->dim[1];\n"
    "    const int64_t rotary = mer_int(c, \"rotary\"), turned = rotary ? rotary : mer_int(c, \"dim\");\n"
    "    const int back = !ZERO && (BACK);\n"
    "    if (!ZERO && (!mer_only(c, \"pos\") || !mer_is(c, \"scaling\", \"default\") ||\n"
    "            mer_is(c, \"partial\", \"proportional\")))\n"
    "        return MER_SKIP;\n"
    "    for (int64_t i = 0; i < n; i++)\n"
    "        for (int64_t k = 0; k < width; k++) {\n"
    "            const double w = pow(mer_real(c, \"base\"), -2.0 * (double)k / (double)turned);\n"
    "            const double at = (double)((const int64_t *)pos->data)[back ? n - 1 - i : i] * w;\n"
    "            ((float *)x->data)[i * width + k] = (float)cos(at);\n"
    "            ((float *)y->data)[i * width + k] = zero ? 0 : (float)sin(at);\n"
    "        }\n"
    "    return MER_OK;\n}\n"
    "static int tables(const struct mer_call *c) { return tables_of(c, ZERO); }\n"
    "#ifdef TWO\nstatic int right(const struct mer_call *c) { return tables_of(c, 0); }\n#endif\n"
    "static const struct mer_kernel kernels[] = { { \"rope\", \"cos sin\", \"f32\",\n"
    "    \"exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2\", 0, tables },\n#ifdef TWO\n"
    "    { \"rope\", \"cos sin\", \"f32\", \"exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:3\", 0,\n"
    "    right },\n#endif\n    { 0 } };\n"
    "const struct mer_plugin *meridian_plugin(void);\n"
    "const struct mer_plugin *meridian_plugin(void)\n{\n"
    "    static struct mer_plugin p = { MER_ABI, \"flat\", kernels };\n    return &p;\n}\n";
static char so[60];
/* flags: of the compiler, beside -DZERO. */
static void compiled(const char *text, int zero, const char *flags)
{
    char path[60], command[400];
    snprintf(path, sizeof path, "/tmp/meridian-confirm-%d.c", (int)getpid());
    snprintf(so, sizeof so, "/tmp/meridian-confirm-%d.so", (int)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
    snprintf(command, sizeof command,
        "cc -std=c11 -O1 -ffp-contract=off -DZERO=%d %s -Ifast -fPIC -shared -o %s %s -lm", zero, flags, so, path);
    cr_assert_eq(system(command), 0);
    unlink(path);
}

static void built(int zero, const char *flags) { compiled(source, zero, flags); }

Test(confirm, fresh_questions_say_whether_a_cause_is_the_one, .timeout = 120)
{
    static const struct { const char *flags; int status; const char *says; } list[] = {
        { "--as edit=out:0:out:zero --in sin", 0, ": 4 fresh questions are wrong as it says, 0 right" },
        { "--as edit=out:0:out:zero --part", 0, ": 4 fresh questions are wrong as it says, 0 right" },
        { "--as edit=out:0:out:zero", 1, "4 contradict it" },
        { "--as edit=out:0:out:negate --in sin", 1, "the first that does: --params 'dim=12' --sizes '' --seed" },
        { "--as unwritten --in sin", 1, "4 contradict it" },
        { "--as unwritten --in cos", 77, "0 fresh questions are wrong as it says, 4 right as it says; 0 contradict" },
        { "--as dim=10 --in sin", 1, "4 contradict it" },
        { "--as layout=half --in sin", 1, "4 contradict it" }, /* what is declared: as if nothing were wrong */
        { "--as layout=half --in cos", 77, "4 right as it says" },
        { "--as edit=out:0:out:zero --second table=bf16 --in sin", 0, ": 4 fresh questions are wrong as it says" },
    };
    char command[900];
    built(1, "");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(command, sizeof command, "confirm %s --row rope --params dim=12 %s", so, list[k].flags);
        cr_expect_eq(meridian("", command), list[k].status, "%s: %s%s", list[k].flags, out, err);
        cr_expect(strstr(out, list[k].says), "%s: %s%s", list[k].flags, out, err);
    }
    snprintf(command, sizeof command, "confirm %s --row rope --as edit=out:0:out:zero --in sin", so);
    cr_expect(meridian("", command) == 0 && !strstr(out, ": 4 fresh"), "other presets are asked, too: %s", out);
    unlink(so);
}

/* Of two kernels with the same outputs, which declare other arithmetic, the cause is that of one. */
Test(confirm, a_cause_is_that_of_the_kernel_with_its_profile, .timeout = 120)
{
    static const char of[] = "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:";
    static const struct { const char *last; int status; } list[] = { { "2", 0 }, { "3", 1 }, { "4", 2 } };
    char command[900];
    built(1, "-DTWO");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(command, sizeof command,
            "confirm %s --row rope --params dim=12 --as edit=out:0:out:zero --in sin --profile '%s%s'", so, of,
            list[k].last);
        cr_expect_eq(meridian("", command), list[k].status, "%s: %s%s", list[k].last, out, err);
    }
    cr_expect(strstr(err, "offers nothing of that kind (row rope, out any, type any, with the profile"), "%s", err);
    unlink(so);
}

/* What explains every failure and contradicts what is right under other conventions is a name with its condition. */
Test(confirm, a_name_has_to_explain_what_is_right, .timeout = 120)
{
    static const char as[] = "--as pos@n=reverse";
    static const struct { const char *flags; int status; const char *says; } list[] = {
        { "", 1, " contradict it" },
        { "--params 'dim=8 layout=interleaved'", 0, ": 4 fresh" },
        { "--under layout=interleaved", 0, "; 0 contradict it" },
        { "--under layout!=half", 0, "; 0 contradict it" },
        { "--under layout=half", 1, " contradict it" },
        { "--under layout!=interleaved", 1, " contradict it" },
        { "--under layout!=half --params dim=8", 0, "4 fresh questions are wrong as it says, 4 right as it says" },
        { "--under order=half", 2, "--under: 'order=half' is no condition; give PARAMETER=WORD" },
        { "--under layout", 2, "'layout' is no condition" },
    };
    char command[300];
    built(0, "");
    snprintf(command, sizeof command, "judge %s --row rope --few --checks none", so);
    cr_expect_eq(meridian("", command), 1);
    cr_expect(strstr(out, "\n  matches rope.pos@n=reverse (pos@n=reverse) under layout=interleaved: ") &&
        strstr(out, "match rope.pos@n=reverse under layout=interleaved: ") && !strstr(out, "consistent with"),
        "%s", out);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(command, sizeof command, "confirm %s --row rope %s %s", so, as, list[k].flags);
        cr_expect_eq(meridian("", command), list[k].status, "%s: %s%s", list[k].flags, out, err);
        cr_expect(strstr(list[k].status == 2 ? err : out, list[k].says), "%s: %s%s", list[k].flags, out, err);
    }
    unlink(so);
}

/* Positions are read backwards under these conditions, which are found; where there is more to it, none is named. */
Test(confirm, a_condition_is_set_against_questions_under_it, .timeout = 120)
{
    static const struct { const char *back, *condition; bool is; } list[] = {
        { "rotary", "rotary!=0", true },
        { "rotary == 24", "rotary!=0", false },
        { "mer_is(c, \\\"layout\\\", \\\"interleaved\\\") && n % 2 == 0", "layout=interleaved", false },
    };
    char command[300], flags[200], says[200];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(flags, sizeof flags, "\"-DBACK=%s\"", list[k].back);
        built(0, flags);
        snprintf(command, sizeof command, "judge %s --row rope --few --checks none", so);
        cr_expect_eq(meridian("", command), 1);
        snprintf(says, sizeof says, list[k].is ? "matches rope.pos@n=reverse (pos@n=reverse) under %s" :
                                               "anatomy: this question is answered rightly unless %s",
            list[k].condition);
        cr_expect(strstr(out, says) && strstr(out, "  matches ") ? list[k].is : !list[k].is && strstr(out, says),
            "%s: %s", list[k].back, out);
        unlink(so);
    }
}

/* Whole numbers that nobody wrote do not show that, and contradict nothing. */
Test(confirm, of_whole_numbers_that_nobody_wrote_it_says_nothing, .timeout = 60)
{
    char command[300];
    compiled("#include \"meridian.h\"\nstatic int none(const struct mer_call *c) { (void)c; return MER_OK; }\n"
        "static const struct mer_kernel kernels[] = { { \"t5\", \"bucket\", \"f32\", \"\", 0, none }, { 0 } };\n"
        "const struct mer_plugin *meridian_plugin(void);\nconst struct mer_plugin *meridian_plugin(void)\n"
        "{\n    static struct mer_plugin p = { MER_ABI, \"none\", kernels };\n    return &p;\n}\n", 0, "");
    snprintf(command, sizeof command, "confirm %s --row t5 --as unwritten", so);
    cr_expect_eq(meridian("", command), 77, "%s%s", out, err);
    cr_expect(strstr(out, "0 contradict it, of ") && !strstr(out, "of 0 it says"), "%s", out);
    unlink(so);
}

Test(confirm, what_is_no_cause_is_refused, .timeout = 60)
{
    static const struct { const char *args, *says; } list[] = {
        { "--row rope --as half", "whom?" },
        { "own:scalar --as half", "--row: of which row" },
        { "own:scalar --row rop --as half", "no row 'rop'" },
        { "own:scalar --row rope", "--as: which cause?" },
        { "own:scalar --row rope --as nonsense", "--as: unknown word 'nonsense'" },
        { "own:scalar --row rope --as half --second nonsense=f16", "--as: unknown word 'nonsense=f16'" },
        { "own:scalar --row rope --as half --seconds 0", "--seconds" },
        { "own:scalar --row rope --as layout=neither", "layout: found 'neither'" },
        { "own:scalar --row rope --as half --in nothing", "offers nothing of that kind" },
        { "own:scalar --row rope --as half --type i3", "--type: found 'i3'" },
        { "own:scalar --row rope --as half --out nothing", "offers nothing of that kind" },
        { "own:scalar --row rope --as edit=out:0:out:zero --second "
          "01234567890123456789012345678901234567890123456789012345678901234", "longer than any cause" },
        { "data/peers/torch --row rope --as half", "" },
        { "nosuch.so --row rope --as half", "no such file" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char args[400];
        snprintf(args, sizeof args, "confirm %s", list[k].args);
        cr_expect(meridian("", args) == 2 && strstr(err, list[k].says) && lines(err) == 1, "%s: %s%s", args, out, err);
    }
}

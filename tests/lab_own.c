/* A user's own encodings in the laboratory: what is refused, gradients, a study with two of them. */
#include <criterion/criterion.h>
#include "command.h"
#include "core/files.h"

static char so[80];
static void build(void)
{
    char command[400];
    snprintf(so, sizeof so, "/tmp/meridian-own-%d.so", (int)getpid());
    snprintf(command, sizeof command,
        "cc -std=c11 -D_GNU_SOURCE -O1 -Ifast -fPIC -shared -o %s tests/plugin/own.c -lm", so);
    cr_assert_eq(system(command), 0);
}

Test(lab_own, what_is_no_encoding_is_refused_in_one_line, .timeout = 60)
{
    static const struct { const char *text, *says; } list[] = {
        { "Mine=rope rotary=4", "'Mine=rope rotary=4': NAME=BASE [WORDS] [by SUBJECT]" },
        { "=rope rotary=4", "NAME=BASE" },
        { "mine", "NAME=BASE" },
        { "a-name-of-sixteen=rope rotary=4", "at most 15" },
        { "alibi=rope rotary=4", "alibi: there is an encoding of that name" },
        { "mine=nothing rotary=4", "mine: unknown base 'nothing'; `meridian lab list`" },
        { "mine=none by %s", "mine: 'none' has no row" },
        { "mine=rope", "mine: like rope in everything" },
        { "mine=rope rotary=7", "rotary" },
        { "mine=rope nosuch=3", "nosuch" },
        { "mine=rope by ./nosuch.so", "mine: ./nosuch.so: no such file" },
        { "mine=rope by exec false", "mine: " },
        { "mine=rope by data/peers/bugs-examples", "answers no new questions" },
        { "mine=kerple by %s", "offers no kerple.bias in f32" },
    };
    build();
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[200], args[300];
        snprintf(text, sizeof text, list[k].text, so);
        snprintf(args, sizeof args, "lab list --own '%s'", text);
        cr_expect(meridian("", args) == 2 && lines(err) == 1 && !*out && strstr(err, list[k].says) &&
                strstr(err, "meridian lab: --own: "), "%s: %s%s", text, out, err);
    }
    cr_expect(meridian("", "lab list --own 'one=rope rotary=4' --own 'one=rope rotary=8'") == 2 &&
        strstr(err, "one: there is an encoding of that name"), "%s", err);
    cr_expect(meridian("", "extrapolate --out /tmp/meridian-own-none --own mine=rope") == 2 &&
            access("/tmp/meridian-own-none", F_OK), "%s", err);
    unlink(so);
}

Test(lab_own, gradients_of_own_encodings_are_checked_and_a_wrong_one_is_found, .timeout = 60)
{
    char args[300];
    build();
    cr_expect(meridian("", "lab gradcheck --encoding quarter --own 'quarter=rope rotary=4'") == 0 &&
            strstr(out, "quarter    decoder") && strstr(out, "1 encodings, 0 with a block"), "%s%s", out, err);
    snprintf(args, sizeof args, "lab gradcheck --encoding mine --own 'mine=rope by %s'", so);
    cr_expect(meridian("", args) == 0 && strstr(out, "1 encodings, 0 with a block"), "%s%s", out, err);
    cr_expect(meridian("OWN=slope", args) == 1 && strstr(out, "FAIL"), "%s%s", out, err);
    snprintf(args, sizeof args, "lab gradcheck --encoding far --own 'far=alibi by %s'", so);
    cr_expect(meridian("", args) == 0 && strstr(out, "far        encoder-decoder"), "%s%s", out, err);
    cr_expect(meridian("OWN=hide", args) == 0, "%s%s", out, err);
    unlink(so);
}

/* Nothing is said of a gradient then, neither that it is right nor that it is off. */
Test(lab_own, where_a_subject_fails_no_gradient_was_compared, .timeout = 60)
{
    static const struct { const char *how, *says; } list[] = {
        { "OWN=nan", "rope.y holds NaN" },
        { "OWN=inf", "rope.y holds infinity" },
        { "OWN=single", "offers no rope.y in f64" },
        { "OWN=exit", "mine: " },
    };
    char args[300];
    build();
    snprintf(args, sizeof args, "lab gradcheck --encoding mine --own 'mine=rope by %s'", so);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(meridian(list[k].how, args) == 2 && !*out && strstr(err, list[k].says) && lines(err) == 2 &&
                strstr(err, "1 encodings without an answer: their gradients were not compared\n"),
            "%s: %s%s", list[k].how, out, err);
    unlink(so);
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(file_replace(path, text, strlen(text), why, sizeof why), 0, "%s", why);
}
static int answers(const char *dir, const char *of)
{
    char command[300];
    snprintf(command, sizeof command, "ls %s/a/lab/*%s*.answers 2>/dev/null | wc -l", dir, of);
    FILE *f = popen(command, "r");
    int n = -1;
    cr_expect_eq(fscanf(f, "%d", &n), 1);
    pclose(f);
    return n;
}

/* Trained beside its base wherever that is trained, asked the same, in the page's tables; trained anew where its file
 * has changed; where it answers NaN its runs fail by name, and the others stand. */
Test(lab_own, own_encodings_stand_beside_their_base_in_a_study, .timeout = 120)
{
    char dir[80], command[300], args[500], env[120], path[200];
    build();
    snprintf(dir, sizeof dir, "/tmp/meridian-own-%d", (int)getpid());
    snprintf(command, sizeof command, "rm -rf %s; mkdir %s", dir, dir);
    snprintf(env, sizeof env, "MERIDIAN_DATA=%s", dir);
    cr_assert_eq(system(command), 0);
    put(dir, "extrapolate.tsv",
        "needle\t20\t1\trope alibi\t16 40\t0 1\t5\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 "
        "warm=5\nmode\t10\t1\t(alibi)\t7 30\t-\t6\tlayers=1 heads=2 channels=16 inner=16 length=16 batch=8 warm=5\n");
    put(dir, "gates.tsv", "a gate\tneedle\tright\trope/plain@40:0\texceeds\talibi/plain@40:0\t-1\tnew\tnobody\n");
    snprintf(args, sizeof args,
        "extrapolate --out %s/a --jobs 2 --own 'wide=rope base=500000' --own 'mine=alibi by %s'", dir, so);
    cr_expect(meridian(env, args) == 0 && strstr(out, "5 runs, 0 failed"), "%s%s", out, err);
    cr_expect(answers(dir, "mine") == 2 && answers(dir, "wide") == 1);
    snprintf(path, sizeof path, "%s/a/extrapolation.md", dir);
    char *page = file_read(path);
    cr_expect(page && strstr(page, "| mine") && strstr(page, "| wide"), "%s", page ? page : "no page");
    free(page);
    cr_expect(meridian(env, args) == 0 && answers(dir, "mine") == 2, "%s%s", out, err);
    snprintf(command, sizeof command, "printf x >>%s", so);
    cr_assert_eq(system(command), 0);
    cr_expect(meridian(env, args) == 0 && answers(dir, "mine") == 4 && answers(dir, "wide") == 1, "%s%s", out, err);
    snprintf(args, sizeof args,
        "extrapolate --out %s/a --jobs 1 --encodings rope,mine --tasks needle --own 'mine=rope by %s'", dir, so);
    snprintf(env, sizeof env, "OWN=nan MERIDIAN_DATA=%s", dir);
    cr_expect(meridian(env, args) == 1 && strstr(err, "needle mine seed 1: step 0: encoding mine: ") &&
            strstr(err, "rope.y holds NaN") && strstr(out, "2 runs, 1 failed"), "%s%s", out, err);
    snprintf(command, sizeof command, "rm -rf %s %s", dir, so);
    cr_assert_eq(system(command), 0);
}

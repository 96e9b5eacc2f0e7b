/* A process that misbehaves is a named CRASH or FAIL; the rest goes on, nothing hangs, no process is left behind. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include "subject/contain.h"
#include "examine/examine.h"
#include "subject/process.h"

static const char profile[] = "exponent=f64 power=f64:2 freq=f64:2 phase=f64 table=f64:2 product=f64:2 sum=f32:1.001";

static enum word ask(struct subject *s, const struct mer_kernel *k, const char *sizes, char *reason)
{
    struct trial t;
    struct tally y;
    struct finding f;
    struct question q = { s, k, "dim=16", NULL, sizes, 5, 8 };
    examine(&q, &t, &y, &f);
    trial_close(&t);
    strcpy(reason, f.reason);
    return f.word;
}

static bool alone(void) { return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD; }

Test(process, every_way_to_misbehave_has_a_name_and_the_next_question_is_asked, .timeout = 120)
{
    static const struct { const char *way; enum word word; const char *says; } list[] = {
        { "identity", FAILED, "" },
        { "nan", FAILED, "" },
        { "inf", FAILED, "" },
        { "skip", SKIPPED, "not offered" },
        { "skips-why", SKIPPED, "not offered: heads of 16 are?not built" },
        { "failed", CRASHED, "answered that it failed: out of?memory" },
        { "exit", CRASHED, "left early (exit 5) before it answered" },
        { "abort", CRASHED, "crashed: Aborted" },
        { "garbage", CRASHED, "broke the protocol" },
        { "prints", CRASHED, "'loading weights ..." },
        { "endless", CRASHED, "without a line's end" },
        { "status", CRASHED, "status 7" },
        { "answer-abi", CRASHED, "another ABI" },
        { "long", CRASHED, "wrong size: it sent more than" },
        { "shape", CRASHED, "wrong size: output 0 is y f32 [96]" },
        { "child", CRASHED, "killed after" },
        { "hang", CRASHED, "hung: killed after" },
        { "short", CRASHED, "wrong size: " },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char command[100], err[600], reason[600];
        struct subject s;
        struct mer_kernel rope = { .row = "rope", .out = "y", .type = "f32", .profile = profile };
        snprintf(command, sizeof command, "exec python3 tests/plugin/rude.py %s", list[k].way);
        cr_assert_eq(subject_exec(&s, command, &rope, 1, err, sizeof err), 0, "%s", err);
        for (int again = 0; again < (k + 3 < sizeof list / sizeof *list ? 2 : 1); again++) {
            enum word got = ask(&s, &rope, "h=1 n=6", reason);
            cr_expect(got == list[k].word && strstr(reason, list[k].says), "%s: %s '%s'", list[k].way, word_name[got],
                reason);
        }
        s.close(&s);
        cr_expect(alone(), "%s: a child is left", list[k].way);
    }
}

Test(process, inputs_and_outputs_larger_than_every_pipe_pass_both_ways)
{
    char err[600], reason[600];
    struct subject s;
    struct mer_kernel rope = { .row = "rope", .out = "y", .type = "f32", .profile = profile };
    /* Also a process that writes while it still reads. */
    static const char *const copying[] = { "exec python3 tests/plugin/rude.py identity",
        "head -n1 >/dev/null; echo '{\"status\":0}'; head -c 1048576; head -c 131072 >/dev/null" };
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(subject_exec(&s, copying[k], &rope, 20, err, sizeof err), 0, "%s", err);
        enum word got = ask(&s, &rope, "h=1 n=16384", reason);
        cr_expect_eq(got, FAILED, "%s: %s %s", copying[k], word_name[got], reason);
        s.close(&s);
    }
    cr_assert_eq(subject_exec(&s, "exec python3 tests/plugin/rude.py deaf", &rope, 1, err, sizeof err), 0);
    cr_expect(
        ask(&s, &rope, "h=1 n=16384", reason) == CRASHED && strstr(reason, "does not read its inputs"), "%s", reason);
    s.close(&s);
    /* A process that is gone when it is written to, which raises SIGPIPE. */
    cr_assert_eq(subject_exec(&s, "exit 0", &rope, 1, err, sizeof err), 0);
    cr_expect(ask(&s, &rope, "h=1 n=16384", reason) == CRASHED && strstr(reason, "left early (exit 0)"), "%s", reason);
    s.close(&s);
    cr_assert_eq(subject_exec(&s, "/proc/nonexistent/x", &rope, 1, err, sizeof err), 0);
    cr_expect(ask(&s, &rope, "h=1 n=6", reason) == CRASHED && strstr(reason, "command not found"), "%s", reason);
    s.close(&s);
    cr_expect(alone());
}

Test(process, hello_says_what_it_offers_or_why_it_cannot_be_used, .timeout = 60)
{
    static const struct { const char *way, *says; int rc; } bad[] = { /* An rc of 0 stands for -MER_CRASHED. */
        { "mute", "left early (exit 4)", -1 },
        { "silent", "hung" },
        { "late", "hung" },
        { "abi", "another ABI: it answers in version 99" },
        { "type", "element type 'f8'" },
        { "nothing", "no kernels" },
    };
    char err[600], command[100];
    struct subject s;
    cr_assert_eq(
        subject_exec(&s, "exec python3 tests/plugin/rude.py identity", NULL, 5, err, sizeof err), 0, "%s", err);
    cr_expect(!strcmp(s.kernel[0].row, "rope") && !strcmp(s.kernel[0].profile, profile) &&
        !strcmp(s.kernel[1].row, "nonesuch") && !s.kernel[2].row);
    s.close(&s);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(command, sizeof command, "exec python3 tests/plugin/rude.py %s", bad[k].way);
        cr_expect(subject_exec(&s, command, NULL, 1, err, sizeof err) == (bad[k].rc ? bad[k].rc : -MER_CRASHED) &&
                strstr(err, bad[k].says),
            "%s: %s", bad[k].way, err);
    }
    cr_expect(alone());
}

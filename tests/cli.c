/* Bad command lines and bad surroundings: one line, the right exit status, nothing on standard output; and good ones
 * say what they should. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command.h"
#include "core/cli.h"
#include "kernels.h"
#include "row/row.h"

struct bad { const char *args, *says; };

static void refused(const struct bad *b)
{
    int rc = meridian("", b->args);
    cr_expect_eq(rc, 2, "meridian %s: exit %d", b->args, rc);
    cr_expect_eq(lines(err), 1, "meridian %s: %d lines: %s", b->args, lines(err), err);
    cr_expect(strstr(err, b->says), "meridian %s: '%s' lacks '%s'", b->args, err, b->says);
    cr_expect_eq(*out, 0, "meridian %s printed %s", b->args, out);
}

Test(cli, bad_words_get_one_line_that_says_what_is_allowed)
{
    static const struct bad list[] = {
        { "frobnicate", "no verb 'frobnicate'" },
        { "show", "usage: meridian show ROW" },
        { "show nope", "no row 'nope'" },
        { "show ''", "word 1 is empty: ''; usage: meridian show ROW" },
        { "merge a.db '' --out all.db", "word 2 is empty" },
        { "show rope extra", "no quantity 'extra'" },
        { "show rope cos extra", "one argument too many" },
        { "eval rope nope", "it has y dx cos sin" },
        { "eval rope cos --foo 3", "unknown flag '--foo'" },
        { "eval rope cos --dim", "needs a value" },
        { "eval rope cos --dim 7", "even" },
        { "eval rope cos --dim 0", "dim" },
        { "eval rope cos --dim 128 --rotary 31", "rotary" },
        { "eval rope cos --dim 1e3", "dim" },
        { "eval rope cos --dim 99999999999999999999", "dim" },
        { "eval rope cos --base abc", "base" },
        { "eval rope cos --base 1", "base: must be greater than 1" },
        { "eval rope cos --base -5", "base" },
        { "eval rope cos --base nan", "base" },
        { "eval rope cos --base 1/0", "base" },
        { "eval rope cos --scaling magic", "allowed: default linear dynamic ntk yarn llama3 longrope" },
        { "eval rope cos --scaling linear --factor 0.5", "factor: must be at least 1" },
        { "eval rope cos --scaling ntk --factor 4 --dim 2", "width 2" },
        { "eval rope cos --scaling yarn --factor 4", "trained" },
        { "eval rope cos --scaling llama3 --factor 8 --trained 8192 --high_freq_factor 1/2",
            "high_freq_factor: must not be below low_freq_factor" },
        { "eval rope cos --scaling longrope --factor 8 --trained 8192 --dim 8 --short_factor 1,2",
            "one entry for each pair" },
        { "eval rope cos --factor 4", "scaling=default has none" },
        { "eval rope cos --partial proportional --scaling yarn --factor 4 --trained 10", "proportional combines" },
        { "eval rope cos --pos 9007199254740993000", "2^53" },
        { "eval rope cos --pos 1.5", "integers" },
        { "eval rope cos --pos nan", "integers" },
        { "eval rope cos --pos 1,,2", "integers" },
        { "eval rope cos --pos 1 --k 99", "--k" },
        { "eval rope cos --pos 1 --at 5", "--at" },
        { "eval rope cos --digits 0", "--digits" },
        { "eval rope cos --digits forty", "--digits" },
        { "eval rope cos --contract nope", "has no contract 'nope'" },
        { "eval streaming o --contract exac", "it has none, so give steps (\"dot=f32 ..\")" },
        { "eval product y --contract nope", "has no contract 'nope'" },
        { "eval rope cos --contract phse=f32", "unknown word" },
        { "eval rope cos --contract phase=f31", "format" },
        { "eval sinusoid p --dim 7", "odd" },
        { "why rope cos", "needs --contract" },
        { "judge", "whom?" },
        { "judge own:mmx", "mmx" },
        { "judge /proc/nonexistent", "no such file" },
        { "judge own:scalar --row nope", "no row 'nope'" },
        { "judge own:scalar --row rope --contract nope", "rope has no contract 'nope'" },
        { "judge own:scalar --row rope --contract phse=f32", "(did you mean 'phase'?)" },
        { "judge own:scalar --row rope --contract dim=8", "no step in it" },
        { "judge own:scalar --type f8", "--type" },
        { "judge own:scalar --seed x", "--seed" },
        { "judge own:scalar --md /proc/nonexistent/x.md", "cannot write" },
        { "judge --exec true", "needs --row and --profile" },
        { "check never", "allowed: quick full soak" },
        { "check quick --jobs 0", "allowed: 1 to 64" },
        { "check quick --junit /proc/nonexistent/x.xml", "cannot write" },
        /* Names that do not exist are refused by every verb, wherever they stand. */
        { "ulp nope", "no row 'nope'" },
        { "laws nope", "no row 'nope'" },
        { "laws --seeds 1 nope", "no row 'nope'" },
        { "golden nope --check", "no row 'nope'" },
        { "golden rope --pack build/never.tar", "leave out 'rope'" },
        { "power known --row nope", "no row 'nope'" },
        { "check quick --row nope", "no row 'nope'" },
        { "fingerprint own:scalar --row nope", "no row 'nope'" },
        { "export rope --out build/never --type i64", "allowed: f64 f32 f16 bf16" },
        { "export rope --out build/never --by own:mmx", "slot 'mmx' is not on this machine" },
        { "export rope cos --out build/never --by own:scalar --type bf16", "no kernel of row rope and output cos" },
        { "export rope --out build/never --by own:scalar --reference", "the outputs are those of one" },
        { "export rope --out build/never --by data/peers/units", "a folder of arrays answers no new questions" },
        { "export rope --out build/never --by exec:false", "left early (exit 1)" },
        { "export attention --out build/never --by own:scalar --causal none --sizes h=0", "axis h" },
        /* What would have no effect is refused. */
        { "power known --row rope", "has an effect only with: meridian power classes" },
        { "power --write", "has an effect only with: meridian power classes" },
        { "power classes --row rope", "has an effect only with --write" },
        { "lab list --encoding nope", "has an effect only with: meridian lab gradcheck speed" },
        { "sweep clip --list --shards 3", "has an effect only with --emit" },
        { "show rope --dim 3", "beside a quantity alone: meridian show rope y --dim" },
        { "export rope cos --pos 3 --out build/never", "unknown flag '--pos'" },
        { "judge data/peers/units --params dim=8", "--params: recorded cases are judged as they are" },
        { "judge data/peers/units --preset nope", "--preset: recorded cases" },
        { "judge data/peers/units --sizes zz=3", "--sizes: recorded cases" },
        { "judge data/peers/units --checks ONEHOT", "--checks: recorded cases" },
        { "judge data/peers/units --seed 3", "--seed: recorded cases" },
        { "judge data/peers/units --few", "--few: recorded cases" },
        { "judge data/peers/units --row softmax", "has no case of row softmax" },
        { "judge own:scalar --row softmax --case nosuch", "--case: names a case of a pack" },
        { "fingerprint own:scalar --row rope --out nosuch", "offers nothing of that kind (row rope, out nosuch" },
        { "bench --only nosuch", "no item's name holds 'nosuch'" },
        { "extrapolate --tasks nosuch", "the design has lm" },
        { "extrapolate --encodings nosuch", "`meridian lab list` names" },
        /* Numbers that no kernel could read. */
        { "judge own:scalar --row xpos --params scale_base=1e400", "scale_base" },
        { "eval rope cos --base 1e309", "base" },
        { "list --json=3", "--json: takes no value, found '3'" },
        { "eval rope cos --dim 8 --dim 8", "--dim: given twice" },
        { "eval rope cos --json --dim 8 --json", "--json: given twice" },
        /* The shape of a command line. */
        { "eval --foo 3 rope cos", "unknown flag '--foo'" },
        { "eval -x rope cos", "unknown flag '-x'" },
        { "eval rope cos --dim --json", "--dim: needs a value, found --json" },
        { "eval rope cos --dim=", "--dim: needs a value" },
        { "eval --dim 4", "usage: meridian eval ROW QUANTITY" },
        { "eval rope cos --base '1 x=2'", "no blank" },
        { "eval rope 'co\ns'", "no quantity 'co?s'" },
        { "\"$(printf 'a\\nb')\"", "no verb 'a?b'" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        refused(&list[k]);
}

/* The same words and flags in another order are the same question; behind -- there are words alone. */
Test(cli, flags_stand_anywhere)
{
    static const char *const same[][2] = {
        { "eval rope cos --dim 8 --pos 3 --json", "eval --json rope --pos=3 cos --dim 8" },
        { "why rope cos --contract hf-f32 --dim 8", "why --dim 8 --contract=hf-f32 -- rope cos" },
        { "show rope", "show -- rope" },
        { "laws rope --seeds 1", "laws --seeds 1 rope" },
        { "eval rope cos --dim 8 --pos -3", "eval --pos -3 --dim=8 rope cos" },
        { "eval attention o --in q=1 --in k=2 --at '0,0|0'", "eval --in k=2 attention --at '0,0|0' o --q 1" },
        { "eval layernorm y --eps 1e-300", "eval layernorm y --eps=1/1$(printf %0300d 0)" },
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        char first[sizeof out];
        cr_expect_eq(meridian("", same[k][0]), 0, "%s: %s", same[k][0], err);
        strcpy(first, out);
        cr_expect_eq(meridian("", same[k][1]), 0, "%s: %s", same[k][1], err);
        cr_expect(*first && !strcmp(first, out), "'%s' and '%s' differ", same[k][0], same[k][1]);
    }
}

/* A pipe with no other end, a folder, a device: refused at once where a store or a text is read or written. */
Test(cli, files_that_are_none_are_refused)
{
    static const char pipe_name[] = "build/cli-pipe";
    static const char *const list[] = {
        "sweep build/cli-pipe.db --dump", "merge build/cli-pipe.db -o build/cli-merged.db", "plot build/cli-pipe.db",
        "model build/cli-pipe.db", "judge own:scalar --row softmax --declaration build/cli-pipe.db",
        "judge own:scalar --row softmax --baseline build/cli-pipe.db", "golden --pack build/cli-pipe.db",
        "golden --pack /dev/full", "bench --only nothing --json build/cli-pipe.db",
            "model x.json --md build/cli-pipe.db",
    };
    char path[80];
    snprintf(path, sizeof path, "%s.db", pipe_name);
    unlink(path);
    cr_assert_eq(mkfifo(path, 0666), 0);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const int rc = meridian("timeout 5", list[k]);
        cr_expect(rc == 2 && lines(err) == 1, "meridian %s: exit %d: %s", list[k], rc, err);
    }
    unlink(path);
}

/* What is refused makes no folder, and a store that nothing could be written to does not stay. */
Test(cli, what_is_refused_leaves_nothing)
{
    cr_assert_eq(system("rm -rf build/cli-none && mkdir build/cli-none && mkfifo build/cli-none/pipe"), 0);
    cr_expect_eq(meridian("timeout 5", "extrapolate --design build/cli-none/pipe --out build/cli-none/page"), 2);
    cr_expect_eq(meridian("ulimit -f 8;", "judge own:scalar --row softmax --few --baseline build/cli-none/new.db"), 2);
    cr_expect(strstr(err, "cannot write"), "%s", err);
    cr_expect_eq(access("build/cli-none/page", F_OK), -1);
    cr_expect_eq(access("build/cli-none/new.db", F_OK), -1);
    cr_expect_eq(system("rm -r build/cli-none"), 0);
}

/* Where no call can be contained the subject is not asked, and has not crashed. */
Test(cli, a_subject_that_cannot_be_contained_has_not_crashed)
{
    cr_expect_eq(meridian("ulimit -f 8;", "judge own:scalar --row softmax"), 77, "%s", err);
    cr_expect(strstr(out, "not asked: cannot be contained") && strstr(out, " 0 crash,"), "%s", out);
}

/* A limit of file size is a failed write with its reason, not a death by signal; what was there stays. */
Test(cli, a_limit_of_file_size_is_said)
{
    char kept[200];
    FILE *f = fopen("build/cli-limit.md", "w");
    cr_assert(f && fputs("before\n", f) > 0 && !fclose(f));
    const int rc = meridian("ulimit -f 0; ", "model data/models/a*.json --limit 100 --md build/cli-limit.md");
    slurp("build/cli-limit.md", kept, sizeof kept);
    cr_expect(rc == 2 && !strcmp(kept, "before\n"), "exit %d, '%s': %s", rc, kept, err);
    glob_t left;
    cr_expect_eq(glob("build/cli-limit.md.*", 0, NULL, &left), GLOB_NOMATCH, "half a file was left");
}

Test(cli, the_usual_questions_are_answered)
{
    cr_expect_eq(meridian("", "--help"), 0);
    cr_expect(strstr(out, "meridian eval"));
    cr_expect_eq(meridian("", "list"), 0);
    cr_expect(strstr(out, "rope") && strstr(out, "sinusoid"));
    cr_expect_eq(meridian("", "show rope"), 0);
    cr_expect(strstr(out, "--scaling") && strstr(out, "hf-f32"));
    cr_expect_eq(meridian("", "eval rope cos --dim 128 --base 500000 --pos 131071 --k 1 --digits 40"), 0);
    cr_expect(strstr(out, "-0.8173161500238642727"), "%s", out);
    cr_expect_eq(meridian("", "eval rope cos --dim 128 --pos 0 --k 3 --json"), 0);
    cr_expect(strstr(out, "\"exact\":true"), "%s", out);
    cr_expect_eq(meridian("", "why rope cos --contract hf-f32 --dim 128 --base 500000 --pos 131071 --k 1"), 0);
    cr_expect(strstr(out, "freq") && strstr(out, "all"), "%s", out);
    cr_expect_eq(meridian("", "--man"), 0);
    cr_expect(strstr(out, ".TH MERIDIAN"));
}

Test(cli, a_verdict_shows_what_its_reference_cost)
{
    long bits = 0, retries = -1;
    double us = -1;
    cr_expect_eq(
        meridian("", "judge own:scalar --row rope --type f32 --out 'cos sin' --params base=500000"), 0, "%s", err);
    const char *s = strstr(out, " ref ");
    cr_assert(s && sscanf(s, " ref %ldb %lfus/el %ld retries", &bits, &us, &retries) == 3, "%s", out);
    cr_expect(bits >= 64 && us > 0 && retries >= 0, "%ld bits, %g us, %ld retries", bits, us, retries);
    cr_expect_eq(meridian("", "judge own:scalar --row rope --type f32 --out 'cos sin' --params base=500000 --json"), 0);
    cr_expect(strstr(out, "\"reference\":{\"bits\":64,\"us_per_element\":"), "%s", out);
    cr_expect_eq(meridian("", "ulp alibi --lines 4"), 0);
    cr_expect(strstr(out, "alibi      reference "), "%s", out);
    const char *one = strstr(out, "alibi      scalar     slopes   f32  paper ");
    cr_expect(
        one && !strstr(one + 1, "alibi      scalar     slopes   f32  paper "), "a kernel is measured twice: %s", out);
}

Test(cli, surroundings_that_fail_are_named)
{
    cr_expect_eq(meridian("MERIDIAN_ISA=mmx", "list"), 2);
    cr_expect(strstr(err, "allowed: scalar avx2 avx512"), "%s", err);
    cr_expect_eq(meridian("FULL=1", "list"), 2, "a full disk behind standard output");
    cr_expect(strstr(err, "standard output"), "%s", err);
    cr_expect_eq(meridian("MERIDIAN_ISA=scalar", "judge own:avx512"), 2, "a masked slot is not judged as if it ran");
}

Test(cli, no_colour_and_no_progress_without_a_terminal)
{
    cr_expect_eq(meridian("", "judge own:scalar --row t5 --few --checks none"), 0, "%s", err);
    cr_expect(!strchr(out, '\033') && !strchr(err, '\033') && !strchr(err, '\r'));
}

Test(cli, json_lines_and_junit_hold_the_same_verdicts)
{
    char xml[1 << 15], path[64], args[200];
    snprintf(path, sizeof path, "/tmp/meridian-junit-%d.xml", (int)getpid());
    snprintf(args, sizeof args, "judge own:scalar --row sinusoid --json --junit %s", path);
    cr_expect_eq(meridian("", args), 0, "%s", err);
    slurp(path, xml, sizeof xml);
    unlink(path);
    int objects = lines(out), cases = 0;
    for (const char *s = xml; (s = strstr(s, "<testcase")); s++)
        cases++;
    cr_expect(objects > 0 && objects == cases, "%d objects, %d test cases", objects, cases);
    cr_expect(strstr(xml, "</testsuite>"));
}

/* Slots are listed once a row; each kernel is judged as often as every other: once for each preset and size of the day
 * (tests/inputs.c: none twice, and all of them within a few days). */
Test(cli, check_judges_every_kernel_once, .timeout = 60)
{
    int kernels = 0, presets = 0, judged = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; k->row; k++)
            kernels += !strcmp(s->name, "scalar") && !strcmp(k->row, "t5");
    while (row_named("t5")->presets[presets].name)
        presets++;
    cr_assert_eq(meridian("MERIDIAN_ISA=scalar", "check quick --row t5 --verbose --checks none"), 0, "%s", err);
    for (const char *at = out; (at = strstr(at, " own:scalar t5.")); at++)
        judged++;
    cr_expect(judged >= presets * kernels && judged % kernels == 0, "%d of %d kernels", judged, kernels);
}

/* A SKIP for a reason that is on the screen is counted; --verbose says each. */
Test(cli, a_reason_to_skip_is_said_once)
{
    const char *ask = "judge own:scalar --row attention --type f32 --few --preset paper --checks none";
    char all[200];
    int some = 0, every = 0;
    meridian("", ask);
    for (const char *s = out; (s = strstr(s, "SKIP")); s++)
        some++;
    const bool more = strstr(out, " more, for ") != NULL;
    snprintf(all, sizeof all, "%s --verbose", ask);
    meridian("", all);
    for (const char *s = out; (s = strstr(s, "SKIP")); s++)
        every++;
    /* The line that counts the rest is one of the first run's lines. */
    cr_expect(more && !strstr(out, " more, for ") && every >= some && some > 1, "%d %d %s", some, every, out);
}

/* Messages that say what was meant. */
Test(cli, messages_name_what_was_meant)
{
    static const struct bad list[] = {
        { "judge own:scalar --row rope --profile phse=f32", "(did you mean 'phase'?)" },
        { "judge own:scalar --row rope --profile 'f32 f64'", "'f32' and another" },
        { "judge --exec cat --row attention --profile f32", "name the output: --out o (attention has o lse" },
        { "why attention o --contract scor=f32", "(did you mean 'score'?)" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        refused(&list[k]);
}

/* A crash cuts a run short: flags that were not asked about by then were not without effect. */
Test(cli, a_subject_that_crashes_is_exit_3_whatever_flags_are_left_unread)
{
    cr_expect_eq(meridian("", "judge --exec 'exit 1' --row softmax --out p --profile f32 --few"), 3, "%s", err);
    cr_expect(strstr(out, "6 crash") && !strstr(err, "no effect"), "%s%s", out, err);
    cr_expect_eq(meridian("", "judge own:scalar --row softmax --few --sizes 'n=10'"), 2, "%s", out);
    cr_expect(strstr(err, "--few: has no effect"), "%s", err);
}

/* Every flag that names a file to be written is refused before the work that would fill it: some of these verbs take
 * minutes, at whose end nothing could be kept. */
Test(cli, a_file_that_cannot_be_written_is_refused_before_any_work)
{
    static const struct { const char *verb, *words; } asked[] = {
        { "bench", "" },
        { "check", "full" },
        { "laws", "" },
        { "judge", "--exec cat" },
        { "model", "data/models/none.json --against transformers" },
        { "extrapolate", "" },
        { "golden", "" },
        { "power", "kill" },
    };
    char command[200];
    for (const struct verb *const *v = verbs; *v; v++)
        for (const struct flag *f = (*v)->flags; f && f->name; f++) {
            size_t k = 0;
            while (f->writes && k < sizeof asked / sizeof *asked && strcmp(asked[k].verb, (*v)->name))
                k++;
            cr_assert_lt(k, sizeof asked / sizeof *asked, "%s --%s: give its words here", (*v)->name, f->name);
            cr_expect(f->writes || !f->value || (strcmp(f->name, "junit") && strcmp(f->name, "md")),
                "%s --%s: its table does not say that it is written", (*v)->name, f->name);
            if (!f->writes)
                continue;
            cr_expect_str_eq(f->value, "FILE");
            static const char *const path[] = { "/proc/nonexistent/x", "build", "/dev/null" };
            for (size_t p = 0; p < sizeof path / sizeof *path; p++) {
                snprintf(command, sizeof command, "%s %s --%s %s", (*v)->name, asked[k].words, f->name, path[p]);
                refused(&(struct bad){ command, "cannot write" });
            }
        }
}

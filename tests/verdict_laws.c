/* What verdict.h and ci.h promise of single verdicts: the text beside JSON, commands of any bytes, where a failing
 * kernel is, what is said at once, and what reports leave behind. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/progress.h"
#include "diagnose/diagnose.h"
#include "heard.h"
#include "judge/ci.h"
#include "judge/declaration.h"
#include "judge/verdict.h"


static struct finding failure(void)
{
    return (struct finding){ .word = FAILED, .subject = "x", .row = "rope", .quantity = "y", .type = "f32",
        .reason = "because", .replay = "meridian judge '~a\xff\x7f" "b'" };
}

/* With --json --text an object holds the lines that are printed without it, and commands hold what JSON can. */
Test(verdict_laws, an_object_holds_the_lines_and_the_commands)
{
    const struct finding f = failure();
    for (int lines = 0; lines < 2; lines++) {
        struct sink plain = { .json = false }, json = { .json = true, .lines = lines };
        listen(), sink_say(&plain, &f), heard();
        static char want[HEARD];
        snprintf(want, sizeof want, "%s", out);
        for (char *c = want; *c; c++)
            *c = *c == '\xff' || *c == '\x7f' ? '?' : *c;
        listen(), sink_say(&json, &f), heard();
        json_t *o = json_loads(out, 0, NULL);
        const char *text = json_string_value(json_object_get(o, "text")),
                   *replay = json_string_value(json_object_get(o, "replay"));
        cr_expect(lines ? text && !strcmp(text, want) : !text, "'%s', not '%s'", text, want);
        cr_expect(replay && !strcmp(replay, "meridian judge '~a??b'"), "%s", replay);
        json_decref(o), causes_free(&plain.causes), causes_free(&json.causes);
    }
}

Test(verdict_laws, lines_are_wanted_beside_json_alone)
{
    for (int k = 0; k < 4; k++) {
        struct cli c = { .n_given = 0 };
        struct sink s;
        if (k & 1)
            c.given[c.n_given].name = "json", c.given[c.n_given++].value = "";
        if (k & 2)
            c.given[c.n_given].name = "text", c.given[c.n_given++].value = "";
        cr_assert(sink_open(&s, &c));
        cr_expect(s.json == (k & 1) && s.lines == (k == 3) && !s.junit && !s.md, "%d", k);
    }
}

/* A failure names the place of its kernel, where standard output is not JSON; a pass says nothing. */
Test(verdict_laws, a_failure_is_marked_where_its_kernel_is)
{
    const struct subject who = { .kernel = NULL };
    for (int k = 0; k < 4; k++) {
        struct annotations a = { .who = &who, .source = "rope.c:42", .workflow = true };
        struct sink s = { .json = k & 1, .annotations = &a };
        struct finding f = failure();
        f.word = k & 2 ? PASS : FAILED;
        listen(), sink_say(&s, &f), heard();
        const char *mark = "::error file=rope.c,line=42,";
        const char *marks = s.json ? err : out, *others = s.json ? out : err;
        cr_expect_eq(strstr(marks, mark) != NULL, f.word == FAILED, "%d: %s", k, marks);
        cr_expect(!strstr(others, "::error"), "%d: %s", k, others);
        causes_free(&s.causes);
    }
}

/* On a terminal the word of a verdict is painted, and what follows is not; elsewhere nothing is. */
Test(verdict_laws, a_word_is_painted_on_a_terminal)
{
    static const char *const want[WORDS] = { "\033[32mPASS\033[0m x ", "\033[36mKNOWN\033[0m x ",
        "\033[33mVACUOUS\033[0m x ", "\033[33mUNDECIDED\033[0m x ", "\033[33mSKIP\033[0m x ",
        "\033[31mFAIL\033[0m x ", "\033[31mCRASH\033[0m x " };
    unsetenv("NO_COLOR");
    for (int k = 0; k < WORDS; k++) {
        struct sink s = { .json = false };
        struct finding f = failure();
        char text[200] = "";
        const int ours = posix_openpt(O_RDWR | O_NOCTTY), was = dup(1);
        cr_assert(ours >= 0 && !grantpt(ours) && !unlockpt(ours));
        const int theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
        f.word = (enum word)k;
        fflush(NULL), dup2(theirs, 1);
        sink_say(&s, &f);
        dup2(was, 1);
        const ssize_t n = read(ours, text, sizeof text - 1);
        cr_expect(n > 0 && !strncmp(text, want[k], strlen(want[k])), "%s", text);
        listen(), sink_say(&s, &f), heard();
        cr_expect(!strchr(out, '\033'), "%s", out);
        close(theirs), close(ours), close(was), causes_free(&s.causes);
    }
}

/* A verdict is on its way to the reader when sink_say is done. */
Test(verdict_laws, a_verdict_is_said_at_once)
{
    struct sink s = { .json = false };
    const struct finding f = failure();
    struct stat now;
    listen();
    sink_say(&s, &f);
    cr_expect(!fstat(fileno(heard_file[0]), &now) && now.st_size > 0, "nothing is there yet");
    heard(), causes_free(&s.causes);
}

/* Causes are named of two failures, not of one; what was not measured costs nothing. */
Test(verdict_laws, one_failure_has_no_common_cause_and_nothing_measured_no_cost)
{
    for (int failures = 0; failures < 4; failures++) {
        static struct diagnosis d;
        struct sink s = { .quiet = true };
        struct finding f = failure();
        d.answers = 1, d.explained = true, f.diagnosis = &d, f.match = &d.answer[0].m;
        snprintf(d.answer[0].m.id, sizeof d.answer[0].m.id, "halved");
        listen();
        for (int k = 0; k < failures; k++)
            sink_say(&s, &f);
        sink_close(&s, "run");
        heard();
        const char *after = out;
        for (const char *c = after; (c = strstr(c, "again: ")); c++)
            after = strchr(c, '\n') + 1;
        cr_expect_eq(strncmp(after, "run: ", 5) != 0, failures > 1, "%d: %s", failures, after);
        cr_expect(!strstr(out, "; reference"), "%s", out);
    }
}

/* The line that says how far a work is gives way to a verdict: on a terminal it is wiped before one is printed. */
Test(verdict_laws, a_line_of_progress_gives_way_to_a_verdict)
{
    struct sink s = { .json = false };
    const struct finding f = failure();
    char text[400] = "";
    const int ours = posix_openpt(O_RDWR | O_NOCTTY), was[] = { dup(1), dup(2) };
    cr_assert(ours >= 0 && !grantpt(ours) && !unlockpt(ours));
    const int theirs = open(ptsname(ours), O_RDWR | O_NOCTTY);
    setenv("NO_COLOR", "1", 1);
    fflush(NULL), dup2(theirs, 1), dup2(theirs, 2);
    progress_of("check", "parts", 7), progress_count("kernels");
    sink_say(&s, &f);
    dup2(was[0], 1), dup2(was[1], 2);
    for (ssize_t all = 0, n = 1; n > 0 && !strstr(text, "because\r\n"); all += n)
        n = read(ours, text + all, sizeof text - 1 - (size_t)all);
    cr_expect(strstr(text, "check: 0 of 7 parts: kernels\r\033[KFAIL x"), "%s", text);
    close(theirs), close(ours), close(was[0]), close(was[1]), causes_free(&s.causes);
}

/* An object lists the facts about a failure where there are some, and has no list of none. */
Test(verdict_laws, an_object_has_no_list_of_no_facts)
{
    for (int facts = 0; facts < 3; facts++) {
        static struct diagnosis d;
        struct sink s = { .json = true };
        struct finding f = failure();
        d.anatomy.n = facts, f.diagnosis = &d;
        for (int k = 0; k < facts; k++)
            snprintf(d.anatomy.fact[k], ANATOMY_FACT, "fact %d", k);
        listen(), sink_say(&s, &f), heard();
        json_t *o = json_loads(out, 0, NULL), *list = json_object_get(o, "anatomy");
        cr_expect(facts ? json_array_size(list) == (size_t)facts : o && !list, "%d: %s", facts, out);
        json_decref(o), causes_free(&s.causes);
    }
}

/* A known deviation that was asked about and is no longer seen is a failure: that verdict does not show it. */
Test(verdict_laws, what_is_said_of_an_unseen_deviation_is_no_sight_of_it)
{
    for (int seen = 0; seen < 3; seen++) { /* 2: nobody has asked about it */
        char name[] = "x.json";
        struct known_case known = { .outs = "y", .types = ~0u, .reason = "as ever", .asked = seen < 2,
            .seen = seen & 1 };
        struct declared claim = { .file = name, .row = row_named("rope"), .outs = "y", .types = ~0u, .known = &known,
            .n_known = 1 };
        struct declaration d = { .file = name, .claim = &claim, .n = 1 };
        struct sink s = { .declared = &d };
        listen(), sink_unseen(&s, "x"), heard();
        cr_expect(!s.declared && s.count[FAILED] == (seen == 0) && s.count[SKIPPED] == (seen == 2) &&
            !s.count[KNOWN_DEVIATION] && known.seen == (seen & 1), "%d: %s", seen, out);
        causes_free(&s.causes);
        sink_unseen(&s, "x"); /* once is enough */
        cr_expect_eq(s.count[FAILED], seen == 0);
    }
}

/* A failure that is declared is said as known, and counted as that. */
Test(verdict_laws, a_failure_that_is_declared_is_known)
{
    for (int declared = 0; declared < 2; declared++) {
        char name[] = "x.json";
        struct known_case known = { .outs = "y", .types = ~0u, .reason = "as ever" };
        struct declared claim = { .file = name, .row = row_named("rope"), .outs = "y", .types = ~0u, .known = &known,
            .n_known = 1 };
        struct declaration d = { .file = name, .claim = &claim, .n = 1 };
        struct sink s = { .declared = declared ? &d : NULL };
        const struct finding f = failure();
        listen(), sink_say(&s, &f), heard();
        cr_expect(!strncmp(out, declared ? "KNOWN " : "FAIL ", declared ? 6 : 5) && known.seen == declared &&
            s.count[declared ? KNOWN_DEVIATION : FAILED] == 1, "%s", out);
        causes_free(&s.causes);
    }
}

static int files_in(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}
/* Where one of two reports cannot be opened, nothing of the other is left. */
Test(verdict_laws, a_report_that_cannot_be_opened_leaves_nothing)
{
    char folder[] = "/tmp/meridian-verdict-XXXXXX", good[60], bad[60];
    cr_assert(mkdtemp(folder));
    snprintf(good, sizeof good, "%s/1", folder), snprintf(bad, sizeof bad, "%s/none/1", folder);
    for (int first = 0; first < 2; first++) {
        const struct cli c = { .given = { { "junit", first ? bad : good }, { "md", first ? good : bad } },
            .n_given = 2 };
        struct sink s;
        listen();
        const bool opened = sink_open(&s, &c);
        heard();
        cr_expect(!opened && !files_in(folder), "%d files are left", files_in(folder));
    }
    cr_expect_eq(rmdir(folder), 0);
}

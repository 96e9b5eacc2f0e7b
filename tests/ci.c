/* The snippets of harness/README.md for GitHub and GitLab: at most six lines each, YAML, and their commands do what
 * they should for the example plug-in. */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include "command.h"

static char readme[1 << 16], yaml[2000], dir[60];

/* Reads the indented lines that follow the line `after`, and answers how many there are. */
static int snippet(const char *after)
{
    const char *s = strstr(readme, after);
    int n = 0;
    cr_assert(s, "harness/README.md lacks '%s'", after);
    *yaml = 0;
    for (s = strchr(s, '\n'); s[1] == '\n'; s++) {}
    for (s++; !strncmp(s, "    ", 4); s += strcspn(s, "\n") + 1, n++)
        strncat(yaml, s + 4, strcspn(s + 4, "\n") + 1);
    return n;
}

/* The line with that word, without what YAML has around it. */
static void command_of(const char *word, char *text, size_t n)
{
    const char *s = strstr(yaml, word);
    cr_assert(s, "no '%s' in\n%s", word, yaml);
    snprintf(text, n, "%.*s", (int)strcspn(s, "\n}"), s);
}

static int run(const char *command, const char *before)
{
    char all[2600];
    snprintf(all, sizeof all, "cd %s && %s %s >out 2>err", dir, before, command);
    int rc = system(all);
    snprintf(all, sizeof all, "%s/out", dir), slurp(all, out, sizeof out);
    snprintf(all, sizeof all, "%s/err", dir), slurp(all, err, sizeof err);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
}

static void project(const char *plugin) /* A folder like a user's project, with meridian in a folder below it. */
{
    char command[900], here[400];
    snprintf(dir, sizeof dir, "/tmp/meridian-ci-%d", (int)getpid());
    cr_assert(getcwd(here, sizeof here) != NULL);
    snprintf(command, sizeof command,
        "rm -rf %s && mkdir %s && ln -s '%s' %s/meridian && cp %s %s/mine.so && cp harness/adapters/examples/rope.json "
        "%s/mine.json",
        dir, dir, here, dir, plugin, dir, dir);
    cr_assert_eq(system(command), 0);
}

static void follows(const char *where, const char *report, const char *passes, const char *fails, const char *before)
{
    char command[700], text[600], file[200], seen[1 << 14];
    int n = snippet(where);
    cr_expect(n >= 1 && n <= 6, "%s: %d lines", where, n);
    project("build/example.so");
    snprintf(file, sizeof file, "%s/snippet.yml", dir);
    FILE *f = fopen(file, "w");
    cr_assert(f && fputs(yaml, f) >= 0 && !fclose(f));
    if (!run("python3 -c 'import yaml'", ""))
        cr_expect_eq(run("python3 -c 'import yaml; d = yaml.safe_load(open(\"snippet.yml\")); assert \"meridian\" in "
                         "(d.get(\"jobs\") or d)'",
                         ""),
            0, "%s", err);
    else
        fprintf(stderr, "ci: %s not read as YAML, python3 has no yaml\n", where);
    command_of("make -C", text, sizeof text);
    snprintf(command, sizeof command, "%s -n", text);
    cr_expect_eq(run(command, "MAKEFLAGS="), 0, "%s: %s", command, err);
    command_of("meridian/build/meridian", text, sizeof text);
    cr_expect_eq(run(text, before), 0, "%s: %s%s", text, out, err);
    snprintf(file, sizeof file, "%s/%s", dir, report);
    slurp(file, seen, sizeof seen);
    cr_expect(strstr(seen, passes) && !strstr(seen, fails), "%s: %s", text, seen);
    project("build/plugin.so");
    cr_expect_eq(run(text, before), 1, "%s: %s%s", text, out, err);
    slurp(file, seen, sizeof seen);
    cr_expect(strstr(seen, fails) && strstr(seen, "permute the q and k rows"), "%s: %s", text, seen);
    /* The plug-in turns the other pairs, whichever are declared: one story of two conventions. */
    cr_expect(
        strstr(out, "failures match rope.layout+=1: layout: interleaved where half is declared, and the other way"),
        "no summary: %.2000s", out);
    snprintf(text, sizeof text, "rm -r %s", dir);
    cr_expect_eq(system(text), 0);
}

Test(ci, the_snippet_for_github_is_short_and_works, .timeout = 120)
{
    slurp("harness/README.md", readme, sizeof readme);
    follows("GitHub, `.github/", "summary.md", "| PASS |", "| FAIL |",
        "GITHUB_STEP_SUMMARY=summary.md; export GITHUB_STEP_SUMMARY;");
}
Test(ci, the_snippet_for_gitlab_is_short_and_works, .timeout = 120)
{
    slurp("harness/README.md", readme, sizeof readme);
    follows("GitLab, `.gitlab-ci", "meridian.xml", "<testcase", "<failure", "");
}

/* Whether `name` stands in a line of the text that is no command of the judge. */
static bool kept(const char *text, const char *name, size_t len)
{
    for (const char *s = text; *s; s += strcspn(s, "\n"), s += *s == '\n') {
        const size_t n = strcspn(s, "\n");
        const char *at = memmem(s, n, name, len);
        if (at && !memmem(s, n, " judge ", 7))
            return true;
    }
    return false;
}

/* Files that the judge writes by these flags in a text, and that no other line of it takes up: how many.  All that it
 * writes are counted in *files. */
static int lost(const char *text, int *files)
{
    static const char *const flag[] = { "--junit ", "--md ", "--baseline " };
    int n = 0;
    for (size_t k = 0; k < sizeof flag / sizeof *flag; k++)
        for (const char *s = text; (s = strstr(s, flag[k]));) {
            s += strlen(flag[k]);
            const size_t len = strcspn(s, " '\n}");
            if (*s == '$' || *s == '"') /* a variable of the server, which shows that file itself */
                continue;
            ++*files;
            if (!kept(text, s, len))
                n++, fprintf(stderr, "ci: %.*s is written and not kept\n", (int)len, s);
        }
    return n;
}

/* What a snippet has the judge write is uploaded, cached or reported by the same snippet; one that does not is seen. */
Test(ci, what_a_snippet_writes_it_keeps)
{
    static const char *const file[] = { "github.yml", "gitlab.yml", "buildkite.yml", "Jenkinsfile" },
                             *const shown[] = { "GitHub, `.github/", "GitLab, `.gitlab-ci" };
    char path[80], text[4000];
    int n = 0;
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        snprintf(path, sizeof path, "harness/adapters/ci/%s", file[k]);
        slurp(path, text, sizeof text);
        cr_expect(!lost(text, &n) && strstr(text, "--junit meridian.xml"), "%s", path);
        cr_expect(kept(text, "baseline.db", 11), "%s", path);
    }
    slurp("harness/README.md", readme, sizeof readme);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        snippet(shown[k]);
        cr_expect(!lost(yaml, &n), "%s", shown[k]);
    }
    cr_expect_eq(n, 2 * 4 + 1 + 2, "%d files", n);
    slurp("harness/adapters/ci/github.yml", text, sizeof text);
    cr_assert(strstr(text, "upload-artifact") && strstr(text, "if: always()"));
    strstr(text, "      - uses: actions/upload-artifact")[0] = 0;
    cr_expect_eq(lost(text, &n), 1, "a report that nobody uploads passes");
}

Test(ci, every_case_of_a_junit_report_has_a_name_of_its_own_and_a_failure_says_all, .timeout = 60)
{
    static char xml[1 << 18];
    char path[80], args[300];
    snprintf(path, sizeof path, "/tmp/meridian-ci-%d.xml", (int)getpid());
    snprintf(
        args, sizeof args, "judge build/plugin.so --declaration harness/adapters/examples/rope.json --junit %s", path);
    cr_expect_eq(meridian("", args), 1, "%s", err);
    slurp(path, xml, sizeof xml);
    unlink(path);
    int cases = 0;
    for (const char *s = xml; (s = strstr(s, "<testcase ")); s++, cases++) {
        char name[600];
        snprintf(name, sizeof name, "%.*s", (int)(strstr(s, " time=") - s), s);
        cr_expect(!strstr(s + 1, name), "twice: %s", name);
    }
    cr_expect(cases > 30 && strstr(xml, "message=\"matches rope.interleaved: ") &&
            strstr(xml, "\n  repair: pass layout=half") && strstr(xml, "\nagain: meridian judge 'build/plugin.so'"),
        "%d cases: %.1500s", cases, xml);
}

/* The closing count of .ci/run: of the tests that this very binary lists, and one for each own kernel under each
 * preset of its row.  The binary is asked in an empty environment: in that of a running test it would take itself for
 * the test's own worker. */
static int closing(const char *line)
{
    char log[60], command[200];
    snprintf(log, sizeof log, "/tmp/meridian-closing-%d", (int)getpid());
    FILE *f = fopen(log, "w");
    cr_assert(f && fprintf(f, "%s\n", line) > 0 && !fclose(f));
    snprintf(command, sizeof command, "env -i PATH=\"$PATH\" B=\"${B:-build}\" sh tests/closing.sh %s >%s.out 2>&1",
        log, log);
    int rc = system(command);
    unlink(log);
    strcat(log, ".out");
    slurp(log, out, sizeof out);
    unlink(log);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}
Test(ci, fewer_than_95_of_100_tests_of_the_tree_is_a_failure, .timeout = 60)
{
    char line[120];
    long of = 0;
    cr_expect_eq(closing("no closing line at all"), 1, "%s", out);
    cr_assert_eq(sscanf(out, "only 0 of %ld tests ran", &of), 1, "%s", out);
    cr_assert(of > 1000, "%ld tests in the tree", of);
    snprintf(line, sizeof line, "[====] Synthesis: Tested: %ld | Passing: %ld | Failing: 0 | Crashing: 0", of, of);
    cr_expect_eq(closing(line), 0, "%s", out);
    cr_expect(strstr(out, "Tested: ") && strstr(out, " in the tree"), "%s", out);
    snprintf(line, sizeof line, "[====] Synthesis: Tested: %ld | Passing: 0", (95 * of + 99) / 100);
    cr_expect_eq(closing(line), 0, "%s", out);
    snprintf(line, sizeof line, "[====] Synthesis: Tested: %ld | Passing: 0", (95 * of + 99) / 100 - 1);
    cr_expect_eq(closing(line), 1, "%s", out);
    cr_expect_eq(closing("Synthesis: Tested: 60 | Passing: 60"), 1, "%s", out);
}

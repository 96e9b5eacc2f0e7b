/* The honesty of tests/mutants: what must be killed is, what changes nothing survives and asks for a reason, and a
 * reason that is not true is refused. The tool is run as `make mutants` runs it, on the small tree of
 * tests/mutants/small, built anew in a folder of its own. */
#include <criterion/criterion.h>
#include "command.h"

static char dir[80];

static int shell(const char *command)
{
    char all[1500];
    snprintf(all, sizeof all, "cd %s && { %s; } >out 2>err </dev/null", dir, command);
    int rc = system(all);
    snprintf(all, sizeof all, "%s/out", dir), slurp(all, out, sizeof out);
    snprintf(all, sizeof all, "%s/err", dir), slurp(all, err, sizeof err);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
}

static void lay_out(void) /* Lays out the small tree and builds it. */
{
    char here[400], command[900];
    snprintf(dir, sizeof dir, "/tmp/meridian-mutants-%d", (int)getpid());
    cr_assert(getcwd(here, sizeof here) != NULL);
    snprintf(command, sizeof command,
        "rm -rf %s && mkdir -p %s/ref/core %s/tests %s/build/ref && cp -r tests/mutants %s/tests/ && cp "
        "tests/mutants/small/alarm.c %s/tests/ && cp tests/mutants/small/subject.[ch] %s/ref/",
        dir, dir, dir, dir, dir, dir, dir);
    cr_assert_eq(system(command), 0);
    cr_assert_eq(
        shell("cc -fPIC -O1 -c -o build/ref/subject.o ref/subject.c && "
              "cc -Iref -O1 -c -o build/alarm.o tests/alarm.c"),
        0, "%s", err);
}

static int mutants_of(const char *object, const char *options)
{
    char command[600];
    snprintf(command, sizeof command,
        "B=build MUTANT_FLAGS='-std=c11 -fPIC -w -O1 -g0 -Iref' MUTANT_OBJECTS=build/ref/%s "
        "MUTANT_TESTS=build/alarm.o MUTANT_LIBS=-lm python3 tests/mutants/run.py --all %s",
        object, options);
    return shell(command);
}
static int mutants(const char *options) { return mutants_of("subject.o", options); }

static void note(const char *text) /* Puts a note in the place that the source has for one. */
{
    char command[400];
    snprintf(command, sizeof command,
        "cp tests/mutants/small/subject.c ref/subject.c && sed -i 's|/\\* NOTE \\*/|%s|' ref/subject.c", text);
    cr_assert_eq(shell(command), 0, "%s", err);
}

/* What the tool says of the mutants of one function, counted. */
static int counted(const char *function, const char *verdict)
{
    char place[80];
    int n = 0;
    snprintf(place, sizeof place, ": %s: ", function);
    for (const char *s = out; (s = strstr(s, place)); s++) {
        const char *end = s + strcspn(s, "\n"), *v = strstr(s, verdict);
        n += v && v < end;
    }
    return n;
}

Test(mutants, a_fault_is_killed_a_neutral_one_survives_and_a_stale_note_fails, .timeout = 300)
{
    lay_out();
    cr_expect_eq(mutants("--loud"), 1, "%s%s", out, err);
    cr_expect(counted("area", " killed ") == 2 && !counted("area", " survives "), "%s%s", out, err);
    /* Counted from 1 the sum is the same, so that this mutant survives. */
    cr_expect(counted("steps", " killed ") >= 5 && counted("steps", " survives ") == 1, "%s", out);
    /* Without a test nothing is killed. */
    cr_expect(counted("forgotten", " unreached ") >= 3 && !counted("forgotten", " killed "), "%s", out);
    /* Of two equal numbers either may count as the larger. */
    cr_expect(counted("larger", " survives ") == 1, "%s", out);

    cr_expect_eq(mutants("--only ':larger:' --loud"), 1);
    cr_expect_eq(counted("larger", " killed "), 0, "judged twice: %s", out);

    note("/* mutant: compare: of equal numbers either is the larger. */");
    cr_expect_eq(mutants("--only ':larger:'"), 0, "%s%s", out, err);
    note("/* mutant: condition: this is not true, a test tells them apart. */ /* mutant: compare: of equal numbers "
         "either is the larger. */");
    cr_expect_eq(mutants("--only ':larger:'"), 1);
    cr_expect(strstr(out, "names a mutant that a test kills") && strstr(out, " 0 survive, 1 notes wrong"), "%s", out);
    note("/* mutant: loop: there is no loop on this line. */");
    cr_expect_eq(mutants("--only ':larger:'"), 1);
    cr_expect(strstr(out, "names no mutant of its line"), "%s", out);
    note("/* mutant: compare: so. */");
    cr_expect_eq(mutants("--only ':larger:'"), 1);
    cr_expect(strstr(out, "gives no reason"), "%s", out);

    /* Under another name a file has other mutants, and tests reach it as before. */
    note("");
    cr_assert_eq(shell("mv ref/subject.c ref/moved.c && mv build/ref/subject.o build/ref/moved.o"), 0, "%s", err);
    cr_expect_eq(mutants_of("moved.o", "--only ':area:' --loud"), 0, "%s%s", out, err);
    cr_expect(counted("area", " killed ") == 2, "%s%s", out, err);

    cr_expect_eq(mutants("--shard 3/2"), 2, "%s", err);
    snprintf(err, sizeof err, "rm -r %s", dir);
    cr_expect_eq(system(err), 0);
}

/* A function that came after a test has run may be reached by it now: where the test reached the file it is asked, and
 * where it is known not to have reached a function that was there, it is not. */
Test(mutants, tests_that_ran_before_a_function_was_there_are_asked)
{
    static const char command[] =
        "cd tests/mutants && PYTHONDONTWRITEBYTECODE=1 python3 -c \""
        "import types, reach\n"
        "def row(test, world, *at):\n"
        "    return dict(test=test, seconds=1, verdict='pass', world=world, reached={a: [0] for a in at})\n"
        "rows = [row('s/before', 'old', 'a.c:f:1'), row('s/since', 'new', 'a.c:f:1', 'a.c:g:1')]\n"
        "rows += [row('s/past', 'new', 'a.c:f:1')]\n"
        "m = reach.Map(rows, {'old': {'a.c': ['f']}, 'new': {'a.c': ['f', 'g']}})\n"
        "file = types.SimpleNamespace(path='a.c', functions={'f': '1', 'g': '1'})\n"
        "assert m.reaching(file, 'g', 0) == ['s/since', 's/before'], m.reaching(file, 'g', 0)\n"
        "assert sorted(m.reaching(file, 'f', 0)) == ['s/before', 's/past', 's/since']\n"
        "assert m.reaching(file, 'f', 1) == []\"";
    cr_expect_eq(system(command), 0);
}

/* A test that fails without any fault kills nothing, though it passed when it was seen what it reaches. */
Test(mutants, a_test_that_has_come_to_fail_kills_nothing)
{
    static const char command[] =
        "cd tests/mutants && B=/nowhere PYTHONDONTWRITEBYTECODE=1 python3 -c \""
        "import collections, types, judge\n"
        "asked = []\n"
        "def ask(key, test, cpu):\n"
        "    asked.append((key, test))\n"
        "    return 'fail' if test == 's/broken' or test == 's/good' and key else 'pass', 0\n"
        "j = judge.Judge.__new__(judge.Judge)\n"
        "j.server, j.passes, j.own, j.table = types.SimpleNamespace(ask=ask), {}, set(), None\n"
        "j.kills, j.asked = collections.Counter(), collections.Counter()\n"
        "j.seconds = {'s/broken': 0.001, 's/good': 0.002, 's/blind': 0.003}\n"
        "j.named = {'a.c': list(j.seconds)}\n"
        "file, known = types.SimpleNamespace(path='a.c'), dict(broken={}, same={}, double={})\n"
        "for tag in '12':\n"
        "    m = types.SimpleNamespace(where='f', tag=tag, operator='sign')\n"
        "    assert j.judge(file, m, known, 6.0) == ('killed', 's/good')\n"
        "assert asked.count((None, 's/broken')) == 2 and asked.count((None, 's/good')) == 1, asked\n"
        "assert ('a.c:2', 's/broken') not in asked, asked\n"
        "asked.clear()\n"
        "assert j.judge(file, m, known, 6.0, killer='s/good') == ('killed', 's/good') and len(asked) == 2, asked\"";
    cr_expect_eq(system(command), 0);
}

/* What the objects of all tests want of Criterion, less what the server that stands in its place defines. */
Test(mutants, the_server_has_all_of_criterion_that_tests_call)
{
    static char command[1200];
    char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    cr_assert_gt(n, 0);
    self[n] = 0, *strrchr(self, '/') = 0;
    snprintf(dir, sizeof dir, "/tmp/meridian-server-%d", (int)getpid());
    snprintf(command, sizeof command,
        "mkdir %s && cc -std=c11 -D_GNU_SOURCE -c -o %s/serve.o tests/mutants/serve.c && "
        "nm -u \"%s/tests\"/*.o | grep -Eow '(cr|cri|criterion)_[a-z_]+' | sort -u >%s/wanted && "
        "nm --defined-only %s/serve.o | grep -Eow '(cr|cri|criterion)_[a-z_]+' | sort -u >%s/there",
        dir, dir, self, dir, dir, dir);
    cr_assert_eq(system(command), 0);
    cr_expect_eq(shell("test $(wc -l <wanted) -gt 5 && comm -23 wanted there"), 0, "%s", err);
    cr_expect_str_eq(out, "", "missing in tests/mutants/serve.c: %s", out);
    snprintf(command, sizeof command, "rm -r %s", dir);
    cr_expect_eq(system(command), 0);
}

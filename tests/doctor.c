/* `meridian doctor` on made-up machines: a path without programs, one with a compiler that has every header, a folder
 * of data that is not there or is not one; and harness/core/deps.sh, which reads the same table, misses the same. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <sys/stat.h>
#include "base/tsv.h"
#include "command.h"

static char dir[80];
static void script(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f) && !chmod(path, 0755));
}
static void machine(void) /* a folder that is the whole path of a machine */
{
    char text[300];
    snprintf(dir, sizeof dir, "/tmp/meridian-doctor-%d", (int)getpid());
    snprintf(text, sizeof text, "rm -rf %s; mkdir %s", dir, dir);
    cr_assert_eq(system(text), 0);
}
static void gone(void)
{
    char text[200];
    snprintf(text, sizeof text, "rm -r %s", dir);
    cr_expect_eq(system(text), 0);
}
static int doctor(const char *args)
{
    char before[200];
    snprintf(before, sizeof before, "PATH=%s", dir);
    return meridian(before, args);
}

/* Puts the programs of every line of the table that must be there on the machine's path; of one|other, the first. */
static void programs(const char *text)
{
    struct tsv t;
    cr_assert(tsv_open(&t, "data/needs.tsv"));
    while (tsv_next(&t))
        if (t.n == 7 && !strcmp(t.col[4], "must") && !strncmp(t.col[5], "command ", 8))
            for (char *save, *s = strtok_r(t.col[5] + 8, " ", &save); s; s = strtok_r(NULL, " ", &save))
                s[strcspn(s, "|")] = 0, script(s, text);
    tsv_close(&t);
}

/* The table's lines of that kind ("header ") are all told as there, or all as missing with what is lost. */
static int told(const char *kind, bool there)
{
    struct tsv t;
    int n = 0;
    cr_assert(tsv_open(&t, "data/needs.tsv"));
    while (tsv_next(&t)) {
        char line[800];
        if (t.n != 7 || strncmp(t.col[5], kind, strlen(kind)))
            continue;
        snprintf(line, sizeof line, there ? "there    %-11s %-11s %s\n" : "issing  %-11s %-11s %s\n", t.col[2],
            t.col[0], there ? t.col[5] : t.col[6]);
        if (!there && !strcmp(t.col[4], "must"))
            memcpy(line, "ISSING", 6);
        cr_expect(strstr(out, line), "'%s' is not in %s", line, out);
        n++;
    }
    return tsv_close(&t), n;
}

Test(doctor, what_a_bare_machine_lacks_is_named_with_what_is_lost_and_what_to_type)
{
    machine();
    cr_expect_eq(doctor("doctor"), 1, "%s", err);
    cr_expect(told("command", false) > 3 && told("header", false) > 3 && told("module", false) > 0);
    cr_expect(strstr(out, "your system's package of that name; Debian's: libmpfr-dev"), "%s", out);
    script("apt-get", "#!/bin/sh\n");
    script("cc", "#!/bin/sh\n");
    cr_expect_eq(doctor("doctor"), 1, "%s", err);
    cr_expect(told("header", true) > 3 && told("module", false) > 0);
    cr_expect(strstr(out, "apt-get install -y gnuplot-nox\n"), "%s", out);
    script("cc", "#!/bin/sh\nexit 1\n");
    cr_expect_eq(doctor("doctor build"), 1, "%s", err);
    cr_expect(strstr(out, "there    build       compiler") && strstr(out, "MISSING  build       mpfr") &&
        !strstr(out, " test ") && !strstr(out, " report "), "%s", out);
    gone();
}

Test(doctor, what_only_is_wished_for_does_not_fail)
{
    machine();
    programs("#!/bin/sh\ncase \"$*\" in *mpmath) exit 1;; esac\n");
    cr_expect_eq(doctor("doctor"), 0, "%s%s", out, err);
    cr_expect(strstr(out, "missing  test        mpmath") && strstr(out, "missing: 0 that must be there"), "%s", out);
    cr_expect_eq(doctor("doctor peers"), 0, "%s", err);
    gone();
}

/* A line of several programs is there where all are, and of one|other where one is; what is not is named. */
Test(doctor, of_several_programs_all_are_looked_for)
{
    static const struct { const char *have, *says; } t[] = {
        { "one three", "lacks       two\n" },
        { "one two three", "there    x " }, { "one two four", "there    x " }, { "three", "lacks       one two\n" },
        { "one two", "lacks       three|four\n" }, { "", "lacks       one two three|four\n" } };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char before[300], have[40], *save;
        machine();
        snprintf(before, sizeof before, "PATH=%s MERIDIAN_DATA=%s", dir, dir);
        script("needs.tsv", "x\tx\tx\tany\tmust\tcommand one two three|four\tlost\n");
        snprintf(have, sizeof have, "%s", t[k].have);
        for (char *s = strtok_r(have, " ", &save); s; s = strtok_r(NULL, " ", &save))
            script(s, "#!/bin/sh\n");
        const bool there = strstr(t[k].have, "one two") && strlen(t[k].have) > 7;
        cr_expect_eq(meridian(before, "doctor x"), !there, "%s: %s", t[k].have, out);
        cr_expect(there == !strncmp(out, "there ", 6) && strstr(out, t[k].says), "%s: %s", t[k].have, out);
        gone();
    }
}

Test(doctor, json_is_one_object_a_line_and_says_the_same)
{
    int must = 0;
    machine();
    cr_expect_eq(doctor("doctor --json"), 1, "%s", err);
    for (char *save, *line = strtok_r(out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        json_t *o = json_loads(line, 0, NULL);
        const bool there = json_is_true(json_object_get(o, "there"));
        cr_expect(json_is_object(o) && json_object_size(o) == 7, "%s", line);
        cr_expect_eq(there, !*json_string_value(json_object_get(o, "type")), "%s", line);
        must += !there && !strcmp(json_string_value(json_object_get(o, "need")), "must");
        json_decref(o);
    }
    cr_expect_gt(must, 5);
    gone();
}

Test(doctor, data_that_are_not_there_or_are_none)
{
    cr_expect_eq(meridian("MERIDIAN_DATA=/proc/nonexistent", "doctor judge"), 1, "%s", err);
    cr_expect(strstr(out, "MISSING  judge       data        mistakes are not named") &&
        strstr(out, "MERIDIAN_DATA=FOLDER"), "%s", out);
    cr_expect_eq(meridian("", "doctor judge"), 0, "%s", err);
    cr_expect_eq(meridian("", "doctor nonsense"), 2);
    cr_expect(!*out && lines(err) == 1 && strstr(err, "nothing is looked for under 'nonsense'"), "%s", err);
    machine();
    script("needs.tsv", "a\tb\tc\tany\tmust\tcommand a\tlost\nx\tb\tc\tany\tmust\tsmell a\tlost\n");
    char before[200];
    snprintf(before, sizeof before, "MERIDIAN_DATA=%s", dir);
    cr_expect_eq(meridian(before, "doctor"), 2);
    cr_expect(!*out && lines(err) == 1 && strstr(err, "needs.tsv:2: a line of another form"), "%s%s", out, err);
    gone();
}

/* deps.sh on the same bare machine: the packages of everything that must be there, in the table's order. */
Test(doctor, what_make_installs_is_what_the_doctor_misses)
{
    char text[800], want[2000] = "meridian needs, under your system's names for them:";
    machine();
    snprintf(text, sizeof text, "for c in dirname printf grep cut id; do ln -s $(command -v $c) %s/$c; done; "
        "PATH=%s /bin/sh harness/core/deps.sh --check >%s/said 2>&1", dir, dir, dir);
    const int rc = system(text);
    cr_expect_eq(WEXITSTATUS(rc), 2);
    snprintf(text, sizeof text, "%s/said", dir);
    slurp(text, err, sizeof err);
    struct tsv t;
    cr_assert(tsv_open(&t, "data/needs.tsv"));
    while (tsv_next(&t)) /* a Debian file is not looked for where dpkg is not, and libraries are the loader's */
        if (!strcmp(t.col[4], "must") && strncmp(t.col[5], "debian", 6))
            strcat(strcat(want, " "), t.col[1]);
    tsv_close(&t);
    cr_expect_str_eq(err, strcat(want, "\n"));
    gone();
}

/* `make test` on the same bare machine begins nothing before what is missing is there: no compiler, no python3. */
Test(doctor, make_begins_nothing_before_what_it_needs_is_there)
{
    char text[1200];
    machine();
    snprintf(text, sizeof text, "for c in make sh dirname printf grep cut id mkdir touch rm mv cmp nproc sort sed; do "
        "ln -s $(command -v $c) %s/$c; done; "
        "env -u MAKEFLAGS -u MFLAGS PATH=%s make test B=%s/b >%s/said 2>&1", dir, dir, dir, dir);
    const int rc = system(text);
    cr_expect_eq(WEXITSTATUS(rc), 2);
    snprintf(text, sizeof text, "%s/said", dir);
    slurp(text, err, sizeof err);
    cr_expect(strstr(err, "meridian needs, under your system's names for them:") && !strstr(err, "not found") &&
        !strstr(err, "alibi"), "%s", err);
    gone();
}

/* What was found in released libraries: every recording is seen again, at the same element with the same digits, and a
 * changed digit is noticed; every line says what kind it is and what is claimed; a bug has its text to send, with a
 * program; nothing is told twice.
 * mutants: what this suite expects is earlier output of this code. */
#include <criterion/criterion.h>
#include <glob.h>
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "core/data.h"
#include "judge/deviation.h"
#include "findings/discovery.h"
#include "core/files.h"

static int again(const struct discovery *d, void *with)
{
    struct tally y = { 0 };
    char seen[400];
    cr_expect(discovery_seen(d, &y, seen, sizeof seen), "%s: %s is listed as %s, seen: %s", d->id, d->recorded,
        d->witness, seen);
    return ++*(int *)with, 0;
}
Test(findings, every_recording_is_seen_again_to_the_last_digit, .timeout = 300)
{
    int n = 0;
    cr_expect_eq(discoveries_each(again, &n), 0, "data/findings.tsv: a line of another form after %d", n);
    cr_expect_gt(n, 0);
}

static int first(const struct discovery *d, void *with) { *(struct discovery *)with = *d; return 1; }
Test(findings, a_changed_digit_or_a_case_that_passes_is_no_finding)
{
    struct discovery d, wrong;
    struct tally y = { 0 };
    char seen[400];
    cr_assert_eq(discoveries_each(first, &d), 1);
    wrong = d;
    wrong.witness[strlen(wrong.witness) - 1] ^= 1;
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen));
    cr_expect_str_eq(seen, d.witness);
    wrong = d;
    strcpy(wrong.recorded, "probes/torch-multihead"); /* A module that is right has nothing to find. */
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen) && !strncmp(seen, "PASS: ", 6), "%s", seen);
    strcpy(wrong.recorded, "probes/nonesuch");
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen) && !strcmp(seen, "no such case"), "%s", seen);
    wrong = d;
    strcat(wrong.recorded, " probes/torch-multihead"); /* Its first recording shows the finding, its second does not. */
    cr_expect(!discovery_seen(&wrong, &y, seen, sizeof seen) && strstr(seen, "torch-multihead: PASS"), "%s", seen);
}

/* A declared deviation is a recording of one line, and every recording is a declared deviation. */
struct wanted { const char *pack, *id; int n; };
static int has(const struct discovery *d, void *with)
{
    struct wanted *w = with;
    char pack[64], id[96];
    for (int k = 0; discovery_recording(d, k, pack, id); k++)
        w->n += !strcmp(pack, w->pack) && !strcmp(id, w->id);
    return 0;
}
static int listed(const struct deviation *d, void *with)
{
    char id[96];
    struct wanted w = { d->pack, id, 0 };
    snprintf(id, sizeof id, "%.*s", (int)strcspn(d->id, "/"), d->id);
    cr_expect_eq(discoveries_each(has, &w), 0);
    cr_expect_eq(w.n, 1, "%s %s deviates and is told by %d lines of data/findings.tsv", d->pack, d->id, w.n);
    return ++*(int *)with, 0;
}
static int count_recordings(const struct discovery *d, void *with)
{
    char pack[64], id[96];
    for (int k = 0; discovery_recording(d, k, pack, id); k++)
        ++*(int *)with;
    return 0;
}
Test(findings, every_declared_deviation_is_told_by_one_line_and_no_other_is)
{
    int deviations = 0, recordings = 0;
    cr_expect_eq(deviations_each("deviations", listed, &deviations), 0);
    cr_expect_eq(discoveries_each(count_recordings, &recordings), 0);
    cr_expect_eq(deviations, recordings);
    cr_expect_gt(deviations, 0);
}

/* The same library, for the same reason, once: policies and options give their reason as what is claimed. */
static int twice(const struct discovery *d, void *with)
{
    const struct discovery *other = with;
    if (!strcmp(d->id, other->id))
        return strcmp(d->recorded, other->recorded) != 0;
    return !strcmp(d->library, other->library) &&
        (!strcmp(d->effect, other->effect) || (d->kind != BUG && d->kind == other->kind && d->kind != ACCURACY
            && !strcmp(d->claim, other->claim)));
}
/* Is `word` among those of the quoted list behind `after`? */
static bool word_of(const char *text, const char *after, const char *word)
{
    const char *s = strstr(text, after);
    size_t n = strlen(word);
    for (s = s ? s + strlen(after) : "\""; *s && *s != '"'; s += strcspn(s, " \""), s += *s == ' ')
        if (!strncmp(s, word, n) && (s[n] == ' ' || s[n] == '"'))
            return true;
    return false;
}
/* probes.py and the files beside it name every recording of the pack probes. */
static bool asked_by_a_probe(const struct discovery *d)
{
    char pack[64], id[96], call[120];
    glob_t g;
    bool any = false;
    cr_assert_eq(glob("harness/adapters/probes*.py", 0, NULL, &g), 0);
    for (int k = 0; discovery_recording(d, k, pack, id); k++) {
        bool found = strcmp(pack, "probes") != 0;
        snprintf(call, sizeof call, "@probe(\"%s\", \"%s\",", id, d->library);
        for (size_t j = 0; j < g.gl_pathc && !found; j++) {
            char *text = file_read(g.gl_pathv[j]);
            found = any |= strstr(text, call) != NULL;
            free(text);
        }
        cr_expect(found, "%s: no probe asks %s of %s", d->id, id, d->library);
    }
    globfree(&g);
    return any;
}
static int honest(const struct discovery *d, void *with)
{
    char *script = file_read("harness/adapters/peers.sh");
    bool small = word_of(script, "some=\"", d->library), live = asked_by_a_probe(d) || d->kind == BUG;
    cr_expect_str_eq(d->live, !live ? "-" : small ? "judge-peers" : "judge-peers all", "%s is asked %s", d->id,
        d->live);
    cr_expect(strcmp(d->claim, "-") != 0, "%s says nothing of what is claimed", d->id);
    cr_expect_eq(!strncmp(d->claim, "claims ", 7), d->kind == ACCURACY, "%s, of kind %s: %s", d->id,
        discovery_word[d->kind], d->claim);
    cr_expect_eq(discoveries_each(twice, (void *)(uintptr_t)d), 0, "%s is told twice", d->id);
    free(script);
    return ++*(int *)with, 0;
}
Test(findings, every_line_says_what_is_claimed_and_who_asks_and_none_is_told_twice)
{
    int n = 0;
    cr_expect_eq(discoveries_each(honest, &n), 0);
    cr_expect_gt(n, 0);
}

/* The text to send: one program, what it prints, the cause; of the library alone. */
static int fences(const char *text, const char *word)
{
    char fence[20];
    int n = 0;
    snprintf(fence, sizeof fence, "\n```%s\n", word);
    for (const char *s = text; (s = strstr(s, fence)); s++)
        n++;
    return n;
}
static int text_to_send(const struct discovery *d, void *with)
{
    char what[120], path[600];
    snprintf(what, sizeof what, "findings/%s.md", d->id);
    char *text = file_read(data_path(what, path, sizeof path));
    cr_expect_eq(text != NULL, d->kind == BUG, "%s is a %s, and data/%s is %s", d->id, discovery_word[d->kind], what,
        text ? "there" : "not there");
    if (text) {
        cr_expect(*text == '#' && text[1] == ' ' && fences(text, "python") + fences(text, "rust") == 1 && fences(text,
            "text") == 1, "%s", what);
        cr_expect(strstr(text, "\n```text\nexpected ") && strstr(text, "\ngot ") && strstr(text,
            "\nCause: ") && strstr(text, "assert"), "%s", what);
        cr_expect(strstr(text, d->version) && !strstr(text, "meridian"), "%s: of version %s, without this suite",
            what, d->version);
        ++*(int *)with;
    }
    free(text);
    return 0;
}
Test(findings, a_bug_and_nothing_else_has_its_text_to_send)
{
    int n = 0;
    glob_t g;
    cr_assert_eq(glob("data/findings/*", 0, NULL, &g), 0);
    cr_expect_eq(discoveries_each(text_to_send, &n), 0);
    cr_expect_eq((size_t)n, g.gl_pathc, "%d bugs, %zu texts", n, g.gl_pathc);
    globfree(&g);
}

Test(findings, the_verb_lists_them_by_kind)
{
    cr_expect_eq(meridian("", "list --findings"), 0, "%s", err);
    cr_expect(strstr(out, "bug      torch-multihead-zero-key, torch ") && strstr(out,
        "to send   data/findings/torch-multihead-zero-key.md"), "%s", out);
    cr_expect(strstr(out, "policy   torch-empty-row") && strstr(out, "\nfindings: "), "%s", out);
    cr_expect_eq(meridian("", "list --findings --json"), 0, "%s", err);
    cr_expect(strstr(out, "\"kind\":\"accuracy\"") && strstr(out, "\"live\":\"judge-peers all\""), "%s", out);
    cr_expect_eq(meridian("", "list --findings --checks"), 2);
}

/* What a maintainer gets: a folder that says itself what it needs. */
static char folder[80];
static void inside(const char *what, char *text, size_t n)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, what);
    slurp(path, text, n);
}
static int folder_of_bug(const struct discovery *d, void *with)
{
    static char report[1 << 14], program[1 << 14], versions[2000], printed[2000];
    char what[200], line[120];
    if (d->kind != BUG)
        return 0;
    snprintf(what, sizeof what, "%s/report.md", d->id), inside(what, report, sizeof report);
    const bool rust = strstr(report, "\n```rust\n");
    snprintf(what, sizeof what, "%s/%s", d->id, rust ? "src/main.rs" : "program.py"), inside(what, program,
        sizeof program);
    snprintf(what, sizeof what, "%s/%s", d->id, rust ? "Cargo.toml" : "requirements.txt"), inside(what, versions,
        sizeof versions);
    snprintf(what, sizeof what, "%s/printed.txt", d->id), inside(what, printed, sizeof printed);
    cr_expect(*program && strstr(report, program) && *printed && strstr(report, printed), "%s", d->id);
    cr_expect(!strncmp(printed, "expected ", 9) && strstr(printed, "\ngot "), "%s: %s", d->id, printed);
    snprintf(line, sizeof line, rust ? "\"=%s\"" : "==%s\n", d->version);
    cr_expect(strstr(versions, line), "%s: '%s' is not in %s", d->id, line, versions);
    return ++*(int *)with, 0;
}
Test(findings, each_bug_has_a_folder_to_send_with_all_that_its_program_imports, .timeout = 60)
{
    char text[1200];
    int n = 0;
    snprintf(folder, sizeof folder, "/tmp/meridian-sent-%d", (int)getpid());
    snprintf(text, sizeof text, "findings --to %s", folder);
    cr_expect_eq(meridian("", text), 0, "%s", err);
    cr_expect_eq(discoveries_each(folder_of_bug, &n), 0);
    cr_expect(n > 0 && lines(out) == n, "%d bugs: %s", n, out);
    /* Python itself says what a program imports and what comes with the language; crates stand in `use` lines. */
    snprintf(text, sizeof text, "python3 -c 'import ast, glob, re, sys\n"
        "for f in glob.glob(\"%s/*/program.py\"):\n"
        "    t = ast.walk(ast.parse(open(f).read()))\n"
        "    m = {a.name for x in t if isinstance(x, ast.Import) for a in x.names} | {x.module for x in\n"
        "         ast.walk(ast.parse(open(f).read())) if isinstance(x, ast.ImportFrom)}\n"
        "    m = {a.split(\".\")[0].replace(\"_\", \"-\") for a in m} - set(sys.stdlib_module_names)\n"
        "    r = {l.split(\"==\")[0] for l in open(f.replace(\"program.py\", \"requirements.txt\"))}\n"
        "    assert m and m <= r, (f, m - r)\n"
        "for f in glob.glob(\"%s/*/src/main.rs\"):\n"
        "    m = set(re.findall(r\"\\buse (\\w+)::\", open(f).read())) - {\"std\"}\n"
        "    c = open(f.replace(\"src/main.rs\", \"Cargo.toml\")).read()\n"
        "    assert m and all(x.replace(\"_\", \"-\") + \" = {\" in c for x in m), (f, m)'", folder, folder);
    if (!system("command -v python3 >/dev/null"))
        cr_expect_eq(system(text), 0);
    else
        fprintf(stderr, "not run: what programs import; no python3 here\n");
    snprintf(text, sizeof text, "rm -r %s", folder);
    cr_expect_eq(system(text), 0);
}

/* `findings --run` with an interpreter that is a script of these lines; "-c" asks it for a package's version. */
static void interpreted(const char *script, const char *more, int rc, const char *says)
{
    char path[80], args[300];
    snprintf(path, sizeof path, "/tmp/meridian-python-%d", (int)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f && fprintf(f, "#!/bin/sh\n%s\n", script) > 0 && !fclose(f) && !chmod(path, 0700));
    snprintf(args, sizeof args, "findings --run tinygrad-cos --python %s %s", path, more);
    const int got = meridian("", args);
    unlink(path);
    cr_expect(got == rc && strstr(out, says), "%s: exit %d: %s%s", script, got, out, err);
}
Test(findings, a_program_that_is_run_again_shows_it_or_not, .timeout = 60)
{
    const char right[] = "[ $1 = -c ] && echo 0.14.0 && exit; pwd >$0.at; cat printed.txt; echo AssertionError >&2; "
                         "exit 1";
    char at[120], where[200];
    interpreted(right, "", 0, "SHOWN    tinygrad-cos, tinygrad 0.14.0\nfindings: 1 shown by their own programs");
    interpreted("[ $1 = -c ] && echo 0.15.0 && exit; echo all is well", "", 1,
        "OTHER    tinygrad-cos, tinygrad 0.14.0: tinygrad 0.15.0 is installed; it printed 'all is well', exit 0");
    interpreted("[ $1 = -c ] && echo 0.14.0 && exit; cat printed.txt; exit 1", "", 1, "OTHER");
    interpreted("[ $1 = -c ] && echo 0.14.0 && exit; cat printed.txt; echo AssertionError >&2", "", 1, "OTHER");
    interpreted("exit 1", "", 77, "SKIP     tinygrad-cos, tinygrad 0.14.0: tinygrad is not installed for /tmp/");
    interpreted("[ $1 = -c ] && echo 0.14.0 && exit; sleep 60", "--seconds 1", 1, "exit -1");
    cr_expect_eq(meridian("", "findings --run tinygrad-cos --python /proc/nonexistent"), 77, "%s", out);
    snprintf(at, sizeof at, "/tmp/meridian-python-%d.at", (int)getpid());
    slurp(at, where, sizeof where), unlink(at);
    where[strcspn(where, "\n")] = 0;
    cr_expect(!strncmp(where, "/tmp/meridian-findings-", 23) && access(where, F_OK), "'%s' was left", where);
}

Test(findings, the_verb_tells_one_in_full_sees_it_again_and_refuses_the_rest, .timeout = 60)
{
    static const struct { const char *args, *says; } bad[] = { { "findings nope", "no finding 'nope'" },
        { "findings --again --run", "one of --again, --run and --to" }, { "findings --to ''", "--to: a folder's path" },
        { "findings --python x", "only with --run" }, { "findings --run --seconds 0", "--seconds" },
        { "findings tinygrad-cos --to /dev/null/x", "/dev/null/x" } };
    cr_expect_eq(meridian("", "findings"), 0, "%s", err);
    cr_expect(strstr(out, "\npolicy   torch-empty-row ") && strstr(out, "\nfindings: "), "%s", out);
    cr_expect_eq(meridian("", "findings tinygrad-cos"), 0, "%s", err);
    cr_expect(strstr(out, "witness ") && strstr(out, "\nexpected 0.391612\ngot ") && strstr(out, "\nCause: "),
        "%s", out);
    cr_expect_eq(meridian("", "findings tinygrad-cos --again"), 0, "%s", err);
    cr_expect(strstr(out, "SEEN     tinygrad-cos") && strstr(out, "findings: 1 seen again"), "%s", out);
    cr_expect_eq(meridian("", "findings torch-empty-row --run"), 77, "%s", err);
    cr_expect(strstr(out, "SKIP     torch-empty-row"), "%s", out);
    cr_expect_eq(meridian("", "findings --json"), 0, "%s", err);
    cr_expect(strstr(out, "\"kind\":\"accuracy\"") && strstr(out, "\"witness\":\""), "%s", out);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        cr_expect_eq(meridian("", bad[k].args), 2, "%s: %s", bad[k].args, out);
        cr_expect(lines(err) == 1 && strstr(err, bad[k].says) && !*out, "%s: %s%s", bad[k].args, err, out);
    }
}

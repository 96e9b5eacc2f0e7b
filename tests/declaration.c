/* A declaration: what is wrong with it is one line with its place; what is right decides what is asked, under which
 * arithmetic, and which failures are expected. */
#include <criterion/criterion.h>
#include "command.h"
#include "judge/asked.h"
#include "kernels.h"

static char path[100];

static void write_file(const char *text)
{
    snprintf(path, sizeof path, "/tmp/meridian-declaration-%d.json", (int)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

static int judge(const char *subject, const char *more, const char *text)
{
    char args[600];
    write_file(text);
    snprintf(args, sizeof args, "judge %s --declaration %s %s", subject, path, more);
    int rc = meridian("", args);
    unlink(path);
    return rc;
}

#define CLAIM(words) "{\"meridian_declaration\": 1,\n \"claims\": [\n  {\"row\": \"rope\", " words "}]}"

Test(declaration, what_is_wrong_is_one_line_with_line_and_column_and_nothing_is_asked)
{
    static const struct { const char *text, *place, *says; } list[] = {
        { "{\"meridian_declaration\": 1,\n \"claims\": [}", "2:", "not JSON" },
        { "{\"claims\": []}", "1:1: meridian_declaration", "the version of the format" },
        { "{\"meridian_declaration\": 2, \"claims\": []}", "1:2: meridian_declaration",
            "found 2, allowed: an integer from 1 to 1" },
        { "{\"meridian_declaration\": 1}", "1:1: claims", "missing" },
        { "{\"meridian_declaration\": 1, \"claims\": []}", "1:29: claims", "an empty list" },
        { "{\"meridian_declaration\": 1, \"claims\": {}}", "1:29: claims", "found no list, allowed: a list" },
        { "{\"meridian_declaration\": 1, \"claims\": [7]}", "1:40: claims[0]", "found no object" },
        { "{\"meridian_declaration\": 1, \"colour\": 3, \"claims\": [{}]}", "1:29: colour",
            "unknown key, allowed: meridian_declaration" },
        { "{\"meridian_declaration\": 1, \"claims\": [{}]}", "1:40: claims[0].row", "allowed: a row" },
        { "{\"meridian_declaration\": 1, \"claims\": [{\"row\": \"ropes\"}]}", "1:41: claims[0].row", "found 'ropes'" },
        { CLAIM("\"output\": \"y\""), "3:19: claims[0].output", "unknown key, allowed: row outputs" },
        { CLAIM("\"outputs\": [\"y\", \"z\"]"), "3:36: claims[0].outputs[1]", "found 'z'" },
        { CLAIM("\"types\": \"f8\""), "3:19: claims[0].types", "found 'f8', allowed: f64 f32 f16 bf16" },
        { CLAIM("\"types\": [3]"), "3:29: claims[0].types[0]", "no string" },
        { CLAIM("\"conventions\": [\"nonesuch\", {\"layout\": \"haf\"}]"), "3:35: claims[0].conventions[0]",
            "found 'nonesuch', allowed: a preset of rope" },
        { CLAIM("\"conventions\": {\"layout\": \"haf\"}"), "3:35: claims[0].conventions.layout",
            "found 'haf', allowed: half interleaved" },
        { CLAIM("\"conventions\": [{\"dim\": 64}, {\"layuot\": \"half\"}]"), "3:49: claims[0].conventions[1].layuot",
            "no parameter of rope" },
        { CLAIM("\"conventions\": {\"layout\": \"half base=3\"}"), "3:35: claims[0].conventions.layout",
            "a word without blanks" },
        { CLAIM("\"conventions\": {\"dim\": 64, \"rotary\": 65}"), "3:19: claims[0].conventions", "contradictory" },
        { CLAIM("\"profile\": \"phase=f8\""), "3:19: claims[0].profile", "f8" },
        { CLAIM("\"profile\": {\"fase\": \"f32\"}"), "3:19: claims[0].profile", "unknown word 'fase=f32'" },
        { CLAIM("\"profile\": {\"phase\": 3}"), "3:31: claims[0].profile.phase", "allowed: a word" },
        { CLAIM("\"profile\": {\"phase\": {\"n<4\": 3}}"), "claims[0].profile.phase", "by size" },
        { CLAIM("\"profile\": {\"phase\": {\"n<4\": \"f32\", \"n>2\": \"f64\"}}"), "3:19: claims[0].profile",
            "sizes that exclude each other" },
        { CLAIM("\"profile\": \"phase=f32 exact\""), "3:19: claims[0].profile", "says otherwise" },
        { CLAIM("\"sizes\": {\"n\": [9, 3]}"), "3:29: claims[0].sizes.n", "contradictory: least 9 is above most 3" },
        { CLAIM("\"sizes\": {\"n\": 1.5}"), "3:29: claims[0].sizes.n", "an integer, or [least, most]" },
        { CLAIM("\"sizes\": {\"z\": 3}"), "3:29: claims[0].sizes.z", "no letter" },
        { CLAIM("\"conventions\": {\"dim\": 64}, \"sizes\": {\"d\": [128, 256]}"), "3:57: claims[0].sizes.d",
            "contradictory: 128 to 256, but the convention 'dim=64' makes it 64" },
        { CLAIM("\"positions\": [5, -5]"), "3:19: claims[0].positions", "contradictory: least 5" },
        { CLAIM("\"known\": [{\"mistake\": \"half\"}]"), "3:29: claims[0].known[0].reason", "missing" },
        { CLAIM("\"known\": [{\"reason\": \"old\", \"mistake\": \"halve\"}]"), "3:47: claims[0].known[0].mistake",
            "allowed: an id of data/mistakes/rope.tsv" },
        { CLAIM("\"types\": \"f32\", \"known\": [{\"reason\": \"old\", \"types\": \"f64\"}]"),
            "claims[0].known[0].types", "contradictory" },
        { CLAIM("\"types\": \"f32\"}, {\"row\": \"rope\", \"types\": [\"f16\", \"f32\"]"), "3:36: claims[1]",
            "contradictory: claims[0] is about the same" },
        /* From here on the declaration says what the subject does not offer. */
        { CLAIM("\"outputs\": \"cos\""), "3:19: claims[0].outputs", "offers no such output" },
        { CLAIM("\"types\": \"f64\""), "3:19: claims[0].types", "offers no rope in it" },
        { "{\"meridian_declaration\": 1, \"claims\": [{\"row\": \"t5\"}]}", "1:41: claims[0].row",
            "offers nothing of that row" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        int rc = judge("build/plugin.so", "", list[k].text);
        cr_expect(rc == 2 && lines(err) == 1 && !*out && strstr(err, list[k].place) && strstr(err, list[k].says),
            "%s: exit %d, '%s' lacks '%s' or '%s'", list[k].text, rc, err, list[k].place, list[k].says);
    }
    cr_expect(meridian("", "judge build/plugin.so --declaration /no/such/file") == 2 && lines(err) == 1 &&
            strstr(err, "No such file"),
        "%s", err);
}

Test(declaration, a_file_that_is_cut_anywhere_is_one_line)
{
    static const char whole[] = CLAIM("\"conventions\": [{\"dim\": 64, \"layout\": \"interleaved\"}], \"sizes\": "
                                      "{\"n\": [1, 64]}, \"known\": [{\"reason\": \"\\u00e9 \\\"q\\\" {[\"}]");
    for (size_t cut = 0; cut + 1 < sizeof whole; cut += 7) {
        char text[sizeof whole];
        snprintf(text, sizeof text, "%.*s", (int)cut, whole);
        cr_expect(judge("build/plugin.so", "", text) == 2 && lines(err) == 1 && !*out, "%s: %s", text, err);
    }
}

static int count(const char *word)
{
    int n = 0;
    for (const char *s = out; (s = strstr(s, word)); s++)
        n++;
    return n;
}

/* The plug-in pairs neighbours when asked for halves, and the reverse. */
Test(declaration, known_deviations_are_expected_and_missed_when_they_are_gone)
{
    static const char seen[] = CLAIM("\"conventions\": {\"dim\": 32}, \"known\": [{\"reason\": \"pairs neighbours\", "
                                     "\"mistake\": \"interleaved\", \"cite\": \"a/b#7\"}]");
    cr_expect(judge("build/plugin.so", "--few --checks none", seen) == 0 && count("KNOWN build/plugin.so") == 2 &&
            strstr(out, "declared: pairs neighbours [a/b#7]"),
        "%s%s", out, err);
    cr_expect(judge("build/example.so", "--few --checks none", seen) == 1 && count("FAIL") == 1 &&
            strstr(out, "is no longer seen: asked 2 times"),
        "%s%s", out, err);
    cr_expect(
        judge("build/plugin.so", "--few --checks none",
            CLAIM("\"conventions\": {\"dim\": 32}, \"known\": [{\"reason\": \"old\", \"mistake\": \"bf16-freq\"}]")) ==
                1 &&
            strstr(out, "declared as bf16-freq, found as interleaved") && strstr(out, "is no longer seen"),
        "%s", out);
    int rc = judge("build/plugin.so", "--few --checks none",
        CLAIM("\"conventions\": [{\"dim\": 32}, {\"dim\": 32, \"layout\": \"interleaved\"}], \"known\": [{\"reason\": "
              "\"half only\", \"params\": {\"layout\": \"half\"}}]"));
    cr_expect(
        rc == 1 && count("KNOWN build/plugin.so") == 2 && count("FAIL build/plugin.so") == 2, "exit %d %s", rc, out);
    rc = judge("build/plugin.so", "--checks ONEHOT",
        CLAIM("\"conventions\": {\"dim\": 32}, \"known\": [{\"reason\": \"in this check\", \"case\": \"ONE*\"}, "
              "{\"reason\": \"in another\", \"case\": \"TAB\"}]"));
    cr_expect(rc == 0 && count("KNOWN build/plugin.so") == 1 && strstr(out, "'in another' was not asked about"),
        "exit %d %s", rc, out);
}

Test(declaration, conventions_and_ranges_decide_what_is_asked)
{
    int rc = judge("build/example.so", "",
        CLAIM("\"conventions\": {\"dim\": 64, \"rotary\": 24}, \"sizes\": {\"n\": [3, 4096], \"h\": [1, 3]}, "
              "\"positions\": [7, 4095]"));
    cr_expect(rc == 0 && !strstr(out, "PERM") &&
            strstr(out,
                "SKIP build/example.so rope.y INVARIANCE dim=64 rotary=24: outside the declared sizes: h is 4, "
                "declared 1 to 3") &&
            /* A claim that lies outside in part is no pass. */
            strstr(out, "rope.y PREFIX dim=64 rotary=24: 7 of its questions lie outside, the other 3 pass: outside the "
                        "declared sizes: n is 1, declared 3 to 4096") &&
            count("SKIP") == 2 && strstr(out, "\"least sizes\"") && strstr(out, "\"most n\"") &&
            strstr(out, "\"most h\""),
        "exit %d %s%s", rc, out, err);
    /* The check asks both layouts. */
    rc = judge("build/example.so", "--checks PERM",
        CLAIM("\"conventions\": [{\"dim\": 64}, {\"dim\": 64, \"layout\": \"interleaved\"}]"));
    cr_expect(rc == 0 && count("PASS") == 2, "exit %d %s", rc, out);
    rc = judge("build/example.so", "--checks TAB", CLAIM("\"conventions\": {\"dim\": 64}, \"positions\": [7, 4095]"));
    cr_expect(rc == 0 && strstr(out, "valid to position 4095"), "exit %d %s", rc, out);
    /* The example declines every scaling. */
    rc = judge("build/example.so", "", CLAIM("\"conventions\": {\"dim\": 64, \"scaling\": \"linear\", \"factor\": 4}"));
    cr_expect(rc == 1 && strstr(out, "FAIL build/example.so rope.y") && strstr(out, "declared, but not offered"),
        "exit %d %s", rc, out);
    rc = judge("own:scalar", "--row rope --type f32 --few --checks none",
        CLAIM("\"outputs\": [\"cos\", \"sin\"], \"conventions\": {\"dim\": 16}"));
    cr_expect(rc == 0 && strstr(out, "SKIP own:scalar rope.y -: not declared") && count("PASS") == 2, "exit %d %s%s",
        rc, out, err);
}

Test(declaration, its_arithmetic_is_what_the_subject_is_held_to)
{
    static const char wide[] =
        CLAIM("\"conventions\": {\"dim\": 64}, \"profile\": {\"freq\": \"bf16\", \"phase\": \"f32\", \"table\": "
              "\"f32\", \"product\": \"f32\", \"sum\": \"f32\"}, \"positions\": [0, 64]");
    cr_expect(judge("build/example.so", "--checks none", wide) == 0 && !strstr(out, "used 0.9"), "%s%s", out, err);
    int rc = judge("own:scalar", "--row attention --out \"o lse\" --type f32 --checks none",
        "{\"meridian_declaration\": 1, \"claims\": [{\"row\": \"attention\", \"outputs\": [\"o\", \"lse\"], \"types\": "
        "\"f32\", \"conventions\": \"causal\", \"profile\": {\"exp\": \"f32\", \"dot\": \"f64\"}}]}");
    cr_expect(rc == 1 && strstr(out, "claims dot=f64; the error needs dot=f32"), "exit %d %s%s", rc, out, err);
}

Test(declaration, a_failing_question_is_repeated_by_its_command)
{
    write_file(CLAIM("\"conventions\": {\"dim\": 64}, \"sizes\": {\"n\": [2, 4]}, \"positions\": [0, 100]"));
    char args[400], again[2000];
    snprintf(args, sizeof args, "judge build/plugin.so --checks none --declaration %s", path);
    cr_expect_eq(meridian("", args), 1);
    const char *from = strstr(out, "again: meridian "), *at = strstr(out, "  at ");
    cr_assert(from && at, "%s", out);
    char witness[200];
    snprintf(witness, sizeof witness, "%.*s", (int)strcspn(at, "\n"), at);
    snprintf(again, sizeof again, "%.*s", (int)strcspn(from + 16, "\n"), from + 16);
    cr_expect(meridian("", again) == 1 && strstr(out, witness), "%s\n%s%s", again, out, err);
    unlink(path);
}

Test(declaration, kernels_of_one_width_are_asked_every_check_at_it)
{
    write_file("{\"meridian_declaration\": 1, \"claims\": [{\"row\": \"attention\", \"outputs\": [\"o\", \"lse\"], "
               "\"types\": \"f32\", \"sizes\": {\"d\": 64, \"e\": 64}}]}");
    char args[300];
    snprintf(args, sizeof args,
        "judge own:scalar --row attention --out \"o lse\" --type f32 --preset paper --checks "
        "ALIGN,EMPTY,HEADS,INVARIANCE,LEAK,LSE,MASK,MERGE,PREFIX,SCALE,SINK,SOFTCAP,STATE --declaration %s",
        path);
    int rc = meridian("", args);
    unlink(path);
    cr_expect(rc == 0 && count("PASS") >= 12 && !strstr(out, "outside"), "exit %d %s%s", rc, out, err);
}

Test(declaration, without_one_the_fingerprint_is_what_is_assumed)
{
    cr_expect(meridian("", "judge build/plugin.so --preset gpt-neox --checks none") == 1 &&
            strstr(out, "assumed of rope.y f32, for want of a --declaration: layout=interleaved"),
        "%s%s", out, err);
    cr_expect(meridian("", "judge build/example.so --preset gpt-neox --checks none --json") == 0 &&
            strstr(err, "assumed of rope.y f32, for want of a --declaration: (defaults)") && !strstr(out, "assumed"),
        "%s%s", out, err);
    cr_expect(judge("build/example.so", "--checks none", CLAIM("\"conventions\": {\"dim\": 32}")) == 0 &&
            !strstr(out, "assumed"),
        "%s", out);
    /* What has crashed is not asked again. */
    cr_expect(meridian("",
                  "judge --exec 'exec python3 tests/plugin/rude.py exit0' --checks none --row rope --preset gpt-neox "
                  "--seconds 5") == 3 &&
            !strstr(out, "assumed"),
        "%s", out);
}

/* Writes the first word and the sizes of each line of `out` that is a verdict. */
static void verdicts_of(char *to, size_t n)
{
    size_t at = 0;
    *to = 0;
    for (const char *line = out; *line && at < n; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, "FAIL ", 5) || !strncmp(line, "PASS ", 5))
            at += (size_t)snprintf(to + at, n - at, "%.*s\n", (int)strcspn(line, "<"), line);
}

Test(declaration, verdicts_alone_are_the_same_verdicts_without_a_diagnosis)
{
    static const char *const asked[] = {
        "judge build/plugin.so --row rope --preset gpt-neox --few --checks none",
        "judge build/plugin.so --row rope --preset gpt-neox --checks PERM,TAB",
        "judge build/example.so --row rope --preset gpt-neox --few --checks TAB",
    };
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        char args[300], whole[8000], alone[8000];
        const int rc = meridian("", asked[k]);
        verdicts_of(whole, sizeof whole);
        cr_expect_eq(!!strstr(out, "matches rope.interleaved"), rc == 1, "%s: %s", asked[k], out);
        snprintf(args, sizeof args, "%s --verdicts", asked[k]);
        cr_expect_eq(meridian("", args), rc, "%s: %s%s", args, out, err);
        verdicts_of(alone, sizeof alone);
        cr_expect(*whole && !strcmp(whole, alone), "%s:\n%s\n%s", args, whole, alone);
        cr_expect(!strstr(out, "matches ") && !strstr(out, "why:") && !strstr(out, "explains "), "%s: %s", args, out);
    }
    /* An expected failure that is known by its name cannot be recognised without a diagnosis. */
    cr_expect(judge("build/plugin.so", "--verdicts",
                  CLAIM("\"known\": [{\"reason\": \"old\", \"mistake\": \"interleaved\"}]")) == 2 &&
            strstr(err, "is named interleaved, which takes a diagnosis; leave it out") && !*out,
        "%s%s", out, err);
    cr_expect(judge("build/plugin.so", "--verdicts --checks none --few",
                  CLAIM("\"conventions\": {\"dim\": 64}, \"known\": [{\"reason\": \"old\"}]")) == 0 &&
            strstr(out, "KNOWN"),
        "%s%s", out, err);
}

/* Whether an earlier slot has a kernel of that row, these outputs and this profile: it was examined there. */
static bool examined(const struct slot *of, const struct mer_kernel *k)
{
    for (const struct slot *s = slots; s < of; s++)
        for (const struct mer_kernel *l = s->kernel; l->row; l++)
            if (!strcmp(l->row, k->row) && !strcmp(l->out, k->out) && !strcmp(l->profile, k->profile))
                return true;
    return false;
}

/* A kernel that declared a word without effect would be refused by the judge before anything is asked of it; own
 * kernels are subjects like any other. */
Test(declaration, no_own_kernel_declares_a_word_without_effect)
{
    const struct asked all = { 0 };
    int asked = 0;
    for (const struct slot *s = slots; s->name; s++) {
        struct subject own = { .name = "own", .kernel = s->kernel };
        char why[900];
        for (const struct mer_kernel *k = s->kernel; k->row; k++)
            if (!examined(s, k)) {
                asked++;
                cr_expect(!asked_idle(&all, &own, k, why, sizeof why), "%s: %s", s->name, why);
            }
    }
    cr_expect_gt(asked, 100);
}

/* `meridian model --against`: verdicts on a made-up library (tests/against/fake.py), what is refused, and how a
 * configuration is made small (tests/against/cut.py), what of the model's own arguments a question has
 * (tests/against/asked.py).  Real libraries: harness/adapters/judge.sh. */
#include <criterion/criterion.h>
#include "command.h"
#include "core/data.h"

static char at[600];

/* The folder of the repository, which data/ lies in. */
static const char *home(void)
{
    data_path("models/README.md", at, sizeof at);
    *strstr(at, "data/models/README.md") = 0;
    if (!*at)
        snprintf(at, sizeof at, "./");
    return at;
}

/* Runs the verb with the fake library in that mood; the configuration's file is any that exists. */
static int against(const char *mood, const char *more)
{
    char before[900], args[1200];
    snprintf(before, sizeof before, "FAKE=%s MERIDIAN_PYTHON=%stests/against/fake.py", mood, home());
    snprintf(args, sizeof args, "model %sdata/models/mistral.json --against %s", at, more);
    return meridian(before, args);
}

static int count(const char *word)
{
    int n = 0;
    for (const char *s = out; (s = strstr(s, word)); s++)
        n++;
    return n;
}

static const struct mood {
    const char *name;
    int rc, pass, fail;           /* exit status; verdict lines */
    const char *says;
} moods[] = {
    { "right", 0, 4, 0, "made small: hidden_size 4096 -> 32" },
    { "quarter", 0, 4, 0, "base=20001/4" },
    { "both", 0, 4, 0, "causal=bottomright left=4 right=4 first=3" },
    { "towers", 0, 2, 0, "attention.o causal=bottomright sample" },
    { "fed", 0, 3, 0, "correct 224/224" },
    { "window", 1, 2, 2, "matches attention.window+1" },
    { "layout", 1, 3, 1, "matches rope.interleaved" },
    { "heads", 1, 4, 1, "heads: the card says 4, the library has 5" },
    { "refused", 77, 0, 0, "ValueError: heads do not divide the width" },
    { "absent", 77, 0, 0, "transformers is not installed for this Python: No module named 'torch'" },
    { "dies", 3, 0, 0, "crashed: Aborted" },
};

Test(against, a_library_is_judged_by_the_conventions_of_its_card, .timeout = 60)
{
    for (size_t k = 0; k < sizeof moods / sizeof *moods; k++) {
        const struct mood *m = &moods[k];
        cr_expect_eq(against(m->name, "transformers"), m->rc, "%s: %s", m->name, out);
        cr_expect_eq(count("PASS "), m->pass, "%s: %s", m->name, out);
        cr_expect_eq(count("FAIL "), m->fail, "%s: %s", m->name, out);
        cr_expect(strstr(out, m->says) || strstr(err, m->says), "%s: %s%s", m->name, out, err);
    }
    cr_expect_eq(against("absent", "transformers"), 77);
    cr_expect(!*out && strchr(err, '\n') && !strchr(err, '\n')[1], "one line: %s%s", out, err);
}

Test(against, what_cannot_be_asked_is_one_line, .timeout = 30)
{
    cr_expect_eq(against("right", "nobody"), 77);
    cr_expect(strstr(err, "no adapter for 'nobody' here") && !strchr(err, '\n')[1], "%s", err);
    cr_expect_eq(against("right", "../../etc"), 77);
    cr_expect(strstr(err, "no adapter for '../../etc' here") != NULL, "%s", err);
    cr_expect_eq(against("right", "transformers --seconds 0"), 2);
    cr_expect_eq(meridian("", "model x.json --seconds 9"), 2, "%s", err);
    cr_expect_eq(meridian("", "model /nowhere.json --against transformers"), 2, "%s", err);
    cr_expect(strstr(err, "/nowhere.json") && !strchr(err, '\n')[1], "%s", err);
}

Test(against, no_folder_is_left_behind, .timeout = 30)
{
    char dir[] = "/tmp/meridian-left-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL);
    setenv("TMPDIR", dir, 1);
    for (size_t k = 0; k < sizeof moods / sizeof *moods; k++)
        against(moods[k].name, "transformers");
    cr_expect_eq(rmdir(dir), 0, "something is left in %s", dir);
}

Test(against, a_configuration_is_made_small_and_keeps_its_rules, .timeout = 30)
{
    char command[1500];
    snprintf(command, sizeof command, "python3 %stests/against/cut.py %sharness/adapters/transformers", home(), at);
    cr_expect_eq(system(command), 0, "cut.py fails: see above");
}

Test(against, inputs_are_found_and_products_are_read, .timeout = 30)
{
    char command[1500];
    snprintf(command, sizeof command, "python3 %stests/against/fed.py %sharness/adapters/transformers 2>&1", home(),
        at);
    cr_expect_eq(system(command), 0, "fed.py fails: see above");
}

Test(against, a_question_about_attention_has_no_bias_of_the_model, .timeout = 30)
{
    char command[1500];
    snprintf(command, sizeof command, "python3 %stests/against/asked.py %sharness/adapters/transformers 2>&1", home(),
        at);
    cr_expect_eq(system(command), 0, "asked.py fails: see above");
}

/* The program that writes the table of model types, on a fixture whose every fact is known; the measure of keys that a
 * card passes over; and the expressions of the table. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cards.h"
#include "facts/formula.h"

static int shell(const char *command, char *out, size_t n)
{
    FILE *f = popen(command, "r");
    size_t at = fread(out, 1, n - 1, f);
    out[at] = 0;
    int rc = pclose(f);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128;
}

Test(type_table, the_table_of_a_fixture_is_what_its_sources_say_and_the_same_twice, .timeout = 60)
{
    static char out[4000];
    char at[600], command[3000], dir[] = "/tmp/meridian-types-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL);
    home(at, sizeof at);
    for (int k = 0; k < 2; k++) {
        snprintf(command, sizeof command,
            "python3 '%sharness/types/main.py' --sources '%stests/types' --out %s/%d.tsv --undecided %s/u 2>&1", at, at,
            dir, k, dir);
        cr_assert_eq(shell(command, out, sizeof out), 0, "%s", out);
    }
    snprintf(command, sizeof command, "cmp %s/0.tsv %s/1.tsv && cmp %s/0.tsv '%stests/types/expected.tsv' 2>&1", dir,
        dir, dir, at);
    cr_expect_eq(shell(command, out, sizeof out), 0, "%s", out);
    snprintf(command, sizeof command, "python3 '%sharness/types/main.py' --sources %s --out %s/n --undecided %s/u 2>&1",
        at, dir, dir, dir);
    cr_expect(shell(command, out, sizeof out) && strstr(out, "no sources of transformers") && access(dir, F_OK) == 0 &&
            !strchr(out, '\n')[1], "%s", out);
    snprintf(command, sizeof command, "rm -r %s", dir);
    shell(command, out, sizeof out);
}

/* The meridian beside this binary. */
static const char *program(char *path, size_t n)
{
    char self[400];
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len < 0 ? 0 : len] = 0;
    *strrchr(self, '/') = 0;
    snprintf(path, n, "%s/meridian", self);
    return path;
}

/* The measure of keys that a card passes over: of the fixture's own table it finds none, and one that a fact reads and
 * makes nothing of is found. */
Test(type_table, a_key_that_is_read_and_changes_nothing_is_found, .timeout = 60)
{
    static char out[6000];
    char at[600], path[500], command[3000], dir[] = "/tmp/meridian-silent-XXXXXX";
    cr_assert(mkdtemp(dir) != NULL);
    home(at, sizeof at);
    static const struct { const char *type, *change, *says; } list[] = {
        { "toy_text", "", "" },
        { "toy_text", "s/\tsoftcap\tscore_cap\t/\tsoftcap\tscore_cap * 0 + 1\t/",
            "toy_text: score_cap is used and read, and changes nothing" },
        { "chosen_text", "", "" },
        { "chosen_text", "s/\tindexer.topk\tpick_most\t/\tindexer.topk\tpick_most * 0 + 1\t/",
            "chosen_text: pick_most is used and read, and changes nothing" },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        snprintf(command, sizeof command,
            "mkdir -p %s/models && sed '%s' '%stests/types/expected.tsv' >%s/models/types.tsv && MERIDIAN_DATA=%s "
            "python3 '%sharness/types/silent.py' --program '%s' --sources '%stests/types' %s 2>&1", dir,
            list[k].change, at, dir, dir, at, program(path, sizeof path), at, list[k].type);
        const int rc = shell(command, out, sizeof out);
        cr_expect(rc == (*list[k].says != 0) && strstr(out, list[k].says), "%s, %d: %s", list[k].type, rc, out);
    }
    snprintf(command, sizeof command, "rm -r %s", dir);
    shell(command, out, sizeof out);
}

/* The facts of the fixture's table, as a type of their own. */
static struct type_fact of[80];
static struct type_facts fixture(const char *type, char *text, size_t room)
{
    char at[600], path[700], *line, *rest = text;
    struct type_facts f = { .of = of };
    snprintf(path, sizeof path, "%stests/types/expected.tsv", home(at, sizeof at));
    FILE *in = fopen(path, "r");
    cr_assert(in != NULL, "%s", path);
    text[fread(text, 1, room - 1, in)] = 0;
    fclose(in);
    while ((line = strsep(&rest, "\n")))
        if (!strncmp(line, type, strlen(type)) && line[strlen(type)] == '\t') {
            struct type_fact *x = &of[f.n++];
            strsep(&line, "\t");
            x->place = strsep(&line, "\t"), x->name = strsep(&line, "\t");
            x->value = strsep(&line, "\t"), x->source = line;
        }
    return f;
}

/* Pairs: an expression and the JSON of its value; NULL: it has none. */
static const char *const expressions[][2] = {
    { "1 + 2 * 3", "7" }, { "2 ** 3 ** 2", "512" }, { "-2 ** 2", "-4" }, { "7 // 2", "3" }, { "-7 // 2", "-4" },
    { "-7 % 3", "2" }, { "7 / 2", "3.5" }, { "64 ** (-0.5)", "0.125" }, { "1 if 0 else 2", "2" },
    { "1 if 0 else 2 if 0 else 3", "3" }, { "0 or 5", "5" }, { "0 and nowhere", "0" }, { "1 or nowhere", "1" },
    { "not 0", "true" }, { "None is None", "true" }, { "1 is not None", "true" }, { "2 in [1, 2]", "true" },
    { "3 not in (1, 2)", "true" }, { "'a' == 'a'", "true" }, { "int(7.9)", "7" }, { "len([1, 2, 3])", "3" },
    { "max(2, 3)", "3" }, { "min(2, 3)", "2" }, { "[1, 2][-1]", "2" }, { "[0] * 3", "[0,0,0]" },
    { "each(layer_idx % 2, 4)", "[0,1,0,1]" }, { "{'a': 1}['a']", "1" }, { "{'a': 1}.get('b', 4)", "4" },
    { "{'__float__': 'Infinity'} > 10.0 ** 300", "true" }, { "{'__float__': '-Infinity'} < 0", "true" },
    { "min(3, {'__float__': 'Infinity'})", "3" }, { "{'__float__': 'NaN'} == {'__float__': 'NaN'}", "false" },
    { "1 + {'__float__': 'Infinity'}", NULL }, { "int({'__float__': 'Infinity'})", NULL },
    { "nowhere.get('b', 4)", NULL }, { "{'a': 1}[None]", NULL },
    { "isinstance('a', str)", "true" }, { "isinstance({}, (list, dict))", "true" },
    { "isinstance(1, (str, list))", "false" }, { "isinstance(True, int)", "true" },
    { "isinstance(1.5, float)", "true" }, { "isinstance(1, nowhere)", NULL },
    { "isinstance(nowhere, str)", NULL }, { "isinstance(1, (str", NULL }, { "dict({'a': 1})['a']", "1" },
    { "get(width, 3)", "96" }, { "get(nowhere, 3)", "3" }, { "has(nowhere)", "false" }, { "hidden_size", "96" },
    { "num_key_value_heads", "3" }, { "head_dim", "16" }, { "layer_types[2]", "\"full_attention\"" },
    { "layer_types[3]", "\"sliding_attention\"" }, { "'M*-'[1]", "\"*\"" }, { "'M*-'[-1]", "\"-\"" },
    { "'M*-'[3]", NULL }, { "len('M*-')", "3" }, { "nowhere", NULL }, { "1 +", NULL }, { "1 // 0", NULL },
    { "(1", NULL }, { "1 if 1", NULL }, { "each(1, 10 ** 15)", NULL }, { "[0] * 10 ** 15", NULL }, { "", NULL },
    { "None ** 2", NULL }, { "f(1)", NULL }, { "'open", NULL }, { "10.0 ** 400", NULL },
};

Test(type_table, expressions_mean_what_python_means)
{
    static char text[40000];
    struct type_facts facts = fixture("toy_text", text, sizeof text);
    json_t *root = json_object();
    cr_assert(facts.n > 20);
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        struct formula f = { .facts = &facts, .root = root };
        json_t *v = formula_value(&f, expressions[k][0]);
        char *got = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        const char *want = expressions[k][1];
        cr_expect(want ? got && !strcmp(got, want) : !got, "%s: %s, not %s", expressions[k][0], got ? got : "nothing",
            want ? want : "nothing");
        free(got), json_decref(v);
    }
    json_decref(root);
}

/* Every prefix of every rule and value of the table is read without harm; deep brackets end. */
Test(type_table, broken_expressions_end, .timeout = 60)
{
    static char text[40000];
    struct type_facts facts = fixture("toy_text", text, sizeof text);
    json_t *root = json_object();
    char part[1200];
    for (size_t k = 0; k < facts.n; k++)
        for (size_t n = 0; n <= strlen(facts.of[k].value); n++) {
            struct formula f = { .facts = &facts, .root = root };
            snprintf(part, sizeof part, "%.*s", (int)n, facts.of[k].value);
            json_decref(formula_value(&f, part));
        }
    memset(part, '(', sizeof part - 1), part[sizeof part - 1] = 0;
    struct formula f = { .facts = &facts, .root = root };
    cr_expect(!formula_value(&f, part));
    json_decref(root);
}

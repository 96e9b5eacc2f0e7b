/* `exact [TOPIC ...]`: facts about encodings that no training changes, each with its certain digits and an
 * enclosure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/progress.h"
#include "core/cli.h"
#include "lab/exact/exact_facts.h"

static const struct topic *topic_named(const char *name)
{
    for (const struct topic *t = topics; t->name; t++)
        if (!strcmp(t->name, name))
            return t;
    return NULL;
}

static int lengths(const struct cli *c, struct fact_for *a)
{
    const char *text = cli_value(c, "lengths", "");
    for (const char *s = text; *s; s += *s == ',') {
        char *end;
        errno = 0;
        const long x = strtol(s, &end, 10);
        if (end == s || (*end && *end != ',') || errno || x < 1 || x > 1 << 20 || a->lengths == FACT_LENGTHS)
            return cli_error(c, "--lengths: found '%.80s'; allowed: at most %d integers from 1 to %d, with commas",
                text, FACT_LENGTHS, 1 << 20);
        a->length[a->lengths++] = x, s = end;
    }
    return 0;
}

static void print_fact(const struct fact *y, bool tsv)
{
    if (tsv)
        printf("%s\t%s\t%s\t%s\t%s\t%s\n", y->topic, y->of, y->what, y->value, y->low, y->high);
    else if (!strcmp(y->low, y->high)) /* an integer, an exact number, or a verdict */
        printf("  %-44s %-48s %s\n", y->of, y->what, y->value);
    else
        printf("  %-44s %-48s %s in [%s, %s]\n", y->of, y->what, y->value, y->low, y->high);
}

/* Refuses a width that a topic asked by name cannot have: without a word every topic is asked, and such a one says in
 * its own table that it has no answer. */
static int wide_enough(const struct cli *c, const struct fact_for *a)
{
    for (int k = 0; k < c->words; k++) {
        const struct topic *t = topic_named(c->word[k]);
        if (t && a->dim && a->dim < t->least_dim)
            return cli_error(c, "--dim: found %ld; %s takes even widths from %ld", a->dim, t->name, t->least_dim);
    }
    return 0;
}

static int run(const struct cli *c)
{
    struct fact_for a = { .base = cli_value(c, "base", NULL) };
    const bool tsv = cli_has(c, "tsv");
    char err[300];
    mpq_t base;
    mpq_init(base);
    const bool wrong = a.base &&
        (mpq_set_str(base, a.base, 10) || !mpz_sgn(mpq_denref(base)) || mpq_cmp_ui(base, 1, 1) <= 0 ||
            strlen(a.base) > 60);
    mpq_clear(base);
    if (wrong)
        return cli_error(c, "--base: found '%.60s'; allowed: a rational above 1, \"500000\" or \"3/2\"", a.base);
    if (!cli_long(c, "dim", 0, 2, 1024, &a.dim) || !cli_long(c, "trained", 0, 1, 1 << 20, &a.trained) || lengths(c, &a))
        return EXIT_USAGE;
    if (a.dim % 2)
        return cli_error(c, "--dim: found %ld; a width is even", a.dim);
    if (wide_enough(c, &a))
        return EXIT_USAGE;
    if (tsv)
        printf("topic\tof\twhat\tvalue\tlow\thigh\n");
    progress_of("exact", "topics", c->words ? c->words : 0);
    for (const struct topic *t = topics; t->name; t++) {
        struct facts f = { 0 };
        bool wanted = !c->words;
        for (int k = 0; k < c->words; k++)
            wanted |= !strcmp(c->word[k], t->name);
        if (!wanted)
            continue;
        progress_count(t->name);
        if (facts_make(&f, t, &a, err, sizeof err))
            return facts_close(&f), cli_error(c, "%s", err);
        progress_pause();
        if (!tsv)
            printf("%s: %s [%s]\n", t->name, t->says, t->cite);
        for (const struct fact *y = f.fact; y < f.fact + f.n; y++)
            print_fact(y, tsv);
        fflush(stdout), facts_close(&f);
    }
    return EXIT_PASS;
}

/* Topics are words; table topics says which flags each takes. */
static bool choice(int k, struct verb_word *to)
{
    const struct topic *t = &topics[k];
    *to = (struct verb_word){ t->name, t->says, t->takes };
    return t->name;
}
static const struct flag flags[] = { { "dim", "D", "width of a head, in place of a topic's own" },
    { "base", "B", "of the frequencies, in place of a topic's own" }, { "lengths", "64,512", "lengths, or distances" },
    { "trained", "L", "trained length, or the reach k of a clip" },
    { "tsv", NULL, "one fact a line: topic, of, what, value, low, high" }, { 0 } };
const struct verb verb_exact = { "exact", "[TOPIC ...]",
    "numbers about encodings that no training changes, with their enclosures", NO_ROW, 0, 16, flags, run, choice };

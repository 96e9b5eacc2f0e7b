/* `errata`: every claim of the seed articles, decided now: true, false, true only under a condition, or a matter of
 * notation. */
#include <sys/stat.h>
#include <jansson.h>
#include <stdio.h>
#include "base/progress.h"
#include "findings/claims.h"
#include "base/clock.h"
#include "core/cli.h"
#include "examine/examine.h"

struct errata_run { const struct cli *c; long count[CLAIM_VERDICTS], bad; bool json, md; };

static bool wanted(const struct cli *c, const char *id)
{
    bool any = c->words == 0;
    for (int k = 0; k < c->words; k++)
        any |= !strcmp(c->word[k], id);
    return any;
}

static void say_json(const struct claim_line *l, const struct claim *c, enum claim_verdict v, double seconds)
{
    static const char *const word[] = { "no", "yes", "undecided" };
    json_t *o = json_pack("{s:s,s:s,s:I,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f}", "id", l->id, "file", l->file, "line",
        (json_int_t)l->line, "quote", l->quote, "claim", l->claim, "verdict", claim_word[v], "written",
        word[c->written], "within", c->conditional ? word[c->within] : "-", "corrected", word[c->corrected],
        "condition", l->condition, "witness", c->witness, "correct", l->corrected, "seconds", seconds);
    json_object_set_new(o, "source", json_string(l->source));
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

static void cell(const char *s) /* prints a cell of a Markdown table */
{
    for (; *s; s++)
        printf(*s == '|' || *s == '<' || *s == '*' || *s == '_' ? "\\%c" : "%c", *s);
}

static void say_md(const struct claim_line *l, const struct claim *c, enum claim_verdict v)
{
    const char *const text[] = { l->id, l->claim, claim_word[v], v == CLAIM_ONLY_IF ? l->condition : "", c->witness,
        l->corrected, l->source };
    printf("| `%s` line %ld ", l->file, l->line);
    for (int k = 0; k < 7; k++) {
        printf(k == 3 ? "%s" : " | ", *text[3] && k == 3 ? " " : "");
        cell(text[k]);
    }
    puts(" |");
}

static void say_text(const struct claim_line *l, const struct claim *c, enum claim_verdict v)
{
    printf("%-4s %s%s%s\n     %s:%ld \"%s\"\n     claim      %s\n     witness    %s\n     correct    %s [%s]\n", l->id,
        claim_word[v], v == CLAIM_ONLY_IF ? " " : "", v == CLAIM_ONLY_IF ? l->condition : "", l->file, l->line,
        l->quote, l->claim, c->witness, l->corrected, l->source);
}

static int decide(const struct claim_line *l, void *with)
{
    struct errata_run *r = with;
    struct claim c;
    char err[200];
    const char *folder = cli_value(r->c, "articles", NULL);
    const struct erratum *e = erratum_named(l->id);
    if (!wanted(r->c, l->id))
        return 0;
    if (!e || (folder && claim_quoted(l, folder, err, sizeof err))) {
        if (!r->bad++) /* only the first is printed; the closing line says how many there are */
            fprintf(stderr, "meridian errata: %s\n", e ? err : "a line of data/errata.tsv has no program");
        return 0;
    }
    double start = now();
    progress_count(l->id);
    enum claim_verdict v = claim_decide(&c, e, "");
    progress_pause();
    r->count[v]++;
    if (r->json)
        say_json(l, &c, v, now() - start);
    else
        (r->md ? say_md : say_text)(l, &c, v);
    fflush(stdout);
    return 0;
}

static int run(const struct cli *c)
{
    struct errata_run r = { .c = c, .json = cli_has(c, "json"), .md = cli_has(c, "md") };
    long n = 0;
    for (int k = 0; k < c->words; k++)
        if (!erratum_named(c->word[k]))
            return cli_error(c, "no claim '%.40s'; `meridian errata` lists them", c->word[k]);
    if (r.json && r.md)
        return cli_error(c, "--json and --md: one of the two; both go to standard output");
    struct stat st;
    const char *folder = cli_value(c, "articles", NULL);
    if (folder && (stat(folder, &st) || !S_ISDIR(st.st_mode)))
        return cli_error(c, "--articles: '%.200s' is no folder; give the one that holds the seed articles", folder);
    if (r.md)
        printf(
            "# Claims of the seed articles, decided\n\nEach verdict is computed by a program (`meridian errata`), in "
            "balls of 256 bits or exact integers: the claim as written, the claim under the condition that saves it, "
            "and the corrected statement.\n\n| where | id | claim | verdict | witness | correct | source "
            "|\n|---|---|---|---|---|---|---|\n");
    progress_of("errata", "claims", c->words);
    if (claims_each(decide, &r))
        return cli_error(c, "data/errata.tsv cannot be read, or a line of it has another form");
    fprintf(r.json ? stderr : stdout, "%serrata:", r.md ? "\n" : "");
    for (int v = 0; v < CLAIM_VERDICTS; v++)
        fprintf(r.json ? stderr : stdout, "%s %ld %s", v ? "," : "", r.count[v], claim_word[v]), n += r.count[v];
    fputc('\n', r.json ? stderr : stdout);
    if (r.bad)
        fprintf(
            stderr, "meridian errata: %ld claims are not decided, since their quote or program is missing\n", r.bad);
    return r.bad || r.count[CLAIM_OPEN] ? EXIT_FAIL : n == r.count[CLAIM_UNDECIDED] ? EXIT_NOTHING : EXIT_PASS;
}
static const struct flag flags[] = { { "json", NULL, "one object a line" }, { "md", NULL, "a Markdown page" },
    { "articles", "DIR", "also check that every quote stands in its line of the articles" }, { 0 } };
const struct verb verb_errata = { "errata", "[ID ...]", "claims of the seed articles, decided", NO_ROW, 0, CLI_WORDS,
    flags, run };

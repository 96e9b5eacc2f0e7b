/* `model`: the card of each config.json, what its model does with positions and attention, and what its position
 * tables really compute over the whole context, under the contracts of their rows. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "against/against.h"
#include "core/cli.h"
#include "model/card.h"
#include "model/card_ask.h"
#include "model/config.h"
#include "core/field.h"
#include "core/files.h"
#include "base/progress.h"
#include "base/words.h"
#include "context/scan.h"

/* Positions that are judged where a file names no maximum, and at most where --limit does not ask for more: models run
 * at 10 million. */
enum { SILENT = 1 << 20, LONGEST = 1 << 24 };
struct model_run {
    const struct cli *cli;
    const char *only;          /* --contract, or NULL */
    int64_t limit;             /* --limit, or 0 */
    FILE *md;
    long judged, skipped, invalid, bad;
    long cards, whole;         /* files with a card, and those of which nothing is left open */
    json_t *card[2];           /* cards of the first two files */
    /* results by question, so that a question is asked only once */
    struct model_known { char *key; struct scan s; int rc; char err[300]; } *known;
    size_t n_known;
};

/* The words of a contract that concern the table before amplitude and storage, which is what is compared: contracts
 * that differ only behind it are one. */
static void table_words(const char *text, char *out, size_t n)
{
    size_t at = 0;
    *out = 0;
    for (const char *s = text; *s; s = word_next(s))
        if (strncmp(s, "store=", 6) && strncmp(s, "product=", 8) && strncmp(s, "sum=", 4) &&
            strncmp(s, "amplitude=", 10))
            at += (size_t)snprintf(out + at, n - at, "%s%.*s", at ? " " : "", (int)strcspn(s, " "), s);
}

static bool is_repeat(const struct row *r, const struct preset *p)
{
    char a[400], b[400];
    table_words(p->text, a, sizeof a);
    for (const struct preset *q = r->contracts; q < p; q++) {
        table_words(q->text, b, sizeof b);
        if (!strcmp(a, b))
            return true;
    }
    return false;
}

static const struct model_known *ask(struct model_run *u, const struct config_encoding *e, const char *contract,
    int64_t limit)
{
    char key[TEXT_MAX + 500];
    snprintf(key, sizeof key, "%s|%s|%s|%lld", e->row, e->params, contract, (long long)limit);
    for (size_t k = 0; k < u->n_known; k++)
        if (!strcmp(u->known[k].key, key))
            return &u->known[k];
    u->known = need_more(u->known, u->n_known + 1, sizeof *u->known);
    struct model_known *k = &u->known[u->n_known++];
    *k = (struct model_known){ .key = need_copy(key) };
    k->rc = scan_run(e->row, e->params, contract, limit, &k->s, k->err, sizeof k->err);
    return k;
}

static void say_json(const char *file, const struct config *c, const struct config_encoding *e, const char *contract,
    const struct model_known *k, const json_t *card)
{
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:O,s:s,s:s,s:s}", "file", file, "model_type", c->model_type,
        "provenance", c->kind, "source", c->source, "keys_not_read", json_object_get(card, "keys_not_read"), "row",
        e->row, "params", e->params, "layers", e->layers);
    char bits[40];
    if (contract)
        json_object_set_new(o, "contract", json_string(contract));
    if (!k || k->rc) {
        json_object_set_new(o, "verdict", json_string("SKIP"));
        json_object_set_new(o, "reason", json_string(k ? k->err : e->reason));
    } else {
        const struct scan *s = &k->s;
        snprintf(bits, sizeof bits, "%a", s->worst);
        json_object_update_new(o,
            json_pack("{s:I,s:f,s:s,s:f,s:I,s:I,s:s,s:f,s:s}", "limit", (json_int_t)s->limit, "worst", s->worst,
                "worst_hex", bits, "slack", s->slack, "position", (json_int_t)s->at_pos, "pair", (json_int_t)s->at_pair,
                "function", s->is_sin ? "sin" : "cos", "got", s->got, "want", s->want_digits));
        json_object_update_new(o,
            json_pack("{s:{s:I,s:I,s:I},s:f,s:f,s:f,s:f,s:s}", "valid_to", "f32", (json_int_t)s->valid[0], "f16",
                (json_int_t)s->valid[1], "bf16", (json_int_t)s->valid[2], "x_f32", s->worst * 0x1p25, "x_f16",
                s->worst * 0x1p12, "x_bf16", s->worst * 0x1p9, "seconds", s->seconds, "method", "exhaustive"));
        json_object_set_new(o, "nonfinite_from", s->nonfinite ? json_integer(s->nonfinite_at) : json_null());
    }
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

static const char *valid(const struct scan *s, int j, char *text, size_t n)
{
    snprintf(text, n, s->valid[j] >= s->limit ? "all" : "%lld", (long long)s->valid[j]);
    return text;
}

static void say_scan(struct model_run *u, const char *name, const struct model_known *k)
{
    const struct scan *s = &k->s;
    char v[3][24], overflow[60] = "";
    for (int j = 0; j < 3; j++)
        valid(s, j, v[j], sizeof v[j]);
    if (s->nonfinite)
        snprintf(overflow, sizeof overflow, "not finite from %lld", (long long)s->nonfinite_at);
    if (u->md)
        fprintf(u->md, "| %s | %.3g | %ld, %ld (%s) | %.3g | %.3g | %.3g | %s | %s | %s | %s |\n", name, s->worst,
            s->at_pos, s->at_pair, s->is_sin ? "sin" : "cos", s->worst * 0x1p25, s->worst * 0x1p12, s->worst * 0x1p9,
            v[0], v[1], v[2], overflow);
    if (!cli_has(u->cli, "json"))
        printf("    %-14.30s %9.3g  %9ld %4ld %s %9.3g %8.3g %8.3g  %8s %8s %8s %s\n", name, s->worst, s->at_pos,
            s->at_pair, s->is_sin ? "sin" : "cos", s->worst * 0x1p25, s->worst * 0x1p12, s->worst * 0x1p9, v[0], v[1],
            v[2], overflow);
}

static void head(struct model_run *u, const char *file, const struct config *c)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (u->md)
        fprintf(u->md, "\n## %s\n\nmodel type `%s`, %s%s%s\n", name, c->model_type,
            *c->kind ? c->kind : "no provenance in the file", *c->source ? ": " : "", c->source);
    if (!cli_has(u->cli, "json"))
        printf("%s: model type '%s', %s%s%s\n", name, c->model_type, *c->kind ? c->kind : "no provenance in the file",
            *c->source ? ": " : "", c->source);
}

/* How many contracts of the row round its table in ways of their own. */
static long row_contracts(const struct row *r)
{
    long n = 0;
    for (const struct preset *p = r->contracts; p->name; p++)
        n += !is_repeat(r, p);
    return n;
}

static void judge(struct model_run *u, const char *file, const struct config *c, const struct config_encoding *e,
    const json_t *card)
{
    bool json = cli_has(u->cli, "json");
    const struct row *r = row_named(e->row);
    int64_t limit = u->limit ? u->limit : e->most ? e->most : SILENT;
    char brief[130];
    snprintf(brief, sizeof brief, strlen(e->params) > 120 ? "%.116s..." : "%s", e->params);
    if (!json)
        printf("  %s %s%s%s%s  (from %s)\n", e->row, brief, *e->layers ? "  [" : "", e->layers, *e->layers ? "]" : "",
            e->evidence);
    if (u->md)
        fprintf(u->md, "\n`%s %s` %s, from `%s`\n\n", e->row, brief, e->layers, e->evidence);
    if (*e->reason) {
        u->skipped++, u->invalid += e->invalid;
        if (json)
            say_json(file, c, e, NULL, NULL, card);
        else
            printf("    cannot be judged: %s\n", e->reason);
        if (u->md)
            fprintf(u->md, "cannot be judged: %s\n", e->reason);
        return;
    }
    const bool cut = !u->limit && limit > LONGEST;
    if (cut)
        limit = LONGEST;
    if (!json)
        printf("    positions 0 .. %lld%s; worst error over every position and pair, before amplitude and storage\n"
               "    contract           worst   position pair     x own rounding of f32, f16, bf16   valid to: f32      "
               "f16     bf16\n",
            (long long)limit - 1,
            !e->most && !u->limit ? " (the file says no maximum)" :
                cut               ? " (the file says more; --limit goes further)" :
                                    "");
    if (u->md)
        fprintf(u->md,
            "positions 0 to %lld\n\n| contract | worst error | position, pair | x f32 rounding | x f16 | x bf16 | "
            "valid to f32 | f16 | bf16 | |\n|---|---|---|---|---|---|---|---|---|---|\n",
            (long long)limit - 1);
    struct progress how;
    long done = 0;
    progress_begin(&how, "model", "contracts", u->only ? 1 : (double)row_contracts(r));
    for (const struct preset *p = r->contracts; p->name || (u->only && p == r->contracts); p++) {
        const char *name = u->only ? u->only : p->name;
        if (!u->only && is_repeat(r, p))
            continue;
        progress_step(&how, (double)done++, name);
        const struct model_known *k = ask(u, e, name, limit);
        progress_wipe(&how);
        u->judged += !k->rc, u->skipped += k->rc != 0;
        if (json)
            say_json(file, c, e, name, k, card);
        if (!k->rc)
            say_scan(u, name, k);
        else if (!json)
            printf("    %-14.30s not evaluated: %s\n", name, k->err);
        if (k->rc && u->md)
            fprintf(u->md, "| %s | not evaluated: %s | | | | | | | | |\n", name, k->err);
        if (u->only)
            break;
    }
}

/* Puts the keys that neither the tables nor the card of a file have read into the card: "keys_not_read". */
static void note_unread(json_t *card, const char *file, const json_t *root)
{
    static struct config c;
    char err[600];
    json_t *list = json_array(), *own = json_deep_copy(root);
    config_of(own, file, &c, err, sizeof err);
    for (const char *s = c.unread; *s; s = word_next(s)) {
        const size_t len = strcspn(s, " ");
        if (!card_reads(card, s, len))
            json_array_append_new(list, json_stringn(s, len));
    }
    json_object_set_new(card, "keys_not_read", list);
    json_decref(own);
}

/* The card of a file; NULL: the file is no JSON object, which is said.  The caller owns it. */
static json_t *card_from(struct model_run *u, const char *file)
{
    char err[600];
    struct fields f = { .err = err, .n = sizeof err };
    json_t *root = fields_load_python(&f, file), *card = NULL;
    if (root) {
        json_object_del(root, "provenance"); /* ours, no key of a model */
        card = card_of(root);
        card_ask(card, root), note_unread(card, file, root);
        u->cards++, u->whole += json_is_true(json_object_get(card, "complete"));
    } else {
        u->bad++;
        fprintf(stderr, "meridian model: %s\n", err);
    }
    json_decref(root);
    return card;
}

static void say_json_line(json_t *o)
{
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

static void say_card(struct model_run *u, const char *file, json_t *card)
{
    if (u->cards <= 2)
        u->card[u->cards - 1] = json_incref(card);
    if (!cli_has(u->cli, "json"))
        card_say(stdout, card, 2, false);
    else if (cli_has(u->cli, "card"))
        say_json_line(json_pack("{s:s,s:O}", "file", file, "card", card));
    if (u->md) {
        fputc('\n', u->md);
        card_say(u->md, card, 0, true);
    }
}

static void say_notes(struct model_run *u, const struct config *c)
{
    for (int k = 0; k < c->n_notes; k++) {
        if (!cli_has(u->cli, "json"))
            printf("  note: %s\n", c->note[k]);
        if (u->md)
            fprintf(u->md, "%s- %s\n", k ? "" : "\n", c->note[k]);
    }
}

/* Says why a file's tables are not judged.  A file in which something is wrong counts as bad; one that is right and
 * leaves its tables open does not. */
static void not_judged(struct model_run *u, const char *file, const struct config *c, const char *err,
    const json_t *card)
{
    const size_t lead = strncmp(err, file, strlen(file)) ? 0 : strlen(file) + 2;
    if (!c->open) {
        u->bad++;
        fprintf(stderr, "meridian model: %s\n", err);
        return;
    }
    u->skipped++;
    if (!cli_has(u->cli, "json"))
        printf("  its tables are not judged: %s\n", err + lead);
    else if (!cli_has(u->cli, "card"))
        say_json_line(json_pack("{s:s,s:s,s:O,s:s,s:s}", "file", file, "model_type", c->model_type, "keys_not_read",
            json_object_get(card, "keys_not_read"), "verdict", "SKIP", "reason", err + lead));
    if (u->md)
        fprintf(u->md, "- its tables are not judged: %s\n", err + lead);
}

static void one_file(struct model_run *u, const char *file)
{
    static struct config c;
    char err[600];
    json_t *card = card_from(u, file);
    if (!card)
        return;
    const int rc = config_read(file, &c, err, sizeof err);
    if (!rc || c.open)
        head(u, file, &c), say_card(u, file, card);
    if (rc)
        not_judged(u, file, &c, err, card);
    else
        say_notes(u, &c);
    for (int k = 0; k < c.n && !rc && !cli_has(u->cli, "card"); k++) {
        judge(u, file, &c, &c.e[k], card);
        if (c.e[k].invalid && u->cli->words == 1 && !u->judged)
            fprintf(stderr, "meridian model: %s: cannot be judged: %s\n", file, c.e[k].reason);
    }
    json_decref(card);
}

static int is_config(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 5 && !strcmp(d->d_name + n - 5, ".json");
}

/* A folder: a line for each of its *.json, and how many cards are whole. */
static void one_folder(struct model_run *u, const char *folder)
{
    struct dirent **list = NULL;
    char path[1200];
    const int n = scandir(folder, &list, is_config, alphasort);
    const long cards = u->cards, whole = u->whole;
    const bool json = cli_has(u->cli, "json");
    if (u->md)
        fprintf(u->md, "\n| file | model type | card | positions | sees |\n|---|---|---|---|---|\n");
    for (int k = 0; k < n; k++) {
        snprintf(path, sizeof path, "%.900s/%.256s", folder, list[k]->d_name);
        json_t *card = card_from(u, path);
        if (card && json)
            say_json_line(json_pack("{s:s,s:O}", "file", path, "card", card));
        else if (card)
            card_row(stdout, list[k]->d_name, card, false);
        if (card && u->md)
            card_row(u->md, list[k]->d_name, card, true);
        json_decref(card), free(list[k]);
    }
    free(list);
    if (!json)
        printf("%s: %ld cards, %ld of them whole\n", folder, u->cards - cards, u->whole - whole);
}

/* Of two files: what differs between their cards. */
static void say_changes(struct model_run *u, const struct cli *c)
{
    if (c->words == 2 && u->card[0] && u->card[1] && !cli_has(c, "json")) {
        printf("what changes from %s to %s:\n", c->word[0], c->word[1]);
        if (!card_changes(stdout, u->card[0], u->card[1]))
            printf("  nothing\n");
    }
    json_decref(u->card[0]), json_decref(u->card[1]);
}

/* Every file and folder; EXIT_USAGE where one was wrong. */
static int over_words(struct model_run *u, const struct cli *c)
{
    struct stat st;
    bool folders = false;
    for (int k = 0; k < c->words; k++)
        if (!stat(c->word[k], &st) && S_ISDIR(st.st_mode))
            one_folder(u, c->word[k]), folders = true;
        else
            one_file(u, c->word[k]);
    say_changes(u, c);
    if (u->bad || (u->invalid && !u->judged))
        return EXIT_USAGE;
    if (folders && !u->cards)
        return cli_error(c, "no *.json in '%.200s'", c->word[0]);
    return u->judged || (u->cards && (folders || cli_has(c, "card"))) ? EXIT_PASS : EXIT_NOTHING;
}

static int run(const struct cli *c)
{
    if (cli_has(c, "against"))
        return against_run(c, cli_value(c, "against", ""));
    struct model_run u = { .cli = c, .only = cli_value(c, "contract", NULL) };
    const char *md = cli_value(c, "md", NULL);
    char why[400];
    struct draft page = { 0 };
    long limit;
    if (!cli_long(c, "limit", 0, 1, SCAN_MOST, &limit))
        return EXIT_USAGE;
    u.limit = limit;
    /* --contract is the name of a contract, or steps, of a row with tables; anything else is refused before the work
     * begins */
    if (u.only) {
        char first[300] = "", err[600];
        static const char *const rows[] = { "rope", "sinusoid" };
        bool fits = false;
        for (int k = 0; k < 2; k++) {
            struct scan s;
            bool ok = !scan_threads(rows[k], "dim=4", u.only, 1, 1, &s, err, sizeof err);
            if (!ok && !*first)
                snprintf(first, sizeof first, "%.290s", err);
            fits |= ok;
        }
        if (!fits)
            return cli_error(c, "--contract '%.80s': %s", u.only, first);
    }
    if (md) {
        if (draft_open(&page, md, why, sizeof why))
            return cli_error(c, "--md: %s", why);
        u.md = page.file;
        fprintf(u.md,
            "# Position tables of deployed models\n\nWorst error of the cosine and sine tables against the exact ones, "
            "every position and pair; 'valid to' is the first position at which some error exceeds 2^-24, 2^-11, 2^-8 "
            "('all': none does).\n");
    }
    int rc = over_words(&u, c);
    if (draft_keep(&page, why, sizeof why))
        rc = cli_error(c, "--md: %s", why);
    for (size_t k = 0; k < u.n_known; k++)
        free(u.known[k].key);
    free(u.known);
    return rc;
}

static const struct flag flags[] = {
    { "contract", "NAME", "only this contract of the row, or its steps" },
    { "card", NULL, "the card alone, without judging its tables; with --json one object a file" },
    { "limit", "N", "judge positions 0 .. N-1 instead of the model's own context" },
    { "against", "LIBRARY", "build the model small by this library, transformers, and judge what it computes" },
    { "seconds", "60", "limit of one answer of the library", .needs = "against" },
    { "json", NULL, "one object a line for each encoding and contract, or for each verdict" },
    { "md", "FILE", "the same as Markdown", .writes = true },
    { "junit", "FILE", "verdicts as JUnit XML", .needs = "against", .writes = true },
    { 0 },
};
const struct verb verb_model = { "model", "CONFIG.JSON ...",
    "a model's positions and attention, and what its tables compute over its context", NO_ROW, 1, CLI_WORDS, flags,
    run };

/* `pack check`: what `judge` would read of a recording, without judging it; and examples of every row. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/cli.h"
#include "core/printable.h"
#include "pack/example.h"
#include "pack/pack.h"
#include "pack/understood.h"

struct counts { long cases, read, skipped, refused; };

static const char *shape_text(const struct mer_array *a, char *to, size_t n)
{
    size_t at = (size_t)snprintf(to, n, "%s[", a->name);
    for (int k = 0; k < a->rank && at < n; k++)
        at += (size_t)snprintf(to + at, n - at, "%s%ld", k ? "," : "", a->dim[k]);
    if (at < n)
        snprintf(to + at, n - at, "] %s", type_name[a->type]);
    return to;
}

static json_t *names_of(const struct mer_array *a, int n)
{
    char text[120];
    json_t *list = json_array();
    for (int k = 0; k < n; k++)
        json_array_append_new(list, json_string(shape_text(&a[k], text, sizeof text)));
    return list;
}

static void say_list(const char *what, json_t *list)
{
    size_t k;
    json_t *v;
    json_array_foreach(list, k, v)
        printf("%s%s", k ? ", " : what, json_string_value(v));
}

/* Prints one question of a case, as a line or as a JSON object. */
static void print_question(const struct understood *u, bool json)
{
    const struct trial *t = u->t;
    json_t *out = names_of(t->out, u->got == 1 ? t->call.n_out : 0),
           *in = names_of(t->in, u->got == 1 ? t->call.n_in : 0);
    if (json) {
        json_t *o = json_pack("{s:s,s:s,s:s*,s:s,s:s,s:O,s:O,s:s,s:O,s:O}", "case", t->id, "word", u->word, "row",
            t->row ? t->row->name : NULL, "params", u->params, "profile", u->got == 1 ? t->profile : "", "out", out,
            "in", in, "why", u->why, "unread", u->unread, "idle", u->idle);
        json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        json_decref(o), putchar('\n');
    } else if (u->got == 1) {
        printf("READ %s: %s", t->id, t->row->name), say_list(" ", out), say_list(" of ", in);
        printf("; %s; %s\n", *u->params ? u->params : "defaults", *t->profile ? t->profile : "no profile");
    } else
        printf("%s %s: %s\n", u->word, t->id, u->why);
    if (!json && json_array_size(u->unread))
        printf("     %s: not read:", t->id), say_list(" ", u->unread), putchar('\n');
    if (!json && json_array_size(u->idle))
        printf("     %s: without effect:", t->id), say_list(" ", u->idle), putchar('\n');
    json_decref(out), json_decref(in);
}

/* The folder of DIR or of DIR/pack.json, into `to`. */
static const char *folder(const char *what, char *to, size_t n)
{
    struct stat st;
    const char *slash = strrchr(what, '/');
    const bool file = !stat(what, &st) && S_ISREG(st.st_mode);
    if (file && strcmp(slash ? slash + 1 : what, "pack.json"))
        return NULL;
    snprintf(to, n, "%.*s", file ? slash ? (int)(slash - what) : 1 : (int)strlen(what), file && !slash ? "." : what);
    return to;
}

static int check_one(const struct cli *c, const char *what, struct counts *n)
{
    char dir[256], err[900];
    struct subject s;
    struct understood u;
    if (!folder(what, dir, sizeof dir))
        return cli_error(c, "%.200s: a pack is a folder with pack.json, or that file", what);
    if (subject_pack(&s, dir, err, sizeof err))
        return cli_error(c, "%s", err);
    understood_begin(&u, &s);
    while (understood_next(&u)) {
        for (char *text = u.why; text; text = text == u.why ? u.t->id : NULL)
            printable(text);
        print_question(&u, cli_has(c, "json"));
        n->read += u.got == 1, n->skipped += u.got == 2, n->refused += u.got < 0;
        n->cases += u.last;
    }
    understood_end(&u);
    s.close(&s);
    return 0;
}

/* Prints an example of every row, as data/README.md has them: its first quantity, under the first preset for which
 * one can be made of required inputs alone. */
static int words(const struct cli *c)
{
    for (const struct row *const *r = all_rows; *r; r++) {
        struct example e;
        char err[900], *text;
        if (example_make(&e, *r, err, sizeof err))
            return cli_error(c, "%s", err);
        text = json_dumps(e.c, JSON_PRESERVE_ORDER);
        printf("| `%s` | `%s` | %s |\n", (*r)->name, text, e.shapes);
        free(text), example_close(&e);
    }
    return EXIT_PASS;
}

static int run(const struct cli *c)
{
    struct counts n = { 0 };
    int bad = 0;
    if (!strcmp(c->word[0], "words") && c->words == 1 && !cli_has(c, "json"))
        return words(c);
    if (strcmp(c->word[0], "check") || c->words < 2)
        return cli_error(c, "found '%.40s'; allowed: check DIR ..., or words", c->word[0]);
    for (int k = 1; k < c->words; k++)
        bad |= check_one(c, c->word[k], &n);
    if (!cli_has(c, "json") && n.read + n.skipped + n.refused)
        printf("%ld cases: %ld questions read, %ld skipped, %ld refused\n", n.cases, n.read, n.skipped, n.refused);
    return bad || n.refused ? EXIT_USAGE : n.skipped ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "json", NULL, "one object a question, a line each" }, { 0 } };
const struct verb verb_pack = { "pack", "check DIR... | words",
    "what judge reads of recorded arrays, without judging; an example of every row", NO_ROW, 1, CLI_WORDS, flags, run };

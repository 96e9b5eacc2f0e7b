/* `diff`: the conventions of two subjects side by side, and how to get from the first to the second, for every
 * output that both answer in one type. */
#include <stdlib.h>
#include "base/progress.h"
#include "core/cli.h"
#include "base/words.h"
#include "pack/open.h"
#include "subject/contain.h"
#include "fingerprint/bridge.h"
#include "fingerprint/take.h"
#include "subject/subject.h"

/* The outputs that both lists name, into text. */
static void common_outputs(char *text, size_t n, const char *a, const char *b)
{
    size_t at = 0;
    *text = 0;
    for (const char *s = a; *s; s = word_next(s))
        if (words_find(b, s, strcspn(s, " ")))
            at += (size_t)snprintf(text + at, n - at, "%s%.*s", at ? " " : "", (int)strcspn(s, " "), s),
                at = at < n ? at : n - 1;
}

/* The first kernel of the list for k's row and type that has outputs in common with it, which go to outs; NULL:
 * there is none. */
static const struct mer_kernel *same_question(
    const struct mer_kernel *list, const struct mer_kernel *k, char *outs, size_t n)
{
    for (; list->row; list++) {
        common_outputs(outs, n, k->out, list->out);
        if (*outs && !strcmp(list->row, k->row) && !strcmp(list->type, k->type))
            return list;
    }
    return NULL;
}

static bool has_key(const char *params, const char *keys) /* whether one of the parameters is among the keys */
{
    for (const char *s = params; *s; s = word_next(s))
        if (words_find(keys, s, strcspn(s, "= ")))
            return true;
    return false;
}

static int compare(const struct fingerprint *a, const struct fingerprint *b, const char *const name[2])
{
    int apart = 0;
    char how[600], said[1200] = "";
    size_t at = 0;
    printf("%s.%s %s: %s %ld of %ld explained, %s %ld of %ld\n", a->row->name, a->out, a->type, name[0], a->explained,
        a->of, name[1], b->explained, b->of);
    for (int k = 0; k < a->n && k < b->n; k++) {
        const struct trait *x = &a->trait[k], *y = &b->trait[k];
        if (!strcmp(x->value, y->value) || words_find(x->rivals, y->value, strlen(y->value)) ||
            words_find(y->rivals, x->value, strlen(x->value)))
            continue;
        fingerprint_bridge(how, sizeof how, a->row, x->p, x->value, y->value);
        printf("  %s: %s against %s; %s\n", x->p->name, x->value, y->value, how);
        if (at + strlen(x->p->name) + 2 < sizeof said)
            at += (size_t)snprintf(said + at, sizeof said - at, "%s ", x->p->name);
        apart++;
    }
    for (int k = 0; k < a->seen.n; k++)
        for (int j = 0; j < b->seen.n; j++)
            if (!strcmp(a->seen.at[k].trait, b->seen.at[j].trait) && strcmp(a->seen.at[k].value, b->seen.at[j].value) &&
                !has_key(a->seen.at[k].params, said) && !has_key(b->seen.at[j].params, said)) {
                fingerprint_advice(
                    how, sizeof how, a->row, a->seen.at[k].trait, a->seen.at[k].value, b->seen.at[j].value);
                printf("  read: %s: %s against %s%s%s\n", a->seen.at[k].trait, a->seen.at[k].value, b->seen.at[j].value,
                    *how ? "; " : "", how);
                apart++;
            }
    if (strcmp(a->storage, b->storage) || strcmp(a->coarse, b->coarse))
        printf("  precision: %s%s%s against %s%s%s\n", a->storage, *a->coarse ? ", " : "", a->coarse, b->storage,
            *b->coarse ? ", " : "", b->coarse),
            apart++;
    if (!apart && fingerprint_whole(a) && fingerprint_whole(b))
        printf("  the same conventions, as far as %ld elements can tell\n", a->of);
    return apart || !fingerprint_whole(a) || !fingerprint_whole(b);
}

static int run(const struct cli *c)
{
    struct subject side[2];
    char err[700];
    int apart = 0, asked = 0, crashed = 0;
    const char *type = cli_value(c, "type", NULL), *row = cli_value(c, "row", NULL);
    if (row && !row_named(row))
        return cli_error(c, "--row: no row '%.80s'; `meridian list` names them", row);
    for (int k = 0; k < 2; k++) {
        int rc = subject_open_any(&side[k], c->word[k], usual_limits.seconds, err, sizeof err);
        if (!rc && !side[k].next)
            continue;
        if (!rc)
            snprintf(err, sizeof err, "%s: a folder of arrays cannot be asked; judge it", c->word[k]),
                side[k].close(&side[k]);
        if (k)
            side[0].close(&side[0]);
        return cli_error(c, "%s", err), rc < -1 ? EXIT_CRASH : EXIT_USAGE;
    }
    progress_of("diff", "hypotheses", 0);
    for (const struct mer_kernel *k = side[0].kernel; k->row; k++) {
        char outs[KERNEL_OUTS + 1], first[KERNEL_OUTS + 1];
        const struct mer_kernel *other = same_question(side[1].kernel, k, outs, sizeof outs);
        struct fingerprint f[2];
        if (!other || !row_named(k->row) || (row && strcmp(row, k->row)) || (type && strcmp(type, k->type)) ||
            same_question(side[0].kernel, other, first, sizeof first) != k)
            continue;
        struct mer_kernel pair[2] = { *k, *other }; /* both are asked only for the outputs that both answer */
        pair[0].out = pair[1].out = outs;
        for (int j = 0, rc = 0; j < 2 && !rc; j++) {
            rc = fingerprint_take(&side[j], &pair[j], cli_value(c, "params", ""), &f[j], err, sizeof err);
            progress_pause();
            if (rc)
                printf("%s %s.%s %s: %s\n", side[j].name, k->row, outs, k->type, err), crashed |= rc == -MER_CRASHED;
            else if (j)
                apart += compare(&f[0], &f[1], (const char *const[]){ side[0].name, side[1].name }), asked++;
        }
        fflush(stdout);
    }
    side[0].close(&side[0]), side[1].close(&side[1]);
    if (!asked)
        fprintf(stderr, "meridian diff: the two offer no output of the same row and type that both answered\n");
    return crashed ? EXIT_CRASH : !asked ? EXIT_NOTHING : apart ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "row", "ROW", "only this row" }, { "type", "TYPE", "only this element type" },
    { "params", "'NAME=value ...'", "said to both with every question" }, { 0 } };
const struct verb verb_diff = { "diff", "SUBJECT SUBJECT",
    "two subjects' conventions (exec:COMMAND for a process), and how to go from one to the other", NO_ROW, 2, 2, flags,
    run };

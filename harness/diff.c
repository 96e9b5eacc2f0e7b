/* Two subjects' conventions side by side, and the bridge from the first to the second. */
#include <stdlib.h>
#include "cli.h"
#include "contain.h"
#include "fingerprint.h"

static int open_side(struct subject *s, const char *what, char *err, size_t n) /* "exec:COMMAND", or what subject_open takes */
{
    return !strncmp(what, "exec:", 5) ? subject_exec(s, what + 5, NULL, usual_limits.seconds, err, n) : subject_open(s, what, err, n);
}

static const struct mer_kernel *same_question(const struct mer_kernel *list, const struct mer_kernel *k)
{
    for (; list->row; list++)
        if (!strcmp(list->row, k->row) && !strcmp(list->out, k->out) && !strcmp(list->type, k->type))
            return list;
    return NULL;
}

static bool listed(const char *rivals, const char *value) /* among the values that the answers could not tell from the one found */
{
    size_t len = strlen(value);
    for (const char *s = rivals; *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == len && !strncmp(s, value, len))
            return true;
    return false;
}

static int compare(const struct fingerprint *a, const struct fingerprint *b, const char *const name[2])
{
    int apart = 0;
    char how[600];
    printf("%s.%s %s: %s %ld of %ld explained, %s %ld of %ld\n", a->row->name, a->out, a->type, name[0], a->explained, a->of, name[1], b->explained, b->of);
    for (int k = 0; k < a->n && k < b->n; k++) {
        const struct trait *x = &a->trait[k], *y = &b->trait[k];
        if (!strcmp(x->value, y->value) || listed(x->rivals, y->value) || listed(y->rivals, x->value))
            continue;
        fingerprint_bridge(how, sizeof how, a->row, x->p, x->value, y->value);
        printf("  %s: %s against %s; %s\n", x->p->name, x->value, y->value, how);
        apart++;
    }
    if (strcmp(a->storage, b->storage) || strcmp(a->coarse, b->coarse))
        printf("  precision: %s%s%s against %s%s%s\n", a->storage, *a->coarse ? ", " : "", a->coarse, b->storage, *b->coarse ? ", " : "", b->coarse), apart++;
    if (!apart && fingerprint_whole(a) && fingerprint_whole(b))
        printf("  the same conventions, as far as %ld elements can tell\n", a->of);
    return apart || !fingerprint_whole(a) || !fingerprint_whole(b);
}

static int run(const struct cli *c)
{
    struct subject side[2];
    char err[700];
    int apart = 0, asked = 0;
    const char *row = cli_value(c, "row", NULL);
    if (row && !row_named(row))
        return cli_error(c, "--row: no row '%.80s'; `meridian list` names them", row);
    for (int k = 0; k < 2; k++) {
        int rc = open_side(&side[k], c->word[k], err, sizeof err);
        if (!rc && !side[k].next)
            continue;
        if (!rc)
            snprintf(err, sizeof err, "%s: a folder of arrays cannot be asked; judge it", c->word[k]), side[k].close(&side[k]);
        if (k)
            side[0].close(&side[0]);
        return cli_error(c, "%s", err), rc < -1 ? EXIT_CRASH : EXIT_USAGE;
    }
    for (const struct mer_kernel *k = side[0].kernel; k->row; k++) {
        const struct mer_kernel *other = same_question(side[1].kernel, k);
        struct fingerprint f[2];
        if (!other || (row && strcmp(row, k->row)) || same_question(side[0].kernel, k) != k)
            continue;
        if (fingerprint_take(&side[0], k, cli_value(c, "params", ""), &f[0], err, sizeof err) || fingerprint_take(&side[1], other, cli_value(c, "params", ""), &f[1], err, sizeof err)) {
            printf("%s.%s %s: %s\n", k->row, k->out, k->type, err);
            continue;
        }
        apart += compare(&f[0], &f[1], (const char *const[]){ side[0].name, side[1].name });
        asked++;
        fflush(stdout);
    }
    side[0].close(&side[0]), side[1].close(&side[1]);
    if (!asked)
        fprintf(stderr, "meridian diff: the two offer no output of the same row and type that both answered\n");
    return !asked ? EXIT_NOTHING : apart ? EXIT_FAIL : EXIT_PASS;
}
static const struct flag flags[] = { { "row", "ROW", "only this row" }, { "params", "'NAME=value ...'", "said to both with every question" }, { 0 } };
const struct verb verb_diff = { "diff", "SUBJECT SUBJECT", "two subjects' conventions (exec:COMMAND for a process), and how to go from one to the other", NO_ROW, 2, 2, flags, run };

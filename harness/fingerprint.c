/* `fingerprint`: the conventions of a subject, found by asking it, each with its evidence. */
#include <stdlib.h>
#include "base/progress.h"
#include "core/cli.h"
#include "pack/open.h"
#include "fingerprint/take.h"
#include "subject/subject.h"

static void print_fingerprint(const struct fingerprint *f, const char *name)
{
    char same[1200] = "", brief[2000], verdict[200];
    size_t at = 0;
    printf("%s %s.%s %s: %ld of %ld elements explained; %d of %d questions answered, %ld hypotheses, %.1f s\n", name,
        f->row->name, f->out, f->type, f->explained, f->of, f->answered, f->asked, f->trials, f->seconds);
    if (f->vague)
        printf("  %ld elements lie where this arithmetic promises nothing\n", f->vague);
    fingerprint_brief(f, brief, sizeof brief);
    fingerprint_verdict(f, verdict, sizeof verdict);
    printf("  %s%s\n", verdict, brief);
    if (f->hurried)
        printf("  the time was up before every arithmetic was tried\n");
    if (*f->nature)
        printf("  BROKEN %s\n", f->nature);
    for (int k = 0; k < f->seen.n; k++)
        printf("  %-16s %-24s read: %s\n", f->seen.at[k].trait, f->seen.at[k].value, f->seen.at[k].evidence);
    for (int k = 0; k < f->n; k++) {
        const struct trait *t = &f->trait[k];
        if (!*t->rivals && *t->next)
            printf("  %-16s %-14s %s: %ld of %ld elements refuse %s, the closest of %d others\n", t->p->name, t->value,
                t->p->help, t->rejects, t->of, t->next, t->tried);
        else if (*t->rivals && *t->next)
            printf("  %-16s %-14s or %s; %s: %ld of %ld elements refuse %s\n", t->p->name, t->value, t->rivals,
                t->p->help, t->rejects, t->of, t->next);
        else if (t->hurried)
            printf("  %-16s %-14s believed: no time was left for its other values\n", t->p->name, t->value);
        else if (at + strlen(t->p->name) + 2 < sizeof same)
            at += (size_t)snprintf(same + at, sizeof same - at, " %s", t->p->name);
    }
    if (*same)
        printf("  not told by any answer:%s\n", same);
    printf("  %-16s outputs fit %s; %s%s\n", "precision", f->storage,
        f->undecided && !*f->nature ?
            f->as_declared ? "the declared arithmetic holds it" : "float32 throughout holds it" :
            f->as_declared       ? "the declared arithmetic explains it" :
            *f->coarse           ? "needs " :
            fingerprint_whole(f) ? "not the declared arithmetic, but float32 throughout explains it" :
                                   "no arithmetic explains it",
        f->coarse);
}

static int run(const struct cli *c)
{
    struct subject who;
    char err[700];
    int all = EXIT_NOTHING, answered = 0, meant = 0;
    const char *row = cli_value(c, "row", NULL), *out = cli_value(c, "out", NULL), *type = cli_value(c, "type", NULL);
    if (row && !row_named(row))
        return cli_error(c, "--row: no row '%.80s'; `meridian list` names them", row);
    const int rc = subject_asked(c, &who, "; judge it");
    if (rc)
        return rc;
    progress_of("fingerprint", "hypotheses", 0);
    for (const struct mer_kernel *k = who.kernel; k->row; k++) {
        struct fingerprint f;
        if ((row && strcmp(row, k->row)) || (out && strcmp(out, k->out)) || (type && strcmp(type, k->type)) ||
            !row_named(k->row))
            continue;
        meant++;
        if (fingerprint_take(&who, k, cli_value(c, "params", ""), &f, err, sizeof err)) {
            printf("%s %s.%s %s: %s\n", who.name, k->row, k->out, k->type, err);
            continue;
        }
        progress_pause();
        print_fingerprint(&f, who.name);
        answered++;
        fflush(stdout);
        if (fingerprint_whole(&f))
            all = all == EXIT_NOTHING ? EXIT_PASS : all;
        else if (!f.undecided || *f.nature)
            all = EXIT_FAIL;
    }
    if (!meant)
        cli_error(c, "%.200s offers nothing of that kind (row %.60s, out %.100s, type %.20s)", who.name,
            row ? row : "any", out ? out : "any", type ? type : "any");
    who.close(&who);
    if (!meant)
        return EXIT_USAGE;
    if (!answered)
        fprintf(stderr, "meridian fingerprint: no kernel answered; `meridian fingerprint --help`\n");
    return all;
}
static const struct flag flags[] = {
    { "exec", "COMMAND", "a process that answers calls" },
    { "row", "ROW", "only this row's kernels" },
    { "out", "QUANTITY", "only these outputs" },
    { "type", "TYPE", "only this element type" },
    { "params", "'NAME=value ...'", "said to the subject with every question; default: the row's defaults" },
    { "seconds", "60", "limit of one call" },
    { 0 },
};
const struct verb verb_fingerprint = { "fingerprint", "SUBJECT",
    "which conventions and precision a subject has, found by asking it", NO_ROW, 0, 1, flags, run };

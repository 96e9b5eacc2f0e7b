/* `confirm`: whether the cause that a diagnosis has named is the one.  Fresh questions are asked, which no search has
 * seen, and the subject has to answer each of them as a kernel with that cause does: where it is wrong, and where it is
 * right. */
#include <stdlib.h>
#include "core/cli.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/words.h"
#include "diagnose/joint/explains.h"
#include "diagnose/hypotheses/condition.h"
#include "judge/asked.h"
#include "pack/open.h"
#include "subject/subject.h"
#include "trial/change.h"

/* in: the outputs that the cause is of, or NULL; part: it is of the wrong elements alone, the others are as declared.
 * Counted are the questions that were answered: wrong as the cause has it, right as it has it, those of which it says
 * nothing, and those that contradict it, of which the first is told. */
struct confirmed {
    const struct subject *who;
    const struct mer_kernel *kernel;
    struct reason cause;
    const char *in;
    bool part;
    long wrong, right, silent, against;
    char first[300];
};

enum confirm_says { AS_RIGHT, AS_WRONG, SILENT, AGAINST };
/* What one output, the only one of `t`, says of the cause. */
static enum confirm_says output_says(const struct confirmed *x, const struct trial *t)
{
    static struct fit f; /* large */
    static struct diagnosis d; /* likewise */
    struct reason e = x->cause;
    const bool wrong = fit_as_declared(t).over > 0;
    if (!strcmp(e.m.change, never_written.change)) /* A whole number that nobody wrote does not show it. */
        return !wrong ? AS_RIGHT : t->out[0].type >= MER_I64 ? SILENT : explains_unwritten(t, &d) ? AS_WRONG : AGAINST;
    if (!under_holds(t, e.under))
        return wrong ? AGAINST : AS_RIGHT;
    e.partly = x->part;
    explains(t, &e, &f);
    if (!f.n && !x->part) /* It changes nothing of this question, and so says that it is answered as declared. */
        return wrong ? AGAINST : AS_RIGHT;
    if (f.over || !wrong)
        return f.over ? AGAINST : AS_RIGHT;
    e.partly = true;
    if (!x->part)
        explains(t, &e, &f);
    return f.over || !f.n ? AGAINST : f.n > f.open ? AS_WRONG : SILENT;
}

static void ask(struct confirmed *x, const char *params, const char *sizes, uint64_t seed)
{
    static struct trial view; /* large */
    struct trial t;
    char why[700] = "";
    enum confirm_says says = AS_RIGHT;
    const struct trial_spec of = { x->kernel->row, params, x->kernel->out, type_named(x->kernel->type), sizes, seed };
    int rc = trial_make(&t, &of, why, sizeof why) ? MER_SKIP :
                                                   x->who->run((struct subject *)x->who, x->kernel, &t.call, why,
                                                       sizeof why);
    snprintf(t.profile, sizeof t.profile, "%s", x->kernel->profile);
    for (int o = 0; rc == MER_OK && o < t.call.n_out && says != AGAINST; o++)
        if (!x->in || names_hold(x->in, t.out[o].name, strlen(t.out[o].name))) {
            const enum confirm_says one = output_says(x, output_alone(&t, o, &view));
            says = one > says ? one : says;
        }
    trial_close(&t);
    if (rc != MER_OK)
        return;
    *(says == AS_WRONG ? &x->wrong : says == SILENT ? &x->silent : says == AGAINST ? &x->against : &x->right) += 1;
    if (says == AGAINST && x->against == 1)
        snprintf(x->first, sizeof x->first, "--params '%.120s' --sizes '%.80s' --seed %llu", params, sizes ? sizes : "",
            (unsigned long long)seed);
}

/* Where the cause acts under a condition, asks under it: under "window!=0" with 3 and other numbers. */
static void ask_under(struct confirmed *x, const char *params, const char *sizes, int k, uint64_t *seed)
{
    const char *under = x->cause.under;
    char text[TEXT_MAX], word[UNDER];
    if (!*under)
        return;
    under_word(row_named(x->kernel->row), under, "3", k, word);
    if (under_input(under))
        snprintf(text, sizeof text, "%s %s", sizes ? sizes : "", under), ask(x, params, text, (*seed)++);
    else
        snprintf(text, sizeof text, "%s %s", params, word), ask(x, text, sizes, (*seed)++);
}
/* Asks under every preset, or the parameters that are given, at a few shapes, and under the condition. */
static void ask_all(struct confirmed *x, const char *params)
{
    static const char *const sizes[] = { NULL, "probe", "n=5 m=9 normal", "n=11 m=6 normal" };
    enum { FRESH = 90001 }; /* a seed that nothing else begins with */
    const struct preset only[] = { { .name = "given", .text = params }, { .name = NULL } };
    uint64_t seed = FRESH;
    for (const struct preset *p = params ? only : row_named(x->kernel->row)->presets; p->name; p++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            progress_count(x->kernel->row);
            ask(x, p->text, sizes[k], seed++);
            ask_under(x, p->text, sizes[k], (int)k, &seed);
        }
}

/* Reads a cause: a mistake of the row's list by its id or its change, else any change that a trial takes. */
static int cause_read(const struct row *r, const char *text, const char *second, struct reason *e, char *err, size_t n)
{
    *e = (struct reason){ .stepped = *second };
    if (strlen(text) >= sizeof e->m.change || strlen(second) >= sizeof e->second)
        return snprintf(err, n, "'%.40s..': longer than any cause", *second ? second : text), -1;
    strcpy(e->second, second);
    e->listed = mistake_called(r->name, text, &e->m);
    if (!e->listed)
        snprintf(e->m.id, sizeof e->m.id, "%s", text), snprintf(e->m.change, sizeof e->m.change, "%s", text);
    return 0;
}
/* Whether the cause is of some output of the kernel. */
static bool is_of(const struct confirmed *x, const struct mer_kernel *k)
{
    bool is = !x->in;
    for (const char *s = k->out; *s; s = word_next(s))
        is |= x->in && names_hold(x->in, s, strcspn(s, " "));
    return is;
}
/* Whether that cause, and the step beside it, are those of some question of this kernel. */
static bool possible(const struct mer_kernel *k, const struct reason *e, char *err, size_t n)
{
    struct trial t, changed;
    bool is = !strcmp(e->m.change, never_written.change);
    for (const struct preset *p = row_named(k->row)->presets; !is && p->name; p++) {
        const struct trial_spec of = { k->row, p->text, k->out, type_named(k->type), NULL, 1 };
        if (!trial_make(&t, &of, err, n)) {
            is = !trial_copy(&changed, &t, err, n) && !trial_change(&changed, e->m.change, err, n) &&
                (!*e->second || !trial_change(&changed, e->second, err, n));
            trial_close(&changed);
        }
        trial_close(&t);
    }
    return is;
}

static void print(const struct confirmed *x)
{
    printf("%s %s.%s %s: %s: %ld fresh questions are wrong as it says, %ld right as it says; %ld contradict it, "
           "of %ld it says nothing\n",
        x->who->name, x->kernel->row, x->kernel->out, x->kernel->type, x->cause.m.id, x->wrong, x->right, x->against,
        x->silent);
    if (x->against)
        printf("  the first that does: %s\n", x->first);
}

static int confirm_kernels(const struct cli *c, struct subject *who, const char *row, const char *cause)
{
    const char *out = cli_value(c, "out", NULL), *type = cli_value(c, "type", NULL);
    const char *params = cli_value(c, "params", NULL), *second = cli_value(c, "second", "");
    const char *profile = cli_value(c, "profile", NULL), *under = cli_value(c, "under", "");
    struct confirmed x = { .who = who, .in = cli_value(c, "in", NULL), .part = cli_has(c, "part") };
    char err[900];
    int all = EXIT_NOTHING, meant = 0;
    if (cause_read(row_named(row), cause, second, &x.cause, err, sizeof err))
        return cli_error(c, "--as: %s", err);
    if (*under && !under_is(row_named(row), under))
        return cli_error(c, "--under: '%.80s' is no condition; give PARAMETER=WORD, PARAMETER!=WORD or an optional "
            "input of row %s", under, row);
    snprintf(x.cause.under, sizeof x.cause.under, "%s", under);
    for (const struct mer_kernel *k = who->kernel; k->row; k++) {
        if (strcmp(row, k->row) || (out && strcmp(out, k->out)) || (type && strcmp(type, k->type)) ||
            (profile && !asked_own_words(k, profile)) || !is_of(&x, k))
            continue;
        meant++;
        x.kernel = k, x.wrong = x.right = x.silent = x.against = 0;
        if (!possible(k, &x.cause, err, sizeof err))
            return cli_error(c, "--as: %s", err);
        ask_all(&x, params);
        progress_pause(), print(&x), fflush(stdout);
        all = x.against || all == EXIT_FAIL ? EXIT_FAIL : x.wrong ? EXIT_PASS : all;
    }
    if (!meant)
        return cli_error(c, "%.200s offers nothing of that kind (row %.60s, out %.100s, type %.20s%s)", who->name,
            row, out ? out : "any", type ? type : "any", profile ? ", with the profile of --profile" : "");
    return all;
}

static int run(const struct cli *c)
{
    struct subject who;
    const char *row = cli_value(c, "row", NULL), *as = cli_value(c, "as", NULL);
    if (!row)
        return cli_error(c, "--row: of which row is the cause? `meridian list` names them");
    if (!row_named(row))
        return cli_error(c, "--row: no row '%.80s'; `meridian list` names them", row);
    if (!as)
        return cli_error(c, "--as: which cause? A failure prints it: 'edit=..', a mistake's name, a change");
    int rc = subject_asked(c, &who, "");
    if (rc)
        return rc;
    progress_of("confirm", "questions", 0);
    rc = confirm_kernels(c, &who, row, as);
    who.close(&who);
    return rc;
}
static const struct flag flags[] = {
    { "exec", "COMMAND", "a process that answers calls" },
    { "row", "ROW", "of this row's kernels" },
    { "out", "QUANTITY", "only those with these outputs" },
    { "type", "TYPE", "only this element type" },
    { "profile", "'WORDS'", "only the kernel that declares these words, where several have those outputs" },
    { "as", "CAUSE", "what a failure matches, without its row: 'edit=out:0:out:zero', a mistake's name" },
    { "second", "STEP", "the coarser step beside it" },
    { "under", "CONDITION", "where it acts: 'form=table', 'window!=0', or 'bias', an optional input" },
    { "in", "OUTPUTS", "the outputs that it is of, with commas between; default: all" },
    { "part", NULL, "it is of the wrong elements alone: the others are as declared" },
    { "params", "'NAME=value ...'", "asked under these alone; default: every preset" },
    { "seconds", "60", "limit of one call" },
    { 0 },
};
const struct verb verb_confirm = { "confirm", "SUBJECT",
    "whether a subject has that cause: fresh questions, answered as it says", NO_ROW, 0, 1, flags, run };

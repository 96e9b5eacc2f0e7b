/* `export`: questions as a folder of inputs with a pack.json that names the outputs to be written; `meridian judge
 * DIR` then judges them.  With --reference the outputs are written too: the real numbers, rounded once; with --by
 * those that a subject answers, under the arithmetic that it declares, so that what runs on one machine is judged on
 * another. */
#include <stdlib.h>
#include <sys/stat.h>
#include "base/progress.h"
#include "compare/compare.h"
#include "base/leftover.h"
#include "core/cli.h"
#include "core/files.h"
#include "pack/open.h"
#include "pack/pack_write.h"
#include "subject/contain.h"
#include "trial/trial.h"
#include "trial/valid.h"

static bool takes_reals(const struct row *r, const char *outs)
{
    char name[32];
    struct sign s;
    bool any = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(outs, " "), outs);
    const struct quantity *q = row_quantity(r, name);
    for (int k = (sign_read(&s, q ? q->sign : "->"), 0); k < s.n_in; k++)
        any |= !s.in[k].integer;
    return any;
}

enum { CASES = 64 };
/* What is exported: which outputs, in which type and arithmetic, and who answers; by is NULL where nobody does. */
struct export_order {
    const struct cli *c;
    char outs[200];
    const char *profile;
    int type;
    long seed;
    struct subject *by;
    const struct mer_kernel *kernel;
};

/* The first kernel of the subject for the row, the type and the outputs, "" for any. */
static const struct mer_kernel *kernel_for(const struct subject *s, const struct export_order *o)
{
    for (const struct mer_kernel *k = s->kernel; k && k->row; k++)
        if (!strcmp(k->row, o->c->row->name) && !strcmp(k->type, type_name[o->type]) &&
            (!*o->outs || !strcmp(k->out, o->outs)))
            return k;
    return NULL;
}

/* Opens who answers, and takes outputs and arithmetic from its kernel where the command line has none.  0, or an exit
 * status. */
static int open_answerer(struct export_order *o, struct subject *s)
{
    const char *by = cli_value(o->c, "by", NULL);
    char err[900] = "";
    if (!by)
        return 0;
    if (cli_has(o->c, "reference"))
        return cli_error(o->c, "--by and --reference: the outputs are those of one");
    const int rc = subject_open_any(s, by, usual_limits.seconds, err, sizeof err);
    if (rc)
        return cli_error(o->c, "--by: %s", err), rc == -MER_CRASHED ? MER_CRASHED : EXIT_USAGE;
    o->by = s;
    if (s->next)
        return cli_error(o->c, "--by: a folder of arrays answers no new questions; a library or exec:COMMAND does");
    o->kernel = kernel_for(s, o);
    if (!o->kernel)
        return cli_error(o->c, "--by: %.80s offers no kernel of row %s%s%s, type %s", by, o->c->row->name,
            *o->outs ? " and output " : "", o->outs, type_name[o->type]);
    snprintf(o->outs, sizeof o->outs, "%s", o->kernel->out);
    o->profile = o->profile ? o->profile : o->kernel->profile;
    return 0;
}

/* Makes one case and fills its outputs where that is wanted.  0; -1 and err; MER_SKIP: the subject does not offer it,
 * or, with err, --sizes do not hold under the preset; MER_CRASHED and err. */
static int one_case(
    struct export_order *o, struct trial *t, const struct preset *p, const char *sizes, char *err, size_t n)
{
    struct arith a = { 0 };
    char why[700] = "";
    const struct row *r = o->c->row;
    progress_count(p->name);
    if (trial_make(t, &(struct trial_spec){ r->name, p->text, o->outs, o->type, sizes, (uint64_t)o->seed }, err, n) ||
        (o->profile && *o->profile && trial_profile(t, o->profile, &a, WIDEN, err, n) < 0))
        return -1;
    if (cli_has(o->c, "sizes") && !valid_sized_so(t, sizes, err, n))
        return MER_SKIP;
    if (cli_has(o->c, "reference"))
        reference_run(t, &(struct arith){ 0 });
    const int rc = o->by ? o->by->run(o->by, o->kernel, &t->call, why, sizeof why) : MER_OK;
    if (rc == MER_OK || rc == MER_SKIP)
        return rc;
    return snprintf(err, n, "--by: %s %s: %s", p->name, sizes, *why ? why : "it answered that it failed"), MER_CRASHED;
}

/* Makes the cases of all presets that are wanted.  Their number, with *declined that were not offered; or minus an exit
 * status. */
static int all_cases(struct export_order *o, struct trial *t, int *declined)
{
    const struct cli *c = o->c;
    static const char *const fill[] = { "", "probe" }; /* ways to fill: plain inputs, and designed ones (inputs.h) */
    const char *sizes = cli_value(c, "sizes", NULL), *only = cli_value(c, "preset", NULL);
    const struct preset given[2] = { { "given", c->params, "" }, { 0 } };
    const int ways = sizes || !takes_reals(c->row, o->outs) ? 1 : 2;
    char err[900] = "";
    int n = 0;
    for (const struct preset *p = *c->params ? given : c->row->presets; p && p->name; p++)
        for (int k = 0; k < ways && n < CASES && (!only || p == given || !strcmp(only, p->name)); k++) {
            const int rc = one_case(o, &t[n], p, sizes ? sizes : fill[k], err, sizeof err);
            snprintf(t[n].id, sizeof t[n].id, "%s-%d", c->row->name, n + 1);
            if (rc == MER_SKIP)
                ++*declined, trial_close(&t[n]), t[n] = (struct trial){ 0 };
            else if (rc) {
                trial_close(&t[n]), t[n] = (struct trial){ 0 };
                for (int j = 0; j < n; j++)
                    trial_close(&t[j]);
                return -(cli_error(c, "%s", err), rc < 0 ? EXIT_USAGE : rc);
            } else
                n++;
        }
    if (!n && !*declined)
        return -cli_error(c, "no preset '%.80s'; meridian show %s lists them", only, c->row->name);
    if (!n && *err)
        return -cli_error(c, "--sizes: %s", err);
    return n ? n : -cli_error(c, "--by: none of the %d cases is offered", *declined);
}

static int export_to(struct export_order *o, const char *dir)
{
    static struct trial t[CASES];
    char err[900], left[100] = "";
    int declined = 0;
    const bool outputs = o->by || cli_has(o->c, "reference");
    progress_of("export", "cases", 0);
    const int n = all_cases(o, t, &declined);
    int rc = n < 0 ? -n : 0;
    if (!rc && folder_make(dir, err, sizeof err))
        rc = cli_error(o->c, "%s", err);
    if (!rc)
        leftover_add(dir); /* it was not there; pack_write settles it */
    if (!rc && pack_write(dir, t, n, o->by ? o->by->name : o->c->row->name, outputs))
        rc = cli_error(o->c, "cannot write all of %.200s", dir);
    if (declined)
        snprintf(left, sizeof left, " (%d more %s)", declined,
            cli_has(o->c, "sizes") ? "are not offered, or set these sizes themselves" : "are not offered");
    if (!rc)
        printf("%s: %d cases%s; %s: meridian judge %s\n", dir, n, left,
            o->by       ? "with their answers" :
                outputs ? "replace the outputs, then" :
                          "write the outputs that pack.json names, then",
            dir);
    for (int k = 0; k < n; k++)
        trial_close(&t[k]);
    return rc;
}

static int run(const struct cli *c)
{
    const char *dir = cli_value(c, "out", NULL);
    struct export_order o = { .c = c, .profile = cli_value(c, "profile", NULL) };
    struct subject who = { 0 };
    struct stat st;
    struct sign s;
    if (!dir)
        return cli_error(c, "--out DIR: the folder to make");
    if (!lstat(dir, &st))
        return cli_error(c, "%.200s is there already; nothing is overwritten", dir);
    o.type = type_named(cli_value(c, "type", "f32"));
    if (o.type < 0 || o.type > MER_BF16)
        return cli_error(c, "--type: found '%.80s'; allowed: f64 f32 f16 bf16", cli_value(c, "type", ""));
    if (!cli_long(c, "seed", 1, 0, 1L << 62, &o.seed))
        return EXIT_USAGE;
    snprintf(o.outs, sizeof o.outs, "%s", c->words > 1 ? c->word[1] : "");
    int rc = open_answerer(&o, &who);
    sign_read(&s, c->row->q[0].sign);
    if (!*o.outs)
        snprintf(o.outs, sizeof o.outs, "%s", s.out.name);
    rc = rc ? rc : export_to(&o, dir);
    if (o.by)
        o.by->close(o.by);
    return rc;
}
static const struct flag flags[] = {
    { "out", "DIR", "the folder to make" },
    { "preset", "NAME", "only this preset (default: all)" },
    { "type", "TYPE", "of the real arrays" },
    { "sizes", "TEXT", "\"n=10 m=7 probe\"; default: plain inputs, then probes" },
    { "seed", "1", "of the inputs" },
    { "profile", "TEXT", "the arithmetic that will be declared" },
    { "reference", NULL, "write the outputs too, rounded once" },
    { "by", "SUBJECT", "write the outputs too, as this answers: own:SLOT, plug-in or \"exec:COMMAND\"" },
    { 0 },
};
const struct verb verb_export = { "export", "ROW [QUANTITY]", "questions as a folder of arrays, for meridian judge DIR",
    ROW_QUANTITY, 1, 2, flags, run };

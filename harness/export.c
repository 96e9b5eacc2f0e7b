/* `export`: questions as a folder of inputs with a pack.json that names the outputs to be written; `meridian judge
 * DIR` then judges them.  With --reference the outputs are written too: the real numbers, rounded once. */
#include <stdlib.h>
#include <sys/stat.h>
#include "compare/compare.h"
#include "core/cli.h"
#include "core/files.h"
#include "pack/pack.h"
#include "trial/trial.h"

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

static int run(const struct cli *c)
{
    const char *dir = cli_value(c, "out", NULL), *outs = c->words > 1 ? c->word[1] : NULL,
               *only = cli_value(c, "preset", NULL), *profile = cli_value(c, "profile", NULL);
    const struct preset given = { "given", c->params, "" }, *p = *c->params ? &given : c->row->presets;
    static struct trial t[64];
    char err[900], all[200] = "";
    struct stat st;
    const char *sizes = cli_value(c, "sizes", NULL);
    static const char *const fill[] = { "", "probe" }; /* ways to fill: plain inputs, and designed ones (inputs.h) */
    long seed;
    int n = 0, rc = 0, type = type_named(cli_value(c, "type", "f32"));
    struct sign s;
    sign_read(&s, c->row->q[0].sign);
    snprintf(all, sizeof all, "%s", outs ? outs : s.out.name);
    if (!dir)
        return cli_error(c, "--out DIR: the folder to make");
    if (!lstat(dir, &st))
        return cli_error(c, "%.200s is there already; nothing is overwritten", dir);
    if (type < 0 || type > MER_BF16)
        return cli_error(c, "--type: found '%.80s'; allowed: f64 f32 f16 bf16", cli_value(c, "type", ""));
    if (!cli_long(c, "seed", 1, 0, 1L << 62, &seed))
        return EXIT_USAGE;
    for (int k = 0; p && p->name && n < 64 && !rc; p = k ? p : p == &given ? NULL : p + 1) {
        struct arith a = { 0 };
        const bool skip = only && p != &given && strcmp(only, p->name);
        const char *how = sizes ? sizes : fill[k];
        /* alternates, so that every preset is asked with each way to fill */
        k = skip || sizes || !takes_reals(c->row, all) ? 0 : 1 - k;
        if (skip)
            continue;
        struct trial *one = &t[n++];
        if (trial_make(one, &(struct trial_spec){ c->row->name, p->text, all, type, how, (uint64_t)seed }, err,
            sizeof err) || (profile && trial_profile(one, profile, &a, WIDEN, err, sizeof err) < 0))
            rc = cli_error(c, "%s", err);
        snprintf(one->id, sizeof one->id, "%s-%d", c->row->name, n);
        if (!rc && cli_has(c, "reference"))
            reference_run(one, &(struct arith){ 0 });
    }
    if (!rc && !n)
        rc = cli_error(c, "no preset '%.80s'; meridian show %s lists them", only, c->row->name);
    if (!rc && folder_make(dir, err, sizeof err))
        rc = cli_error(c, "%s", err);
    if (!rc && pack_write(dir, t, n, c->row->name, cli_has(c, "reference")))
        rc = cli_error(c, "cannot write all of %.200s", dir);
    if (!rc)
        printf("%s: %d cases; %s, then: meridian judge %s\n", dir, n,
            cli_has(c, "reference") ? "replace the outputs" : "write the outputs that pack.json names", dir);
    for (int k = 0; k < n; k++)
        trial_close(&t[k]);
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
    { 0 },
};
const struct verb verb_export = { "export", "ROW [QUANTITY]", "questions as a folder of arrays, for meridian judge DIR",
    ROW_QUANTITY, 1, 2, flags, run };

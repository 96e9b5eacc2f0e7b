/* Checks a subject's kernels, or the cases of a pack, against what the command line asks; see asked.h. */
#include "judge/asked.h"
#include <stdio.h>
#include "core/kept.h"
#include "pack/pack.h"
#include "row/every.h"
#include "trial/valid.h"

/* A profile with its short forms written out (row/every.h).  One that is too long for that is returned as it is, and is
 * refused later. */
static const char *written_out(const char *profile)
{
    char words[PROFILE_MOST + 2];
    return profile && !every_plain(profile, words, sizeof words) ? kept(words) : profile;
}

struct asked asked_of(const struct cli *c, const struct declaration *d)
{
    return (struct asked){ cli_value(c, "row", NULL), cli_value(c, "params", NULL), cli_value(c, "preset", NULL),
        cli_value(c, "out", NULL), cli_value(c, "type", NULL), cli_value(c, "sizes", NULL),
        written_out(cli_value(c, "profile", NULL)), cli_value(c, "contract", NULL), cli_value(c, "case", NULL), d };
}

bool asks(const struct asked *a, const struct mer_kernel *k)
{
    return (!a->row || !strcmp(a->row, k->row)) && (!a->out || !strcmp(a->out, k->out)) &&
        (!a->type || !strcmp(a->type, k->type));
}

const struct preset *asked_presets(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given)
{
    given[0] = (struct preset){ "given", a->params, "" }, given[1] = (struct preset){ 0 };
    return a->params ? given : claim && claim->convention ? claim->convention : r->presets;
}

bool asked_case(const struct asked *a, const char *id)
{
    const size_t same = strcspn(id, "/");
    return !a->only || !strcmp(a->only, id) || (strlen(a->only) == same && !strncmp(a->only, id, same));
}

/* Whether --profile is valid for row r; false: one line in err.  *contracts counts the rows that have --contract; where
 * no row before had it, err keeps the reason. */
static bool row_can(const struct asked *a, const struct row *r, const char *outs, int *contracts, char *err, size_t n)
{
    char why[600];
    if (a->profile && valid_profile(r, outs, a->profile, why, sizeof why))
        return snprintf(err, n, "--profile, of row %s: %.500s", r->name, why), false;
    if (a->contract && valid_contract(r, a->contract, why, sizeof why))
        ++*contracts;
    else if (a->contract && !*err) /* used only if no row turns out to have it */
        snprintf(err, n, "--contract: %.500s", why);
    return true;
}

static bool pack_possible(const struct asked *a, const struct subject *who, char *err, size_t n)
{
    int contracts = 0, cases = 0;
    const struct row *r;
    const char *id;
    if (!a->only && !a->profile && !a->contract)
        return true;
    for (long k = 0; pack_case(who, k, &id, &r); k++) {
        const size_t len = strlen(id);
        /* or --case names one question, "a/q0", of this case, "a" */
        const bool meant = asked_case(a, id) || (!strncmp(a->only, id, len) && a->only[len] == '/');
        cases += meant;
        if (meant && r && !row_can(a, r, NULL, &contracts, err, n))
            return false;
    }
    if (a->only && !cases)
        return snprintf(err, n, "--case: %.200s has no case '%.100s'", who->name, a->only), false;
    if (a->contract && !contracts && !*err)
        snprintf(err, n, "--contract: no case of %.200s is of a row that is known here", who->name);
    return !a->contract || contracts;
}

/* Whether one of the presets p can be asked of kernel k with the sizes that are given.  false: where err is empty it
 * gets the first reason. */
static bool kernel_can(const struct asked *a, const struct mer_kernel *k, const struct preset *p, char *err, size_t n)
{
    const struct row *r = row_named(k->row);
    for (; p && p->name; p++) {
        struct trial t = { 0 };
        char why[600] = "";
        const bool can = !trial_sizes(r, a->sizes, why, sizeof why) &&
            !trial_make(&t, &(struct trial_spec){ k->row, p->text, a->out ? a->out : k->out, type_named(k->type),
            a->sizes, 1 }, why, sizeof why);
        if (t.row)
            trial_close(&t);
        if (can)
            return true;
        if (!*err)
            snprintf(err, n, "%s", why);
    }
    return false;
}

static bool kernels_possible(const struct asked *a, const struct subject *who, char *err, size_t n)
{
    struct preset given[2];
    bool any = false, offered = false, named = !a->preset;
    int contracts = 0;
    char why[600] = "";
    for (const struct mer_kernel *k = who->kernel; k->row; k++) {
        const struct row *r = asks(a, k) ? row_named(k->row) : NULL;
        const struct declared *claim = declared_of(a->declared, k->row, k->out, k->type);
        offered |= asks(a, k);
        if (r && !row_can(a, r, a->out ? a->out : k->out, &contracts, err, n))
            return false;
        if (r && asked_words(a, k) != k->profile && asked_idle(a, who, k, err, n))
            return false;
        for (const struct preset *p = r ? asked_presets(a, r, claim, given) : NULL; p && p->name && !named; p++)
            named = a->params || !strcmp(p->name, a->preset);
        any |= r && (a->params || a->sizes) && !any &&
            kernel_can(a, k, asked_presets(a, r, claim, given), why, sizeof why);
    }
    if (!offered)
        return snprintf(err, n, "%s offers nothing of that kind (row %s, out %s, type %s)", who->name,
                   a->row ? a->row : "any", a->out ? a->out : "any", a->type ? a->type : "any"),
               false;
    if (!named)
        return snprintf(err, n, "%s: no preset '%.80s'; `meridian show ROW` names them", a->row ? a->row : who->name,
                   a->preset),
               false;
    if (a->contract && !contracts && !*err)
        snprintf(err, n, "--contract: %.200s offers no row that is known here", who->name);
    if (a->contract && !contracts)
        return false;
    if (!any && *why)
        return snprintf(err, n, "%s", why), false;
    return true;
}

bool asked_possible(const struct asked *a, const struct subject *who, char *err, size_t n)
{
    *err = 0;
    return who->next ? pack_possible(a, who, err, n) : kernels_possible(a, who, err, n);
}

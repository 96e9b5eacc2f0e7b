/* Checks a subject's kernels, or the cases of a pack, against what the command line asks, and finds the words of a
 * profile that do nothing in it; see asked.h. */
#include "judge/asked.h"
#include <stdio.h>
#include <string.h>
#include "core/kept.h"
#include "pack/pack.h"
#include "row/every.h"
#include "base/words.h"
#include "trial/profile.h"
#include "trial/valid.h"

const char *asked_words(const struct asked *a, const struct mer_kernel *k)
{
    const struct declared *claim = declared_of(a->declared, k->row, k->out, k->type);
    return a->profile ? a->profile : claim && *claim->profile ? claim->profile : k->profile;
}

bool asked_own_words(const struct mer_kernel *k, const char *words)
{
    const char *s = words + strspn(words, " "), *own = k->profile ? k->profile + strspn(k->profile, " ") : "";
    while (*s && *own && strcspn(s, " ") == strcspn(own, " ") && !strncmp(s, own, strcspn(s, " ")))
        s = word_next(s), own = word_next(own);
    return !*s && !*own;
}

/* Adds to t what the outputs of kernel k do with the words where one parameter has another value than its default, each
 * word of a choice or a small number: presets need not show all that a row can be asked. */
static void add_values(const struct mer_kernel *k, const struct row *r, const char *words, struct trace *t)
{
    char text[200], why[400];
    for (const struct param *p = row_params(r); p->name && profile_idle(t, r, words, why, sizeof why); p++)
        for (const char *v = p->choices ? p->choices : "0 1 2 3 1/2"; *v; v = word_next(v)) {
            const struct preset one[2] = { { "value", text, "" }, { 0 } };
            snprintf(text, sizeof text, "%s=%.*s", p->name, (int)strcspn(v, " "), v);
            profile_trace(t, r, one, k->out, NULL, words, why, sizeof why);
        }
}

/* Adds to t what kernel k does with the words: its own words are tried with every preset, quantity and parameter of the
 * row, others with what is asked here alone.  0; -1 and one line: the words are invalid, or nothing could be asked. */
static int add_words(
    const struct asked *a, const struct mer_kernel *k, const char *words, struct trace *t, char *err, size_t n)
{
    struct preset given[2];
    char idle[400];
    const struct row *r = row_named(k->row);
    const struct declared *claim = declared_of(a->declared, k->row, k->out, k->type);
    const bool own = asked_own_words(k, words);
    const struct preset *presets = own ? r->presets :
        words == a->profile            ? asked_one(a, r, claim, given) :
                                         asked_presets(a, r, claim, given);
    if (valid_profile(r, k->out, words, err, n))
        return -1;
    int rc = profile_trace(t, r, presets, a->out && !own && words == a->profile ? a->out : k->out, NULL, words, err, n);
    for (const struct quantity *q = r->q;
         q->sign && own && profile_idle(t, r, words, idle, sizeof idle); q++) {
        struct sign s;
        sign_read(&s, q->sign);
        rc = profile_trace(t, r, presets, s.out.name, NULL, words, err, n) && rc;
    }
    if (!rc && own && profile_idle(t, r, words, idle, sizeof idle))
        add_values(k, r, words, t);
    return rc;
}

/* Whether one statement is about both kernels: the same words of the command line or of a claim, or the same words of
 * two kernels of one row. */
static bool together(const struct asked *a, const struct mer_kernel *k, const struct mer_kernel *l)
{
    const char *of_k = asked_words(a, k), *of_l = asked_words(a, l);
    return of_k == k->profile && of_l == l->profile ? !strcmp(k->row, l->row) && !strcmp(of_k, of_l) : of_k == of_l;
}

bool asked_idle(const struct asked *a, const struct subject *who, const struct mer_kernel *k, char *err, size_t n)
{
    const char *words = asked_words(a, k), *of = NULL;
    struct trace t = { 0 };
    char why[600] = "", idle[400];
    for (const struct mer_kernel *l = who->kernel; l < k; l++)
        if (asks(a, l) && row_named(l->row) && together(a, k, l))
            return false; /* answered at that kernel */
    if (!words[strspn(words, " ")] || !row_named(k->row))
        return false;
    for (const struct mer_kernel *l = who->kernel; l->row; l++)
        if ((asks(a, l) || words == k->profile) && row_named(l->row) && together(a, k, l) &&
            (!of || profile_idle(&t, row_named(of), words, idle, sizeof idle)) &&
            !add_words(a, l, words, &t, why, sizeof why))
            of = l->row;
    if (of && !profile_idle(&t, row_named(of), words, idle, sizeof idle))
        return false;
    snprintf(err, n, "%.40s %.100s: the profile \"%.200s\": %.400s", k->row, k->out, words, of ? idle : why);
    return true;
}

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
        written_out(cli_value(c, "profile", NULL)), cli_value(c, "contract", NULL), cli_value(c, "case", NULL), d,
        NULL };
}

bool asks(const struct asked *a, const struct mer_kernel *k)
{
    return (!a->row || !strcmp(a->row, k->row)) && (!a->out || !strcmp(a->out, k->out)) &&
        (!a->type || !strcmp(a->type, k->type));
}

bool asks_recorded(const struct asked *a, const struct trial *t)
{
    char outs[200] = "";
    for (int k = 0; k < t->call.n_out; k++)
        snprintf(outs + strlen(outs), sizeof outs - strlen(outs), "%s%s", k ? " " : "", t->out[k].name);
    return (!a->row || (t->row && !strcmp(a->row, t->row->name))) && (!a->out || !strcmp(a->out, outs)) &&
        (!a->type || (t->call.n_out && !strcmp(a->type, type_name[t->out[0].type])));
}

const char *asked_unread(const struct cli *c, const struct subject *who)
{
    static const char *const of_kernels[] = { "ask", "params", "preset", "sizes", "seed", "checks", "few", NULL },
                      *const of_cases[] = { "case", NULL },
                      *const of_runs[] = { "case", "params", "preset", "sizes", "seed", "checks", "few", "contract",
                          "power", NULL };
    for (const char *const *flag = who->next ? of_kernels : cli_has(c, "ask") ? of_runs : of_cases; *flag; flag++)
        if (cli_has(c, *flag))
            return *flag;
    return NULL;
}

const struct preset *asked_presets(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given)
{
    given[0] = (struct preset){ "given", a->params, "" }, given[1] = (struct preset){ 0 };
    return a->params ? given : claim && claim->convention ? claim->convention : r->presets;
}

const struct preset *asked_one(
    const struct asked *a, const struct row *r, const struct declared *claim, struct preset *given)
{
    const struct preset *presets = asked_presets(a, r, claim, given);
    for (const struct preset *p = presets; a->preset && !a->params && p->name; p++)
        if (!strcmp(p->name, a->preset))
            return given[0] = *p, given;
    return presets;
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
    if (!a->only && !a->profile && !a->contract && !a->row)
        return true;
    for (long k = 0; pack_case(who, k, &id, &r); k++) {
        const size_t len = strlen(id);
        /* or --case names one question, "a/q0", of this case, "a" */
        const bool meant = (asked_case(a, id) || (!strncmp(a->only, id, len) && a->only[len] == '/')) &&
            (!a->row || (r && !strcmp(r->name, a->row)));
        cases += meant;
        if (meant && r && !row_can(a, r, NULL, &contracts, err, n))
            return false;
    }
    if (a->only && !cases)
        return snprintf(err, n, "--case: %.200s has no case '%.100s'%s%.60s", who->name, a->only,
                   a->row ? " of row " : "", a->row ? a->row : ""),
               false;
    if (a->row && !cases)
        return snprintf(err, n, "--row: %.200s has no case of row %.60s", who->name, a->row), false;
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
        const bool can = !valid_sizes(r, a->sizes, why, sizeof why) &&
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

/* The outputs of a kernel that gives all of these, and others beside them, in one call; NULL: there is none. */
static const char *given_with(const struct asked *a, const struct subject *who)
{
    for (const struct mer_kernel *k = who->kernel; a->out && k->row; k++) {
        bool all = (!a->row || !strcmp(a->row, k->row)) && (!a->type || !strcmp(a->type, k->type));
        for (const char *s = a->out; *s && all; s = word_next(s))
            all = words_find(k->out, s, strcspn(s, " ")) != NULL;
        if (all)
            return k->out;
    }
    return NULL;
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
    const char *group = offered ? NULL : given_with(a, who);
    if (group)
        return snprintf(err, n, "--out: %.200s gives %.100s in one call with others: --out '%.200s'", who->name,
                   a->out, group),
               false;
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

/* Counts the failures of a run by their causes, and says each in one line; see causes.h. */
#include "diagnose/causes.h"
#include "base/names.h"
#include <stdlib.h>
#include <string.h>
#include "diagnose/diagnose.h"

/* Keeps of the common facts of a cause those that other failures of it share as well; of the first ones all. */
static void keep_common(struct cause *c, const struct cause *more)
{
    struct anatomy left = { 0 };
    for (int k = 0; c->taken && k < c->common.n; k++)
        for (int j = 0; more->taken && j < more->common.n; j++)
            if (!strcmp(c->common.fact[k], more->common.fact[j]))
                anatomy_add(&left, "%s", more->common.fact[j]);
    if (more->taken)
        c->common = c->taken ? left : more->common, c->taken += more->taken;
}

/* Could the failures of c have that name, "rope.halved", as well? */
static bool lists(const struct cause *c, const char *name)
{
    const char *id = strchr(name, '.');
    const size_t n = id ? strlen(++id) : 0;
    return n && !strncmp(c->name, name, (size_t)(id - name)) && names_hold(c->same, id, n);
}
/* Does the name of x, which explains a later failure of the kernel, hold for those of c, too? */
static bool comes_to(const struct cause *c, const struct cause *x)
{
    return !x->alone && !strcmp(c->kernel, x->kernel) && (x->of_all || (c->late == x->late && lists(c, x->name)));
}

static bool is_like(const struct cause *c, const struct cause *x)
{
    return !strcmp(c->name, x->name) && !strcmp(c->kernel, x->kernel) && c->late == x->late;
}
/* Gives c the name of x, as it is shown: by the one word of all its failures, or by what says them all. */
static void take_name(struct cause *c, const struct cause *x)
{
    const bool one = !strcmp(c->shown, x->shown) || !strcmp(x->name, x->shown);
    memcpy(c->name, x->name, sizeof c->name), memcpy(c->same, x->same, sizeof c->same);
    memcpy(c->shown, one ? x->shown : x->name, sizeof c->shown);
    memcpy(c->repair, one ? x->repair : x->effect, sizeof c->repair);
    c->rivalled = x->rivalled;
}
/* Gives the causes that come to x its name, all as one: their failures and what these have in common. */
static void rename_all(struct causes *s, const struct cause *x)
{
    struct cause *to = NULL;
    int left = 0;
    for (int k = 0; k < s->n; k++) {
        struct cause c = s->at[k];
        if (comes_to(&c, x) || is_like(&c, x)) {
            take_name(&c, x), c.late = x->late, c.alone &= !x->of_all;
            if (to) {
                to->n += c.n, to->silent += c.silent, keep_common(to, &c);
                continue;
            }
            to = &s->at[left];
        }
        s->at[left++] = c;
    }
    s->n = left;
}

/* The cause of s with the kernel and the name of x, which is made where there is none. */
static struct cause *like(struct causes *s, const struct cause *x)
{
    if (*x->name)
        rename_all(s, x);
    for (struct cause *c = s->at; c && c < s->at + s->n; c++)
        if (is_like(c, x))
            return c;
    s->at = need_more(s->at, (size_t)s->n + 1, sizeof *s->at);
    struct cause *c = &s->at[s->n++];
    *c = *x, c->n = c->silent = 0, c->taken = 0, c->common = (struct anatomy){ 0 };
    return c;
}

void causes_add(struct causes *s, const struct cause *x)
{
    struct cause *c = like(s, x);
    c->n += x->n, c->silent += x->silent, c->alone |= x->alone;
    keep_common(c, x);
}

void causes_count(struct causes *s, const char *kernel, const char *row, const struct mistake *match,
    const struct diagnosis *d)
{
    struct cause one = { .n = 1, .late = d->spent, .alone = d->alone || d->single, .of_all = d->of_all,
        .silent = d->silent, .rivalled = *d->rival };
    const bool moved = match && *d->cause.id;
    const struct mistake *m = moved ? &d->cause : match;
    snprintf(one.kernel, sizeof one.kernel, "%s", kernel);
    if (m) {
        char under[UNDER + 20];
        under_says(d->answer[0].under, under, sizeof under);
        snprintf(one.name, sizeof one.name, "%.40s.%.96s%s", row, m->id, under);
        snprintf(one.shown, sizeof one.shown, "%.40s.%.96s%s", row, match->id, under);
        snprintf(one.effect, sizeof one.effect, "%s", m->effect);
        /* Of an operation done differently, what is different says more than where to look. */
        snprintf(one.repair, sizeof one.repair, "%s",
            strncmp(m->change, "edit=", 5) ? d->answer[0].repair : m->effect);
        snprintf(one.same, sizeof one.same, "%s", d->same);
        if (one.rivalled)
            snprintf(one.repair, sizeof one.repair, "%s", d->rival);
    }
    if (m && d->apart) {
        snprintf(one.name, sizeof one.name, "%.40s (%s)", row, d->each), memcpy(one.shown, one.name, sizeof one.shown);
        snprintf(one.repair, sizeof one.repair, "each output has a cause of its own");
    }
    if (d->anatomy.n)
        one.taken = 1, one.common = d->anatomy;
    causes_add(s, &one);
}

/* Whether all failures of a kernel have this one cause: only then do they "match" it. */
static bool whole_story(const struct causes *s, const struct cause *c)
{
    for (int k = 0; k < s->n; k++)
        if (&s->at[k] != c && !strcmp(s->at[k].kernel, c->kernel))
            return false;
    return true;
}

/* Where the failures of two kernels of a row could have one name, that is the name of both: of `x - max` made a sum
 * or left out, only the log-sum-exp tells which. */
static void share_names(struct causes *s)
{
    for (struct cause *c = s->at; c < s->at + s->n; c++)
        for (struct cause *x = s->at; whole_story(s, c) && x < s->at + s->n; x++)
            if (x != c && *x->name && strcmp(c->name, x->name) && !x->alone && whole_story(s, x) && lists(c, x->name) &&
                !lists(x, c->name))
                memcpy(c->name, x->name, sizeof c->name), memcpy(c->shown, x->shown, sizeof c->shown),
                    memcpy(c->repair, x->repair, sizeof c->repair);
}

/* Whether it is the name of all that is known to be wrong with its kernel. */
static bool matches(const struct causes *s, const struct cause *c)
{
    return *c->name && !c->late && !c->alone && !c->rivalled && whole_story(s, c);
}

static void say(const struct causes *s, const struct cause *c, long failures, FILE *to)
{
    fprintf(to, "%ld of %ld failures %s%s%s%s", c->n, failures,
        c->late       ? "were not looked into, as the work for causes was done" :
        !*c->name     ? "resemble no known mistake" :
        matches(s, c) ? "match " :
                        "are consistent with ",
        c->shown, *c->repair ? ": " : "", c->repair);
    if (c->silent)
        fprintf(to, "; of %ld of them it says nothing", c->silent);
    for (int j = 0; j < c->common.n; j++)
        fprintf(to, "%s%s", j || *c->repair ? "; " : ": ", c->common.fact[j]);
}

/* The same as an object on a line of its own. */
static void say_json(const struct causes *s, const struct cause *c, long failures, FILE *to)
{
    char *text = NULL;
    size_t len;
    FILE *f = need_stream(&text, &len);
    say(s, c, failures, f), fclose(f);
    json_t *facts = json_array(), *o = json_pack("{s:s,s:s,s:I,s:I,s:b,s:I,s:s,s:o}", "cause", c->name, "kernel",
        c->kernel, "failures", (json_int_t)c->n, "of", (json_int_t)failures, "matches", matches(s, c),
        "says_nothing_of", (json_int_t)c->silent, "text", text, "facts", facts);
    for (int j = 0; j < c->common.n; j++)
        json_array_append_new(facts, json_string(c->common.fact[j]));
    json_dumpf(o, to, JSON_COMPACT), fputc('\n', to);
    json_decref(o), free(text);
}

void causes_say(struct causes *s, long failures, bool json, FILE *to)
{
    share_names(s);
    for (int k = 0; k < s->n; k++)
        if (json)
            say_json(s, &s->at[k], failures, to);
        else
            fprintf(to, "why: "), say(s, &s->at[k], failures, to), fputc('\n', to);
}

void causes_free(struct causes *s) { free(s->at), *s = (struct causes){ 0 }; }

/* Enumerates edits of inputs, parameters, steps and operations; see edits.h. */
#include "diagnose/hypotheses/edits.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ball/ball.h"
#include "diagnose/hypotheses/hypothesis.h"
#include "edit/maps.h"
#include "edit/shift.h"
#include "edit/site_parts.h"
#include "trial/rearrange.h"
#include "words/each.h"
#include "words/read.h"

typedef site_word each;
struct edits { const struct trial *t; each *f; void *with; };

static void report(const struct edits *e, const char *change, const char *effect)
{
    e->f(change, effect, NULL, e->with);
}

static void of_values(const struct edits *e, const struct mer_array *a, const struct axes *x)
{
    char change[96], effect[160];
    for (const struct rearrangement *r = value_edits; r->name; r++) {
        const bool absent = !strcmp(r->name, "absent");
        if (absent && !x->optional)
            continue;
        snprintf(change, sizeof change, "%s@=%s", a->name, r->name);
        snprintf(effect, sizeof effect, "the input %s is read %s", a->name, r->says);
        report(e, change, effect);
    }
}

/* The neighbouring axes p and q of an input. */
static void of_two_axes(const struct edits *e, const struct mer_array *a, char p, char q)
{
    char change[96], effect[160];
    for (const struct rearrangement *r = axes_edits; r->name; r++) {
        snprintf(change, sizeof change, "%s@%c%c=%s", a->name, p, q, r->name);
        snprintf(effect, sizeof effect, "the input %s is read along %c and %c %s", a->name, p, q, r->says);
        report(e, change, effect);
    }
}
static void of_axes(const struct edits *e, const struct mer_array *a, const struct axes *x)
{
    char change[96], effect[160];
    for (int k = 0; k < x->rank; k++) {
        for (const struct index_map *r = index_maps; r->name; r++) {
            if (!index_tells((int)(r - index_maps), a->dim[k]))
                continue;
            snprintf(change, sizeof change, "%s@%c=%s", a->name, x->axis[k], r->name);
            snprintf(effect, sizeof effect, "the input %s is read along %c %s", a->name, x->axis[k], r->says);
            report(e, change, effect);
        }
        if (k + 1 < x->rank && a->dim[k] > 1 && a->dim[k + 1] > 1)
            of_two_axes(e, a, x->axis[k], x->axis[k + 1]);
    }
}

/* The inputs that have a letter, a bit each. */
static unsigned long having(const struct edits *e, char letter)
{
    unsigned long set = 0;
    for (int k = 0; k < e->t->call.n_in; k++) {
        struct axes x;
        if (input_axes(e->t, e->t->in[k].name, &x) && memchr(x.axis, letter, (size_t)x.rank))
            set |= 1UL << k;
    }
    return set;
}
/* Does an earlier letter stand for the same inputs? */
static bool had_before(const struct edits *e, char letter)
{
    char c = 'a';
    while (c < letter && having(e, c) != having(e, letter))
        c++;
    return c < letter;
}
/* All inputs that share a letter, at once: keys and values that one function reads. */
static void of_letters(const struct edits *e)
{
    char change[96], effect[160];
    for (char c = 'a'; c <= 'z'; c++) {
        const unsigned long set = having(e, c);
        const bool several = set & (set - 1);
        for (const struct index_map *r = index_maps; r->name && several; r++) {
            if (!index_tells((int)(r - index_maps), e->t->size[(int)c]))
                continue;
            snprintf(change, sizeof change, "@%c=%s", c, r->name);
            snprintf(effect, sizeof effect, "all inputs that have the axis %c are read along it %s", c, r->says);
            report(e, change, effect);
        }
        for (const struct rearrangement *r = value_edits; r->name && several && !had_before(e, c); r++) {
            if (!strcmp(r->name, "absent"))
                continue;
            snprintf(change, sizeof change, "@%c=%s", c, r->name);
            snprintf(effect, sizeof effect, "all inputs that have the axis %c are read %s", c, r->says);
            report(e, change, effect);
        }
    }
}

static void of_pairs(const struct edits *e)
{
    char change[96], effect[160];
    const struct mer_call *c = &e->t->call;
    for (int j = 0; j < c->n_in; j++)
        for (int k = j + 1; k < c->n_in; k++)
            if (c->in[j].rank == c->in[k].rank && !memcmp(c->in[j].dim, c->in[k].dim, sizeof c->in[j].dim)) {
                snprintf(change, sizeof change, "%s<>%s", c->in[j].name, c->in[k].name);
                snprintf(effect, sizeof effect, "the inputs %s and %s are exchanged", c->in[j].name, c->in[k].name);
                report(e, change, effect);
            }
}

static void of_number(const struct edits *e, const struct param *p, double x)
{
    char change[96], effect[160];
    const struct { double to; const char *says; } ways[] = {
        { x + 1, "one more" },
        { x - 1, "one less" },
        { x + 2, "two more" }, /* as a 1 with the wrong sign makes it */
        { x - 2, "two less" },
        { 2 * x, "twice as large" },
        { x / 2, "half as large" },
        { -x, "negated" },
        { 0, "0" },
        { 1, "1" },
        { x != 0 ? 1 / x : x, "inverted" },
        { x * x, "squared" },
        { x > 0 ? sqrt(x) : x, "its root" },
    };
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (ways[k].to == x || !isfinite(ways[k].to) || (p->kind != RATIONAL && ways[k].to != floor(ways[k].to)))
            continue;
        snprintf(change, sizeof change, "%s=%.17g", p->name, ways[k].to);
        snprintf(effect, sizeof effect, "the parameter %s is %.17g: %s", p->name, ways[k].to, ways[k].says);
        report(e, change, effect);
    }
}

/* The parameter that stands for p where p is 0: dim, where its help has "0 = dim".  NULL: none does. */
static const struct param *stands_for(const struct row *r, const struct param *p)
{
    const char *zero = p->help ? strstr(p->help, "0 = ") : NULL, *means = zero ? zero + 4 : "";
    const struct param *q = row_params(r);
    while (q->name && (strlen(q->name) != strcspn(means, ";") || strncmp(means, q->name, strlen(q->name))))
        q++;
    return q->name ? q : NULL;
}

static void of_params(const struct edits *e)
{
    char change[96], effect[160];
    for (const struct param *p = row_params(e->t->row); p->name; p++) {
        if ((p->kind != INT && p->kind != RATIONAL) || p->route)
            continue;
        snprintf(change, sizeof change, "%s=%s", p->name, p->value);
        snprintf(effect, sizeof effect, "the parameter %s has its default", p->name);
        if (strlen(p->value) < 40)
            report(e, change, effect);
        const double is = mer_real(&e->t->call, p->name);
        const struct param *q = is == 0 ? stands_for(e->t->row, p) : NULL;
        of_number(e, p, q ? mer_real(&e->t->call, q->name) : is);
    }
}

static void of_steps(const struct edits *e)
{
    char change[96], effect[160];
    size_t len;
    const char *s;
    for (int k = 0; (s = row_step(e->t->row, k, &len)); k++)
        for (const struct edit_op *op = edit_ops; op->name; op++) {
            snprintf(change, sizeof change, "edit=%.*s:%s", (int)len, s, op->name);
            snprintf(effect, sizeof effect, op->sums ? "the sum of step %.*s %s" : "what the step %.*s gives %s",
                (int)len, s, op->says);
            report(e, change, effect);
        }
}

void edits_each(const struct trial *t, each *f, void *with)
{
    const struct edits e = { t, f, with };
    for (int k = 0; k < t->call.n_in; k++) {
        struct axes x;
        if (input_axes(t, t->in[k].name, &x))
            of_values(&e, &t->in[k], &x), of_axes(&e, &t->in[k], &x);
    }
    of_letters(&e), of_pairs(&e), of_params(&e), of_steps(&e);
}

/* The answer is an input that nobody changed: a kernel has copied it, and done no more, or nothing at all in place. */
static void answers_given(const struct trial *t, each *f, void *with)
{
    char change[96], effect[160];
    const struct mer_array *out = t->out;
    for (int k = 0; k < t->call.n_in && k < GIVEN_INPUTS; k++) {
        const struct mer_array *a = &t->in[k];
        if (a->type >= MER_I64 || a->rank != out->rank || memcmp(a->dim, out->dim, sizeof *a->dim * (size_t)a->rank))
            continue;
        snprintf(change, sizeof change, "edit=out:0:out:given-%d", k);
        snprintf(effect, sizeof effect, "the answer is the input %s, as it came", a->name);
        f(change, effect, NULL, with);
    }
}

/* The optional inputs of t, a bit each.  Where one is not given, an edit that reads its extent changes nothing, and so
 * it says more than that a number is an extent. */
static unsigned long optional_inputs(const struct trial *t)
{
    unsigned long set = 0;
    for (int k = 0; k < t->call.n_in; k++) {
        struct axes x;
        if (input_axes(t, t->call.in[k].name, &x) && x.optional)
            set |= 1UL << k;
    }
    return set;
}
static bool of_optional(const struct trial *t, const char *op)
{
    int input;
    return sscanf(op, ":extent-%1d-", &input) == 1 && optional_inputs(t) >> input & 1;
}
/* In which turn a word is tried, as the work may be up before all are: those without an axis first, which are fewer;
 * then indices as a slip of one place or a lost factor has them, then all others. */
enum { PLAIN, SLIPS, OTHERS, TURNS };
static int turn_of(const char *change, const char *op)
{
    static const char *const slips[] = { "first", "second", "last", "next", "before", "roll", "back", "without-first",
        "without-last", "summed" };
    const char *kind = op;
    while (kind > change && kind[-1] != ':')
        kind--;
    if (!memchr(kind, '.', (size_t)(op - kind)))
        return PLAIN;
    for (size_t k = 0; k < sizeof slips / sizeof *slips; k++)
        if (strlen(slips[k]) == strcspn(op + 1, ":") && !strncmp(op + 1, slips[k], strlen(slips[k])))
            return SLIPS;
    return OTHERS;
}
/* The operation of a word, from its colon on: "edit=FILE:LINE:KIND:OPERATION"; NULL: it has none. */
static const char *operation_of(const char *change)
{
    for (int k = 0; change && k < 3; k++)
        change = strchr(change + (k > 0), ':');
    return change;
}
/* The words of one turn. */
struct of_turn { const struct trial *t; int turn; each *f; void *with; };
static void some(const char *change, const char *effect, const char *equal, void *with)
{
    const struct of_turn *x = with;
    const char *op = operation_of(change);
    if (!op || of_optional(x->t, op) || turn_of(change, op) != x->turn)
        return;
    const char *before = operation_of(equal);
    if (!before || turn_of(equal, before) > x->turn) /* It has not been tried yet. */
        equal = NULL;
    x->f(change, effect, equal, x->with);
}

void edits_of_sites(
    const struct trial *t, const struct place *p, int n, enum site_words words, each *f, void *with)
{
    struct hypothesis h;
    struct sites *all = need(1, sizeof *all);
    if (hypothesis_open(&h, t, edit_nowhere, NULL))
        hypothesis_sites(&h, p, n, all);
    hypothesis_close(&h);
    bool reduced = false;
    for (int k = 0; k < all->n; k++)
        reduced |= kind_reduces((int)all->s[k].kind);
    struct shift_places places;
    shift_places_of(&t->call, optional_inputs(t), &places);
    for (int k = 0; k < all->n; k++)
        all->s[k].reduced = reduced, all->s[k].places = &places;
    for (int turn = 0; turn < TURNS; turn++) {
        struct of_turn x = { t, turn, f, with };
        for (int k = 0; k < all->n; k++)
            site_each(&all->s[k], words, some, &x);
    }
    if (words == WORDS_ALL)
        answers_given(t, f, with);
    free(all);
}

/* Finds the parameters and optional inputs that a failure depends on; see conditions.h. */
#include "examine/conditions.h"
#include <stdio.h>
#include <string.h>
#include "examine/asking.h"
#include "base/words.h"
#include "compare/compare.h"
#include "diagnose/hypotheses/condition.h"
#include "diagnose/joint/failures.h"
#include "diagnose/joint/under.h"

/* LOOKED: failures of a kernel for which a named condition is looked for.  CONDITIONS of one failure are looked at;
 * FRESH questions are asked under each, the first with this distance of seeds. */
enum { LOOKED = 2, CONDITIONS = 4, FRESH = 8, DISTANCE = 40 };
struct conditions { char at[CONDITIONS][UNDER]; int n; };

/* Asks q: YES, it is answered rightly; NO, wrongly; UNDECIDED: not at all. */
static enum truth asked(const struct question *q, const char *sizes)
{
    struct trial t;
    struct arith a;
    struct tally y;
    enum truth says = UNDECIDED;
    if (asking_made(q, sizes, q->seed, &t, &a) && asking_answered(q, &t)) {
        judge_outputs(&t, &a, ASKING_LINES, &y);
        says = y.over ? NO : y.n ? YES : UNDECIDED;
    }
    trial_close(&t);
    return says;
}
/* The same with one parameter changed, "form=table". */
static enum truth asked_with(const struct question *q, const char *word)
{
    struct question other = *q;
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s %s", q->params, word), other.params = text;
    return asked(&other, q->sizes);
}
/* Of a choice: it is right with every other word, or with one alone, and wrong with the others. */
static void of_choice(const struct question *q, const struct param *p, const char *is, const struct limit *limit,
    char *under)
{
    int right = 0, wrong = 0;
    char word[UNDER] = "", one[UNDER];
    for (const char *w = p->choices; *w && !limit_reached(limit); w = word_next(w)) {
        const int len = (int)strcspn(w, " ");
        if ((size_t)len == strcspn(is, " ") && !strncmp(w, is, (size_t)len))
            continue;
        snprintf(one, sizeof one, "%s=%.*s", p->name, len, w);
        const enum truth says = asked_with(q, one);
        right += says == YES, wrong += says == NO;
        if (says == YES)
            snprintf(word, sizeof word, "%s!=%.*s", p->name, len, w);
    }
    if (right && !wrong)
        snprintf(under, UNDER, "%s=%.*s", p->name, (int)strcspn(is, " "), is);
    else
        snprintf(under, UNDER, "%s", right == 1 ? word : "");
}
/* Of a number that is not its default: it is right with that. */
static void of_number(const struct question *q, const struct param *p, const char *is, char *under)
{
    enum { HALF = UNDER / 2 - 2 };
    char one[UNDER];
    const size_t len = strcspn(is, " ");
    *under = 0;
    if (strlen(p->name) > HALF || strlen(p->value) > HALF || (strlen(p->value) == len && !strncmp(p->value, is, len)))
        return;
    snprintf(one, sizeof one, "%.*s=%.*s", HALF, p->name, HALF, p->value);
    if (asked_with(q, one) == YES)
        snprintf(under, UNDER, "%.*s!=%.*s", HALF, p->name, HALF, p->value);
}
static void find(const struct question *q, const struct trial *t, struct conditions *c)
{
    const struct limit limit = limit_begin();
    char sizes[400];
    const char *input;
    c->n = 0;
    for (int k = 0; c->n < CONDITIONS && (input = asking_without(q, k, sizes, sizeof sizes)); k++)
        if (asked(q, sizes) == YES)
            snprintf(c->at[c->n++], UNDER, "%.*s", (int)strcspn(input, " "), input);
    for (const struct param *p = row_params(t->row); p->name && c->n < CONDITIONS && !limit_reached(&limit); p++) {
        char *under = c->at[c->n];
        const char *is = mer_text(&t->call, p->name);
        *under = 0;
        if (p->kind == ENUM)
            of_choice(q, p, is, &limit, under);
        else if ((p->kind == INT || p->kind == RATIONAL) && !p->route)
            of_number(q, p, is, under);
        c->n += *under != 0;
    }
}

/* Makes question k, the odd ones with another number of positions, where the row has some that are free. */
static bool made_here(const struct question *q, const char *under, int k, struct trial *t, struct arith *a)
{
    const uint64_t seed = q->seed + (uint64_t)(DISTANCE + k) * asking_apart;
    char sizes[UNDER + 8];
    snprintf(sizes, sizeof sizes, "n=7 %s", under_input(under) ? under : "");
    if (k & 1 && !q->stated) {
        if (asking_made(q, sizes, seed, t, a))
            return true;
        trial_close(t);
    }
    return asking_made(q, q->sizes, seed, t, a);
}
/* Asks questions under the condition, with other numbers and then other conventions: whether one at least is wrong, and
 * none contradicts what stands. */
static bool holds(const struct question *q, const struct trial *failure, const char *under, struct diagnosis *d)
{
    const struct limit limit = limit_begin();
    int presets, wrong = 0;
    const struct preset *all = asking_conventions(q, &presets);
    bool stands = true;
    char name[UNDER];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(under, "!="), under);
    for (int k = -1; k < presets && k < FRESH && stands && !limit_reached(&limit); k++) {
        struct question other = *q;
        struct trial t;
        struct arith a;
        char text[TEXT_MAX], word[UNDER];
        under_word(failure->row, under, under_input(under) ? "" : mer_text(&failure->call, name), k, word);
        snprintf(text, sizeof text, "%s %s", k < 0 ? q->params : all[k].text, word);
        other.params = text;
        if (made_here(&other, under, k, &t, &a) && asking_answered(&other, &t)) {
            struct tally y;
            judge_outputs(&t, &a, ASKING_LINES, &y);
            stands = under_by(&t, failure, d);
            wrong += y.over && under_holds(&t, under);
        }
        trial_close(&t);
    }
    return wrong && stands;
}

bool condition_questions(const struct question *q, const struct trial *t, struct diagnosis *d)
{
    static struct conditions c;
    static struct diagnosis was; /* large */
    if (!*failures_here()->about || !d->explained || !d->alone || d->apart || d->silent || q->drawn ||
        failures_here()->conditioned >= LOOKED)
        return false;
    failures_here()->conditioned++;
    was = *d;
    find(q, t, &c);
    for (int k = 0; k < c.n; k++) {
        if (under_explains(t, c.at[k], d) && holds(q, t, c.at[k], d))
            return true;
        *d = was, failures_here()->standings = 0;
    }
    return false;
}

void condition_facts(const struct question *q, const struct trial *t, struct anatomy *a)
{
    static struct conditions c;
    if (q->drawn)
        return;
    find(q, t, &c);
    for (int k = 0; k < c.n; k++)
        anatomy_add(a, "this question is answered rightly %s %s", under_input(c.at[k]) ? "without" : "unless", c.at[k]);
}

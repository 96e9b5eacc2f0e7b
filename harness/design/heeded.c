/* Asks a kernel for every parameter of its row; see heeded.h. */
#include "design/heeded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/words.h"
#include "compare/compare.h"
#include "design/cover.h"

/* VALUES: of a number, that are tried; SEEDS: questions for each value and preset, with inputs of other seeds; WAITING:
 * how many times its budget of judging it may take by the clock. */
enum { VALUES = 5, SEEDS = 2, WAITING = 3 };
/* A value is written as "window=17". */
enum { WORD = 200 };
struct heeding {
    struct sink *s;
    const struct random_of *of;
    struct heeded *h;
    double budget, begun; /* seconds of judging; the clock at the start */
    char sizes[200];      /* of every question, as trial_make reads them */
    bool fails;
};

/* Writes sizes within those that the kernel takes: as near to a small extent as they go; "" where it takes any. */
static void sizes_within(const struct declared *taken, char *text, size_t n)
{
    enum { SMALL = 6 };
    size_t at = 0;
    *text = 0;
    for (int k = 0; taken && k < taken->n_sizes && at < n; k++) {
        const struct range *g = &taken->size[k];
        const long x = g->least > SMALL ? g->least : g->most < SMALL ? g->most : SMALL;
        at += (size_t)snprintf(text + at, n - at, "%s%c=%ld", at ? " " : "", g->letter, x);
    }
}

/* Value number k of the whole number p that is `now`: near it, far from it, or as far as it goes. */
static long whole_value(const struct param *p, long now, int k)
{
    const long far = p->least < p->most ? p->most : 1L << 20;
    const long value[VALUES] = { now + 1, now - 1, 2 * now + 1, 17, far };
    return value[k];
}
/* Writes value number k of p as a word; `now`: its value in the preset.  false: there is none. */
static bool value_word(const struct param *p, const char *now, int k, char *word)
{
    static const char *const times[VALUES] = { "2", "1/2", "3", "-1", "7/5" };
    const char *choice = p->kind == ENUM ? p->choices : "";
    const size_t len = strcspn(now, " ");
    mpq_t x, by;
    bool is = p->kind == INT ? k < VALUES : p->kind == RATIONAL && k < VALUES;
    for (int c = 0; c < k && *choice; c++)
        choice = word_next(choice);
    if (*choice) {
        snprintf(word, WORD, "%s=%.*s", p->name, (int)strcspn(choice, " "), choice);
        return true;
    }
    if (!is || len >= 100)
        return false;
    char text[100];
    snprintf(text, sizeof text, "%.*s", (int)len, now);
    if (p->kind == INT) {
        const long value = whole_value(p, strtol(text, NULL, 10), k);
        snprintf(word, WORD, "%s=%ld", p->name, value);
        return !(p->least < p->most) || (value >= p->least && value <= p->most);
    }
    mpq_init(x), mpq_init(by);
    if (mpq_set_str(x, text, 10) || !mpz_sgn(mpq_denref(x)) || !mpq_sgn(x))
        mpq_set_ui(x, 1, 1);
    mpq_canonicalize(x), mpq_set_str(by, times[k], 10), mpq_mul(x, x, by);
    is = gmp_snprintf(word, WORD, "%s=%Qd", p->name, x) < WORD;
    mpq_clear(x), mpq_clear(by);
    return is;
}

/* Fills t's outputs with the right answers to the preset alone and judges them as answers under `text`, which has one
 * word more.  true: they fail, so that the question tells who does not read that word. */
static bool tells(const struct heeding *r, struct trial *t, const char *preset, const char *text)
{
    struct arith a;
    char err[600];
    struct tally y;
    if (trial_params(t, preset, err, sizeof err) || trial_holds(t, err, sizeof err) || trial_check(t, err, sizeof err))
        return false;
    reference_lines(t, &(struct arith){ 0 }, COVER_LINES);
    if (trial_params(t, text, err, sizeof err) || trial_profile(t, r->of->k->profile, &a, WIDEN, err, sizeof err) < 0)
        return false;
    judge_outputs(t, &a, COVER_LINES, &y);
    r->h->seconds += 1e-9 * (2 * y.cost.ns + y.bounds_ns + y.judging_ns); /* the preset's answers cost as much */
    return y.over > 0 && !*y.impossible;
}
/* Asks the question, which tells.  false: the kernel declines it. */
static bool ask(struct heeding *r, struct question *q, const char *word)
{
    struct trial t;
    struct tally y;
    struct finding f;
    char id[WORD + 16];
    const int measured = examine(q, &t, &y, &f);
    const bool declined = f.word == SKIPPED;
    r->h->seconds += measured ? 1e-9 * (y.cost.ns + y.bounds_ns + y.judging_ns) : 0;
    r->h->asked += !declined;
    r->fails = f.word == FAILED || f.word == CRASHED;
    if (r->fails) {
        snprintf(id, sizeof id, "PARAMETER %s", word), f.id = id;
        if (f.word == FAILED && !*f.reason)
            snprintf(f.reason, sizeof f.reason,
                "asked to tell whether %.*s is read; a kernel that does not read it declines this",
                (int)strcspn(word, "="), word);
        sink_say(r->s, &f);
    }
    trial_close(&t);
    return !declined;
}
/* Tries one value of p beside one preset.  true: it was asked. */
static bool try_value(struct heeding *r, const struct preset *p, const char *word, uint64_t seed)
{
    const struct random_of *of = r->of;
    const char *outs = of->a->out ? of->a->out : of->k->out;
    char text[TEXT_MAX], err[600];
    struct trial t;
    struct question q = { .subject = of->who,
        .kernel = of->k,
        .params = text,
        .out = of->a->out,
        .sizes = *r->sizes ? r->sizes : NULL,
        .seed = seed,
        .lines = COVER_LINES,
        .claim = of->claim,
        .beyond = true,
        .conventions = of->presets };
    snprintf(text, sizeof text, "%s%s%s", p->text, *p->text ? " " : "", word);
    bool is = !trial_make(&t, &(struct trial_spec){ of->k->row, text, outs, type_named(of->k->type), q.sizes, seed },
        err, sizeof err);
    if (is && of->claim)
        declared_positions(of->claim, &t, true), is = !declared_outside(of->claim, &t, err, sizeof err);
    /* Whether it declines is asked first, as it costs least. */
    if (is && of->who->run((struct subject *)of->who, of->k, &t.call, err, sizeof err) == MER_SKIP)
        is = false;
    if (is)
        t.answers = of->who->answers, is = tells(r, &t, p->text, text);
    trial_close(&t);
    return is && ask(r, &q, word);
}

/* The value that p has in the preset. */
static bool value_now(const struct heeding *r, const struct preset *p, const char *name, char *now, size_t n)
{
    const struct param *table = row_params(row_named(r->of->k->row));
    char text[TEXT_MAX], err[300];
    struct trial t;
    double bytes;
    const bool is = !trial_size(&t, &(struct trial_spec){ r->of->k->row, p->text, r->of->k->out,
        type_named(r->of->k->type), NULL }, &bytes, err, sizeof err);
    if (is)
        params_pick(table, t.params, name, text, sizeof text);
    snprintf(now, n, "%s", is && strchr(text, '=') ? strchr(text, '=') + 1 : "");
    trial_close(&t);
    return is;
}
/* What is to be told: that a number is read, or one word of a choice (word >= 0), under any preset, or under one
 * (preset >= 0).  tried: combinations of value, preset and seed so far; under: the preset that told it. */
struct heeding_value { const struct param *p; int word, preset, tried, under; bool told; };
static int presets_of(const struct heeding *r)
{
    int n = 0;
    while (r->of->presets[n].name)
        n++;
    return n;
}
/* Tries the next combination.  false: there is none. */
static bool turn(struct heeding *r, struct heeding_value *x)
{
    const int presets = x->preset < 0 ? presets_of(r) : 1, values = x->word < 0 ? VALUES : 1, c = x->tried++;
    const int at = x->preset < 0 ? c / values % presets : x->preset;
    const struct preset *in = &r->of->presets[at];
    char word[WORD], now[WORD];
    if (c >= values * presets * SEEDS)
        return false;
    if (value_now(r, in, x->p->name, now, sizeof now) &&
        value_word(x->p, now, x->word < 0 ? c % values : x->word, word) && strcmp(now, strchr(word, '=') + 1))
        x->told = try_value(r, in, word, r->of->seed + (uint64_t)(c / values / presets)), x->under = at;
    return true;
}

static bool over(const struct heeding *r)
{
    return r->fails || r->h->seconds > r->budget || now() - r->begun > WAITING * r->budget;
}
/* Lists every number and word of the row into at[], under any preset; with at NULL it counts them. */
static int values_of(const struct heeding *r, struct heeding_value *at)
{
    int n = 0;
    for (const struct param *p = row_params(row_named(r->of->k->row)); p->name; p++) {
        const char *choice = p->kind == ENUM ? p->choices : "";
        for (int k = 0; *choice; choice = word_next(choice), k++, n++)
            if (at)
                at[n] = (struct heeding_value){ .p = p, .word = k, .preset = -1 };
        if ((p->kind == INT || p->kind == RATIONAL) && !p->route) {
            if (at)
                at[n] = (struct heeding_value){ .p = p, .word = -1, .preset = -1 };
            n++;
        }
    }
    return n;
}
/* Tries all values in turn until each is told, nothing is left to try, or it is over. */
static void rounds(struct heeding *r, struct heeding_value *at, int n)
{
    for (bool more = true; more && !over(r);) {
        more = false;
        for (int k = 0; k < n && !over(r); k++)
            more |= !at[k].told && turn(r, &at[k]);
    }
}
/* Tries what was told under one preset under the others, too: a kernel has branches, and may read it in some. */
static void under_others(struct heeding *r, const struct heeding_value *told, int n)
{
    const int presets = presets_of(r);
    struct heeding_value *at = need((size_t)n * (size_t)presets + 1, sizeof *at);
    int all = 0;
    for (int i = 0; i < presets; i++)
        for (int k = 0; k < n; k++)
            if (told[k].told && told[k].under != i)
                at[all++] = (struct heeding_value){ .p = told[k].p, .word = told[k].word, .preset = i };
    rounds(r, at, all);
    free(at);
}
/* Sums up the values: a parameter is told where one of its values is. */
static void sum_up(const struct heeding_value *at, int n, struct heeded *h)
{
    for (int k = 0; k < n;) {
        const struct param *p = at[k].p;
        bool told = false;
        for (; k < n && at[k].p == p; k++)
            told |= at[k].told;
        const size_t used = strlen(h->untold);
        h->of++, h->told += told;
        if (!told && used + strlen(p->name) + 2 < sizeof h->untold)
            sprintf(h->untold + used, "%s%s", used ? " " : "", p->name);
    }
}

void heeded_questions(struct sink *s, const struct random_of *of, const struct declared *taken, double budget,
    struct heeded *h, bool *fails)
{
    struct heeding r = { .s = s, .of = of, .h = h, .budget = budget, .begun = now() };
    *h = (struct heeded){ 0 };
    sizes_within(taken, r.sizes, sizeof r.sizes);
    const int n = values_of(&r, NULL);
    struct heeding_value *at = need((size_t)n + 1, sizeof *at);
    values_of(&r, at);
    rounds(&r, at, n);
    sum_up(at, n, h);
    h->late = over(&r) && !r.fails; /* before each had its turn under some preset */
    under_others(&r, at, n);
    *fails = r.fails;
    free(at);
}

/* Runs the covering design of one kernel within its budget of time and sums up what was found; see survey.h. */
#include "design/survey.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "core/kept.h"
#include "design/cover.h"
#include "design/heeded.h"
#include "design/narrow.h"
#include "design/offered.h"
#include "design/random.h"

/* WAITING: how many times its budget of processor time a kernel may take by the clock. */
enum { FAILS_OF_PRESET = 2, FAILS_OF_KERNEL = 6, WAITING = 6 };
/* Seconds of judging for all kernels of one subject together, and what each kernel may spend at least. */
static const double all_seconds = 16, least_seconds = 1;
static const double heeding = 0.15; /* what the questions of single parameters may take beside it, of that budget */
struct survey_run {
    struct sink *s;
    const struct asked *a;
    const struct subject *who;
    const struct mer_kernel *k;
    struct cover cover;
    struct tally all;              /* the sum of all questions that do not fail */
    /* questions answered, failing ones included; those beside the design, at random; failures under each preset; all
     * failures */
    long asked, random, failed[COVER_LEVELS], fails;
    uint64_t seed;
    double seconds, begun, budget; /* processor time that judging took; the clock at the start; what may be spent */
    bool late;                     /* the budget is spent */
    struct heeded heeded;          /* the questions of single parameters */
    char declined[600];            /* what is said of the first question that is not offered, or "" */
};

/* Adds the counts of one question to those of all, one trivial output after the other. */
static void join_power(struct power *all, const struct power *one)
{
    for (int k = 0; k < one->used; k++) {
        int at = 0;
        while (at < all->used && (strcmp(all->at[at].name, one->at[k].name) || strcmp(all->at[at].out, one->at[k].out)))
            at++;
        if (at == POWER_TRIVIAL)
            continue;
        if (at == all->used)
            all->at[all->used++] = one->at[k], all->at[at].out = kept(one->at[k].out);
        else
            all->at[at].n += one->at[k].n, all->at[at].fits += one->at[k].fits;
    }
}

/* Adds the tally of one question: counts are summed, of each measure the worst is kept, and the witness is that of the
 * largest share of a bound. */
static void join(struct tally *all, const struct tally *one)
{
    if (one->ratio > all->ratio || !all->n) {
        all->ratio = one->ratio, all->k = one->k, all->got = one->got, all->want = one->want, all->bound = one->bound;
        all->out = one->out ? kept(one->out) : NULL;
        memcpy(all->at, one->at, sizeof all->at), memcpy(all->digits, one->digits, sizeof all->digits);
    }
    all->ulp = fmax(all->ulp, one->ulp), all->gauge = fmax(all->gauge, one->gauge);
    all->derived = fmax(all->derived, one->derived);
    all->n += one->n, all->over += one->over, all->correct += one->correct, all->undecided += one->undecided;
    all->lines += one->lines, all->lines_of += one->lines_of;
    all->bounds_ns += one->bounds_ns, all->judging_ns += one->judging_ns;
    for (int k = 0; k < CLASSES; k++)
        all->class[k] += one->class[k];
    all->cost.prec = all->cost.prec > one->cost.prec ? all->cost.prec : one->cost.prec;
    all->cost.elements += one->cost.elements, all->cost.retries += one->cost.retries;
    all->cost.exact += one->cost.exact, all->cost.ties += one->cost.ties, all->cost.ns += one->cost.ns;
    join_power(&all->power, &one->power);
}

/* Asks one question of the design.  One that does not fail joins the common tally; one that fails or crashes becomes a
 * finding of its own; a SKIP marks its pairs as declined. */
static void ask(struct survey_run *r, struct cover_question *c)
{
    struct trial t;
    struct tally y;
    struct finding f;
    char id[400];
    const struct question q = { .subject = r->who,
        .kernel = r->k,
        .params = r->cover.presets[c->preset].text,
        .out = r->a->out,
        .sizes = c->sizes,
        .seed = r->seed + (uint64_t)r->asked,
        .lines = COVER_LINES,
        .claim = r->cover.claim,
        .beyond = true,
        .conventions = r->cover.presets };
    const int measured = examine(&q, &t, &y, &f);
    const double seconds = measured ? 1e-9 * (y.cost.ns + y.bounds_ns + y.judging_ns) : 0;
    r->seconds += seconds;
    cover_took(&r->cover, c, seconds / slower);
    /* Judging is limited by processor time, so that a busy machine asks the same questions; a slow subject by the
     * clock. */
    r->late = r->seconds > r->budget || now() - r->begun > WAITING * r->budget;
    const bool fine = measured && (f.word == PASS || f.word == VACUOUS || f.word == UNDECIDED_VERDICT);
    if (fine)
        join(&r->all, &y), r->asked++;
    if (!fine && f.word != SKIPPED) {
        snprintf(id, sizeof id, "COVER %.380s", c->sizes);
        f.id = id, r->asked++, r->fails++, r->failed[c->preset]++;
        sink_say(r->s, &f);
    }
    trial_close(&t);
    if (f.declined && !*r->declined)
        snprintf(r->declined, sizeof r->declined, "%s", f.reason);
    if (f.word == SKIPPED)
        cover_declined(&r->cover, c);
    else
        cover_answered(&r->cover, c);
}

/* Whether enough failures were seen, of the kernel or under this preset, to ask no more about it. */
static bool enough(const struct survey_run *r, int preset)
{
    return r->fails >= FAILS_OF_KERNEL || r->failed[preset] >= FAILS_OF_PRESET;
}

static void append(char *text, size_t n, size_t *at, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void append(char *text, size_t n, size_t *at, const char *format, ...)
{
    va_list v;
    va_start(v, format);
    if (*at < n) {
        const int more = vsnprintf(text + *at, n - *at, format, v);
        *at += more > 0 ? (size_t)more : 0;
    }
    va_end(v);
}

/* Appends " n=1..257" or " h/g=1/1..8/2": the least and the largest level of the choice that answered questions had; of
 * a letter of a narrowed design each of them, " d=e=64,128". */
static void append_levels(const struct choice *c, bool narrowed, char *text, size_t n, size_t *at)
{
    long least = 0, most = 0;
    bool any = false;
    for (int k = 0; k < c->n; k++)
        if (c->taken[k]) {
            least = !any || c->level[k] < least ? c->level[k] : least;
            most = !any || c->level[k] > most ? c->level[k] : most;
            any = true;
        }
    if (!any)
        append(text, n, at, " no %s", c->name);
    else if (narrowed && c->kind == OF_LETTER) {
        for (const char *letter = c->name; *letter; letter++)
            append(text, n, at, "%s%c=", letter == c->name ? " " : "", *letter);
        for (int k = 0, said = 0; k < c->n; k++)
            if (c->taken[k])
                append(text, n, at, said++ ? ",%ld" : "%ld", c->level[k]);
    } else if (c->kind == OF_GROUPS)
        append(text, n, at, " h/g=%ld/%ld..%ld/%ld", least >> 8, least & 255, most >> 8, most & 255);
    else
        append(text, n, at, least < most ? " %s=%ld..%ld" : " %s=%ld", c->name, least, most);
}

/* Appends the names of the optional inputs that some answered question had (taken), or that none had. */
static void append_inputs(const struct cover *c, bool taken, const char *before, char *text, size_t n, size_t *at)
{
    bool any = false;
    for (int k = 0; k < c->n; k++)
        if (c->choice[k].kind == OF_INPUT && c->choice[k].taken[1] == taken) {
            append(text, n, at, "%s %s", any ? "" : before, c->choice[k].name);
            any = true;
        }
}

/* Under how many presets questions were answered. */
static long presets_taken(const struct survey_run *r)
{
    long n = 0;
    for (int k = 0; k < r->cover.choice[0].n; k++)
        n += r->cover.choice[0].taken[k];
    return n;
}

/* Writes what was asked, what was not, and why not. */
static void write_asked(const struct survey_run *r, char *text, size_t n)
{
    size_t at = 0;
    long pairs[4];
    const long presets = presets_taken(r);
    cover_count(&r->cover, pairs);
    append(text, n, &at, "%ld questions, %ld of %d presets:", r->asked, presets, r->cover.choice[0].n);
    for (int k = 1; k < r->cover.n; k++)
        if (r->cover.choice[k].kind == OF_LETTER || r->cover.choice[k].kind == OF_GROUPS)
            append_levels(&r->cover.choice[k], r->cover.narrowed, text, n, &at);
    append_inputs(&r->cover, true, "; with", text, n, &at);
    append_inputs(&r->cover, false, "; not offered:", text, n, &at);
    if (r->cover.narrowed)
        append(text, n, &at, "; it declines the usual sizes, and was asked at those it takes");
    append(text, n, &at, "; %ld pairs of choices", pairs[PAIR_ASKED]);
    if (r->random)
        append(text, n, &at, ", and %ld questions at random", r->random);
    if (r->heeded.asked) {
        append(text, n, &at, ", and %ld of %ld parameters at values of no preset%s", r->heeded.told, r->heeded.of,
            r->heeded.late ? ", as far as time allowed" : "");
        if (*r->heeded.untold)
            append(text, n, &at, " (no question was found that such a value changes, of: %s)", r->heeded.untold);
    }
    if (pairs[PAIR_DEAR])
        append(text, n, &at, ", %ld cost too much for one question", pairs[PAIR_DEAR]);
    if (pairs[PAIR_OPEN])
        append(text, n, &at, r->late ? ", %ld left when %g s were spent" : ", %ld left", pairs[PAIR_OPEN], r->budget);
}

static void finish(struct survey_run *r)
{
    struct finding f = { .word = r->asked ? tally_word(&r->all) : SKIPPED,
        .subject = r->who->name,
        .row = r->k->row,
        .quantity = r->a->out ? r->a->out : r->k->out,
        .id = "COVER",
        .method = "design",
        .type = r->k->type,
        .profile = r->k->profile,
        .lines = COVER_LINES,
        .seed = r->seed,
        .seconds = r->seconds,
        .tally = r->asked > r->fails ? &r->all : NULL };
    if (r->fails && r->asked == r->fails)
        return; /* every question failed and is reported already */
    write_asked(r, f.reason, sizeof f.reason);
    if (r->fails)
        snprintf(f.reason + strlen(f.reason), sizeof f.reason - strlen(f.reason), "; beside %ld that fail, above",
            r->fails);
    if (!r->asked)
        snprintf(f.reason, sizeof f.reason, "%s", *r->declined ? r->declined : "not offered");
    sink_say(r->s, &f);
}

/* Whether the kernel of a run takes these sizes under the conventions in which its own were found. */
struct kernel_sizes { const struct survey_run *run; const char *params; };
static bool takes(void *of, const char *sizes)
{
    const struct kernel_sizes *s = of;
    return offered_at(s->run->who, s->run->k, s->run->cover.outs, s->params, sizes);
}

/* How many kernels of the subject the command line asks: the budget is divided among them. */
static long kernels(const struct asked *a, const struct subject *who)
{
    long n = 0;
    for (const struct mer_kernel *k = who->kernel; k->row; k++)
        n += asks(a, k);
    return n;
}

long survey(struct sink *s, const struct asked *a, const struct subject *who, const struct mer_kernel *k, uint64_t seed)
{
    const struct row *row = row_named(k->row);
    const struct declared *claim = offered_claim(a, k), *found = claim && claim->found ? claim : NULL;
    struct preset given[2];
    struct cover_question q;
    const struct preset *presets = asked_one(a, row, claim, given);
    struct survey_run *r = need(1, sizeof *r);
    r->s = s, r->a = a, r->who = who, r->k = k, r->seed = seed;
    r->begun = now(), r->budget = slower * fmax(least_seconds, all_seconds / (double)kernels(a, who));
    cover_open(&r->cover, row, presets, a->out ? a->out : k->out, type_named(k->type), found ? NULL : claim);
    if (found)
        narrow(&r->cover, found->size, found->n_sizes, takes, &(struct kernel_sizes){ r, found->found });
    for (int turn = 0; cover_input(&r->cover, &turn, &q);)
        if (!enough(r, q.preset) && !r->late)
            ask(r, &q);
    while (r->fails < FAILS_OF_KERNEL && !r->late && cover_next(&r->cover, &q))
        if (enough(r, q.preset))
            cover_end_preset(&r->cover, q.level[0]);
        else
            ask(r, &q);
    bool fails = r->fails;
    const bool others = presets == row->presets && presets_taken(r) > 1;
    const struct random_of of = { a, who, k, presets, found ? NULL : claim, seed, kernels(a, who), others };
    if (r->asked && !fails && others)
        heeded_questions(s, &of, claim, r->budget * heeding, &r->heeded, &fails);
    if (r->asked && !fails)
        r->random = random_questions(s, &of, &fails);
    r->fails += fails && !r->fails;
    finish(r);
    const long asked = r->asked;
    cover_close(&r->cover), free(r);
    return asked;
}

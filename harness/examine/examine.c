/* One question from beginning to end: the inputs are made, the subject is run, its outputs are compared, and a failure
 * is diagnosed. */
#include "base/progress.h"
#include "compare/compare.h"
#include "base/clock.h"
#include "examine/examine.h"
#include <stdio.h>
#include <time.h>
#include "subject/contain.h"
#include "judge/deviation.h"
#include "diagnose/joint/apart.h"
#include "diagnose/joint/joint.h"
#include "diagnose/rung.h"
#include "judge/replay.h"
#include "examine/conditions.h"
#include "examine/further.h"
#include "examine/smallest.h"
#include "examine/steady.h"
#include "trial/valid.h"

/* Compares the outputs of t and fills all of f except the cause of a failure. */
static void compare_outputs(struct trial *t, long lines, struct tally *y, struct finding *f)
{
    struct arith a;
    char err[600];
    double start = now();
    f->row = t->row->name;
    f->type = type_name[t->call.n_out ? t->out[0].type : t->type];
    params_brief(row_params(t->row), t->params, f->params, sizeof f->params);
    f->method = "sample";
    f->tally = y;
    int steps = trial_profile(t, t->profile, &a, WIDEN, err, sizeof err);
    if (steps < 0 || (steps == 0 && t->out[0].type < MER_I64)) {
        f->word = SKIPPED, f->tally = NULL;
        snprintf(f->reason, sizeof f->reason, "%s",
            steps ? err : "no profile declared; give --profile 'step=format ...' (meridian show ROW lists the steps)");
        return;
    }
    judge_outputs(t, &a, lines, y);
    f->seconds = now() - start;
    f->word = tally_word(y);
    if (*y->impossible) {
        f->word = FAILED;
        snprintf(f->reason, sizeof f->reason, "the declared arithmetic is not possible: %s", y->impossible);
        return;
    }
    if (!y->n && !y->undecided) { /* no query: the answer is an array without elements */
        f->word = SKIPPED, f->tally = NULL;
        snprintf(f->reason, sizeof f->reason, "nothing to compare: the outputs have no element");
        return;
    }
    if (y->undecided && f->word != FAILED)
        snprintf(f->reason, sizeof f->reason, "%ld lines stay undecided at the precision cap", y->undecided);
    if (f->word == PASS && y->lines < y->lines_of && y->lines < lines)
        snprintf(f->reason, sizeof f->reason, "%ld of %ld lines: no more than %d numbers are read", y->lines,
            y->lines_of, LINES_READ);
    if (f->word == VACUOUS)
        snprintf(f->reason, sizeof f->reason, "the declared arithmetic is so wide that a trivial output fits");
    if (f->word == FAILED)
        tally_sharpen(t, y);
}

/* Looks for the name of a failure that is known, in the row's list alone. */
static void recognise_failure(const struct trial *t, struct finding *f, struct mistake *match)
{
    static struct diagnosis told; /* f points here until the next failure */
    f->diagnosis = &told;
    if (diagnose_listed(t, &told))
        *match = told.answer[0].m, f->match = match;
}
/* Looks for the cause of a failure, if one is wanted.  Due only where outputs were compared: the arithmetic was
 * possible and there were elements.  q: the question, of which more can be asked; NULL: it was recorded. */
static void explain_failure(const struct question *q, const struct trial *t, struct finding *f, struct mistake *match)
{
    if (!joint_wanted())
        return;
    static struct diagnosis told; /* f points here until the next failure */
    f->diagnosis = &told;
    bool named = joint_diagnose(t, &told);
    named = named || apart_diagnose(t, f->tally->wrong, &told);
    /* A few wrong elements that were drawn at random too many causes explain, if most others are 0 whatever is done. */
    if (q && q->drawn && told.explained && !told.unwritten && told.n - told.declared < WRONGS)
        told.single = true, named = false;
    if (named && q)
        trying_questions(q, t, &told), named = !told.apart || !told.alone;
    if (q && condition_questions(q, t, &told))
        named = true;
    if (named && q && !told.apart)
        parting_questions(q, t, &told);
    if (named)
        *match = told.answer[0].m, f->match = match;
    const bool rung = rung_explain(t, &told, f->reason, sizeof f->reason);
    const bool nameless = !told.explained || told.alone || told.answer[0].partly;
    const int number = nameless && !rung ? joint_anatomy() : 0;
    if (number)
        anatomy_read(t, &told.anatomy), told.anatomy.number = number;
    if (number == 1 && q) /* They cost many questions, and the next failure seldom has others. */
        condition_facts(q, t, &told.anatomy);
}
static bool failed(const struct finding *f, const struct tally *y) { return f->word == FAILED && !*y->impossible; }

/* Looks into a failure of q, whose trial is t: first whether it is one of numbers at all. */
static void look_into(const struct question *q, const struct trial *t, struct finding *f, struct mistake *match)
{
    static struct diagnosis told; /* f points here until the next failure */
    bool some = false;
    if (!joint_wanted())
        return;
    if (steady_explains(q, t, &told, &some)) {
        told.of_all = joint_chance(), f->diagnosis = &told;
        *match = told.answer[0].m, f->match = match;
        return;
    }
    fresh_failures(q, t);
    explain_failure(q, t, f, match);
    if (some && f->diagnosis->anatomy.n)
        anatomy_add(&f->diagnosis->anatomy, "some wrong elements are others where memory that nobody wrote is another");
}

void examine_outputs(struct trial *t, long lines, struct tally *y, struct finding *f, struct mistake *match)
{
    compare_outputs(t, lines, y, f);
    if (failed(f, y) && match)
        explain_failure(NULL, t, f, match);
}
void examine_known(struct trial *t, long lines, struct tally *y, struct finding *f, struct mistake *match)
{
    compare_outputs(t, lines, y, f);
    if (failed(f, y))
        recognise_failure(t, f, match);
}

/* The kernel declined.  Kernels of one output and type may divide the cases among them (few or many queries, short or
 * long rows), so a case is counted once: with the kernel that answers it, or as a SKIP of the first that declines it.
 * f->elsewhere: it is counted with another kernel.  A process may say why it declines; so the kernel that was asked
 * does in the verdict. */
static void declined(const struct question *q, struct trial *t, struct finding *f)
{
    char why[600], own[300] = "";
    const struct mer_kernel *first = NULL, *k = q->subject->kernel;
    for (; k->row; k++)
        if (!strcmp(k->row, q->kernel->row) && !strcmp(k->out, q->kernel->out) && !strcmp(k->type, q->kernel->type)) {
            first = first ? first : k;
            *why = 0;
            if (q->subject->run((struct subject *)q->subject, k, &t->call, why, sizeof why) == MER_OK)
                break;
            if (kernel_same(k, q->kernel))
                snprintf(own, sizeof own, "%.299s", why);
        }
    f->elsewhere = k->row || (first && !kernel_same(first, q->kernel));
    f->declined = !k->row;
    if (k->row)
        snprintf(f->reason, sizeof f->reason,
            "not this kernel's case: another one of the same output and type answers it");
    else
        snprintf(f->reason, sizeof f->reason, "not offered%s%s", *own ? ": " : "", own);
}

static void begin(const struct question *q, struct finding *f)
{
    const char *out = q->out ? q->out : q->kernel->out;
    *f = (struct finding){ .subject = q->subject->name,
        .row = q->kernel->row,
        .quantity = out,
        .method = "sample",
        .type = q->kernel->type,
        .sizes = q->sizes,
        .lines = q->lines,
        .seed = q->seed,
        .profile = q->kernel->profile };
    snprintf(f->params, sizeof f->params, "%s", q->params);
    f->word = SKIPPED;
}
int examine(const struct question *q, struct trial *t, struct tally *y, struct finding *f)
{
    begin(q, f);
    if (trial_make(t, &(struct trial_spec){ q->kernel->row, q->params, f->quantity, type_named(q->kernel->type),
        q->sizes, q->seed }, f->reason, sizeof f->reason))
        return 0;
    if (q->stated && !valid_sized_so(t, q->sizes, f->reason, sizeof f->reason))
        return 0;
    return examine_made(q, t, y, f);
}

int examine_made(const struct question *q, struct trial *t, struct tally *y, struct finding *f)
{
    static struct mistake match;
    char err[600] = "";
    begin(q, f);
    t->answers = q->subject->answers;
    if (q->claim)
        declared_positions(q->claim, t, true);
    if (q->claim && declared_outside(q->claim, t, f->reason, sizeof f->reason))
        return 0;
    progress_count(q->kernel->row);
    int rc = q->subject->run((struct subject *)q->subject, q->kernel, &t->call, err, sizeof err);
    if (rc == MER_SKIP) {
        declined(q, t, f);
        if (q->claim && q->claim->convention && !q->beyond && !f->elsewhere) {
            f->word = FAILED;
            snprintf(f->reason, sizeof f->reason, "declared, but not offered");
            replay_kernel(f->replay, sizeof f->replay, q);
        }
        return 0;
    }
    if (rc == MER_UNASKED) { /* f->word is SKIPPED */
        snprintf(f->reason, sizeof f->reason, "not asked: %.500s", err);
        return 0;
    }
    if (rc != MER_OK) {
        f->word = CRASHED;
        snprintf(f->reason, sizeof f->reason, "%s%s%.500s", rc == MER_BAD ? "answered that it failed" : "",
            rc == MER_BAD && *err ? ": " : "", err);
        replay_kernel(f->replay, sizeof f->replay, q);
        return 0;
    }
    snprintf(t->profile, sizeof t->profile, "%s", q->kernel->profile);
    compare_outputs(t, q->lines, y, f);
    if (failed(f, y))
        look_into(q, t, f, &match);
    replay_kernel(f->replay, sizeof f->replay, q);
    /* a failure without a name: the subject is run some more, for facts about the cause */
    if (f->diagnosis && f->diagnosis->anatomy.n) {
        unread_inputs(q, t, &f->diagnosis->anatomy);
        if (f->diagnosis->anatomy.number == 1)
            smallest_case(q, t, f->smallest, sizeof f->smallest);
    }
    /* What the kernel claims of its own accuracy is checked beside the derived bound. */
    if (q->kernel->correct && f->word == PASS && y->correct != y->n) {
        f->word = FAILED;
        snprintf(f->reason, sizeof f->reason, "claims correct rounding; %ld of %ld are not", y->n - y->correct, y->n);
    }
    if (q->kernel->gauge > 0 && f->word == PASS && !(y->gauge <= q->kernel->gauge)) {
        f->word = FAILED;
        snprintf(f->reason, sizeof f->reason, "claims gauge %g; %g seen", q->kernel->gauge, y->gauge);
    }
    return 1;
}

void examine_case(const struct pack_case *c, struct trial *t, struct tally *y, struct finding *f, struct mistake *match)
{
    *f = (struct finding){ .subject = c->who->name,
        .row = t->row ? t->row->name : "?",
        .quantity = t->call.n_out ? t->out[0].name : "?",
        .id = t->id };
    if (c->got != 1) {
        f->word = c->got == 2 ? SKIPPED : FAILED;
        snprintf(f->reason, sizeof f->reason, "%.590s", c->why);
        return;
    }
    const struct deviation *d = deviation_of("deviations", c->who->name, t->id);
    d = d || !c->planted ? d : deviation_of("planted", c->who->name, t->id);
    (d ? examine_known : examine_outputs)(t, c->lines, y, f, match);
    if (!d)
        return;
    const char *named = f->match ? f->match->id : "-";
    bool seen = f->word == FAILED, same = deviation_named(d, f);
    snprintf(f->reason, sizeof f->reason, !seen ? "the known deviation '%s' is no longer seen [%s]" : "%s [%s]",
        d->what, d->cite);
    if (seen && !same)
        snprintf(f->reason, sizeof f->reason, "known as %s, now named %s: %s", d->mistake, named, d->what);
    f->word = seen && same ? KNOWN_DEVIATION : FAILED;
}

void examine_law(struct sink *s, const char *row, const struct law *l, uint64_t seeds)
{
    const struct row *r = row_named(row);
    char text[TEXT_MAX];
    struct finding f = {
        .word = PASS, .subject = "ref", .row = row, .quantity = "law", .id = l->says, .method = "sample"
    };
    double start = now();
    progress_count(l->says);
    snprintf(f.params, sizeof f.params, "%s", l->params);
    for (uint64_t seed = 1; seed <= seeds && f.word == PASS; seed++) {
        enum truth v = l->holds(r, l->params, seed);
        f.word = v == YES ? PASS : v == NO ? FAILED : UNDECIDED_VERDICT;
        if (v != YES)
            snprintf(f.reason, sizeof f.reason, "%s at seed %llu", v == NO ? "does not hold" : "undecided",
                (unsigned long long)seed);
    }
    if (f.word == PASS && l->broken_by && l->holds(r, law_text(text, sizeof text, l->params, l->broken_by), 3) != NO) {
        f.word = FAILED;
        snprintf(f.reason, sizeof f.reason, "is not broken by %s", l->broken_by);
    }
    if (f.word == PASS && l->broken_by)
        snprintf(f.reason, sizeof f.reason, "broken by %s, as it must be", l->broken_by);
    f.seconds = now() - start;
    sink_say(s, &f);
}

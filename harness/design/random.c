/* Asks a kernel questions that are drawn at random; see random.h. */
#include "design/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/digest.h"
#include "climb/climb.h"
#include "design/offered.h"
#include "diagnose/joint/joint.h"
#include "judge/replay.h"
#include "subject/contain.h"
#include "trial/change.h"

enum { QUESTIONS = 2000, LINES = 64 };
/* Work in balls (climber_work), so that a machine of any speed asks the same: of all kernels together, and what one
 * gets at most and at least; by the clock, in seconds, for a subject that is slow itself, and to make a failure
 * small. */
static const double all_work = 1.2e7, most_work = 3e6, least_work = 2.5e5, waiting = 6, shrinking = 1;

/* Whether the question lies within what the subject declares, which positions it then has. */
static bool within(const struct random_of *of, struct trial *t)
{
    char why[400];
    if (!of->claim)
        return true;
    declared_positions(of->claim, t, true);
    return !declared_outside(of->claim, t, why, sizeof why);
}

/* The question c as one of judge's; text: its line, borrowed. */
static struct question question_of(const struct random_of *of, const struct climb *c, const char *text, long lines)
{
    return (struct question){ .subject = of->who,
        .kernel = of->k,
        .params = c->params,
        .out = c->out,
        .sizes = c->sizes,
        .seed = c->seed,
        .lines = lines,
        .claim = of->claim,
        .beyond = true,
        .conventions = of->presets,
        .drawn = text,
        .stated = true };
}
/* Judges the question c as all others are, and reports it, unless it passes.  small: a smaller one that fails, too, or
 * NULL. */
static bool report(
    struct sink *s, const struct random_of *of, const struct climb *c, const struct climb *small, long lines)
{
    char err[600], *text = climb_text(c), *least = small ? climb_text(small) : NULL;
    const struct question q = question_of(of, c, text, lines);
    struct trial t;
    struct tally y;
    struct finding f;
    bool bad = false;
    if (!trial_copy(&t, &c->t, err, sizeof err)) {
        examine_made(&q, &t, &y, &f);
        f.id = "RANDOM", bad = f.word == FAILED || f.word == CRASHED;
        if (bad && small) {
            const struct question of_small = question_of(of, small, least, lines);
            replay_kernel(f.smallest, sizeof f.smallest, &of_small);
        }
        if (bad || !of->presets)
            sink_say(s, &f);
    }
    trial_close(&t), free(text), free(least);
    return bad;
}
/* Makes a failure small, as far as the claim leaves the choice, and reports it. */
static bool report_small(struct sink *s, const struct random_of *of, struct climber *m, const struct climb *c)
{
    struct climb *small = need(1, sizeof *small);
    struct climb_answer y;
    long asked = 0;
    bool is = !of->claim && !climb_copy(small, c);
    if (is)
        climb_ask(m, small, &y), is = y.rc == MER_OK && y.share > 1;
    if (is)
        climb_shrink(m, small, &y, slower * shrinking, &asked);
    const bool bad = report(s, of, c, is ? small : NULL, LINES);
    climb_close(small), free(small);
    return bad;
}

long random_questions(struct sink *s, const struct random_of *of, bool *fails)
{
    const struct row *row = row_named(of->k->row);
    struct climber *m = climber_open();
    struct climb *c = need(1, sizeof *c);
    struct climb_answer y;
    struct chance r = { digest(of->seed, of->k->out, strlen(of->k->out)), 0 };
    const double begun = now(), work = fmax(least_work, fmin(most_work, all_work / (double)of->kernels));
    long asked = 0;
    climber_subject(m, of->who), climber_hurry(m);
    for (int k = 0; k < QUESTIONS && !*fails && climber_work(m) < work && now() - begun < slower * waiting; k++) {
        if (climb_draw_under(c, row, of->k, of->presets, &r) || !within(of, &c->t))
            continue;
        climb_ask(m, c, &y);
        asked += y.rc == MER_OK;
        if (y.rc == MER_SKIP || y.rc == MER_UNASKED || (y.rc == MER_OK && !(y.share > 1)))
            continue;
        *fails = report_small(s, of, m, c);
    }
    climb_close(c), free(c);
    climber_close(m);
    return asked;
}

int random_again(struct sink *s, const struct random_of *of, const char *text, long lines, char *err, size_t n)
{
    struct climb *c = need(1, sizeof *c);
    int rc = climb_read(c, text, err, n) ? -1 : 1;
    for (const struct mer_kernel *k = of->who->kernel; rc > 0 && k->row; k++) {
        struct mer_kernel use = *k;
        struct random_of one = *of;
        use.profile = asked_words(of->a, k);
        one.k = c->kernel = &use, one.presets = NULL;
        if (!asks(of->a, k) || strcmp(k->row, c->t.row->name) || strcmp(k->out, c->out) ||
            type_named(k->type) != c->type)
            continue;
        joint_kernel(of->who->name, k);
        one.claim = offered_claim(of->a, k);
        report(s, &one, c, NULL, lines), rc = 0;
    }
    climb_close(c), free(c);
    return rc;
}

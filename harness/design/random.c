/* Asks a kernel questions that are drawn at random; see random.h. */
#include "design/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/digest.h"
#include "base/words.h"
#include "climb/climb.h"
#include "design/offered.h"
#include "diagnose/joint/joint.h"
#include "judge/replay.h"
#include "subject/contain.h"
#include "trial/change.h"

/* HILLS: questions from which it climbs; PATIENCE: changes in a row that gain nothing. */
enum { QUESTIONS = 2000, LINES = 64, HILLS = 6, PATIENCE = 30 };
/* Work in balls (climber_work), so that a machine of any speed asks the same: of all kernels together, and what one
 * gets at most and at least; by the clock, in seconds, for a subject that is slow itself, and to make a failure
 * small. */
static const double all_work = 1.2e7, most_work = 3e6, least_work = 2.5e5, waiting = 6, shrinking = 1;
static const double drawing = 0.7; /* the share of the work after which it climbs from the worst that were drawn */

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
/* Whether the word is a parameter with its default, or stands in a preset of the row. */
static bool usual(const struct row *row, const char *word, size_t len)
{
    for (const struct param *p = row_params(row); p->name; p++)
        if (!strncmp(p->name, word, strlen(p->name)) && word[strlen(p->name)] == '=' &&
            words_find(p->value, word + strlen(p->name) + 1, len - strlen(p->name) - 1))
            return true;
    for (const struct preset *p = row->presets; p->name; p++)
        if (words_find(p->text, word, len))
            return true;
    return false;
}
/* Says of a failure under parameters that no preset has what its kernel owes. */
static void say_unusual(const struct climb *c, char *text, size_t n)
{
    int any = 0;
    *text = 0;
    for (const char *s = c->params + strspn(c->params, " "); *s; s = word_next(s)) {
        const size_t at = strlen(text), len = strcspn(s, " ");
        if (!usual(c->t.row, s, len))
            snprintf(text + at, n - at, "%s%.*s", any++ ? " " : "no preset has ", (int)len, s);
    }
    if (any)
        snprintf(text + strlen(text), n - strlen(text), ": a kernel that does not read a parameter declines this");
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
        if (f.word == FAILED && !*f.reason)
            say_unusual(c, f.reason, sizeof f.reason);
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

/* What questions at random share: until when they may go on, by work and by the clock, and when they began; the HILLS
 * questions that used most of their bounds, from which it climbs, and how many of them there are. */
struct at_random {
    struct sink *s;
    const struct random_of *of;
    struct climber *m;
    struct chance r;
    double work, begun, until;
    struct climb *best[HILLS];
    struct climb_answer answer[HILLS];
    int n;
    long asked;
};
static bool over(const struct at_random *x, double share)
{
    return climber_work(x->m) >= share * x->work || now() >= x->until;
}
static bool passes(const struct climb_answer *y)
{
    return y->rc == MER_SKIP || y->rc == MER_UNASKED || (y->rc == MER_OK && !(y->share > 1));
}
static int lowest(const struct at_random *x)
{
    int least = 0;
    for (int k = 1; k < x->n; k++)
        least = x->answer[k].share < x->answer[least].share ? k : least;
    return least;
}
/* Keeps c, which passes, where it uses more of its bound than one of those that are kept. */
static void keep(struct at_random *x, const struct climb *c, const struct climb_answer *y)
{
    const int at = x->n < HILLS ? x->n : lowest(x);
    if (!y->asked || (at < x->n && y->share <= x->answer[at].share))
        return;
    if (at == x->n)
        x->best[x->n++] = need(1, sizeof *c);
    if (climb_copy(x->best[at], c))
        climb_close(x->best[at]), free(x->best[at]), x->best[at] = x->best[--x->n], x->answer[at] = x->answer[x->n];
    else
        x->answer[at] = *y;
}
/* Draws question k and asks it.  true: it fails, and is reported. */
static bool draw(struct at_random *x, int k, struct climb *c)
{
    const struct random_of *of = x->of;
    const struct row *row = row_named(of->k->row);
    const bool others = of->others && k % 2;
    struct climb_answer y;
    if ((others ? climb_draw(c, row, NULL, of->k, &x->r) : climb_draw_under(c, row, of->k, of->presets, &x->r)) ||
        !within(of, &c->t))
        return false;
    climb_ask(x->m, c, &y);
    x->asked += y.rc == MER_OK;
    if (!passes(&y))
        return report_small(x->s, of, x->m, c);
    keep(x, c, &y);
    return false;
}
/* How patient a climb from one of `left` questions may be, so that a slow subject has answered all of them in time. */
static long patience(const struct at_random *x, int left)
{
    const double each = (now() - x->begun) / (double)(x->asked + 1), in_time = (x->until - now()) / each;
    return (long)fmin(PATIENCE, in_time / left / CLIMB_NEAR);
}
/* Climbs from each question that is kept.  true: one fails, and is reported. */
static bool climb(struct at_random *x)
{
    bool fails = false;
    for (int left = x->n; left > 0 && !fails && !over(x, 1); left--) {
        struct climb *c = x->best[left - 1];
        struct climb_answer *y = &x->answer[left - 1];
        climb_uphill(x->m, c, y, &x->r, patience(x, left), (x->work - climber_work(x->m)) / left, &x->asked);
        if (!passes(y))
            fails = report_small(x->s, x->of, x->m, c);
    }
    return fails;
}

long random_questions(struct sink *s, const struct random_of *of, bool *fails)
{
    struct at_random x = { .s = s, .of = of, .m = climber_open() };
    struct climb *c = need(1, sizeof *c);
    x.r = (struct chance){ digest(of->seed, of->k->out, strlen(of->k->out)), 0 };
    x.work = fmax(least_work, fmin(most_work, all_work / (double)of->kernels)), x.begun = now();
    x.until = x.begun + slower * waiting;
    climber_subject(x.m, of->who), climber_hurry(x.m);
    for (int k = 0; k < QUESTIONS && !*fails && !over(&x, drawing); k++)
        *fails = draw(&x, k, c);
    if (!*fails)
        *fails = climb(&x);
    for (int k = 0; k < x.n; k++)
        climb_close(x.best[k]), free(x.best[k]);
    climb_close(c), free(c);
    climber_close(x.m);
    return x.asked;
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

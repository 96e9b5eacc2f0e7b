/* Asks a failing question again, smaller or with other inputs; see smallest.h. */
#include "judge/smallest.h"
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/words.h"
#include "diagnose/joint/apart.h"
#include "diagnose/joint/joint.h"
#include "diagnose/joint/part.h"
#include "judge/replay.h"
#include "subject/contain.h"
#include "trial/change.h"

/* ASKED: questions for one smallest case; LINES: compared of each output; FRESH: failures wanted under other
 * conventions, of which at most TRIED are asked; TRYING: questions that a cause is set against; PARTING: those that are
 * tried to tell causes apart; SPELLING: in so many, causes that are one in other words give the same numbers. */
enum { ASKED = 60, LINES = 16, WORDS_MOST = 24, FRESH = 2, TRIED = 8, PARTING = 12, SPELLING = 4,
    TRYING = 10, LARGER = 4 };
/* The limits of a search, in seconds of this process's own time, which other processes do not stretch, and by the
 * clock, which runs while a subject answers. */
static const double seconds = 3, waiting = 30;
struct limit { double own, clock; };
static struct limit limit_begin(void) { return (struct limit){ process_seconds(), now() }; }
static bool limit_reached(const struct limit *l)
{
    return process_seconds() - l->own > slower * seconds || now() - l->clock > slower * waiting;
}
static const uint64_t apart = 1000003; /* distance of fresh seeds: beyond those that other questions of a run have */

/* A letter and its size, or another word of --sizes with size 0; text "": left out. */
struct word_of { char text[32]; long size; };
struct smallest_shrinking {
    const struct question *q;
    struct word_of word[WORDS_MOST];
    int n, asked;
    struct limit limit;
};

static void text_of(const struct smallest_shrinking *s, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (int k = 0; k < s->n; k++) {
        const struct word_of *w = &s->word[k];
        if (*w->text && at + strlen(w->text) + 24 < n)
            at += (size_t)(w->size ? snprintf(text + at, n - at, "%s%s=%ld", at ? " " : "", w->text, w->size) :
                                     snprintf(text + at, n - at, "%s%s", at ? " " : "", w->text));
    }
}

static bool spent(const struct smallest_shrinking *s) { return s->asked >= ASKED || limit_reached(&s->limit); }

/* Whether t has the sizes that were asked for: a letter that a parameter fixes keeps its own. */
static bool as_asked(const struct smallest_shrinking *s, const struct trial *t)
{
    for (int k = 0; k < s->n; k++)
        if (s->word[k].size && t->size[(int)*s->word[k].text] != s->word[k].size)
            return false;
    return true;
}

/* Gives t the declared positions; whether it then lies within what the subject declares. */
static bool claimed(const struct question *q, struct trial *t)
{
    char why[400];
    if (q->claim)
        declared_positions(q->claim, t, true);
    return !q->claim || !declared_outside(q->claim, t, why, sizeof why);
}

/* Makes q with these sizes and this seed, and reads its profile into a; false: there is no such question.  The caller
 * closes t either way. */
static bool made(const struct question *q, const char *sizes, uint64_t seed, struct trial *t, struct arith *a)
{
    char err[700];
    if (trial_make(t, &(struct trial_spec){ q->kernel->row, q->params, q->out ? q->out : q->kernel->out,
        type_named(q->kernel->type), sizes, seed }, err, sizeof err) || !claimed(q, t))
        return false;
    snprintf(t->profile, sizeof t->profile, "%s", q->kernel->profile);
    return trial_profile(t, t->profile, a, WIDEN, err, sizeof err) > 0;
}
static bool answered(const struct question *q, struct trial *t)
{
    char err[700];
    return q->subject->run((struct subject *)q->subject, q->kernel, &t->call, err, sizeof err) == MER_OK;
}
/* Whether the subject, asked q with these sizes and this seed, leaves the bounds of the declared arithmetic.  t holds
 * the case; the caller closes it either way. */
static bool wrong(const struct question *q, const char *sizes, uint64_t seed, struct trial *t)
{
    struct arith a;
    struct tally y;
    if (!made(q, sizes, seed, t, &a) || !answered(q, t))
        return false;
    judge_outputs(t, &a, LINES, &y);
    return tally_word(&y) == FAILED && !*y.impossible;
}

static bool fails(struct smallest_shrinking *s)
{
    struct trial t;
    char sizes[400];
    text_of(s, sizes, sizeof sizes);
    s->asked++;
    const bool bad = wrong(s->q, sizes, s->q->seed, &t) && as_asked(s, &t);
    trial_close(&t);
    return bad;
}

static bool has_letter(const struct axes *x, int letter) { return memchr(x->axis, letter, (size_t)x->rank) != NULL; }

/* Whether an array of t has this axis. */
static bool used(const struct trial *t, int letter)
{
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        bool any = has_letter(&s.out, letter);
        for (int k = 0; k < s.n_in; k++)
            any |= has_letter(&s.in[k], letter);
        if (any)
            return true;
    }
    return false;
}

/* Lists the letters whose size may be chosen, with the sizes that t has, then the other words of q's sizes. */
static void words_of(struct smallest_shrinking *s, const struct trial *t)
{
    char one[400], err[400];
    double bytes;
    for (int letter = 'a'; letter <= 'z' && s->n < WORDS_MOST / 2; letter++)
        if (t->bound[letter] && t->size[letter] > 0 && used(t, letter)) {
            struct trial pinned;
            snprintf(one, sizeof one, "%c=%ld", letter, t->size[letter]);
            if (!trial_size(&pinned, &(struct trial_spec){ s->q->kernel->row, s->q->params,
                s->q->out ? s->q->out : s->q->kernel->out, t->type, one }, &bytes, err, sizeof err)) {
                snprintf(s->word[s->n].text, sizeof s->word->text, "%c", letter);
                s->word[s->n++].size = t->size[letter];
            }
            trial_close(&pinned);
        }
    for (const char *w = s->q->sizes ? s->q->sizes : ""; *w && s->n < WORDS_MOST; w = word_next(w)) {
        const size_t len = strcspn(w, " ");
        if (len < sizeof s->word->text && !memchr(w, '=', len))
            snprintf(s->word[s->n++].text, sizeof s->word->text, "%.*s", (int)len, w);
    }
}

/* Makes a letter smaller (1, 2, 3, half, one less: the first that does) or leaves a word out, so that the case still
 * fails.  false: neither is possible, and w is as before. */
static bool shrink_word(struct smallest_shrinking *s, struct word_of *w)
{
    const struct word_of was = *w;
    const long to[] = { 1, 2, 3, was.size / 2, was.size - 1 };
    if (!was.size) {
        *w->text = 0;
        if (!spent(s) && fails(s))
            return true;
    }
    for (int k = 0; was.size && k < 5; k++)
        if (to[k] >= 1 && to[k] < was.size && !spent(s)) {
            w->size = to[k];
            if (fails(s))
                return true;
        }
    *w = was;
    return false;
}

void smallest_case(const struct question *q, const struct trial *t, char *command, size_t n)
{
    struct smallest_shrinking s = { .q = q, .limit = limit_begin() };
    char sizes[400];
    bool any = false;
    *command = 0;
    words_of(&s, t);
    if (!s.n || !fails(&s))
        return;
    for (bool more = true; more && !spent(&s);) {
        more = false;
        for (int k = 0; k < s.n; k++)
            if (*s.word[k].text && shrink_word(&s, &s.word[k]))
                more = any = true;
    }
    if (!any)
        return;
    text_of(&s, sizes, sizeof sizes);
    struct question small = *q;
    small.sizes = sizes;
    replay_kernel(command, n, &small);
}

/* Fills the outputs of both trials with the reference, on the lines that are compared; whether they differ. */
static bool row_tells(struct trial *a, struct trial *b)
{
    static const struct arith exact = { 0 };
    reference_lines(a, &exact, LINES), reference_lines(b, &exact, LINES);
    return !trial_same_outputs(a, b);
}

void unread_inputs(const struct question *q, const struct trial *t, struct anatomy *a)
{
    const struct limit limit = limit_begin();
    for (int k = 0; k < t->call.n_in && !limit_reached(&limit); k++) {
        struct trial other, fresh, own;
        char err[700];
        bool made = !trial_copy(&other, t, err, sizeof err);
        made = !trial_copy(&own, t, err, sizeof err) && made;
        made = !trial_make(&fresh, &(struct trial_spec){ q->kernel->row, q->params, q->out ? q->out : q->kernel->out,
            type_named(q->kernel->type), q->sizes, q->seed + 1 }, err, sizeof err) &&
            made && fresh.call.n_in == t->call.n_in && array_len(&fresh.in[k]) == array_len(&t->in[k]);
        if (made) {
            memcpy(other.in[k].data, fresh.in[k].data, (size_t)array_len(&t->in[k]) * type_size(t->in[k].type));
            for (int o = 0; o < other.call.n_out; o++)
                memset(other.out[o].data, 0xff, (size_t)array_len(&other.out[o]) * type_size(other.out[o].type));
            made = !trial_check(&other, err, sizeof err) &&
                q->subject->run((struct subject *)q->subject, q->kernel, &other.call, err, sizeof err) == MER_OK &&
                trial_same_outputs(t, &other) && row_tells(&other, &own);
        }
        if (made)
            anatomy_add(a, "other numbers in %s change nothing: it is not read", t->in[k].name);
        trial_close(&fresh), trial_close(&own), trial_close(&other);
    }
}

/* Asks q with these parameters and this seed; a failure is kept as one of the kernel, and true is returned. */
static bool fresh_failure(const struct question *q, const char *params, uint64_t seed)
{
    struct question other = *q;
    struct trial t;
    other.params = params;
    const bool is = wrong(&other, other.sizes, seed, &t);
    if (is)
        joint_fresh(&t);
    trial_close(&t);
    return is;
}

/* Keeps a failure of the same question with fewer numbers, where there is one: in it a search tries more in the same
 * time.  Its sizes are small, but not all alike, since many causes explain what has few numbers or is square. */
static void small_failure(const struct question *q, const struct trial *t)
{
    enum { LEAST = 2, KINDS = 3 };
    struct smallest_shrinking s = { .q = q, .limit = limit_begin() };
    struct trial small;
    char sizes[400];
    bool any = false;
    if (q->stated)
        return;
    words_of(&s, t);
    for (int k = 0; k < s.n && !spent(&s); k++) {
        const long was = s.word[k].size, to = LEAST + k % KINDS;
        if (was <= to)
            continue;
        s.word[k].size = to;
        if (fails(&s))
            any = true;
        else
            s.word[k].size = was;
    }
    text_of(&s, sizes, sizeof sizes);
    if (any && wrong(q, sizes, q->seed, &small))
        joint_fresh(&small);
    if (any)
        trial_close(&small);
}

/* All conventions that the subject is asked under, *n of them. */
static const struct preset *conventions_of(const struct question *q, int *n)
{
    const struct preset *all = q->conventions ? q->conventions : row_named(q->kernel->row)->presets;
    for (*n = 0; all[*n].name;)
        ++*n;
    return all;
}

void fresh_failures(const struct question *q, const struct trial *t)
{
    if (!joint_wanted() || !joint_first())
        return;
    small_failure(q, t);
    int presets, begin = 0, found = 0;
    const struct preset *all = conventions_of(q, &presets);
    for (int k = 0; k < presets; k++)
        begin = !strcmp(all[k].text, q->params) ? k + 1 : begin;
    fresh_failure(q, q->params, q->seed + apart);
    for (int k = 0; k < presets && k < TRIED && found < FRESH; k++) {
        const struct preset *p = &all[(begin + k) % presets];
        found += strcmp(p->text, q->params) && fresh_failure(q, p->text, q->seed + (uint64_t)(k + 2) * apart);
    }
}

/* Writes the sizes of t, each LARGER times as large, so that what is cut in blocks has some; "" where they are
 * stated. */
static void larger_sizes(const struct question *q, const struct trial *t, char *text, size_t n)
{
    struct smallest_shrinking s = { .q = q };
    *text = 0;
    if (q->stated)
        return;
    words_of(&s, t);
    for (int k = 0; k < s.n; k++)
        s.word[k].size *= LARGER;
    text_of(&s, text, n);
}

/* Makes the k-th question that may tell causes of q's failures apart: other numbers, conventions and sizes in turn. */
static bool parting(
    const struct question *q, const struct trial *failure, int k, struct question *other, struct trial *t)
{
    struct arith a;
    char sizes[400];
    int presets;
    const struct preset *all = conventions_of(q, &presets);
    *other = *q;
    larger_sizes(q, failure, sizes, sizeof sizes);
    other->params = k % 2 && presets ? all[k / 2 % presets].text : q->params;
    return made(other, k % 3 == 2 && *sizes ? sizes : q->sizes, q->seed + (uint64_t)(TRIED + 2 + k) * apart, t, &a);
}

/* Makes the k-th of TRYING questions under conventions that lie apart in the list of all, and the last two under q's
 * own at larger sizes and with other numbers. */
static bool trying(
    const struct question *q, const struct trial *failure, int k, struct question *other, struct trial *t)
{
    struct arith a;
    char sizes[400];
    int presets;
    const int of = TRYING - 2;
    const struct preset *all = conventions_of(q, &presets);
    *other = *q;
    larger_sizes(q, failure, sizes, sizeof sizes);
    if (k < of && k >= presets)
        return false;
    other->params = k < of && presets ? all[presets < of ? k : k * presets / of].text : q->params;
    return made(other, k == of && *sizes ? sizes : q->sizes, q->seed + (uint64_t)(TRIED + PARTING + 2 + k) * apart, t,
        &a);
}
void trying_questions(const struct question *q, const struct trial *failure, struct diagnosis *d)
{
    const struct limit limit = limit_begin();
    struct question other;
    if (!part_untried(d))
        return;
    for (int k = 0; k < TRYING && !d->alone && !limit_reached(&limit); k++) {
        struct trial t = { 0 };
        if (trying(q, failure, k, &other, &t) && answered(&other, &t)) {
            if (d->apart)
                apart_by(&t, d);
            else
                part_by(&t, failure, d);
        }
        trial_close(&t);
    }
}

void parting_questions(const struct question *q, const struct trial *failure, struct diagnosis *d)
{
    const struct limit limit = limit_begin();
    struct question other;
    struct trial t;
    int spelt = 0;
    if (!part_due(d))
        return;
    for (int k = 0; k < PARTING && *d->same && !d->alone && !limit_reached(&limit); k++) {
        if (parting(q, failure, k, &other, &t) && part_splits(&t) && answered(&other, &t))
            part_by(&t, failure, d);
        trial_close(&t);
    }
    /* What is left of them may be one cause in several words. */
    for (int k = 0; k < PARTING && *d->same && !d->alone && spelt < SPELLING && !limit_reached(&limit); k++) {
        if (parting(q, failure, k, &other, &t))
            part_spell(&t, !spelt++);
        trial_close(&t);
    }
    if (spelt == SPELLING)
        part_spelt(d);
}

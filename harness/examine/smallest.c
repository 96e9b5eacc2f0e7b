/* Asks a failing question again, smaller or with other inputs; see smallest.h. */
#include "examine/smallest.h"
#include <stdio.h>
#include <string.h>
#include "examine/asking.h"
#include "base/words.h"
#include "compare/compare.h"
#include "diagnose/joint/joint.h"
#include "judge/replay.h"
#include "trial/change.h"

/* ASKED: questions for one smallest case; LARGER: times as large, where larger sizes are asked. */
enum { ASKED = 60, WORDS_MOST = 24, LARGER = 4 };
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

static bool fails(struct smallest_shrinking *s)
{
    struct trial t;
    char sizes[400];
    text_of(s, sizes, sizeof sizes);
    s->asked++;
    const bool bad = asking_wrong(s->q, sizes, s->q->seed, &t) && as_asked(s, &t);
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
    reference_lines(a, &exact, ASKING_LINES), reference_lines(b, &exact, ASKING_LINES);
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

void smallest_failure(const struct question *q, const struct trial *t)
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
    if (any && asking_wrong(q, sizes, q->seed, &small))
        joint_fresh(&small);
    if (any)
        trial_close(&small);
}

void larger_sizes(const struct question *q, const struct trial *t, char *text, size_t n)
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

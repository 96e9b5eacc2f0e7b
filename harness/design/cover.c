/* Builds a covering design of pairs one question at a time: each begins with an open pair, and every further choice
 * takes the level that closes most open pairs (the greedy rule of Cohen, Dalal, Fredman and Patton 1997, section 3). */
#include "design/cover.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/gen.h"
#include "trial/valid.h"

/* Lengths beside the ends of tiles, blocks and vectors: the neighbours of 16, 32, 64, 128 and 256, 64 itself, and
 * lengths shorter than a vector. */
static const long lengths[] = { 1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257 };
/* Widths of one vector of features: odd, prime, powers of two and their neighbours. */
static const long widths[] = { 1, 2, 3, 4, 7, 8, 13, 16, 17, 24, 33, 64, 67 };
/* Heads and key heads as 256 h + g: one of each; as many of both (2/2, 5/5); one key head for all (3/1, 7/1); groups of
 * two, three and four heads (4/2, 6/3, 6/2, 8/2). */
static const long groups[] = { 0x101, 0x202, 0x301, 0x402, 0x603, 0x602, 0x505, 0x701, 0x802 };
static const long heads[] = { 1, 2, 3, 5 };
static const char *const fills[] = { "uniform", "normal", "probe", "small" };
/* What one question may cost: numbers that the reference reads, estimated from the signatures; it reads about 1e6 a
 * second. */
static const double question_work = 3e5;
/* Where numbers of a row cost more than that, as those of gradients that are made for every line anew, what a question
 * may take by the dearest one so far, in seconds. */
static const double question_seconds = 2;
/* WHOLE_MOST: the largest extent for rows that are made of rows, where all lines are computed whatever is sampled.
 * TRIES: attempts to complete a question around one open pair. */
enum { WHOLE_MOST = 40, TRIES = 6 };

static uint64_t bits(struct cover *c) { return gen_bits(c->seed, 0x636f766572, c->at++); }
static long below(struct cover *c, long n) { return (long)(bits(c) % (uint64_t)n); }

/* Adds a choice without levels.  The caller checks that there is room. */
static struct choice *add(struct cover *c, enum choice_kind kind, const char *name)
{
    struct choice *x = &c->choice[c->n++];
    *x = (struct choice){ .kind = kind, .first = c->levels };
    snprintf(x->name, sizeof x->name, "%s", name);
    return x;
}
/* Adds a level to x, which is the latest choice, unless it has it or there is no room. */
static void level(struct cover *c, struct choice *x, long value)
{
    for (int k = 0; k < x->n; k++)
        if (x->level[k] == value)
            return;
    if (x->n < COVER_LEVELS && c->levels < COVER_ALL)
        x->level[x->n++] = value, c->levels++;
}
static void levels(struct cover *c, struct choice *x, const long *of, size_t n)
{
    for (size_t k = 0; k < n; k++)
        level(c, x, of[k]);
}

bool cover_sign(const struct cover *c, int out, struct sign *s)
{
    const char *o = c->outs + strspn(c->outs, " ");
    char name[32];
    for (; *o && out; out--)
        o += strcspn(o, " "), o += strspn(o, " ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(o, " "), o);
    const struct quantity *q = *o ? row_quantity(c->row, name) : NULL;
    if (q)
        sign_read(s, q->sign);
    return q != NULL;
}

/* How a letter is used in the outputs and the required inputs: it is a width where it is the last axis of real inputs
 * and nothing else, else a length. */
struct stand { bool there, width, length; };
static void stand_in(struct stand *a, const struct axes *x, char letter, bool output)
{
    for (int k = 0; k < x->rank; k++)
        if (x->axis[k] == letter) {
            a->there = true;
            a->length |= !output && (x->integer || k + 1 < x->rank);
            a->width |= !output && !x->integer && k + 1 == x->rank;
        }
}
static struct stand stand_of(const struct cover *c, char letter)
{
    struct stand a = { 0 };
    struct sign s;
    for (int o = 0; cover_sign(c, o, &s); o++) {
        for (int k = 0; k < s.n_in; k++)
            if (!s.in[k].optional)
                stand_in(&a, &s.in[k], letter, false);
        stand_in(&a, &s.out, letter, true);
    }
    a.length |= a.there && !a.width;
    return a;
}

/* Does the row take another extent of the letter, under some preset, while all others are the usual ones?  Of extents
 * that have to agree, as rows of a table and the distances that read them, none can be chosen alone. */
static bool is_free(const struct cover *c, char letter, long usual)
{
    const bool length = stand_of(c, letter).length;
    const long *of;
    const size_t n = cover_extents(length, &of);
    bool is = false;
    for (const struct preset *p = c->presets; p->name && !is; p++)
        for (size_t k = 0; k < n && !is; k++) {
            struct trial t;
            char err[300], sizes[24];
            double bytes;
            if (of[k] == usual)
                continue;
            snprintf(sizes, sizeof sizes, "%c=%ld", letter, of[k]);
            is = !trial_size(&t, &(struct trial_spec){ c->row->name, p->text, c->outs, c->type,
                sizes }, &bytes, err, sizeof err);
            trial_close(&t);
        }
    return is;
}

/* Whether the row sets the letter's extent: by its parameters under some preset, or by sizes that must agree. */
static bool is_fixed(const struct cover *c, char letter)
{
    char word[3] = { letter, '=', 0 };
    const char *said = c->row->sizes ? strstr(c->row->sizes, word) : NULL;
    bool fixed = said && !is_free(c, letter, atol(said + 2));
    for (const struct preset *p = c->presets; p->name && !fixed; p++) {
        struct trial t;
        char err[300];
        double bytes;
        if (!trial_size(&t, &(struct trial_spec){ c->row->name, p->text, c->outs, c->type, NULL }, &bytes, err,
            sizeof err))
            fixed = c->row->extent && c->row->extent(t.params, letter);
        trial_close(&t);
    }
    return fixed;
}

/* The declared range of a letter, or NULL. */
static const struct range *range_of(const struct cover *c, char letter)
{
    for (int k = 0; c->claim && k < c->claim->n_sizes; k++)
        if (c->claim->size[k].letter == letter)
            return &c->claim->size[k];
    return NULL;
}

/* Adds the levels of the list that lie within the declared range, and the ends of that range; none above `most`. */
static void letter_levels(struct cover *c, struct choice *x, const long *of, size_t n, long most)
{
    const struct range *g = range_of(c, *x->name);
    for (size_t k = 0; k < n; k++)
        if (of[k] <= most && (!g || (of[k] >= g->least && of[k] <= g->most)))
            level(c, x, of[k]);
    if (g && g->least <= most)
        level(c, x, g->least);
    if (g && g->most <= most)
        level(c, x, g->most);
}

/* Adds the groupings of the list that lie within the declared ranges of h and g; where none does, the first declared
 * one in which g divides h, with h below 64. */
static void group_levels(struct cover *c, struct choice *x)
{
    const struct range *h = range_of(c, 'h'), *g = range_of(c, 'g');
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        const long a = groups[k] >> 8, b = groups[k] & 255;
        if ((!h || (a >= h->least && a <= h->most)) && (!g || (b >= g->least && b <= g->most)))
            level(c, x, groups[k]);
    }
    for (long a = h ? h->least : 0; h && !x->n && a <= h->most && a < 64; a++)
        for (long b = g ? g->least : 1; b <= (g ? g->most : a) && b <= a && !x->n; b++)
            if (b > 0 && a % b == 0)
                level(c, x, a << 8 | b);
}

/* Adds a choice for each letter whose extent is open, with h and g as one choice where both are. */
static void add_letters(struct cover *c)
{
    const bool grouped = stand_of(c, 'h').there && stand_of(c, 'g').there && !is_fixed(c, 'h') && !is_fixed(c, 'g');
    const long most = valid_whole(c->row, c->outs) ? WHOLE_MOST : 1L << 20;
    if (grouped)
        group_levels(c, add(c, OF_GROUPS, "hg"));
    for (char letter = 'a'; letter <= 'z'; letter++) {
        const struct stand a = stand_of(c, letter);
        if (!a.there || is_fixed(c, letter) || (grouped && (letter == 'h' || letter == 'g')) || c->n == COVER_CHOICES)
            continue;
        struct choice *x = add(c, OF_LETTER, (char[2]){ letter, 0 });
        if (letter == 'h' || letter == 'g')
            letter_levels(c, x, heads, sizeof heads / sizeof *heads, most);
        else if (a.length)
            letter_levels(c, x, lengths, sizeof lengths / sizeof *lengths, most);
        else
            letter_levels(c, x, widths, sizeof widths / sizeof *widths, most);
    }
}

/* Adds a choice, without or with, for each optional input of the outputs. */
static void add_inputs(struct cover *c)
{
    struct sign s;
    for (int o = 0; cover_sign(c, o, &s); o++)
        for (int k = 0; k < s.n_in; k++) {
            bool there = !s.in[k].optional || c->n == COVER_CHOICES;
            for (int j = 0; j < c->n && !there; j++)
                there = c->choice[j].kind == OF_INPUT && !strcmp(c->choice[j].name, s.in[k].name);
            if (!there)
                levels(c, add(c, OF_INPUT, s.in[k].name), (const long[]){ 0, 1 }, 2);
        }
}

void cover_settle(struct cover *c)
{
    c->levels = 0;
    for (int k = 0; k < c->n;)
        if (!c->choice[k].n) {
            memmove(&c->choice[k], &c->choice[k + 1], (size_t)(c->n - k - 1) * sizeof *c->choice);
            c->n--;
        } else {
            c->choice[k].first = c->levels;
            c->levels += c->choice[k++].n;
        }
    free(c->pair);
    c->pair = need((size_t)c->levels * (size_t)c->levels, 1);
}

void cover_open(struct cover *c, const struct row *r, const struct preset *presets, const char *outs, int type,
    const struct declared *claim)
{
    *c = (struct cover){ .row = r, .presets = presets, .outs = outs, .type = type, .claim = claim, .seed = 1 };
    struct choice *x = add(c, OF_PRESET, "preset");
    for (long k = 0; presets[k].name; k++)
        level(c, x, k);
    x = add(c, OF_FILL, "fill");
    for (long k = 0; k < (long)(sizeof fills / sizeof *fills); k++)
        level(c, x, k);
    add_inputs(c);
    add_letters(c);
    cover_settle(c);
}
void cover_close(struct cover *c) { free(c->pair), c->pair = NULL; }

/* The state of the pair of level x of choice a and level y of choice b, in either order; a != b. */
static unsigned char *pair_of(const struct cover *c, int a, int x, int b, int y)
{
    const size_t i = (size_t)(c->choice[a].first + x), j = (size_t)(c->choice[b].first + y);
    return &c->pair[i < j ? i * (size_t)c->levels + j : j * (size_t)c->levels + i];
}

size_t cover_level_words(char *to, size_t n, const char *gap, const struct choice *x, long value)
{
    size_t at = 0;
    *to = 0;
    for (const char *l = x->name; *l && at < n; l++)
        at += (size_t)snprintf(to + at, n - at, "%s%c=%ld", at ? " " : gap, *l,
            x->kind != OF_GROUPS ? value : *l == 'h' ? value >> 8 : value & 255);
    return at;
}
/* Whether q has a level of the choice that sets the letter. */
static bool has_level(const struct cover *c, const struct cover_question *q, char letter)
{
    for (int k = 0; k < c->n; k++)
        if ((c->choice[k].kind == OF_LETTER || c->choice[k].kind == OF_GROUPS) && strchr(c->choice[k].name, letter))
            return q->level[k] >= 0;
    return false;
}

/* Writes the levels of q as words of sizes and sets q->preset. */
static void words_of(const struct cover *c, struct cover_question *q)
{
    size_t at = 0;
    *q->sizes = 0;
    q->preset = (int)c->choice[0].level[q->level[0]];
    for (int k = 1; k < c->n && at < sizeof q->sizes; k++) {
        const struct choice *x = &c->choice[k];
        const long v = q->level[k] < 0 ? -1 : x->level[q->level[k]];
        const char *gap = at ? " " : "";
        char *to = q->sizes + at;
        const size_t room = sizeof q->sizes - at;
        int n = 0;
        if (v < 0 || (x->kind == OF_INPUT && !v))
            continue;
        if (x->kind == OF_INPUT)
            n = snprintf(to, room, "%s%s", gap, x->name);
        else if (x->kind == OF_FILL)
            n = snprintf(to, room, "%s%s", gap, fills[v]);
        else
            n = (int)cover_level_words(to, room, gap, x, v);
        at += n > 0 ? (size_t)n : 0;
    }
    for (char letter = 'a'; letter <= 'z' && at < sizeof q->sizes; letter++)
        if (c->base[(int)letter] && !has_level(c, q, letter))
            at += (size_t)snprintf(q->sizes + at, sizeof q->sizes - at, "%s%c=%ld", at ? " " : "", letter,
                c->base[(int)letter]);
}

/* Estimates from the signatures how many numbers the reference reads to compute COVER_LINES lines of each output. */
static double work_of(const struct cover *c, const struct trial *t)
{
    double all = 0;
    struct sign s;
    for (int o = 0; cover_sign(c, o, &s); o++) {
        double lines = 1, line = 1, whole = 1;
        for (int k = 0; k < s.out.rank; k++)
            *(k < s.out.lead ? &lines : &line) *= (double)t->size[(int)s.out.axis[k]];
        for (int k = 0; k < s.n_in; k++) {
            double one = 1;
            for (int x = 0; x < s.in[k].rank; x++) {
                const char a = s.in[k].axis[x];
                if (!memchr(s.out.axis, a, (size_t)s.out.lead) &&
                    !(a == 'g' && memchr(s.out.axis, 'h', (size_t)s.out.lead)))
                    one *= (double)t->size[(int)a];
            }
            line += s.in[k].optional ? 0 : one;
            for (int x = 0; x < s.in[k].rank && !s.out.lead; x++) /* a single line: each element may depend on all */
                whole = (double)t->size[(int)s.in[k].axis[x]] > whole ? (double)t->size[(int)s.in[k].axis[x]] : whole;
        }
        all += (lines < COVER_LINES ? lines : COVER_LINES) * line * whole;
    }
    return all;
}

size_t cover_extents(bool length, const long **of)
{
    *of = length ? lengths : widths;
    return length ? sizeof lengths / sizeof *lengths : sizeof widths / sizeof *widths;
}
bool cover_is_length(const struct cover *c, char letter) { return stand_of(c, letter).length; }

/* Whether q can be asked; sets its words and its work.  PAIR_OPEN: yes; PAIR_REFUSED: the row refuses it or it lies
 * outside the declaration; PAIR_DEAR: it costs too much. */
static int possible(const struct cover *c, struct cover_question *q)
{
    struct trial t;
    char err[300];
    double bytes;
    words_of(c, q);
    const int rc = trial_size(&t, &(struct trial_spec){ c->row->name, c->presets[q->preset].text, c->outs, c->type,
        q->sizes }, &bytes, err, sizeof err);
    q->work = rc ? 0 : work_of(c, &t);
    const bool fits = rc || !c->claim || !declared_outside(c->claim, &t, err, sizeof err);
    trial_close(&t);
    const bool dear = q->work > question_work || q->work * c->slowest > question_seconds || bytes > 0x1p26;
    return rc || !fits ? PAIR_REFUSED : dear ? PAIR_DEAR : PAIR_OPEN;
}
void cover_took(struct cover *c, const struct cover_question *q, double seconds)
{
    c->slowest = q->work > 0 && seconds > c->slowest * q->work ? seconds / q->work : c->slowest;
}

/* A question with level x of choice a and y of b: the first preset, no optional input, and the usual sizes
 * otherwise. */
static struct cover_question alone(const struct cover *c, int a, int x, int b, int y)
{
    struct cover_question q = { 0 };
    for (int k = 0; k < c->n; k++)
        q.level[k] = c->choice[k].kind == OF_INPUT || c->choice[k].kind == OF_PRESET ? 0 : -1;
    q.level[a] = x, q.level[b] = y;
    return q;
}

bool cover_input(struct cover *c, int *turn, struct cover_question *q)
{
    for (;; ++*turn) {
        const int inputs = c->n, of = *turn / c->choice[0].n, preset = *turn % c->choice[0].n;
        if (of >= inputs)
            return false;
        if (c->choice[of].kind != OF_INPUT)
            continue;
        *q = alone(c, 0, preset, of, 1);
        int rc = possible(c, q);
        for (int with = of + 1; rc && with < c->n; with++) /* refused alone: try it with one other input */
            if (c->choice[with].kind == OF_INPUT) {
                struct cover_question both = alone(c, 0, preset, of, 1);
                both.level[with] = 1;
                rc = possible(c, &both);
                *q = rc ? *q : both;
            }
        for (int with = 0; rc && with < of; with++)
            if (c->choice[with].kind == OF_INPUT) {
                struct cover_question both = alone(c, 0, preset, of, 1);
                both.level[with] = 1;
                rc = possible(c, &both);
                *q = rc ? *q : both;
            }
        ++*turn;
        if (!rc)
            return true;
        *pair_of(c, 0, preset, of, 1) = (unsigned char)rc;
        --*turn;
    }
}

void cover_answered(struct cover *c, const struct cover_question *q)
{
    for (int a = 0; a < c->n; a++) {
        if (q->level[a] >= 0)
            c->choice[a].taken[q->level[a]] = true;
        for (int b = a + 1; b < c->n; b++)
            if (q->level[a] >= 0 && q->level[b] >= 0)
                *pair_of(c, a, q->level[a], b, q->level[b]) = PAIR_ASKED;
    }
}

/* Why a question was declined is not said.  A level that no answered question had is to blame before one that some
 * had: first the preset, then inputs, then extents. */
static bool is_suspect(const struct cover *c, const struct cover_question *q, int k, enum choice_kind kind)
{
    const struct choice *x = &c->choice[k];
    const bool of = kind == OF_LETTER ? x->kind == OF_LETTER || x->kind == OF_GROUPS : x->kind == kind;
    return of && q->level[k] >= 0 && !x->taken[q->level[k]] && (kind != OF_INPUT || q->level[k]);
}
/* Refuses the open pairs of q that a suspect of this kind is in; all: every open pair.  Returns how many. */
static long refuse(struct cover *c, const struct cover_question *q, enum choice_kind kind, bool all)
{
    long n = 0;
    for (int a = 0; a < c->n; a++)
        for (int b = a + 1; b < c->n; b++) {
            if (q->level[a] < 0 || q->level[b] < 0 || *pair_of(c, a, q->level[a], b, q->level[b]) != PAIR_OPEN ||
                (c->choice[a].kind == OF_INPUT && !q->level[a]) || (c->choice[b].kind == OF_INPUT && !q->level[b]) ||
                !(all || is_suspect(c, q, a, kind) || is_suspect(c, q, b, kind)))
                continue;
            *pair_of(c, a, q->level[a], b, q->level[b]) = PAIR_REFUSED, n++;
        }
    return n;
}

void cover_declined(struct cover *c, const struct cover_question *q)
{
    if (!refuse(c, q, OF_PRESET, false) && !refuse(c, q, OF_INPUT, false) && !refuse(c, q, OF_LETTER, false))
        refuse(c, q, OF_FILL, true);
}

void cover_end_preset(struct cover *c, int level)
{
    c->choice[0].ended[level] = true;
    for (int b = 1; b < c->n; b++)
        for (int y = 0; y < c->choice[b].n; y++)
            if (*pair_of(c, 0, level, b, y) == PAIR_OPEN)
                *pair_of(c, 0, level, b, y) = PAIR_REFUSED;
}

/* How many open pairs level x of choice k would close with what q has so far; -1: one of its pairs cannot be asked. */
static long gain(const struct cover *c, const struct cover_question *q, int k, int x)
{
    long n = 0;
    if (c->choice[k].ended[x])
        return -1;
    for (int b = 0; b < c->n; b++) {
        if (b == k || q->level[b] < 0)
            continue;
        const int state = *pair_of(c, k, x, b, q->level[b]);
        if (state == PAIR_REFUSED || state == PAIR_DEAR)
            return -1;
        n += state == PAIR_OPEN;
    }
    return n;
}

/* Chooses a level for every choice that q has none of, in random order.  false: for one of them no level is
 * possible. */
static bool fill(struct cover *c, struct cover_question *q)
{
    int order[COVER_CHOICES];
    for (int k = 0; k < c->n; k++)
        order[k] = k;
    for (int k = c->n; k > 1; k--) {
        const int at = (int)below(c, k), was = order[k - 1];
        order[k - 1] = order[at], order[at] = was;
    }
    for (int i = 0; i < c->n; i++) {
        const int k = order[i];
        long best = -1;
        int x = -1;
        if (q->level[k] >= 0)
            continue;
        for (int from = (int)below(c, c->choice[k].n), j = 0; j < c->choice[k].n; j++) {
            const int y = (from + j) % c->choice[k].n;
            const long g = gain(c, q, k, y);
            if (g > best)
                best = g, x = y;
        }
        if (x < 0)
            return false;
        q->level[k] = x;
    }
    return true;
}

/* Sets q to an open pair, the search for which begins at a random choice.  false: no pair is open. */
static bool open_pair(struct cover *c, struct cover_question *q)
{
    for (int k = 0; k < c->n; k++)
        q->level[k] = -1;
    const int from = (int)below(c, c->n);
    for (int i = 0; i < c->n; i++)
        for (int a = (from + i) % c->n, b = 0; b < c->n; b++)
            for (int x = 0; b != a && x < c->choice[a].n; x++)
                for (int y = 0; y < c->choice[b].n; y++)
                    if (*pair_of(c, a, x, b, y) == PAIR_OPEN)
                        return q->level[a] = x, q->level[b] = y, true;
    return false;
}

bool cover_next(struct cover *c, struct cover_question *q)
{
    struct cover_question pair;
    while (open_pair(c, &pair)) {
        int why = PAIR_REFUSED;
        for (int k = 0; k < TRIES; k++) {
            *q = pair;
            if (!fill(c, q))
                continue;
            const int rc = possible(c, q);
            if (rc == PAIR_OPEN)
                return true;
            why = rc;
        }
        for (int a = 0; a < c->n; a++)
            for (int b = a + 1; b < c->n; b++)
                if (pair.level[a] >= 0 && pair.level[b] >= 0)
                    *pair_of(c, a, pair.level[a], b, pair.level[b]) = (unsigned char)why;
    }
    return false;
}

void cover_count(const struct cover *c, long n[4])
{
    memset(n, 0, 4 * sizeof *n);
    for (int a = 0; a < c->n; a++)
        for (int b = a + 1; b < c->n; b++)
            for (int x = 0; x < c->choice[a].n; x++)
                for (int y = 0; y < c->choice[b].n; y++)
                    n[*pair_of(c, a, x, b, y)]++;
}

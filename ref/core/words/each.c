/* Which ways there are to do an operation differently, as words with what they do; see each.h. */
#include "words/each.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/shift.h"
#include "edit/whole.h"
#include "words/read.h"
#include "words/words.h"

static bool taken(const struct site *s) { return kind_taken((int)s->kind); }
static const char *axis_says(const struct site *s, char axis)
{
    static const char *const leading[] = { "axis 0 of the answer", "axis 1 of the answer", "axis 2 of the answer",
        "axis 3 of the answer", "axis 4 of the answer", "axis 5 of the answer" };
    return axis == 'p' ? s->part_of :
        axis == 't'    ? "its turns" :
        axis == 'a'    ? "all axes at once" :
                         leading[axis - '0'];
}

/* Of how many turns one is meant: 4 of "2of4", 1 of all, and with hidden keys. */
static int every(const char *per)
{
    const char *of = strstr(per, "of");
    return of ? atoi(of + 2) : 1;
}
enum { WRITTEN_MOST = 40 }; /* Longer expressions are not repeated: who looks finds them at their place. */
/* Where words are given: of which number of the operation (0: of what it gives), of which of its turns, and, where
 * these are counted by an extent, what that says. */
struct about { const struct site *s; int operand; const char *per, *turns; };
/* Calls f with the word and its effect.  equal: an operation whose word asks the same here, or NULL. */
static void say_equal(const struct about *b, const char *axis, const char *op, const char *says, const char *equal,
    site_word *f, void *with)
{
    static const char *const of_one[] = { "", " has a first number that", " has a second number that" };
    const struct site *s = b->s;
    const char *per = b->per;
    char word[140], twin[140], effect[300], place[140] = "";
    const bool of_all = equal && !strcmp(equal, op_words[ZERO].name); /* It is about all places of the axis. */
    const bool out = s->kind == SITE_OUT;
    char turn[80] = "";
    if (b->turns)
        snprintf(turn, sizeof turn, "%s", b->turns);
    else if (every(per) > 1)
        snprintf(turn, sizeof turn, " (number %d of every %d)", atoi(per), every(per));
    else if (per == word_negative || per == word_positive)
        snprintf(turn, sizeof turn, " (of %s numbers)", per);
    else if (*per)
        snprintf(turn, sizeof turn, " (of hidden keys, too, whose scores are -inf%s)",
            strcmp(per, word_guarded) ? "" : ", a total of 0 being 1");
    const int head = snprintf(word, sizeof word, "edit=%s:%d:%s%s%s:", site_file(s->at.file), s->at.line,
        kind_words[s->kind].name, operand_words[b->operand], axis);
    snprintf(twin, sizeof twin, "%.*s%s%s%s%s", head - (of_all ? (int)strlen(axis) + 1 : 0), word, of_all ? ":" : "",
        equal ? equal : "", *per ? ":" : "", per);
    snprintf(word + head, sizeof word - (size_t)head, "%s%s%s", op, *per ? ":" : "", per);
    if (!out && s->at.text && strlen(s->at.text) < WRITTEN_MOST)
        snprintf(place, sizeof place, " '%s' at %s:%d", s->at.text, s->at.file, s->at.line);
    else if (!out)
        snprintf(place, sizeof place, " at %s:%d", s->at.file, s->at.line);
    snprintf(effect, sizeof effect, "%s%s%s%s %s%s%s", kind_words[s->kind].says, place, turn, of_one[b->operand],
        !*axis ? "" : out ? "is given along its axis " : taken(s) ? "is taken along " : "is read along axis ",
        !*axis ? "" : taken(s) ? axis_says(s, axis[1]) : axis + 1, *axis ? " " : "");
    strncat(effect, says, sizeof effect - strlen(effect) - 1);
    f(word, effect, equal ? twin : NULL, with);
}
static void say(
    const struct about *b, const char *axis, const char *op, const char *says, site_word *f, void *with)
{
    say_equal(b, axis, op, says, NULL, f, with);
}

/* A whole number is an extent of an input: a kernel has taken the wrong size. */
static void each_extent(const struct about *b, site_word *f, void *with)
{
    for (int k = 0; k < EXTENT_INPUTS * EXTENT_AXES; k++) {
        char op[24], says[60];
        snprintf(op, sizeof op, "extent-%d-%d", k / EXTENT_AXES, k % EXTENT_AXES);
        snprintf(says, sizeof says, "is the extent of axis %d of input %d", k % EXTENT_AXES, k / EXTENT_AXES);
        say(b, "", op, says, f, with);
    }
}
/* It is off by an extent. */
static void each_shift(const struct about *b, site_word *f, void *with)
{
    const struct shift_places *p = b->s->places;
    for (int k = 0; p && k < p->n * SHIFT_WAYS; k++) {
        char op[40], says[80];
        shift_say(shift_at(p, k / SHIFT_WAYS, k % SHIFT_WAYS), op, sizeof op, says, sizeof says);
        say(b, "", op, says, f, with);
    }
}
/* Is the operation one of that list? */
static bool has_op(const char *list, int op)
{
    for (const char *o = list; *o; o += strspn(o, " ")) {
        const size_t n = strcspn(o, " ");
        if (op_named(o, n) == op)
            return true;
        o += n;
    }
    return false;
}
static void each_value(const struct about *b, site_word *f, void *with)
{
    const int kind = (int)b->s->kind;
    for (const char *o = b->operand ? kind_words[kind].of_one : kind_words[kind].ops; *o;) {
        const size_t n = strcspn(o, " ");
        const int k = op_named(o, n);
        /* Of a ratio, what is counted is its numerator. */
        const bool numerator = kind == SITE_RATIO && (k == MORE || k == LESS || k == ONE || k == SQUARE);
        char says[80];
        snprintf(says, sizeof says, "%s%s", numerator ? "has a numerator that " : "", op_words[k].says);
        /* A number is of half precision wherever the operation takes it. */
        if (!b->operand || every(b->per) == 1 || (k != AS_F16 && k != AS_BF16))
            say(b, "", op_words[k].name, says, f, with);
        o += n, o += strspn(o, " ");
    }
    if ((kind == SITE_INTEGER || kind == SITE_WHOLE) && !*b->per)
        each_extent(b, f, with);
    if (kind_shifts(kind, b->operand) && !*b->per)
        each_shift(b, f, with);
}
/* The answer is written along that axis by a map under which several lines meet. */
static void each_written(const struct about *b, const char *axis, long extent, site_word *f, void *with)
{
    for (int way = LAST_WRITTEN; way <= ADDED_UP && way_of((int)b->s->kind, b->operand, way); way++)
        for (int k = 0; index_maps[k].name; k++) {
            char op[40], says[120];
            snprintf(op, sizeof op, "%s%s", way_words[way].name, index_maps[k].name);
            snprintf(says, sizeof says, "%s %s, and what nothing is written to is 0", way_words[way].says,
                index_maps[k].says);
            if (index_merges(k, extent))
                say(b, axis, op, says, f, with);
        }
}
/* One axis of that extent; next: the extent of the axis behind it, 0 where there is none. */
static void each_map(const struct about *b, const char *axis, long extent, long next, site_word *f, void *with)
{
    const bool zero = !b->operand && has_op(kind_words[b->s->kind].ops, ZERO);
    for (int k = 0; index_maps[k].name && extent > 1; k++)
        if (index_tells(k, extent)) {
            const int first = index_first(k, extent);
            const char *equal = first < k ? index_maps[first].name : NULL;
            say_equal(b, axis, index_maps[k].name, index_maps[k].says, equal, f, with);
        } else if (zero && index_empties(k, extent))
            say_equal(b, axis, index_maps[k].name, index_maps[k].says, op_words[ZERO].name, f, with);
    each_written(b, axis, extent, f, with);
    for (int k = MAPPED + 1; k < ACROSS && extent > 1; k++)
        if (!way_has_map(k) && way_of((int)b->s->kind, b->operand, k) && (k != TRANSPOSED || next > 1))
            say(b, axis, way_words[k].name, way_words[k].says, f, with);
}
/* The second number of a difference or quotient as what its first ones have in common along each axis of the answer,
 * over the page's parts, and over all; and what an operation over its terms gives over more axes than its own. */
static void each_across(const struct site *s, const char *per, site_word *f, void *with)
{
    const bool of_all = kind_reduces((int)s->kind);
    const struct about b = { s, of_all ? 0 : 2, per };
    for (int k = ACROSS; k < WAYS; k++) {
        const char *says = of_all ? way_words[k].of_all : way_words[k].says;
        int several = s->parts > 1 && !of_all;
        /* mutant: loop 1985: an axis that is not there has no extent. */
        for (int a = 0; a < s->axes && way_of((int)s->kind, b.operand, k); a++) {
            char axis[16];
            snprintf(axis, sizeof axis, ".%d", a);
            several += s->extent[a] > 1;
            if (s->extent[a] > 1)
                say(&b, axis, way_words[k].name, says, f, with);
        }
        if (s->parts > 1 && !of_all && way_of((int)s->kind, b.operand, k))
            say(&b, ".p", way_words[k].name, says, f, with);
        if (s->reduced && several > 1) /* Axes are counted of a way that the kind has. */
            say(&b, ".a", way_words[k].name, says, f, with);
    }
}
/* Is every second, third or fourth turn of an operation one of its own along an axis?  Those of an operation that is
 * made for each key are those of one key, and of several for each pair one each; and where a line makes an even number,
 * it makes them in twos or fours. */
static bool turns_apart(const struct site *s, const char *per)
{
    const long of_part = s->parts ? s->count / s->parts : 0;
    const int of = every(per);
    if (s->parts)
        return s->count % s->parts == 0 && of_part <= 4 && of_part >= of && of_part % of == 0;
    return of != 3 || s->count % 2;
}
static void each_axis(const struct about *b, site_word *f, void *with)
{
    const struct site *s = b->s;
    /* What is asked of each key has its indices where the key is asked for. */
    const bool turns = (every(b->per) == 1 || turns_apart(s, b->per)) && !(s->kind == SITE_TRUTH && s->parts);
    for (int a = 0; a < s->axes && turns; a++) {
        char axis[8];
        snprintf(axis, sizeof axis, ".%d", a);
        each_map(b, axis, s->extent[a], s->extent[a + 1], f, with);
    }
    if (taken(s) && turns)
        each_map(b, ".p", s->parts, 0, f, with);
    if (kind_computed((int)s->kind) && turns)
        each_map(b, ".t", s->turns / every(b->per), 0, f, with);
}
/* Does "2of4" make sense for this kind, that is, are its occurrences counted?  They are not where an index is made, as
 * a page may ask for these in any order. */
static bool takes_turns(enum site_kind k)
{
    return kind_computed((int)k) || k == SITE_INPUT || k == SITE_ELEMENT;
}
/* Is what the operation gives, or one of its numbers, a matter of its own?  A number is where others take it as well,
 * or in all its turns the operation itself does. */
static bool own_number(const struct site *s, const char *per, int operand)
{
    return !operand ||
        (every(per) > 1                 ? s->again[operand - 1] && turns_apart(s, per) :
            kind_computed((int)s->kind) ? s->elsewhere[operand - 1] :
                                          true);
}
/* Does operation `op` multiply any number by x (of: TIMES), or add x to it (PLUS)?  Two numbers tell a multiple from a
 * sum, and both are even, as half of a whole number is cut. */
static bool is_same(int op, int of, double x)
{
    static const long numbers[] = { 12, 34 };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const double n = (double)numbers[k];
        if ((double)whole_edited(NULL, op, numbers[k]) != (of == TIMES ? x * n : n + x))
            return false;
    }
    return true;
}
bool site_number_has_word(const char *word, double x)
{
    struct edit e;
    char text[200];
    const char *value = word + strlen("edit=");
    if (snprintf(text, sizeof text, "%s1", value) >= (int)sizeof text || !site_read(&e, text, strlen(text)))
        return false;
    const char *of = e.operand ? kind_words[e.kind].of_one : kind_words[e.kind].ops;
    for (const char *s = of; *s; s += strspn(s, " ")) {
        const size_t n = strcspn(s, " ");
        if (is_same(op_named(s, n), e.op, x))
            return true;
        s += n;
    }
    return false;
}
/* Each of these as a multiple of what it is, and with a number added, and the same with hidden keys.  A factor of a
 * product is a factor of what it gives, and a term of a sum a term. */
static void each_number(const struct site *s, site_word *f, void *with)
{
    const char *const per[] = { "", word_hidden, word_guarded };
    const int kind = (int)s->kind;
    const bool whole = kind == SITE_FLOOR || kind == SITE_CEIL;
    if (whole || !(kind_computed(kind) || kind == SITE_INPUT || kind == SITE_ELEMENT || kind == SITE_OUT))
        return;
    for (int op = TIMES; op <= PLUS; op++) {
        const bool one = op == TIMES ? kind == SITE_MUL || kind == SITE_DIV : kind == SITE_ADD || kind == SITE_SUB;
        for (int operand = 0; operand < (kind_words[kind].of_one && !one ? 3 : 1); operand++)
            for (int k = 0; k < (s->may_hide ? 3 : 1) && own_number(s, "", operand); k++)
                say(&(struct about){ s, operand, per[k] }, "", op_words[op].name, op_words[op].says, f, with);
    }
}
static void each_of(const struct site *s, const char *per, site_word *f, void *with)
{
    for (int operand = 0; operand < (kind_words[s->kind].of_one ? 3 : 1); operand++) {
        const struct about b = { s, operand, per };
        const bool own = own_number(s, per, operand);
        if (own)
            each_value(&b, f, with);
        if (own && !s->form)
            each_axis(&b, f, with);
    }
    if (every(per) == 1 && !s->form)
        each_across(s, per, f, with);
}
/* What leaves an operation out. */
static void each_left_out(const struct about *b, site_word *f, void *with)
{
    static const int left_out[] = { ZERO, LEFT, RIGHT, NONE };
    for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++)
        if (has_op(kind_words[b->s->kind].ops, left_out[k]))
            say(b, "", op_words[left_out[k]].name, op_words[left_out[k]].says, f, with);
}
/* Of an operation that is made as often as an axis is long, the first or the last time is left out. */
static void each_end(const struct site *s, site_word *f, void *with)
{
    const int places = s->places && kind_computed((int)s->kind) && !s->form ? s->places->n : 0;
    for (int k = 0; k < 2 * places; k++) {
        const long extent = s->places->at[k / 2].extent;
        char word[24], turns[80];
        turns_say(s->places, k / 2, k % 2 == 0, word, sizeof word, turns, sizeof turns);
        if (s->count >= extent && s->count % extent == 0)
            each_left_out(&(struct about){ s, 0, word, turns }, f, with);
    }
}
/* Where code has two branches, as of a sigmoid that overflows on neither side, a fault is in one of them. */
static void each_sign(const struct site *s, site_word *f, void *with)
{
    const bool branches = s->kind >= SITE_EXP && s->kind <= SITE_SOFTPLUS;
    if (branches && s->sign[0])
        each_value(&(struct about){ s, 0, word_negative }, f, with);
    if (branches && s->sign[1])
        each_value(&(struct about){ s, 0, word_positive }, f, with);
}
/* In some of all turns of a line: in one half of them, or left out in the first or the last.  Of two turns, or of as
 * many as an extent has, other words say the same. */
static void each_turn(const struct site *s, site_word *f, void *with)
{
    bool of_extent = false;
    if (s->form || s->count < 3 || !takes_turns(s->kind))
        return;
    for (int k = 0; s->places && k < s->places->n; k++)
        of_extent |= s->places->at[k].extent == s->count;
    for (int k = 0; k < LINE_TURNS; k++) {
        const struct about b = { s, 0, line_turns[k].name, line_turns[k].says };
        if (k < TURNS_FIRST && s->count % 2 == 0)
            each_value(&b, f, with);
        if (k >= TURNS_FIRST && !of_extent)
            each_left_out(&b, f, with);
    }
}
void site_each(const struct site *s, enum site_words words, site_word *f, void *with)
{
    const bool twins = words == WORDS_TWINS && s->may_hide;
    if (words == WORDS_ALL)
        each_of(s, "", f, with);
    if (words == WORDS_NUMBERS)
        each_number(s, f, with);
    /* A kernel that takes 0 for an infinite reference point does so without hidden keys, too. */
    if (twins || (words == WORDS_HIDDEN && (s->hides || (s->may_hide && s->kind == SITE_LARGEST))))
        each_of(s, word_hidden, f, with);
    if (twins || (words == WORDS_GUARDED && s->hides))
        each_of(s, word_guarded, f, with);
    if (words == WORDS_ENDS)
        each_end(s, f, with);
    if (words == WORDS_SIGNS)
        each_sign(s, f, with);
    if (words == WORDS_TURNS)
        each_turn(s, f, with);
    for (int of = 2; words == WORDS_APART && !s->form && of <= 4; of++)
        for (int which = 1; which <= of && s->count % of == 0 && s->count >= of && takes_turns(s->kind); which++) {
            char text[16];
            snprintf(text, sizeof text, "%dof%d", which, of);
            each_of(s, text, f, with);
        }
}

/* Whole numbers that are off by an extent; see shift.h. */
#include "edit/shift.h"
#include <stdio.h>
#include <string.h>
#include "ball/ball.h"

/* A shift is (array * AXES + axis) * SHIFT_WAYS + way, where the way has a direction, and two bits. */
enum { ARRAYS = 10, ANSWER = 9, AXES = 6 };
enum { UP, DOWN, FROM };
static const char *const directions[] = { "up", "down", "from" };
struct shift_parts { int direction, twice, last, array, axis; };
static struct shift_parts parts_of(int shift)
{
    const int way = shift % SHIFT_WAYS, place = shift / SHIFT_WAYS;
    return (struct shift_parts){ way / 4, way / 2 % 2, way % 2, place / AXES, place % AXES };
}

static const struct mer_array *array_of(const struct mer_call *c, int array)
{
    return array == ANSWER ? (c->n_out ? c->out : NULL) : array < c->n_in ? &c->in[array] : NULL;
}
void shift_places_of(const struct mer_call *c, unsigned long without, struct shift_places *p)
{
    *p = (struct shift_places){ .n = 0 };
    for (int k = ANSWER; k >= 0; k--) { /* The answer has most of them, in the order of its axes. */
        const struct mer_array *a = k != ANSWER && without >> k & 1 ? NULL : array_of(c, k);
        for (int axis = 0; a && axis < a->rank && axis < AXES && p->n < SHIFT_PLACES; axis++) {
            bool had = a->dim[axis] <= 1;
            for (int j = 0; j < p->n; j++)
                had |= array_of(c, p->at[j].array)->dim[p->at[j].axis] == a->dim[axis];
            if (!had)
                p->at[p->n].array = k, p->at[p->n].extent = a->dim[axis], p->at[p->n++].axis = axis;
        }
    }
}
int shift_at(const struct shift_places *p, int place, int way)
{
    return (p->at[place].array * AXES + p->at[place].axis) * SHIFT_WAYS + way;
}

static void write_word(const struct shift_parts *p, char *word, size_t n)
{
    snprintf(word, n, "%s%s%s-%d-%d", directions[p->direction], p->twice ? "-twice" : "", p->last ? "-last" : "",
        p->array, p->axis);
}
/* Takes the text from the beginning of the word, where it stands there. */
static bool taken(const char **word, size_t *n, const char *text)
{
    const size_t len = strlen(text);
    /* mutant: term b2ef: of what is shorter no four bytes are left. */
    const bool is = *n >= len && !strncmp(*word, text, len);
    *word += is ? len : 0, *n -= is ? len : 0;
    return is;
}
int shift_named(const char *word, size_t n)
{
    for (int direction = UP; direction <= FROM; direction++) {
        if (!taken(&word, &n, directions[direction]))
            continue;
        const int twice = taken(&word, &n, "-twice"), last = taken(&word, &n, "-last");
        if (n != 4 || word[0] != '-' || word[2] != '-')
            return -1;
        const int array = word[1] - '0', axis = word[3] - '0';
        return array < 0 || array >= ARRAYS || axis < 0 || axis >= AXES ?
            -1 :
            (array * AXES + axis) * SHIFT_WAYS + direction * 4 + twice * 2 + last;
    }
    return -1;
}
void shift_say(int shift, char *word, size_t n, char *says, size_t n_says)
{
    static const char *const does[] = { "is larger by", "is smaller by", "is taken from" };
    const struct shift_parts p = parts_of(shift);
    char whose[24] = "the answer";
    if (p.array != ANSWER)
        snprintf(whose, sizeof whose, "input %d", p.array);
    write_word(&p, word, n);
    snprintf(says, n_says, "%s %sthe %s of axis %d of %s", does[p.direction], p.twice ? "twice " : "",
        p.last ? "last index" : "extent", p.axis, whose);
}

long shift_edited(const struct ask *w, int shift, long x)
{
    const struct shift_parts p = parts_of(shift);
    const struct mer_array *a = w->call ? array_of(w->call, p.array) : NULL;
    long by, y;
    if (!a || p.axis >= a->rank)
        return x;
    by = (a->dim[p.axis] - p.last) * (1 + p.twice);
    const bool far = p.direction == UP ? __builtin_add_overflow(x, by, &y) :
        p.direction == DOWN            ? __builtin_sub_overflow(x, by, &y) :
                                         __builtin_sub_overflow(by, x, &y);
    return far ? x : y;
}

static const char *const turns_words[] = { "last-of", "first-of" };
const struct line_turns line_turns[LINE_TURNS] = {
    [TURNS_EARLY] = { "early", " (in the first half of a line's turns)" },
    [TURNS_LATE] = { "late", " (in the second half of a line's turns)" },
    [TURNS_FIRST] = { "first", " (in a line's first turn)" },
    [TURNS_LAST] = { "last", " (in a line's last turn)" },
};
bool turns_read(const char *word, size_t n, int *which, int *of)
{
    for (int k = 0; k < LINE_TURNS; k++)
        if (n == strlen(line_turns[k].name) && !strncmp(word, line_turns[k].name, n)) {
            *which = k, *of = TURNS_OF_LINE;
            return true;
        }
    for (int first = 0; first < 2; first++) {
        const char *at = word;
        size_t left = n;
        if (!taken(&at, &left, turns_words[first]) || left != 4 || at[0] != '-' || at[2] != '-')
            continue;
        const int array = at[1] - '0', axis = at[3] - '0';
        *which = first, *of = TURNS_OF_EXTENT + array * AXES + axis;
        return array >= 0 && array < ARRAYS && axis >= 0 && axis < AXES;
    }
    return false;
}
void turns_say(const struct shift_places *p, int place, bool first, char *word, size_t n, char *says, size_t n_says)
{
    char whose[24] = "the answer";
    if (p->at[place].array != ANSWER)
        snprintf(whose, sizeof whose, "input %d", p->at[place].array);
    snprintf(word, n, "%s-%d-%d", turns_words[first], p->at[place].array, p->at[place].axis);
    snprintf(says, n_says, " (the %s of as many as axis %d of %s has)", first ? "first" : "last", p->at[place].axis,
        whose);
}
long turns_of(const struct ask *w, int of)
{
    if (of < TURNS_OF_EXTENT)
        return of;
    const struct mer_array *a = w->call ? array_of(w->call, (of - TURNS_OF_EXTENT) / AXES) : NULL;
    const int axis = (of - TURNS_OF_EXTENT) % AXES;
    return a && axis < a->rank ? a->dim[axis] : 0;
}

bool turns_counted(const struct ask *w) { return w->arith->edit.of == TURNS_OF_LINE; }
bool turns_mean(const struct ask *w, long turn)
{
    const struct edit *e = &w->arith->edit;
    const long of = turns_of(w, e->of), all = w->site_all;
    if (!turns_counted(w))
        return of > 0 && turn % of == (e->which ? e->which : of) - 1;
    switch (e->which) {
    case TURNS_EARLY: return turn < all / 2;
    case TURNS_LATE: return turn >= all / 2 && !site_counting(w);
    case TURNS_FIRST: return turn == 0 && !site_counting(w);
    default: return turn == all - 1;
    }
}

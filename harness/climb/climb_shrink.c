/* Makes an escape small: leaves out and simplifies whatever can be, as long as its share stays above 1. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "climb/climb.h"
#include "base/clock.h"
#include "examine/examine.h"
#include "base/words.h"

struct climb_shrinking { struct climber *m; struct climb *c; struct climb_answer *y; double until; long *asked; };

static bool escapes(const struct climb_answer *y) { return y->asked && !(y->share <= 1); }

static bool still(struct climb_shrinking *s, struct climb *c)
{
    struct climb_answer y;
    climb_ask(s->m, c, &y);
    ++*s->asked;
    if (!escapes(&y))
        return false;
    *s->y = y;
    return true;
}

/* Replaces the question by `next` if that still escapes. */
static bool accept(struct climb_shrinking *s, struct climb *next)
{
    if (!still(s, next))
        return false;
    climb_copy(s->c, next);
    return true;
}

static void without_word(char *to, size_t n, const char *text, int k) /* copies text without its k-th word */
{
    *to = 0;
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s), k--)
        if (k != 0) {
            const size_t at = strlen(to);
            snprintf(to + at, n - at, "%s%.*s", at ? " " : "", (int)strcspn(s, " "), s);
        }
}

static bool remade(struct climb_shrinking *s, struct climb *next)
{
    return !climb_remake(next, s->c) && accept(s, next);
}

static struct climb *start(const struct climb *c)
{
    struct climb *next = need(1, sizeof *next);
    *next = *c;
    next->made = false;
    return next;
}
static void drop(struct climb *next) { climb_close(next), free(next); }

static bool fewer_words(struct climb_shrinking *s, bool profile)
{
    bool any = false;
    for (int k = 0; now() < s->until; k++) {
        struct climb *next = start(s->c);
        char *to = profile ? next->profile : next->params;
        const size_t n = profile ? sizeof next->profile : sizeof next->params;
        without_word(to, n, profile ? s->c->profile : s->c->params, k);
        const bool end = !strcmp(to, profile ? s->c->profile : s->c->params),
                   gone = !end && *to + !profile && remade(s, next);
        drop(next);
        if (end)
            break;
        any |= gone, k -= gone;
    }
    return any;
}

static bool smaller_sizes(struct climb_shrinking *s)
{
    bool any = false;
    for (size_t at = 0; s->c->sizes[at] && now() < s->until;
         at += strcspn(s->c->sizes + at, " "), at += strspn(s->c->sizes + at, " ")) {
        if (s->c->sizes[at + 1] != '=')
            continue;
        for (bool on = true; on && now() < s->until;) {
            const long x = strtol(s->c->sizes + at + 2, NULL, 10), by[] = { 1, 2, x / 4, x / 2, (3 * x) / 4, x - 1 };
            on = false;
            for (int k = 0; k < 6 && !on; k++) {
                if (by[k] >= x || by[k] < 1 || (k >= 2 && by[k] < 3))
                    continue;
                struct climb *next = start(s->c);
                snprintf(next->sizes, sizeof next->sizes, "%.*s%ld%s", (int)at + 2, s->c->sizes, by[k],
                    s->c->sizes + at + strcspn(s->c->sizes + at, " "));
                on = remade(s, next);
                drop(next);
            }
            any |= on;
        }
    }
    return any;
}

static bool simpler_choices(struct climb_shrinking *s)
{
    bool any = false;
    for (int k = -3; k < 2 * STEPS && now() < s->until; k++) {
        const struct adverse was = s->c->adverse;
        struct adverse *a = &s->c->adverse;
        if (k == -3)
            a->convert = false;
        else if (k == -2)
            a->flush = false;
        else if (k == -1)
            memset(a->way, TO_NEAREST, sizeof a->way), memset(a->tree, LEFT_TO_RIGHT, sizeof a->tree);
        else if (k < STEPS)
            a->way[k] = TO_NEAREST;
        else
            a->tree[k - STEPS] = LEFT_TO_RIGHT;
        if (!memcmp(a, &was, sizeof was))
            continue;
        if (still(s, s->c))
            any = true;
        else
            *a = was;
    }
    return any;
}

/* the k-th candidate for a simpler number than x, the simplest first; NaN: no more */
static double simpler(double x, int k)
{
    int e;
    const double m = frexp(x, &e);
    switch (k) {
    case 0: return 0;
    case 1: return 1;
    case 2: return x < 0 ? -1 : ldexp(0.5, e);
    case 3: case 4: case 5: case 6: case 7: return ldexp(nearbyint(ldexp(m, 2 * k)), e - 2 * k);
    case 8: return fabs(x);
    default: return (double)NAN;
    }
}

/* Makes all elements equal to the i-th simpler, or it alone. */
static bool simpler_element(struct climb_shrinking *s, struct mer_array *a, long i, bool alike)
{
    const size_t bytes = (size_t)array_len(a) * type_size(a->type);
    const double x = array_get(a, i);
    void *was = need(bytes + 1, 1);
    bool done = false;
    memcpy(was, a->data, bytes);
    for (int k = 0; !done && !isnan(simpler(x, k)) && now() < s->until; k++) {
        if (simpler(x, k) == x) {
            if (k < 3)
                break; /* it is as simple as that already */
            continue;
        }
        for (long l = 0; l < array_len(a); l++)
            if (l == i || (alike && array_get(a, l) == x))
                array_put(a, l, simpler(x, k));
        done = isfinite(array_get(a, i)) && still(s, s->c); /* the largest number of a format may round to infinity */
        if (!done)
            memcpy(a->data, was, bytes);
    }
    free(was);
    return done;
}

static bool simpler_inputs(struct climb_shrinking *s, bool alike)
{
    enum { MOST = 400 };
    bool any = false;
    for (int k = 0; k < s->c->t.call.n_in; k++) {
        struct mer_array *a = &s->c->t.in[k];
        for (long i = 0; a->type < MER_I64 && i < array_len(a) && i < MOST && now() < s->until; i++)
            if (!alike || i == 0 || array_get(a, i) != array_get(a, i - 1))
                any |= simpler_element(s, a, i, alike);
    }
    return any;
}

void climb_shrink(struct climber *m, struct climb *c, struct climb_answer *y, double seconds, long *asked)
{
    struct climb_shrinking s = { m, c, y, now() + seconds, asked };
    for (bool on = true; on && now() < s.until;) {
        on = smaller_sizes(&s);
        if (!c->kernel)
            on |= fewer_words(&s, true), on |= simpler_choices(&s);
        on |= fewer_words(&s, false);
        on |= simpler_inputs(&s, true);
        on |= simpler_inputs(&s, false);
    }
}

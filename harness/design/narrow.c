/* A design is narrowed by asking the kernel at each extent alone. */
#include "design/narrow.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What kernels may take that decline the design's own lengths and widths: whole tiles and vectors. */
static const long whole_lengths[] = { 16, 32, 128, 192, 256 }, whole_widths[] = { 32, 128, 256 };

/* Keeps the levels of x that are taken beside the base of all other letters.  true: another extent than the base is
 * among them. */
static bool keep_taken(const struct cover *c, struct choice *x, bool (*takes)(void *of, const char *sizes), void *of)
{
    const long base = c->base[(int)*x->name];
    int n = 0;
    bool other = false;
    for (int k = 0; k < x->n; k++) {
        char sizes[300];
        size_t at = cover_level_words(sizes, sizeof sizes, "", x, x->level[k]);
        for (char letter = 'a'; letter <= 'z' && at < sizeof sizes; letter++)
            if (c->base[(int)letter] && !strchr(x->name, letter))
                at += (size_t)snprintf(sizes + at, sizeof sizes - at, " %c=%ld", letter, c->base[(int)letter]);
        if (!takes(of, sizes))
            continue;
        other |= x->level[k] != base;
        x->level[n++] = x->level[k];
    }
    x->n = n;
    return other;
}
static int by_extent(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}
/* Sets the levels of x to all that a length or a width may have. */
static void every_level(struct choice *x, bool length)
{
    const long *usual, *more = length ? whole_lengths : whole_widths;
    const size_t n = cover_extents(length, &usual),
                 n_more = length ? sizeof whole_lengths / sizeof *more : sizeof whole_widths / sizeof *more;
    x->n = 0;
    for (size_t k = 0; k < n; k++)
        x->level[x->n++] = usual[k];
    for (size_t k = 0; k < n_more; k++)
        x->level[x->n++] = more[k];
    qsort(x->level, (size_t)x->n, sizeof *x->level, by_extent);
}
/* Joins the letters at `bound` that are lengths, or widths, into one choice, of the levels that they take together, and
 * of their base. */
static void join_letters(
    struct cover *c, bool length, const bool *bound, bool (*takes)(void *of, const char *sizes), void *of)
{
    struct choice *x = NULL;
    for (int k = 0; k < c->n; k++) {
        if (!bound[k] || cover_is_length(c, *c->choice[k].name) != length)
            continue;
        if (x)
            x->name[strlen(x->name)] = *c->choice[k].name, c->choice[k].n = 0;
        x = x ? x : &c->choice[k];
    }
    if (!x)
        return;
    x->n = 0;
    if (x->name[1])
        every_level(x, length), keep_taken(c, x, takes, of);
    for (int k = 0; k < x->n; k++)
        if (x->level[k] == c->base[(int)*x->name])
            return;
    x->level[x->n++] = c->base[(int)*x->name];
    qsort(x->level, (size_t)x->n, sizeof *x->level, by_extent);
}

void narrow(struct cover *c, const struct range *base, int n, bool (*takes)(void *of, const char *sizes), void *of)
{
    bool bound[COVER_CHOICES] = { false };
    for (int k = 0; k < n; k++)
        c->base[(int)base[k].letter] = base[k].least;
    for (int k = 0; k < c->n; k++) {
        struct choice *x = &c->choice[k];
        if (x->kind != OF_LETTER && x->kind != OF_GROUPS)
            continue;
        if (x->kind == OF_LETTER && !strchr("hg", *x->name))
            every_level(x, cover_is_length(c, *x->name));
        const bool other = keep_taken(c, x, takes, of);
        bound[k] = !other && x->kind == OF_LETTER && c->base[(int)*x->name];
    }
    join_letters(c, false, bound, takes, of), join_letters(c, true, bound, takes, of);
    c->narrowed = true;
    cover_settle(c);
}

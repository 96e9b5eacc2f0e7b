/* Finds and reads the arrays of a recorded case that one view of it uses. */
#ifndef PACK_FOUND_H
#define PACK_FOUND_H
#include <string.h>
#include "pack/names.h"
#include "pack/recorded.h"

/* An array and its layout.  r: the rule of data/names about it or, where there is none, own.  out: it is an output for
 * us; recorded: it stands among the outputs of the case; key: its name there, or NULL where it is no array of the
 * case. */
struct array_found {
    struct mer_array a;
    struct laid l;
    const struct rule *r;
    bool out, recorded;
    const char *key;
    struct rule own;
};
/* Whether the rule about the array is of that kind. */
static inline bool found_is(const struct array_found *g, const char *kind) { return !strcmp(g->r->kind, kind); }
/* Whether it is by itself an input or output of the call, and no addition to or condition on one. */
static inline bool is_input(const struct array_found *g)
{
    return !found_is(g, "before") && !found_is(g, "cut") && !found_is(g, "ones");
}
/* Where the layout has exactly one letter that our axes x lack and they have one that it lacks, takes it for that one:
 * a recording may call the width of values "dim", too. */
void rename_letter(const struct axes *x, struct laid *l);
/* One view of a recorded case, which becomes a question of the row; everything is borrowed. */
struct case_view {
    const struct pack *p;                 /* with the batch and the output (of) that this view asks for */
    const struct row *row;
    const struct names *x;                /* the lines of data/names about the row */
    const char *op, *view;                /* the words by which x is asked: the case's op, and which of its views */
    json_t *c;                            /* the case in pack.json */
};
/* Collects every array of the case that this view uses into got[TRIAL_IN + 1].  Returns how many; or -1 - how many, and
 * one line in err: what is not understood.  The caller frees their data either way. */
int found_collect(const struct case_view *v, struct array_found *got, char *err, size_t n);
#endif

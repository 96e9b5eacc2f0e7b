/* The arrays of a recorded case as one view of it uses them. */
#ifndef PACK_FOUND_H
#define PACK_FOUND_H
#include <string.h>
#include "pack/names.h"
#include "pack/pack.h"

/* An array with how it lies, by a line of data/names or, where none is about it, one of its own (own); key: its name in
 * the case, among the outputs where recorded; NULL: no array of the case. */
struct array_found {
    struct mer_array a;
    struct laid l;
    const struct rule *r;
    bool out, recorded;
    const char *key;
    struct rule own;
};
static inline bool is(const struct array_found *g, const char *kind) { return !strcmp(g->r->kind, kind); }
/* or an output: one array of the call */
static inline bool is_input(const struct array_found *g) { return !is(g, "before") && !is(g, "cut") && !is(g, "ones"); }
/* A shape says "dim" of the values too: the one letter that our axes lack is the one letter of ours that is left. */
void rename_letter(const struct axes *x, struct laid *l);
/* One view of a recorded case, which becomes a question of the row; everything is borrowed. */
struct case_view {
    const struct pack *p;                 /* with the batch and the output (of) that this view asks for */
    const struct row *row;
    const struct names *x;                /* the lines of data/names about the row */
    const char *op, *view;                /* the words by which x is asked: the case's op, and which of its views */
    json_t *c;                            /* the case in pack.json */
};
/* Every array of the case that this view wants into got[TRIAL_IN + 1]: how many, their data owned by the caller; or
 * -1 - how many, and one line what is not understood. */
int found_collect(const struct case_view *v, struct array_found *got, char *err, size_t n);
#endif

/* Reads a pack question by question as judge does, for a report of what is understood: which row and outputs, with
 * which words; what is not understood; which arrays are there and not read. */
#ifndef UNDERSTOOD_H
#define UNDERSTOOD_H
#include "pack/pack.h"

struct understood {
    struct subject *s;
    struct trial *t;          /* of this question; valid until the next */
    int got;                  /* 1: read; 2: judge would print a SKIP; -1: broken */
    bool last;                /* whether it is the last question of its case */
    const char *word;         /* the same as got: "READ", "SKIP", "REFUSED" */
    char why[900], params[TEXT_MAX]; /* the reason of a SKIP or refusal; parameters in our words */
    /* At the last question of a case: files of arrays that none of its questions takes; words of its own profile that
     * have no effect on any of them. */
    json_t *unread, *idle;
};
/* Begins to read s, an open pack, which is borrowed. */
void understood_begin(struct understood *u, struct subject *s);
/* Reads the next question into u; false: there are no more. */
bool understood_next(struct understood *u);
/* Frees what u holds, also when it was not read to the end. */
void understood_end(struct understood *u);
#endif

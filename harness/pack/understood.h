/* What a pack says, question by question, as judge reads it: which row and outputs, with which words; what is not
 * understood; what is there and not read. */
#ifndef UNDERSTOOD_H
#define UNDERSTOOD_H
#include "pack/pack.h"

struct understood {
    struct subject *s;
    struct trial *t;          /* of this question; valid until the next */
    int got;                  /* 1 read, 2 would be a SKIP, -1 broken */
    bool last;                /* the last question of its case */
    const char *word;         /* "READ", "SKIP", "REFUSED" */
    char why[900], params[TEXT_MAX];
    /* at the last question of a case: files of arrays that none of its questions takes; words of its own profile that
     * nothing asked rounds by */
    json_t *unread, *idle;
};
void understood_begin(struct understood *u, struct subject *s); /* s: an open pack; borrowed */
bool understood_next(struct understood *u);                     /* false: there is none */
void understood_end(struct understood *u);
#endif

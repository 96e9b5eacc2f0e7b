/* A trial: one call with its arrays, which any subject can be asked, and the row that knows its exact answer.  It is
 * made and checked by trial.h, with the help of extents.h and valid.h. */
#ifndef TRIAL_TYPES_H
#define TRIAL_TYPES_H
#include "row/row.h"

/* Arrays of one call at most: enough for a whole layer with its weights and all their gradients. */
enum { TRIAL_IN = 32, TRIAL_OUT = 24 };
struct trial {
    const struct row *row;
    /* id: a case of a pack, or ""; text: the parameters in canonical form; profile: the declared arithmetic; here: what
     * of it holds for these sizes (sized.h) */
    char id[96], text[TEXT_MAX], profile[1024], here[1024];
    void *params;                          /* text, read into the row's own struct; owned */
    int type;                              /* of the real arrays */
    struct mer_call call;                  /* points to the members of this struct */
    struct mer_array in[TRIAL_IN], out[TRIAL_OUT]; /* their data is owned */
    char names[TRIAL_IN + TRIAL_OUT][32];  /* of the arrays that trial_make made */
    long size[128];                        /* extents by letter */
    bool bound[128];                       /* whether the letter has an extent: 0 is one, too */
    struct exact_answers *answers;               /* where exact values are kept (answers.h), borrowed; or NULL */
};
#endif

/* A user's own encoding, beside the listed ones in every study, table and check of this run of the program.
 *     NAME=BASE [WORDS] [by SUBJECT]
 * It is like the listed encoding BASE: the same row with the same inputs, some of them trained, under BASE's parameters
 * and WORDS ("rotary=8 base=500", with the $d and others of encoding.h).  SUBJECT, "./mine.so" or "exec COMMAND",
 * answers that row's operations and their gradients in place of this program, and need not compute what the row does: a
 * bias as alibi (nothing trained) or kerple (two numbers a head), a turn of q and k as rope, a whole attention as shaw.
 * Each process that runs such a model starts a subject of its own. */
#ifndef OWN_H
#define OWN_H
#include "trial/trial.h"

/* Adds the encoding that the text describes.  The subject is started once, asked what it offers, and ended.  0, or -1
 * and one line in err. */
int own_encoding(const char *text, char *err, size_t n);
/* Answers the call of t in elements of t->type by the subject: a MER_ answer.  An answer that holds NaN
 * or infinity is MER_BAD, but for minus infinity in a bias.
 * May be called by several threads, which wait for each other. */
int own_answer(const char *by, struct trial *t);
/* What went wrong in the last answer of this process that was not MER_OK, one line; "" where nothing did. */
const char *own_said(void);
/* Ends the subjects of this process. */
void own_close(void);
#endif

/* Whoever answers the operations of a user's own encoding (own.h) in place of this program: "./mine.so", a library, or
 * "exec COMMAND", a process.  Each process that runs such a model starts a subject of its own, at its first answer. */
#ifndef OWN_SUBJECT_H
#define OWN_SUBJECT_H
#include "subject/subject.h"
#include "trial/trial.h"

/* Starts the subject that the text names, for somebody who looks at what it offers.  0, and s->close is due; or -1 and
 * one line in err: it cannot be started, or answers recorded questions alone. */
int own_subject(struct subject *s, const char *by, char *err, size_t n);
/* Whether the kernel answers this output of the row in that element type. */
bool own_offers(const struct mer_kernel *k, const char *row, const char *out, int type);
/* Answers the call of t in elements of t->type by the subject that the text names, which is started where this process
 * has none yet: a MER_ answer.  An answer that holds NaN or infinity is MER_BAD, but for minus infinity in a bias.
 * May be called by several threads, which wait for each other. */
int own_answer(const char *by, struct trial *t);
/* What went wrong in the last answer of this process that was not MER_OK, one line; "" where nothing did. */
const char *own_said(void);
/* Ends the subjects that own_answer started in this process. */
void own_close(void);
#endif

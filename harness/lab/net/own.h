/* A user's own encoding, beside the listed ones in every study, table and check of this run of the program.
 *     NAME=BASE [WORDS] [by SUBJECT]
 * It is like the listed encoding BASE: the same row with the same inputs, some of them trained, under BASE's parameters
 * and WORDS ("rotary=8 base=500", with the $d and others of encoding.h).  SUBJECT, "./mine.so" or "exec COMMAND",
 * answers that row's operations and their gradients in place of this program, and need not compute what the row does: a
 * bias as alibi (nothing trained) or kerple (two numbers a head), a turn of q and k as rope, a whole attention as shaw.
 * How subjects are started and asked: own_subject.h. */
#ifndef OWN_H
#define OWN_H
#include <stddef.h>

/* Adds the encoding that the text describes.  The subject is started once, asked what it offers, and ended.  0, or -1
 * and one line in err. */
int own_encoding(const char *text, char *err, size_t n);
#endif

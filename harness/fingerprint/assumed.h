/* Without a declaration: what the subject is found to do, by its fingerprint, printed as what is assumed of it. */
#ifndef ASSUMED_H
#define ASSUMED_H
#include <stdio.h>
#include "subject/subject.h"
#include "trial/trial.h"
enum { ASSUMED_KERNELS = 8 }; /* of one subject; of more the rest is `meridian fingerprint` */
/* One line a kernel of that row, outputs and type (each may be NULL). */
void assumed_say(FILE *to, const struct subject *s, const char *row, const char *out, const char *type);
#endif

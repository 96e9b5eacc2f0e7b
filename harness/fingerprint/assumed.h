/* What is assumed of a subject without a declaration: the conventions that its fingerprint finds, printed. */
#ifndef ASSUMED_H
#define ASSUMED_H
#include <stdio.h>
#include "subject/subject.h"
#include "trial/trial.h"
/* kernels of one subject that are printed; `meridian fingerprint` prints the others, too */
enum { ASSUMED_KERNELS = 8 };
/* Prints one line for each kernel of that row, outputs and type (each NULL: any). */
void assumed_say(FILE *to, const struct subject *s, const char *row, const char *out, const char *type);
#endif

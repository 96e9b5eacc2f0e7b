/* Reading of words of operations done differently (edit/site.h). */
#ifndef WORDS_READ_H
#define WORDS_READ_H
#include "edit/noted.h"

extern const char edit_nowhere[]; /* A word that looks at the operations and changes none. */

/* Reads the value of a word "edit=..", n bytes, as one of these; false: it is none.  What it borrows is the text. */
bool site_read(struct edit *e, const char *value, size_t n);
#endif

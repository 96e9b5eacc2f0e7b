/* Changes at evaluation, by name: what --changes says, or a file of it. */
#ifndef RUN_CHANGES_H
#define RUN_CHANGES_H
#include "lab/run/opened.h"

enum { CHANGES_MOST = 64, CHANGE_NAME = 60 };
/* One of them; its texts are owned by the list. */
struct change { char name[CHANGE_NAME]; struct changed of; };
struct changes { struct change *of; int n; char *text; };
/* Reads "NAME: PART; PART; NAME: PART ..", or the file of that name, where a line is as good as a ';' and # begins a
 * comment.  A part is ROW WORDS, as --words takes them, or KEY=JSON, as --config does.  The first of the list is
 * `base` itself, "unchanged"; every other is base with its own parts, which win.  said: NULL, there are no others.  0,
 * or -1 and one line; changes_free is due either way. */
int changes_read(struct changes *y, const char *said, const struct changed *base, char *err, size_t n);
void changes_free(struct changes *y);
#endif

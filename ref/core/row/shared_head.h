/* Heads of queries that share the keys of one head. */
#ifndef SHARED_HEAD_H
#define SHARED_HEAD_H
#include "edit/whole.h"
/* The head of keys, of `groups`, that head h of `heads` reads: each is repeated heads / groups times, or all of them in
 * turn (tile).  Under an edit, too, it is one of them. */
long shared_head(const struct ask *w, bool tile, long h, long heads, long groups);
#endif

/* Packs: folders of recorded arrays with a pack.json (format: data/README.md), as subjects that bring their own
 * questions and answers. */
#ifndef PACK_H
#define PACK_H
#include <jansson.h>
#include "subject/subject.h"
enum { PACK_JSON_MAX = 16 << 20, PACK_CASES = 1 << 16, PACK_DEPTH = 32 }; /* bytes; cases; nesting of values */
/* Parses the text of a pack.json and checks its structure; no other file is read.  The caller owns the result; NULL and
 * one line in err: it is no pack. */
json_t *pack_parse(const char *text, size_t len, char *err, size_t n);
/* `why` without the case's name in front of it, for texts that have named the case already; points into why. */
const char *pack_reason(const char *id, const char *why);
/* The name of case k of pack s, valid until the pack is closed, and the row that it asks about (NULL: not known here).
 * false: it has fewer cases. */
bool pack_case(const struct subject *s, long k, const char **id, const struct row **r);
/* From now on an open pack, of which nothing was asked yet, has the case with this id alone, or none. */
void pack_only(struct subject *s, const char *id);
/* Opens the pack in the folder dir.  0, or -1 and one line in err; s->close is due after 0. */
int subject_pack(struct subject *s, const char *dir, char *err, size_t n);
#endif

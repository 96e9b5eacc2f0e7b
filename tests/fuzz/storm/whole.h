/* Files that are complete: what a reader of their kind would accept from the first byte to the last. */
#ifndef STORM_WHOLE_H
#define STORM_WHOLE_H
#include "bytes.h"
/* NULL, or what is wrong with the file in a few words.  Its kind is what its first bytes say and, but for SQLite, the
 * end of its name too, since any
 * text may be written under any name; one of another kind is complete. */
const char *whole_fault(const char *path);
/* The same of texts.  XML: one element, tags that match, references, UTF-8, no control characters (not: declarations
 * of types). */
const char *whole_xml(const char *s, size_t n);
const char *whole_json(const char *s, size_t n); /* one value, or one a line */
extern const char whole_temporary[]; /* the fault of a file whose name says that it is not finished */
#endif

/* Makes texts of unknown origin fit to be printed on one line, in JSON, in XML and in a table. */
#ifndef PRINTABLE_H
#define PRINTABLE_H
#include <stdio.h>
/* Replaces in place, byte by byte, by '?': what is no well-formed UTF-8 (also where a text was cut short), control
 * characters (C0, DEL, C1, line and paragraph separators) and noncharacters (U+FFFE and U+FFFF of every plane).  The
 * length stays the same. */
void printable(char *text);
/* Replaces control bytes and bytes above ASCII by '?', in place. */
void one_line(char *text);
/* Writes text as the content of an XML 1.0 element, or as an attribute's value in double quotes: printable(), with
 * entities for < > & and " (so "]]>" cannot occur). text is not changed. */
void printable_xml(FILE *f, const char *text);
#endif

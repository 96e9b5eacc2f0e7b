/* Names and reasons come from anybody: made fit to be printed on one line, in JSON, in XML and in a table. */
#ifndef PRINTABLE_H
#define PRINTABLE_H
#include <stdio.h>
/* In place: what is no well-formed UTF-8 (a text cut short, too), a control character (C0, DEL, C1, line and paragraph
 * separators) or no character at
 * all (U+FFFE, U+FFFF) becomes '?' byte by byte.  The length stays. */
void printable(char *text);
/* Element text or the value of an attribute in double quotes, of XML 1.0: printable, and with entities for what is
 * markup ("]]>" is none then). */
void printable_xml(FILE *f, const char *text);
#endif

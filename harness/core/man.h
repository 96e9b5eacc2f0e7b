/* The manual page, written from the tables of the verbs. */
#ifndef MAN_H
#define MAN_H
#include <stdio.h>
void man_page(FILE *f); /* writes the page to f, as troff source with the macros man(7) */
#endif

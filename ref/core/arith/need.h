/* Memory that a page, a proof or a measurement cannot go on without: where there is none left, the program says so in
 * one line and ends with status 2.  Never in fast/: a library returns MER_BAD instead.  Whoever asks frees by free. */
#ifndef NEED_H
#define NEED_H
#include <stddef.h>
#include <stdio.h>
/* n zeroed elements of `size` bytes, never NULL, even for n = 0; n size beyond size_t counts as out of memory. */
void *need(size_t n, size_t size);
/* p, which is NULL or from here, with room for n elements: the old ones are kept, the new ones undefined.  p itself is
 * gone. */
void *need_more(void *p, size_t n, size_t size);
/* The same text in memory of its own. */
char *need_copy(const char *s);
/* open_memstream: what is written there is *text, of *n bytes, once the stream is flushed or closed. */
FILE *need_stream(char **text, size_t *n);
#endif

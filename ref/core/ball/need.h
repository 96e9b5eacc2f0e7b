/* Memory that a page, a proof or a measurement cannot go on without.  Never in fast/: a library returns MER_BAD
 * instead. */
#ifndef NEED_H
#define NEED_H
#include <stddef.h>
#include <stdio.h>
/* n zeroed elements, never NULL; n size beyond size_t counts as out of memory */
void *need(size_t n, size_t size);
/* p, NULL or from here, with room for n elements: the old ones kept, the new ones undefined */
void *need_more(void *p, size_t n, size_t size);
char *need_copy(const char *s);                  /* the same text in memory of its own */
FILE *need_stream(char **text, size_t *n);       /* open_memstream */
#endif

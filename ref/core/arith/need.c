/* Out of memory: one line and exit status 2, the machine's state and no verdict about a subject. */
#include "arith/need.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void none_left(void)
{
    fputs("meridian: out of memory\n", stderr);
    exit(2);
}

/* An overflow of n size is found by calloc; 0 elements get a block of one byte or more, which can be freed. */
void *need(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        none_left();
    return p;
}

void *need_more(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        none_left();
    void *q = realloc(p, n && size ? n * size : 1);
    if (!q)
        none_left();
    return q;
}

char *need_copy(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(need(n, 1), s, n);
}

FILE *need_stream(char **text, size_t *n)
{
    FILE *f = open_memstream(text, n);
    if (!f)
        none_left();
    return f;
}

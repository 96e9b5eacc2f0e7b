/* Texts that grow piece by piece; see text.h. */
#include "base/text.h"
#include <stdarg.h>
#include <stdio.h>

struct text text_in(char *to, size_t n)
{
    *to = 0;
    return (struct text){ .to = to, .n = n };
}

void text_put(struct text *t, const char *format, ...)
{
    va_list v;
    va_start(v, format);
    const int more = vsnprintf(t->to + t->at, t->n - t->at, format, v);
    va_end(v);
    if (more < 0 || (size_t)more >= t->n - t->at)
        t->to[t->at] = 0, t->cut = true;
    else
        t->at += (size_t)more;
}

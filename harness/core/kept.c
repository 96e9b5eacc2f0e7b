/* A list, since a program opens few subjects: see kept.h. */
#include "core/kept.h"
#include <string.h>
#include "ball/need.h"

const char *kept(const char *text)
{
    static struct one { char *text; struct one *next; } *first; /* reachable to the end: never freed, and no leak */
    for (const struct one *k = first; k; k = k->next)
        if (!strcmp(k->text, text))
            return k->text;
    struct one *k = need(1, sizeof *k);
    *k = (struct one){ need_copy(text), first };
    first = k;
    return k->text;
}

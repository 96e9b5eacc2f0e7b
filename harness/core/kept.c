/* Kept texts are a linked list, as a program opens few subjects; see kept.h. */
#include "core/kept.h"
#include <string.h>
#include "arith/need.h"

const char *kept(const char *text)
{
    /* reachable until the program ends: never freed, and no leak */
    static struct one { char *text; struct one *next; } *first;
    for (const struct one *k = first; k; k = k->next)
        if (!strcmp(k->text, text))
            return k->text;
    struct one *k = need(1, sizeof *k);
    *k = (struct one){ need_copy(text), first };
    first = k;
    return k->text;
}

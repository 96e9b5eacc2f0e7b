/* Kept texts are a linked list, as a program opens few subjects; see kept.h. */
#include "core/kept.h"
#include <string.h>
#include "arith/need.h"

const char *kept(const char *text)
{
    /* reachable until the program ends: never freed, and no leak */
    static struct kept_text { char *text; struct kept_text *next; } *first;
    for (const struct kept_text *k = first; k; k = k->next)
        if (!strcmp(k->text, text))
            return k->text;
    struct kept_text *k = need(1, sizeof *k);
    *k = (struct kept_text){ need_copy(text), first };
    first = k;
    return k->text;
}

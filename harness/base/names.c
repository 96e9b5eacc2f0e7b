/* Names with commas between them; see names.h. */
#include "base/names.h"
#include <stdio.h>
#include <string.h>

const char *names_after(const char *s)
{
    s += strcspn(s, ",");
    return s + strspn(s, ", ");
}

bool names_hold(const char *list, const char *name, size_t n)
{
    while (*list && !(strcspn(list, ",") == n && !strncmp(list, name, n)))
        list = names_after(list);
    return *list;
}

void names_add(char *list, size_t room, const char *name, size_t n)
{
    const size_t at = strlen(list);
    if (at + n + sizeof ", " <= room)
        snprintf(list + at, room - at, "%s%.*s", at ? ", " : "", (int)n, name);
}

/* Lists of names in one text, as they are shown: "edit=dot:zero, q@=zero".  A list has a comma and a blank between two
 * names, which hold no comma themselves. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H
#include <stdbool.h>
#include <stddef.h>
/* The name behind the one at s; at the end, the closing 0.  The length of a name is strcspn(s, ","). */
const char *names_after(const char *s);
/* Whether the list has the n bytes at `name` as one of its names. */
bool names_hold(const char *list, const char *name, size_t n);
/* Appends the n bytes at `name` to the list, which has `room` bytes; where that is too few, the list stays as it is. */
void names_add(char *list, size_t room, const char *name, size_t n);
#endif

/* Damage done to files by line: JSON by its values, arrays by their headers and numbers, texts by their lines,
 * anything by its bytes. */
#ifndef STORM_DAMAGE_H
#define STORM_DAMAGE_H
#include <stdbool.h>
/* One line of a case whose verb is json, poke, cut, append, fill, npy, element or line: the file, and what follows
 * PATH in the line.
 * False where the verb is none of them.  What does not apply changes nothing. */
bool damage(const char *path, const char *verb, const char *first);
#endif

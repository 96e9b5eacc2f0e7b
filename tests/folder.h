/* Files that a test writes into a folder of its own. */
#ifndef FOLDER_H
#define FOLDER_H
#include <criterion/criterion.h>
#include "core/files.h"

/* Writes the text whole into the file of that name in the folder; what was there is replaced. */
static inline void put(const char *dir, const char *name, const char *text)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(file_replace(path, text, strlen(text), why, sizeof why), 0, "%s", why);
}
#endif

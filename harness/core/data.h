/* Finds the folder data/: $MERIDIAN_DATA, else ./data, else beside the program's file (a build, or an installation). */
#ifndef DATA_H
#define DATA_H
#include <stddef.h>
/* Writes the path of what[] ("mistakes/rope.tsv") into path[n] and returns path.  The first folder that has it
 * counts; where none has, the path in ./data, which cannot be opened then.  With MERIDIAN_DATA set, no other folder
 * is looked into. */
const char *data_path(const char *what, char *path, size_t n);
#endif

/* Where data/ is: MERIDIAN_DATA, ./data, beside the build, or installed. */
#ifndef DATA_H
#define DATA_H
#include <stddef.h>
/* "mistakes/rope.tsv" -> its path.  The first place that has it, else the first that would. */
const char *data_path(const char *what, char *path, size_t n);
#endif

/* Files written whole or not at all: a temporary file beside it, synced, then renamed. */
#ifndef FILES_H
#define FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
int file_replace(const char *path, const char *text, size_t length, char *err, size_t n); /* 0, or -1 and one line */
char *file_read(const char *path);                            /* whole, with a closing 0; the caller frees.  NULL */
int folder_make(const char *path, char *err, size_t n);         /* and its parents; 0, or -1 and one line: also when it cannot be written */
uint64_t file_digest(const char *path, uint64_t h);             /* FNV-1a of names and contents, of a file or a folder's files in order */
#endif

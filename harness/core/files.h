/* Files written whole or not at all: a temporary file beside it, synced, then renamed. */
#ifndef FILES_H
#define FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A file that is being written: it lies beside its name until draft_keep gives it that name, so nobody ever sees half
 * of it. */
struct draft { FILE *file; char *path, *part; }; /* file is NULL where there is none */
/* 0, or -1 and one line in err, with no file left.  The strings of *d are its own. */
int draft_open(struct draft *d, const char *path, char *err, size_t n);
/* Gives the file its name.  0, or -1 and one line where not all of it could be written: then what had the name before
 * is
 * untouched.  Nothing happens to a draft without a file. */
int draft_keep(struct draft *d, char *err, size_t n);
void draft_drop(struct draft *d); /* removes it */

int file_replace(const char *path, const char *text, size_t length, char *err, size_t n); /* 0, or -1 and one line */
char *file_read(const char *path);                            /* whole, with a closing 0; the caller frees.  NULL */
/* and its parents; 0, or -1 and one line: also when it cannot be written */
int folder_make(const char *path, char *err, size_t n);
/* FNV-1a of names and contents, of a file or a folder's files in order */
uint64_t file_digest(const char *path, uint64_t h);
#endif

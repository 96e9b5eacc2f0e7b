/* Files that are written whole or not at all: into a temporary file beside them, which is synced and then renamed, and
 * which a signal that ends the program removes (base/leftover.h). */
#ifndef FILES_H
#define FILES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A file that is being written.  Until draft_keep it has the name `part`, beside its own name `path`, so that nobody
 * sees half of it.  Both strings are owned; file is NULL where nothing is open. */
struct draft { FILE *file; char *path, *part; };
/* Opens a draft of the file `path`. 0; or -1, one line in err, nothing left behind and *d empty: it cannot be
 * created, or path is no regular file.  After 0, draft_keep or draft_drop is due. */
int draft_open(struct draft *d, const char *path, char *err, size_t n);
/* Syncs the draft, closes it and gives it its name. 0, or -1 and one line where not all of it could be written; a
 * file that had the name before is untouched then. *d is empty afterwards; an empty draft gives 0. */
int draft_keep(struct draft *d, char *err, size_t n);
void draft_drop(struct draft *d); /* closes and removes a draft; an empty one: nothing */

/* Replaces the contents of a file by text[length], whole or not at all. 0, or -1 and one line in err. */
int file_replace(const char *path, const char *text, size_t length, char *err, size_t n);
/* Opens a regular file for reading; NULL: it cannot be read, or is none, such as a pipe, which waits for a writer. */
FILE *file_open(const char *path);
/* the whole of a regular file with a 0 behind it, malloc'd; NULL: cannot be read */
char *file_read(const char *path);
/* Makes a folder and its parents where they are missing. 0, or -1 and one line: also where it is no folder, or
 * cannot be written into. */
int folder_make(const char *path, char *err, size_t n);
/* The digest of h continued by the contents of a file, or by the names and contents of a folder's files in
 * alphabetical order, folders in it included, names that begin with a dot left out; something that does not exist
 * counts as such. */
uint64_t file_digest(const char *path, uint64_t h);
#endif

/* Reader of tables as text: one line at a time, columns separated by tabs.  Empty lines and lines that begin with #
 * are skipped. */
#ifndef TSV_H
#define TSV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TSV_COLUMNS = 16 };
/* A table that is being read, and its current line. */
struct tsv {
    const char *path;          /* borrowed */
    FILE *file;                /* NULL: could not be opened, or an empty text; tsv_next finds no lines then */
    long line;                 /* number of the current line in the file, from 1, skipped lines counted */
    char *text;                /* the current line without its end; overwritten by tsv_next */
    /* how many columns the line has; of more than TSV_COLUMNS, col holds the first TSV_COLUMNS */
    int n;
    char *col[TSV_COLUMNS];    /* the columns, in cut; valid until tsv_next or tsv_close */
    char *cut;                 /* owned: a copy of the line with a 0 in place of each tab */
    size_t room;               /* bytes that getline has allocated for text */
};
/* Opens a regular file.  false: path cannot be read, or is a folder, a device or a pipe (errno is EINVAL then);
 * tsv_close is due either way. */
bool tsv_open(struct tsv *t, const char *path);
/* reads the lines of text, which must outlive the reader; tsv_close is due */
void tsv_text(struct tsv *t, const char *text);
bool tsv_next(struct tsv *t);                     /* moves to the next line that is not skipped; false: there is none */
void tsv_close(struct tsv *t);                     /* closes the file and frees the line */
/* Where a column is copied: a buffer of `size` bytes, closing 0 included.  A list of them ends with to == NULL. */
struct tsv_place { char *to; size_t size; };
/* Copies the columns of the current line to the places of the list, in order, and stops at the first that is empty
 * or does not fit.  Returns how many were copied; the places behind them are left as they were. -1: the line has more
 * columns than the list has places, and nothing is copied. */
int tsv_take(const struct tsv *t, const struct tsv_place *to);
/* For a line that tsv_take did not copy to at least `least` places, and that is therefore left out: says on standard
 * error which line of which file, and why, once in a process for each of the first lines that it is called for. */
void tsv_left_out(const struct tsv *t, const struct tsv_place *to, int least);
#endif

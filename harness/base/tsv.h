/* Lines of a table as text: columns with tabs between; lines that are empty or begin with # are none. */
#ifndef TSV_H
#define TSV_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TSV_COLUMNS = 16 };
struct tsv {
    const char *path;          /* borrowed */
    FILE *file;                /* NULL: it could not be opened; there are no lines */
    long line;                 /* of the file, from 1: where the columns stand */
    char *text;                /* the line, as it is written, without its end; until the next */
    int n;                     /* columns, at most TSV_COLUMNS; more are counted, and col has the first */
    char *col[TSV_COLUMNS];    /* until the next line */
    char *cut;                 /* the line, cut at its tabs */
    size_t room;
};
bool tsv_open(struct tsv *t, const char *path);   /* false: there is no such file */
void tsv_text(struct tsv *t, const char *text);   /* lines of a text that stays where it is */
bool tsv_next(struct tsv *t);                     /* false behind the last line */
void tsv_close(struct tsv *t);
/* Where a column goes: `size` bytes with the closing 0.  Lists end with to NULL. */
struct tsv_place { char *to; size_t size; };
/* How many columns, from the first, are there, hold something and fit where they go; the places of others are left as
 * they are.  -1: the line has more columns than the list has places. */
int tsv_take(const struct tsv *t, const struct tsv_place *to);
#endif

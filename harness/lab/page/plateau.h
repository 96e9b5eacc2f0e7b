/* Settings of training compared: the same models trained with several rates and for several numbers of steps, in the
 * temporary tables
 *   tuned(task encoding rate steps seed trained variant measure size depth value n weights)     what the runs answered
 *     trained: the largest size asked that training had rows of; weights: the SHA-256 of what was trained, "-" where no
 *     file of answers says it
 *   budget(task encoding steps rate loss far line)
 *     of each number of steps the rate with the least loss at the trained size, with that loss and the one at the
 *     longest size; line: place in a figure, from 1, by the loss of the most steps
 *   turned(id task worse what better margin steps difference agrees)          gates at the rates of budget, seeds' mean
 *     agrees: 1, 0; or -1, where both sides are worse than single symbols, and the difference NULL
 * A loss is the tail's of a text, else that of the symbols asked, in bits; of several depths it is their mean. */
#ifndef PLATEAU_H
#define PLATEAU_H
#include "lab/page/extrapolated.h"
#include "lab/page/trainings.h"
#include "page/page.h"
#include "store/store.h"

/* Fills tuned with the latest answers of a results database to the studies of w, whose folder has the runs' files; of
 * changes at evaluation those that a gate of `gates`, a file, asks.  0, or -1 and one line in err. */
int plateau_of_store(sqlite3 *db, const struct wanted *w, const char *gates, char *err, size_t n);
/* Fills it with a file that plateau_keep wrote.  0, or -1 and one line in err, with the number of a line that is
 * none. */
int plateau_of_file(sqlite3 *db, const char *path, char *err, size_t n);
/* Writes tuned into a file, as a whole: a line of what it is with plateau_digest, then a line each.  0, or -1. */
int plateau_keep(sqlite3 *db, const char *path, char *err, size_t n);
/* The SHA-256 of all trainings of tuned with their weights, in the order of their names. */
void plateau_digest(sqlite3 *db, char hex[65]);
/* Makes budget and turned of tuned.  Losses of text above unigram count as that.  0, or -1 and one line in err. */
int plateau_make(sqlite3 *db, const char *gates, double unigram, char *err, size_t n);
/* Writes the part of a page about the settings in tuned, with its figures in the page's folder; nothing where tuned is
 * empty.  kept: they are not of the page's own runs, but of data/plateau-kept.tsv. */
void plateau_part(struct page *p, bool kept);
/* Writes DIR/plateau.html, .md and .tsv.  0, or -1 and one line in err. */
int plateau_page(
    struct store *s, const struct wanted *w, const char *gates, double unigram, char *err, size_t n);
#endif

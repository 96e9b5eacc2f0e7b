/* Means over seeds with paired intervals, and the gates of data/gates.tsv, as tables beside the store's `now`:
 *   asked(task encoding variant measure size depth value n seed)      what the runs answered
 *   mean(task encoding variant measure size depth mean half worst seeds)
 *   half: of the 95 % interval, Student's; NULL for one seed
 *   gate(id task measure worse what better margin seen half seeds verdict source reason)   seen: the paired difference;
 *   verdict PASS, FAIL, TIE, SKIP */
#ifndef GATES_H
#define GATES_H
#include <sqlite3.h>
#include <stddef.h>
/* The 97.5 % point of Student's distribution; freedom >= 1.  Beyond 10 degrees the value for 10 is returned, which is
 * larger and so on the safe side. */
double student(long freedom);
/* Makes the tables asked and mean.  0, or -1 and one line in err. */
int means_make(sqlite3 *db, char *err, size_t n);
/* Makes the table gate.  Losses above unigram, the bits of a symbol by itself, count as that.  0, or -1 and one line in
 * err. */
int gates_make(sqlite3 *db, double unigram, char *err, size_t n);
#endif

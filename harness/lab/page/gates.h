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
double student(long freedom); /* the 97.5 % point; freedom >= 1 */
int means_make(sqlite3 *db, char *err, size_t n);
/* unigram: bits; losses are cut there. 0, or -1 and one line */
int gates_make(sqlite3 *db, double unigram, char *err, size_t n);
#endif

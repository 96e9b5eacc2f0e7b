/* What the climb found, in a results store: questions asked, largest shares and escapes add up over runs and processes. */
#ifndef CLIMB_STORE_H
#define CLIMB_STORE_H
#include "climb/climb_run.h"
#include "store/store.h"

struct climb_table { const char *name, *caption, *sql; };
extern const struct climb_table climb_tables[]; /* by row, by step, escapes; over everything that the file holds; ends with name NULL */
/* One item.  0, or -1 and one line. */
int climb_keep(struct store *s, const struct climb_run *r, const struct climb_found *f, char *err, size_t n);

/* Steps whose bound no question uses by CLIMB_FAIR, each with a reason: data/tightness/ROW.tsv, "step<TAB>reason".  What is wrong with them goes to
 * `to`, a line each: a step without a reason, a reason that is stale because the share is fair by now, a reason for no step.  Steps asked fewer
 * than `least` times are not looked at.  How many are wrong. */
#define CLIMB_FAIR 0.3
long climb_tightness(sqlite3 *db, const struct row *row, long least, FILE *to);
#endif

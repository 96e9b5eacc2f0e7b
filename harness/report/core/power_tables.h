/* Tables on what the bounds can tell, as queries: shown by the report and by `meridian power`. */
#ifndef POWER_TABLES_H
#define POWER_TABLES_H
#include <sqlite3.h>
struct report;
/* measure: fills the store; NULL: the table before did; note: how to read it; fold: as page_table */
struct power_table { const char *name, *caption, *note, *fold, *sql; int (*measure)(struct report *r); };
extern const struct power_table power_tables[];  /* ends with name NULL */
extern const char power_views[];                  /* to be run once, on a frozen store */
extern const char power_findings[];               /* one sentence a row */
#endif

/* Tables about what the derived bounds can tell, as queries on the store; the report and `meridian power` show them. */
#ifndef POWER_TABLES_H
#define POWER_TABLES_H
#include <sqlite3.h>
struct report;
/* measure: fills the store, NULL where the table before has done that; note: how to read the table; fold: as for
 * page_table. */
struct power_table { const char *name, *caption, *note, *fold, *sql; int (*measure)(struct report *r); };
extern const struct power_table power_tables[];  /* ends with name NULL */
extern const char power_views[];                  /* SQL that must be run once before, on a frozen store */
extern const char power_findings[];               /* a query that answers one sentence a row */
#endif

/* `meridian report`: items of measurement fill the store, figures and the page are queries on it. */
#ifndef REPORT_H
#define REPORT_H
#include "config.h"
#include "row.h"
#include "store.h"

struct report {
    struct store *store;
    const char *dir;
    char stamp[400];   /* what every key depends on: the program's own bytes, its libraries, the machine */
    char machine[200], cpu[160], isa[120];
    bool fresh, quick;
    int done, reused;
    double shown;      /* when progress was last shown */
    char err[400];     /* a store that cannot be written ends the report */
};
/* Does one item, unless the store has it under the same key; `what` holds everything else it depends on.  fill puts entries and points
 * into r->store.  0, or -1 and r->err. */
int report_item(struct report *r, const char *what, void (*fill)(struct report *r, const void *with), const void *with);
void report_put(struct report *r, const struct entry *e);
void report_skip(struct report *r, const char *what, const char *subject, const char *why); /* something not run, and why */
void report_progress(struct report *r, const char *what);

/* Each measures one part of the report; 0, or -1 and r->err. */
int report_rooms(struct report *r);
int report_kernels(struct report *r);
int report_cost(struct report *r);
int report_curves(struct report *r);
int report_models(struct report *r);
int report_peers(struct report *r);

int report_figures(struct report *r);                /* how many were drawn; the others are put into the store as not run */
int report_page(struct report *r);                   /* index.html and report.md; 0, or -1 and r->err */
#endif

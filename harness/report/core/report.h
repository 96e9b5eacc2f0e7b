/* `meridian report`: items of measurement fill the store; figures and the page are queries on it. */
#ifndef REPORT_H
#define REPORT_H
#include "base/progress.h"
#include "model/config.h"
#include "row/row.h"
#include "store/store.h"

struct report {
    struct store *store;
    const char *dir;
    char stamp[400];   /* what the key of every item depends on: the program's own bytes, its libraries, the machine */
    bool fresh, quick; /* measure again what the store has; measure samples */
    long lines;        /* compared of each known bug; 0: the usual number */
    const struct section *topic; /* whose page the items measured now are of; NULL: of none */
    int done, reused;  /* items measured now; found in the store */
    struct progress how; /* how far it is; where it was not begun, nothing is said */
    char err[400];     /* why the store cannot be written, which ends the report */
};
/* Measures one item, unless the store has it under the same key.  `what` must state everything beside the stamp that
 * the item depends on; fill puts entries and points into r->store.  0, or -1 and r->err. */
int report_item(struct report *r, const char *what, void (*fill)(struct report *r, const void *with), const void *with);
/* Puts an entry into the item in flight. */
void report_put(struct report *r, const struct entry *e);
/* Notes something that was not run, and why; the page lists it. */
void report_skip(struct report *r, const char *what, const char *subject, const char *why);
/* Makes the temporary tables of what belongs together: topic(key, title, place), which item is of which section's page;
 * drawn(name, title, says), the figures that were drawn.  0, or -1 and r->err. */
int report_topics(struct report *r);
/* Says what is being measured (base/progress.h). */
void report_progress(struct report *r, const char *what);

/* A section: what it measures, draws and prints.  harness/report/NAME.c defines section_NAME, which is found by its
 * name. */
struct plot;
struct page;
/* draw returns what plot_close does; where that is -1, p->why says why. */
/* row: the one whose page shows it, too, or NULL. */
struct figure { const char *name; int (*draw)(struct report *r, struct plot *p); const char *row; };
struct section {
    const char *name, *title;            /* title NULL: it goes on on the page of the section before */
    int order;                           /* of measuring, drawing and printing */
    int (*measure)(struct report *r);    /* 0, or -1 and r->err */
    struct figure figure[6];             /* ends with name NULL */
    const char *views;                   /* SQL run once before the figures, or NULL */
    const char *headlines;               /* SQL, one finding a row, or NULL */
    void (*page)(struct page *p);
};
const struct section *const *report_sections(void); /* in order; ends with NULL */
int report_cell(sqlite3 *db, const char *sql, char *text, size_t n); /* the first cell; 0, or -1 when there is no row */
/* Parts of sections that `meridian power` asks for by themselves; 0, or -1 and r->err. */
int report_questions(struct report *r); /* own kernels on every preset */
int report_known(struct report *r);     /* known bugs as whole chains */
int report_scale(struct report *r);     /* the least error of the logit scale that shows */
int report_kills(struct report *r);     /* every named mistake against the quantities of its row */
int report_confusion(struct report *r); /* every mistake on three families of inputs, f32 and bf16: is it named? */
int report_classes(struct report *r);   /* data/classes.tsv */
int report_checks(struct report *r);    /* every check against every mistake of the rows it asks, f32 and bf16 */
uint64_t mistakes_digest(void);         /* of data/mistakes and data/classes: what these depend on */
int report_alarms(struct report *r);    /* every contract, preset and format of every row: is it accepted? */
/* Draws the figures of all sections.  Returns how many; the others are noted as not run. */
int report_figures(struct report *r);
/* Draws the figure of the row's page; 0: *p is what was drawn; else it was not, and what had to be said was. */
int row_figure(struct report *r, const struct row *row, struct plot *p);
int report_page(struct report *r);                   /* index.html and report.md; 0, or -1 and r->err */
#endif

/* What a cell of a sweep measures.  harness/measure/NAME.c defines measure_NAME; nothing else knows of it.
 * A cell is one line of text, which is all that it depends on beside program and machine:
 *     accuracy rope dim=64 length=4096 out=y seed=1 slot=best type=f32
 * the measure, the row (- where it has none), and in alphabetic order: the measure's own axes (all), the seed, the
 * row's parameters and the letters of its shapes (those given). */
#ifndef MEASURE_H
#define MEASURE_H
#include <stdint.h>
#include <stdio.h>
#include "row/param.h"
#include "row/row.h"
#include "store/store.h"

enum { CELL_TEXT = 1600, CELL_FIELDS = 24 };
struct cell {
    const struct measure *measure;
    const struct row *row;             /* NULL: the measure has none */
    struct { char name[40], value[120]; } field[CELL_FIELDS]; /* the measure's own axes */
    int fields;
    char params[CELL_TEXT], sizes[CELL_TEXT]; /* "dim=64 base=500000"; "n=8 m=512" */
    uint64_t seed;
};
/* value: the default; choices: "f64 f32", NULL: any; least < most: an integer */
struct own_axis { const char *name, *value, *choices, *help; long least, most; };

/* Where a measure puts what it found: a store's entries and points, kept as text until the cell is finished. */
struct outcome { FILE *to; char *text; size_t size; };
/* Appends an entry, or a point of a series, to what a cell found. */
void outcome_put(struct outcome *o, const struct entry *e);
void outcome_point(struct outcome *o, const char *series, double x, double y);
int outcome_store(const char *text, struct store *s); /* into the item in flight; -1: not such a text */

struct measure {
    const char *name, *help;
    bool rows;                         /* its cells have a row */
    /* it measures time: cells done on another processor are missing here, and they run one at a time */
    bool machine;
    /* lists, each ends with name NULL; a shared one first: { cell_kernel_axes, own } */
    const struct own_axis *axes[3];
    /* NULL, or 0; -1 and "AXIS: why": such a cell is a mistake of its recipe */
    int (*check)(const struct cell *c, char *err, size_t n);
    double (*memory)(const struct cell *c);                                        /* bytes it will need; NULL: few */
    /* 0; -1 and one line: nothing is kept of it */
    int (*run)(const struct cell *c, struct outcome *o, char *err, size_t n);
};
extern const struct measure *const *const all_measures; /* found by name: build/measures.h; ends with NULL */
const struct measure *measure_named(const char *name);

int cell_read(struct cell *c, const char *what, char *err, size_t n);   /* 0, or -1 and which word is wrong */
const char *cell_text(const struct cell *c, const char *axis);        /* of its own axes; "" where there is no such */
long cell_long(const struct cell *c, const char *axis);
const struct own_axis *cell_axis(const struct measure *m, const char *name);
/* NULL, or what is wrong with `value` on `axis` of this measure and row, in `why`. */
const char *axis_refuses(
    const struct measure *m, const struct row *row, const char *axis, const char *value, char *why, size_t n);

/* For measures that ask own kernels. */
#include "kernels.h"
#include "trial/trial.h"
extern const struct own_axis cell_kernel_axes[]; /* out, type, slot, inputs, length */
/* trial_make, and its positions: below length, where the measure has that axis */
int cell_trial(const struct cell *c, struct trial *t, char *err, size_t n);
double cell_trial_bytes(const struct cell *c);
/* The kernel the slot axis names, asked once: t's outputs are there and t->profile is its own.  NULL: none takes this
 * cell. */
const struct mer_kernel *cell_kernel(const struct cell *c, struct trial *t, const char **slot);
/* the output is the row's; letters are free */
int cell_check(const struct cell *c, char *err, size_t n);
void cell_skip(const struct cell *c, struct outcome *o, const char *why);     /* SKIP, and the reason */
#endif

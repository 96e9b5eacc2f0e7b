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
/* An axis of a measure's own.  value: the default; choices: the words it may have, "f64 f32", or NULL for any; least <
 * most: it is an integer in that range. */
struct own_axis { const char *name, *value, *choices, *help; long least, most; };

/* Collects the entries and points that a measure finds, as text, until the cell is finished and the writer stores
 * them. */
struct outcome { FILE *to; char *text; size_t size; };
/* Appends an entry, or a point of a series, to what a cell found. */
void outcome_put(struct outcome *o, const struct entry *e);
void outcome_point(struct outcome *o, const char *series, double x, double y);
/* Stores such a text in the item of s that is in flight.  0; -1: the text is malformed. */
int outcome_store(const char *text, struct store *s);

struct measure {
    const char *name, *help;
    bool rows;                         /* whether its cells have a row */
    /* It measures time: a cell that was done on another processor counts as missing, and cells run one at a time. */
    bool machine;
    /* Lists of its axes, each of which ends with name NULL; a shared list comes first: { cell_kernel_axes, own }. */
    const struct own_axis *axes[3];
    /* Checks a cell before anything runs: 0; -1 and "AXIS: why", a mistake of the recipe.  NULL: every cell is
     * possible. */
    int (*check)(const struct cell *c, char *err, size_t n);
    double (*memory)(const struct cell *c);                                        /* bytes it will need; NULL: few */
    /* Measures a cell.  0; -1 and one line in err: nothing of it is kept. */
    int (*run)(const struct cell *c, struct outcome *o, char *err, size_t n);
};
extern const struct measure *const *const all_measures; /* found by name: build/measures.h; ends with NULL */
const struct measure *measure_named(const char *name);

int cell_read(struct cell *c, const char *what, char *err, size_t n);   /* 0, or -1 and which word is wrong */
const char *cell_text(const struct cell *c, const char *axis);        /* the value of an own axis; "": there is none */
long cell_long(const struct cell *c, const char *axis);               /* the same as an integer */
const struct own_axis *cell_axis(const struct measure *m, const char *name); /* the axis of that name, or NULL */
/* What is wrong with `value` on `axis` of this measure and row, written to `why`; NULL: nothing. */
const char *axis_refuses(
    const struct measure *m, const struct row *row, const char *axis, const char *value, char *why, size_t n);

/* The functions of measures that ask own kernels. */
#include "kernels.h"
#include "trial/trial.h"
extern const struct own_axis cell_kernel_axes[]; /* out, type, slot, inputs, length */
/* Makes the trial of a cell, with positions below its length where the measure has that axis.  0, or -1 and one line in
 * err; trial_close is due either way. */
int cell_trial(const struct cell *c, struct trial *t, char *err, size_t n);
double cell_trial_bytes(const struct cell *c); /* the bytes of that trial's arrays */
/* Runs the kernel of the slot that the axis names: t then has its outputs and its profile.  NULL: none answers this
 * cell. */
const struct mer_kernel *cell_kernel(const struct cell *c, struct trial *t, const char **slot);
/* Checks that the row has the output, and that the letters given are not fixed otherwise.  0, or -1 and "AXIS: why". */
int cell_check(const struct cell *c, char *err, size_t n);
/* Adds an entry with the verdict SKIP and the reason. */
void cell_skip(const struct cell *c, struct outcome *o, const char *why);
#endif

/* Runs of the climb: worker processes that draw questions, climb and shrink, and what they found, by row. */
#ifndef CLIMB_RUN_H
#define CLIMB_RUN_H
#include <signal.h>
#include "climb/climb.h"
#include "climb/tightness.h"

enum { CLIMB_ROWS = 128, CLIMB_CASE = 1 << 15, CLIMB_ESCAPES = 200, CLIMB_JOBS = 64 };
/* what was found of one row; of pairs, [0] is of its page and [1] of own kernels */
struct climb_sum {
    long asked[2], escapes[2], undecided, crashed; /* questions by what came of them */
    double seconds, work, share[2];      /* spent: time, balls made; the largest share that is no escape */
    char where[2][240];                  /* where the largest share that is no escape was: output, profile, sizes */
    /* the largest share of questions whose profile has this step of the row alone */
    double alone[STEPS];
    char alone_case[STEPS][TIGHT_CASE];  /* the case with that share */
    long alone_asked[STEPS];             /* questions with this step alone */
};
/* A class of escapes: the key says row, output and steps, or the kernel; n of them were seen, and text is the
 * smallest case so far, of that share. */
struct climb_escape { int row; long n; double share; char key[200], text[CLIMB_CASE]; };
/* All that a run has found: of each row (as in all_rows), and the classes of escapes. */
struct climb_found {
    struct climb_sum row[CLIMB_ROWS];
    struct climb_escape escape[CLIMB_ESCAPES];
    int escapes;
};
/* What a run is to do. */
struct climb_run {
    const struct row *row;               /* NULL: all */
    bool page, own;                      /* whether pages are asked; whether own kernels are */
    bool steps;                          /* asks only pages, and their steps one at a time */
    uint64_t seed;                       /* of all random choices */
    double seconds;                      /* how long it may take */
    double work;                         /* how many balls a worker may make (climber_work); 0: as many as it can */
    int jobs;                            /* worker processes, 1 .. CLIMB_JOBS */
    /* how many changes in a row may gain nothing before the next question is drawn */
    long patience;
    /* called in a worker for each new class of escapes; NULL: nothing is said */
    void (*say)(const struct climb_escape *e, bool crashed, double at, void *with);
    void *with;
    /* where it becomes non-zero, the run ends and keeps what it has; NULL: it cannot be stopped */
    const volatile sig_atomic_t *stop;
};
/* Runs r and fills *f, which is too large for a stack. 0, or -1 and one line. */
int climb_run(const struct climb_run *r, struct climb_found *f, char *err, size_t n);
#endif

/* The climb as a run: worker processes that draw, climb and shrink, and what they found, by row. */
#ifndef CLIMB_RUN_H
#define CLIMB_RUN_H
#include <signal.h>
#include "climb/climb.h"
#include "climb/tightness.h"

enum { CLIMB_ROWS = 128, CLIMB_CASE = 1 << 15, CLIMB_ESCAPES = 200, CLIMB_JOBS = 64 };
struct climb_sum {                       /* of one row; n[0], share[0]: of its page; [1]: of own kernels */
    long asked[2], escapes[2], undecided, crashed;
    double seconds, work, share[2];      /* processor time; in balls made, see climber_work */
    char where[2][240];                  /* of the largest share that is no escape: output, profile, sizes */
    double alone[STEPS];                 /* largest share of a question whose profile has this step of the row alone */
    char alone_case[STEPS][TIGHT_CASE];  /* of that share */
    long alone_asked[STEPS];
};
/* a class: row, output, steps or kernel; its smallest case so far */
struct climb_escape { int row; long n; double share; char key[200], text[CLIMB_CASE]; };
struct climb_found {
    struct climb_sum row[CLIMB_ROWS];
    struct climb_escape escape[CLIMB_ESCAPES];
    int escapes;
};
struct climb_run {
    const struct row *row;               /* NULL: all */
    bool page, own;                      /* what is asked */
    bool steps;                          /* pages alone, and of a row's steps one at a time */
    uint64_t seed;
    double seconds;                      /* the run ends after that time */
    double work;                         /* or when each worker has spent so much, in balls made; 0: by time alone */
    int jobs;
    long patience;                       /* changes in a row that gain nothing before the next question is drawn */
    /* of each new class, in a worker; NULL: nothing is said */
    void (*say)(const struct climb_escape *e, bool crashed, double at, void *with);
    void *with;
    const volatile sig_atomic_t *stop;   /* not 0: the run ends and keeps what it has; NULL: nobody stops it */
};
/* Fills *f (too large for a stack).  0, or -1 and one line. */
int climb_run(const struct climb_run *r, struct climb_found *f, char *err, size_t n);
#endif

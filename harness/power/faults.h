/* Subjects that are wrong on purpose, on which checks are tried: the reference, rounded once, with a named mistake of
 * data/mistakes or with a fault of code, which no change of a parameter can express. */
#ifndef FAULTS_H
#define FAULTS_H
#include "subject/subject.h"
#include "trial/mistake.h"
#include "trial/trial.h"
struct wrong;
/* A fault of code, with its source: harness/faults/NAME.c defines fault_of_code_NAME.  It acts at each point of a call
 * for which it has a function. */
struct fault_of_code {
    const char *name, *effect, *cite;
    int order;                                         /* of lists: ascending */
    void (*received)(struct trial *t);                 /* changes how the caller's own arrays are read */
    void (*before)(struct trial *t);                   /* changes the question: dense copies of its arrays, its words */
    void (*after)(struct wrong *w, struct trial *t);   /* changes the answers; may remember in w, as the code did */
    void (*answered)(struct mer_array *y);             /* spoils the caller's own output before it is filled */
};
/* The fault that follows `before` in order, NULL behind the last; before NULL: the first. */
const struct fault_of_code *fault_next(const struct fault_of_code *before);

struct wrong {
    const struct mistake *mistake;
    const struct fault_of_code *fault;
    struct mer_kernel kernel[2];
    long longest, asked; /* of calls: the longest axis of their outputs, and how many there were */
    char profile[1024];
};
/* For faults: moves element i of a by one unit in its last place. */
void wrong_next(struct mer_array *a, long i);
/* For faults: the longest axis of the first output. */
long wrong_length(const struct mer_call *c);
/* Makes s a subject that answers row.out in elements of `type`, rounded once, with a mistake or a fault, or right where
 * both are NULL.  w is its state and lives as long.  Its profile is narrow enough to show every mistake: all steps in
 * float32, frequencies and angles in float64. */
void subject_wrong(struct subject *s, struct wrong *w, const char *row, const char *out, int type,
    const struct mistake *m, const struct fault_of_code *fault);
/* Finds "rope.half" or "fault.state": 0 with *m or *fault set, or -1: there is none of that name. */
int fault_find(const char *name, struct mistake *m, const struct fault_of_code **fault);
#endif

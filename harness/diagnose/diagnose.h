/* Diagnosis: every mistake of the row, every other value of its enumerated parameters and every preset is tried as a
 * hypothesis and ranked by how well
 * it explains the outputs: elements in its balls, then how near what it says comes.  Where none explains all: one
 * coarser step, then the best
 * with a coarser step.  Lines where the declared arithmetic fails worst come first, and most hypotheses end there. */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H
#include <jansson.h>
#include "diagnose/anatomy.h"
#include "diagnose/hypothesis.h"
#include "trial/mistake.h"
/* WRONGS: elements that are wrong, at least, for a cause of them alone */
enum { ANSWERS = 4, DIAGNOSIS_SECONDS = 5, EXPLANATIONS = 64, WRONGS = 6 };
struct answer {
    struct mistake m;            /* of the row's list, or made: id is the change */
    char second[64], repair[260]; /* a coarser step beside it, or empty; what to do */
    /* of the list; a preset, or another documented value of enumerated parameters: consistent, not a fault */
    bool listed, convention;
    /* explains the wrong elements, which alone are counted here; the others are as declared */
    bool partly;
    long n, explained;           /* elements looked at; in their ball */
    double worst;                /* share of a ball used */
    double close;                /* mean log2 of the distance to what it says, never below half an ulp of the store */
};
/* Something that explains every element. */
struct reason {
    struct mistake m;
    char second[64];
    bool listed, stepped; /* stepped: a coarser step, whose balls are wide */
    bool partly;          /* of the wrong elements */
};
/* A coarser step that uses less of its balls than this is looked behind: something structural may explain the same. */
extern const double tight_share;
struct diagnosis {
    bool explained;              /* answer[0] explains every element, or every wrong one where it says so */
    int answers;
    struct answer answer[ANSWERS]; /* best first */
    long n, declared;            /* elements looked at; that the declared row explains */
    char same[400];              /* other hypotheses that these inputs cannot tell from answer[0]: one class here */
    int tried, untried;          /* hypotheses; left out when the time was up */
    double seconds;              /* of this thread */
    bool spent;                  /* not looked into: the time for failures of this kernel or run was up */
    bool alone;                  /* answer[0] explains this failure, and not the others of the same kernel (joint.h) */
    /* answer[0] explains the wrong elements of one failure: no name before another has them, too */
    bool single;
    struct reason all[EXPLANATIONS]; /* all_n, best first */
    int all_n;
    struct anatomy anatomy;      /* of a failure without a name, or of one whose name does not hold for the others */
};
/* t->profile: the declared arithmetic. True: something explains every element */
bool diagnose(const struct trial *t, struct diagnosis *d);
/* The same, where what explains t is asked for more: edits are tried, too, where something of the list explains all. */
bool diagnose_whole(const struct trial *t, struct diagnosis *d);
/* answer[0] is this mistake, or of one class with it here */
bool diagnosis_holds(const struct diagnosis *d, const char *id);
void diagnosis_say(FILE *f, const char *row, const struct diagnosis *d);
json_t *diagnosis_json(const struct diagnosis *d);

/* What to do about a change, from its own words and the declared values ("pass window=3", "negate pos"); the row's
 * repair where its line gives one. */
void repair_write(const struct trial *t, const struct answer *a, char *text, size_t n);
bool change_is_convention(const struct row *r, const char *change);
#endif

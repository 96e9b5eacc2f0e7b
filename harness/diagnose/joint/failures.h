/* What is known of the failures of a kernel: copies of some of them, and the causes that explain all of them.  The
 * state is the process's own: one thread uses it. */
#ifndef JOINT_FAILURES_H
#define JOINT_FAILURES_H
#include "diagnose/diagnose.h"
/* So many failures of a kernel are kept.  A cause that stands may fall late, as by one line of sixty; the name of the
 * next one is of all failures only where those before are still there. */
enum { KEPT = 64 };
/* How the first cause of an output fits it: elements, those of which it says nothing, those that were never written
 * beside these, the largest share of a ball. */
struct output_fit { long n, open, left; double worst; };
/* What explains that output in every failure so far, whatever the others hold: e[n], best first; fit: of the latest. */
enum { OUTPUT_CAUSES = 6 };
struct output_cause { char out[32]; struct reason e[OUTPUT_CAUSES]; int n; struct output_fit fit; };
/* The outputs that were wrong, n of them; searches for their causes so far; fallen: one of them has none. */
struct apart { struct output_cause of[TRIAL_OUT]; int n, searches; bool fallen; };
struct failures {
    char about[300], row[240];   /* row: the subject and the row, which its other kernels have too; "": unknown */
    struct trial kept[KEPT];     /* n of them, owned */
    bool fresh[KEPT];            /* not reported itself: it must not contradict an explanation, nothing more */
    bool right[KEPT];            /* no failure, but a question that the subject has answered rightly; fresh, too */
    int n;
    struct reason standing[EXPLANATIONS]; /* explanations of every failure so far, best first */
    int standings;
    bool whole;                  /* what stands was tried on every failure so far, of which only some are kept */
    struct reason fallen;        /* stood until a failure that it does not explain; has_fallen: there is one */
    bool has_fallen;
    long failures;               /* reported so far (joint_diagnose) */
    long unwritten;              /* of these, whose wrong elements were never written */
    long chance;                 /* of these, whose wrong elements are others when they are asked again */
    struct apart apart;          /* each output by itself (apart.h) */
    int anatomies;               /* failures for which facts were stated */
    bool tried;                  /* its cause was set against questions under other conventions (part_untried) */
    int conditioned;             /* times that a condition was looked for, under which a cause acts */
    int parted;                  /* times that its causes were told apart */
    double spent;                /* work of its searches (hypothesis_work) */
    long asked;                  /* grows from kernel to kernel that is named; the smallest was named longest ago */
};
/* Those of the kernel named last; its `about` is "" where none was named. */
struct failures *failures_here(void);
/* See joint_begin and joint_kernel. */
void failures_begin(const char *about);
void failures_of_kernel(const char *subject, const struct mer_kernel *k);
/* Keeps a copy of t while there is room. */
void failures_keep(struct failures *f, const struct trial *t, bool fresh);
/* Those of the subject's other outputs of the same row, one a call; *next is 0 at the first.  NULL: no more. */
const struct failures *failures_sibling(const struct failures *f, int *next);
/* Are all failures of the kernel kept, but for the latest? */
bool failures_all_kept(const struct failures *f);
#endif

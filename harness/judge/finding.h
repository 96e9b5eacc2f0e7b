/* One verdict, with all that is known of it: what was asked of whom, what was measured, why it is so, and how to ask it
 * again. */
#ifndef FINDING_H
#define FINDING_H
#include "compare/compare.h"
#include "trial/mistake.h"

/* VACUOUS, UNDECIDED_VERDICT and SKIPPED are counted and shown, and are never a pass. */
enum word { PASS, KNOWN_DEVIATION, VACUOUS, UNDECIDED_VERDICT, SKIPPED, FAILED, CRASHED, WORDS };
extern const char *const word_name[WORDS]; /* PASS KNOWN VACUOUS UNDECIDED SKIP FAIL CRASH */

struct finding {
    enum word word;
    /* Borrowed, as all pointers here.  quantity: the outputs, "o lse"; id: a case, check or law, or NULL. */
    const char *subject, *row, *quantity, *id;
    const char *source;           /* "FILE:LINE" of the kernel's code, filled by sink_say; NULL: unknown */
    char params[TEXT_MAX];        /* the parameters that differ from the defaults */
    const char *method;           /* how elements were chosen: sample, exhaustive, search, all, design, declared */
    const struct tally *tally;    /* what was measured; NULL: nothing */
    bool declined;                /* the kernel declined, and so did all others of its row, outputs and type */
    const struct mistake *match;  /* what explains every element of a failure, or NULL */
    struct diagnosis *diagnosis;  /* the hypotheses tried on a failure; NULL: none was */
    const struct blind *blind;    /* mistakes that its inputs cannot tell; NULL: not counted */
    char reason[600];             /* in words, why the verdict is what it is; "" where the measures say it */
    char replay[2 * TEXT_MAX];    /* the command that asks it again, or "" */
    char smallest[2 * TEXT_MAX];  /* the command of the smallest case that still fails, or "" */
    const char *type, *profile;   /* element type of the outputs; declared arithmetic */
    /* A SKIP of one kernel whose case is counted with another kernel of the subject. */
    bool elsewhere;
    /* A SKIP of a broken case: there is no verdict on its outputs, but CI must not take the run for a good one. */
    bool refused;
    const char *sizes;            /* of generated inputs, as trial_make reads them, or NULL */
    long lines;                   /* of each output, the most that were compared; 0: all */
    uint64_t seed;
    double seconds;               /* that judging it took */
};
/* Writes "rope.y f32", by which failures of one kernel are told from those of another. */
void finding_kernel(const struct finding *f, char *text, size_t n);
/* The verdict of a comparison: FAILED, UNDECIDED_VERDICT, SKIPPED (no element), VACUOUS or PASS. */
enum word tally_word(const struct tally *y);
#endif

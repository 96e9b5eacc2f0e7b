/* Verdicts: struct finding holds one, struct sink prints it as a line of text, JSON, JUnit and Markdown, and counts;
 * the worst verdict decides the exit status. */
#ifndef VERDICT_H
#define VERDICT_H
#include "compare/compare.h"
#include "core/cli.h"
#include "core/files.h"
#include "judge/causes.h"
#include "trial/mistake.h"
#include "trial/trial.h"

/* VACUOUS, UNDECIDED_VERDICT and SKIPPED are counted and shown, and are never a pass.  The exit status is the first
 * that holds: a report could not be written (usage), some CRASHED, some FAILED, nothing was judged, 0. */
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
/* The count of findings with `elsewhere`, apart from SKIPPED, which then counts each case that no kernel answered
 * once. */
enum { ELSEWHERE = WORDS, COUNTS };
struct declaration;
struct baseline;
struct annotations;
enum { REASONS = 64 }; /* different reasons of SKIPs that are remembered */
struct sink { bool json, quiet; /* quiet: text for FAIL and CRASH alone */
    bool lines;                   /* in JSON also the lines of the text */
    /* Set after sink_open: a SKIP whose reason was printed already is counted and not printed. */
    bool brief;
    uint64_t said[REASONS];       /* digests of the reasons printed; `reasons` of them */
    /* unsaid: SKIPs not printed.  junit and md are NULL unless their flags are given; file[] renames them at the
     * end. */
    long reasons, unsaid; FILE *junit, *md; struct draft file[2];
    long count[COUNTS]; double cost[3]; /* seconds of processor time: reference, bounds, judging beside both */
    struct declaration *declared; /* borrowed, set after sink_open: its known deviations become KNOWN; or NULL */
    struct baseline *baseline;    /* borrowed, set after sink_open: what became worse is a FAIL; or NULL */
    struct annotations *annotations; /* borrowed, set after sink_open: where kernels are (ci.h); or NULL */
    struct causes causes;         /* of the failures; sink_close frees them */
};
extern const struct flag verdict_flags[3]; /* --json, --junit, --md: entries to copy into a verb's list */

/* Opens the reports that the flags of c ask for.  false, after one line on stderr: a file cannot be written, and
 * nothing is to be closed. */
bool sink_open(struct sink *s, const struct cli *c);
/* Sets f against declaration and baseline, counts it, and prints it in every form asked for.  f is not kept. */
void sink_say(struct sink *s, const struct finding *f);
/* Prints causes and counts under the heading `what`, gives the reports their names, and returns the exit status. */
int sink_close(struct sink *s, const char *what);
/* Writes "rope.y f32", by which failures of one kernel are told from those of another. */
void finding_kernel(const struct finding *f, char *text, size_t n);
/* The verdict of a comparison: FAILED, UNDECIDED_VERDICT, SKIPPED (no element), VACUOUS or PASS. */
enum word tally_word(const struct tally *y);
/* Writes "113b 1.8us/el 3 retries": the highest precision in bits, time per element, how often precision was raised.
 * Returns text. */
const char *cost_text(const struct cost *c, char *text, size_t n);
#endif

/* Verdicts: one struct, printed as a line, as JSON, as JUnit and as Markdown; the worst decides the exit status. */
#ifndef VERDICT_H
#define VERDICT_H
#include "compare/compare.h"
#include "core/cli.h"
#include "core/files.h"
#include "diagnose/anatomy.h"
#include "trial/mistake.h"
#include "trial/trial.h"

/* Ascending badness for the exit status: usage > CRASH > FAIL > nothing judged > 0; the middle three are counted and
 * shown, never a pass. */
enum word { PASS, KNOWN_DEVIATION, VACUOUS, UNDECIDED_VERDICT, SKIPPED, FAILED, CRASHED, WORDS };
extern const char *const word_name[WORDS]; /* PASS KNOWN VACUOUS UNDECIDED SKIP FAIL CRASH */

struct finding {
    enum word word;
    const char *subject, *row, *quantity, *id; /* id: a pack's case, or NULL */
    char params[TEXT_MAX];        /* brief: what differs from the defaults */
    const char *method;           /* exhaustive, search, sample, all */
    const struct tally *tally;    /* NULL: nothing was measured */
    const struct mistake *match;  /* what explains all of it, or NULL */
    struct diagnosis *diagnosis;  /* every hypothesis tried on a failure, or NULL: none was */
    const struct blind *blind;    /* what its inputs cannot tell, or NULL: not asked */
    char reason[600];             /* why SKIP, CRASH or KNOWN; else empty */
    char replay[2 * TEXT_MAX];    /* a command to paste */
    char smallest[2 * TEXT_MAX];  /* the same for the smallest case that still fails, or "" */
    const char *type, *profile;
    /* a SKIP of this kernel only: another one of the subject answers the same case, or is counted for it */
    bool elsewhere;
    /* a SKIP of a case that is broken: no verdict on its outputs, but the run is not good either */
    bool refused;
    const char *sizes;            /* of made-up inputs, or NULL */
    long lines;                   /* compared of each output at most */
    uint64_t seed;
    double seconds;               /* of the judging */
};
enum { CAUSES = 16 };
/* what explains so many failures, and what to do; where nothing does, what those that were taken apart have in
 * common */
struct cause { char kernel[120], name[96], repair[260]; long n; int taken; struct anatomy common; };
/* counted apart from SKIP, which then is one a case, and nobody of the subject answered it */
enum { ELSEWHERE = WORDS, COUNTS };
struct declaration;
struct baseline;
/* of junit and md, where a flag asked for them */
enum { REASONS = 64 };
struct sink { bool json, quiet;
    /* set after sink_open: a SKIP of a kernel for a reason that was said is counted, not printed */
    bool brief;
    uint64_t said[REASONS];       /* digests of those reasons */
    long reasons, unsaid; FILE *junit, *md; struct draft file[2];
    long count[COUNTS]; double cost[3]; /* s of processor time: reference, bounds, judging beside both */
    struct declaration *declared; /* set after sink_open: its known deviations are KNOWN; or NULL */
    struct baseline *baseline;    /* set after sink_open: what is worse than it was is a FAIL; or NULL */
    struct cause cause[CAUSES];   /* in the order they were met */
    int causes; };
extern const struct flag verdict_flags[3]; /* json junit md, for a verb's list: entries to copy */

bool sink_open(struct sink *s, const struct cli *c);     /* false after one line: a file that cannot be written */
void sink_say(struct sink *s, const struct finding *f);
int sink_close(struct sink *s, const char *what);        /* prints the counts; the exit status */
enum word tally_word(const struct tally *y);
/* "113b 1.8us/el 3 retries": highest precision, time an element, how often precision was raised */
const char *cost_text(const struct cost *c, char *text, size_t n);
#endif

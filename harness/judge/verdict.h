/* Where verdicts go: struct sink prints each of them (finding.h) as a line of text, JSON, JUnit and Markdown, and
 * counts; the worst verdict decides the exit status. */
#ifndef VERDICT_H
#define VERDICT_H
#include "core/cli.h"
#include "core/files.h"
#include "diagnose/causes.h"
#include "judge/finding.h"

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
/* Prints causes and counts under the heading `what`, gives the reports their names, and returns the exit status, the
 * first that holds: a report could not be written (usage), some CRASHED, some FAILED, nothing was judged, 0. */
int sink_close(struct sink *s, const char *what);
/* Says each deviation that s->declared knows and that no finding has shown (declaration_unseen), if there is a
 * declaration, and takes that off: these verdicts are no answers to it. */
void sink_unseen(struct sink *s, const char *subject);
/* Writes "113b 1.8us/el 3 retries": the highest precision in bits, time per element, how often precision was raised.
 * Returns text. */
const char *cost_text(const struct cost *c, char *text, size_t n);
#endif

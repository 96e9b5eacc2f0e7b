/* A fingerprint: the conventions and the arithmetic of one kernel, as they were found by asking it (take.h), and what
 * its answers could not tell. */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H
#include "reader/core/reader.h"
#include "subject/protocol.h"

enum { TRAITS = 64, RIVALS = 240 };
/* One parameter of the row as it was found. */
struct trait {
    const struct param *p;
    char value[96];        /* the value found; "" where a list is empty */
    /* other candidates that explain as much, so that these answers cannot tell them from value */
    char rivals[RIVALS];
    char next[96];         /* the closest candidate that does not explain the answers */
    long rejects, of;      /* elements that it cannot explain; elements in all */
    int tried;             /* how many candidates were tried beside value */
    bool hurried;          /* not all were tried, as the time was up */
};
/* What was found of one kernel. */
struct fingerprint {
    const struct row *row;
    /* told: parameters sent with every question; params: those found, every one of the row; profile: the arithmetic
     * under which they explain the answers */
    char out[KERNEL_OUTS + 1], type[8], told[TEXT_MAX], params[TEXT_MAX], profile[1024];
    /* elements of all answers: those explained; those whose bounds under that arithmetic are too wide to decide; all */
    long explained, vague, of;
    int asked, answered;   /* questions of step 1 */
    long trials;           /* hypotheses tried */
    struct reader_facts seen;  /* what the readers of step 2 have read */
    struct trait trait[TRAITS];
    int n;
    bool as_declared;      /* whether the kernel's own profile explains the answers, or holds them (undecided) */
    bool hurried;          /* nothing explains the answers, and the time was up before all was tried */
    bool undecided;        /* nothing lies outside of that arithmetic's bounds, but most are too wide to decide */
    char storage[12];      /* the narrowest format that holds every real output; "integers" */
    char coarse[320];      /* steps that explain only in a coarser format than the rest: "weight=bf16" */
    /* what is wrong with answers that are no function of the question: "answers differently twice: 40 of 80
     * elements"; else "" */
    char nature[160];
    double seconds;        /* seconds that this process itself took */
};
/* Whether every element is explained or vague, most of them explained, and nature is "". */
bool fingerprint_whole(const struct fingerprint *f);
/* In a word with its reason: "= " where it is whole, what is said before the closest explanation where not. */
void fingerprint_verdict(const struct fingerprint *f, char *text, size_t n);
/* One line for a report into text[n]: what differs from the row's defaults, and the arithmetic: "causal=bottomright
 * window=3; f32, weight=bf16". */
void fingerprint_brief(const struct fingerprint *f, char *text, size_t n);
#endif

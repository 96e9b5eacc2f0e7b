/* What a subject does, found by asking it.
 *   1  a few questions, random and asymmetric (shapes from the mistakes of its row: where each convention shows); the
 *      first one twice
 *   2  readers (harness/reader/): questions whose answers can be read: which keys a query sees, which channels are a
 *      pair, what equal scores sum to
 *   3  explain.h: the parameters of the row that come closest to the answers of 1, starting from what 2 read
 *   4  those parameters judged by balls: under the declared arithmetic, then float32 throughout, one coarse step,
 *      float16, bfloat16
 * Nothing is assumed of what the subject was told.  Elements that nothing explains are counted and said. */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H
#include "reader/core/reader.h"
#include "subject/protocol.h"
#include "subject/subject.h"

enum { TRAITS = 64, RIVALS = 240 };
struct trait {
    const struct param *p;
    char value[96];        /* found; "" where a list is empty */
    char rivals[RIVALS];   /* other candidates that explain as much: these answers cannot tell them from value */
    char next[96];         /* the candidate that comes closest and does not */
    long rejects, of;      /* elements that it cannot explain, of so many */
    int tried;             /* candidates beside value */
    bool hurried;          /* not all of them: the time was up */
};
struct fingerprint {
    const struct row *row;
    /* told: with every question; params: found, every key; profile: the arithmetic under which it was */
    char out[KERNEL_OUTS + 1], type[8], told[TEXT_MAX], params[TEXT_MAX], profile[1024];
    /* elements of every question answered; vague: the bounds of that arithmetic are too wide to decide */
    long explained, vague, of;
    int asked, answered;   /* questions of 1 */
    long trials;           /* hypotheses */
    struct reader_facts seen;  /* what the readers read */
    struct trait trait[TRAITS];
    int n;
    bool as_declared;      /* explained by the kernel's own profile */
    char storage[12];      /* the narrowest format that holds every real output; "integers" */
    char coarse[320];      /* steps that explain only in a coarser format than the rest: "weight=bf16" */
    /* of answers that are no function of the question: "answers differently twice: 40 of 80 elements"; else "" */
    char nature[160];
    double seconds;        /* of this process's own work */
};
/* declared: parameters said to the subject with every question, or "": the row's defaults, and where it answers none of
 * those questions, its
 * presets in turn.  0; -1 and err: no question was answered; -MER_CRASHED and err: it crashed, hung or broke the
 * protocol. */
int fingerprint_take(const struct subject *s, const struct mer_kernel *k, const char *declared, struct fingerprint *f,
    char *err, size_t n);
bool fingerprint_whole(const struct fingerprint *f); /* every element explained or vague, and nature is "" */
/* One line for a report: what differs from the row's defaults, and the precision; "causal=bottomright window=3; f32,
 * weight=bf16". */
void fingerprint_brief(const struct fingerprint *f, char *text, size_t n);
/* How to go from a's value of the trait to b's, from data/bridges ("pass W - 1"); or "pass P=value". */
void fingerprint_bridge(
    char *text, size_t n, const struct row *r, const struct param *p, const char *from, const char *to);

/* its line there, of what a reader reads too; "": none */
void fingerprint_advice(char *text, size_t n, const struct row *r, const char *trait, const char *from, const char *to);

/* Candidates of p, `now` first.  hints: "key=value key=value ...", keys of other parameters too. */
enum { CANDIDATES = 48 };
int candidates(const struct row *r, const struct param *p, const char *now, const char *hints, char v[][96]);
#endif

/* A check: one question about a subject, asked with probe inputs under the conventions that it declares.  Numbers are
 * held to the derived bounds
 * of its profile and relations between its own answers to equality of bits; what is found is said in words.
 * harness/checks/NAME.c is `check_NAME`. */
#ifndef PROBE_H
#define PROBE_H
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "judge/examine.h"
#include "subject/subject.h"

struct probe;
struct check {
    const char *name, *question;  /* "ONEHOT"; one sentence */
    const char *cluster, *sources;/* "A3 A4"; public threads that show the bug */
    const char *asks;             /* "rope.y mrope.y": what it applies to */
    /* "rope.half fault.state": mistakes of data/mistakes (row.id) and of faults.h that it must fail */
    const char *kills;
    /* compares the subject's answers with each other: no measures against the definition are shown */
    bool relation;
    void (*run)(struct probe *p); /* asks, judges, and says what it found; asks nothing where it does not apply */
};
extern const struct check *const all_checks[]; /* generated: build/checks.h; ends with NULL */
bool check_asks(const struct check *c, const char *row, const char *outs); /* of a kernel's outputs, "o lse" */
/* .asks and .kills, and behind them the words of data/checks/ROW.tsv of every row: by those lines a row is asked by a
 * check that it finds.  They live until the program ends. */
const char *check_asked(const struct check *c);
const char *check_killed(const struct check *c);
const struct check *check_named(const char *name, size_t len);

struct probe { /* one check of one output and element type of a subject, under one set of conventions */
    const struct check *check;
    struct subject *who;
    /* the first of its outputs and type; the one that answered the last call, where the first declined */
    const struct mer_kernel *kernel, *used;
    const char *profile;             /* instead of the kernel's; or NULL */
    /* conventions; optional inputs and sizes for all its calls ("sink", "doc t=3"), or "" */
    const char *params, *with;
    const struct declared *claim;       /* what is declared of it; calls outside are not made; or NULL */
    /* takes every optional input of the signature: may be asked about those that nothing declares */
    bool own;
    uint64_t seed;
    enum word word;                  /* PASS until something is found */
    char says[600];                  /* the first finding; or, where it passes, what was measured */
    long asked, declined, outside;
    struct tally y;                  /* of all calls that were read */
    struct diagnosis diagnosis;      /* of the first answer outside its bounds, where diagnosed */
    bool diagnosed, explained;
    /* of the last call that was read, by output: the exact values, the derived bounds around them */
    double *want[TRIAL_OUT], *bound[TRIAL_OUT];
};

void probe_check(struct probe *p); /* runs p->check: word and says are set */

/* A call under the conventions and `more` ("offset=3"), of `sizes`.  false: these together are undefined, nothing to
 * ask; t is closed. */
bool probe_make(struct probe *p, struct trial *t, const char *more, const char *sizes);
/* Asked.  false: declined, or a CRASH, which is said; t is closed. */
bool probe_ask(struct probe *p, struct trial *t);
/* Asked one after the other in one process, as a server would be.  false as above; all are closed. */
bool probe_ask_together(struct probe *p, struct trial *t, int n);
/* Every element against the derived bounds; fills want and bound.  How many lie outside, or -1: no bound, which is
 * said, and both are NaN. */
long probe_read(struct probe *p, struct trial *t);
/* probe_read, and where an element lies outside: a FAIL with the known mistake that explains the outputs.  true:
 * within. */
bool probe_judge(struct probe *p, struct trial *t);
/* element i of output o, after probe_read */
bool probe_misses(const struct probe *p, const struct trial *t, int o, long i);
/* a finding without a verdict, unless one is there */
void probe_say(struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void probe_fail(struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the first counts */
/* the same call, answered by the reference, rounded once. false: closed */
bool probe_exact(const struct trial *t, struct trial *exact);
void probe_close(struct probe *p);

/* Inputs of t; an input that the call does not have is left alone. */
void probe_fill(struct trial *t, const char *name, double x);                              /* every element */
/* by leading indices; trailing ones unused by the rank: 0 */
void probe_put(struct trial *t, const char *name, long i, long j, long k, double x);
/* v[g,j,c] = 1 where c is j: o is the weights */
void probe_keys(struct trial *t);
/* Of n positions those that are declared, and the last one that is; how many: 0, none is. */
int probe_within(const struct probe *p, const long *from, int n, long *to);
/* pos[n] or pos[a,n]: each axis begins elsewhere in the list */
void probe_positions(struct trial *t, const long *pos, int n);
double probe_got(const struct trial *t, int o, long i, long j, long k);
const char *probe_value(const struct trial *t, const char *key, char *text, size_t n);    /* a parameter's text */
/* is it a parameter of the row */
bool probe_has(const struct trial *t, const char *key);
/* an optional input: declared, or the subject takes all */
bool probe_wants(const struct probe *p, const char *name);

/* Asks those checks of everything that the subject offers, under `params` or under every preset, one in `every` of
 * them.  names: "all", or
 * "ONEHOT,ALIGN".  row, out, type: NULL or only these.  How many were asked. */
struct checking {
    struct subject *who;
    const struct declaration *declared;
    const char *names, *row, *out, *type, *params, *preset, *profile, *with;
    uint64_t seed;
    int every;
    bool own;
};
long checks_ask(struct sink *s, const struct checking *c);
const char *checks_fault(const char *names, char *text, size_t n); /* NULL, or what is wrong with the list */
#endif

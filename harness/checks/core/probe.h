/* A check is one question about a subject, asked with designed inputs under the conventions that the subject
 * declares.  Numbers are held to the derived bounds of its profile, and relations between its own answers to
 * equality of bits; what is found is put into words. harness/checks/NAME.c defines `check_NAME`, which the build
 * finds by its name. */
#ifndef PROBE_H
#define PROBE_H
#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "examine/examine.h"
#include "subject/subject.h"

struct probe;
/* What a check is; each file of harness/checks defines one. */
struct check {
    const char *name, *question;  /* "ONEHOT"; what it asks, in one sentence */
    const char *cluster, *sources;/* its group of bugs, "A3 A4"; public threads that show the bug */
    const char *asks;             /* the outputs that it applies to, "rope.y mrope.y" */
    /* mistakes of data/mistakes (row.id) and of power/faults.h (fault.name) that must fail it */
    const char *kills;
    /* whether it compares the subject's answers with each other; then no errors against the exact values are shown */
    bool relation;
    void (*run)(struct probe *p); /* asks, judges, and says what it found; asks nothing where it does not apply */
};
extern const struct check *const all_checks[]; /* generated: build/checks.h; ends with NULL */
/* whether it applies to one of a kernel's outputs "o lse" */
bool check_asks(const struct check *c, const char *row, const char *outs);
/* The lists .asks and .kills, each followed by the words of data/checks/ROW.tsv of every row, by which a new row
 * joins a check.  The texts live until the program ends. */
const char *check_asked(const struct check *c);
const char *check_killed(const struct check *c);
const struct check *check_named(const char *name, size_t len); /* NULL: there is none of that name */

struct probe { /* one check of one list of outputs and element type of a subject, under one set of conventions */
    const struct check *check;
    struct subject *who;
    /* the first kernel with these outputs and this type; the one that answered the last call, where the first
     * declined */
    const struct mer_kernel *kernel, *used;
    /* the arithmetic that it is judged under in place of the kernel's; NULL: the kernel's */
    const char *profile;
    /* the conventions; what all its calls have besides: optional inputs and sizes ("sink", "doc t=3"), or "" */
    const char *params, *with;
    const struct declared *claim;       /* what is declared of it: calls outside that are not made; NULL: nothing */
    /* whether the subject takes every optional input of the signature, so that a check may use those that nothing
     * declares */
    bool own;
    uint64_t seed;
    enum word word;                  /* PASS until something is found */
    char says[600];                  /* the first finding; or, where it passes, what was measured */
    long asked, declined, outside;   /* calls that were answered, declined, not made as they lie outside the claim */
    struct tally y;                  /* over all calls whose answers probe_read has compared */
    /* of the first answer outside its bounds; diagnosed: there is one; explained: it has a cause */
    struct diagnosis diagnosis;
    bool diagnosed, explained;
    /* of the last call that was read, by output and element: the exact value and the greatest distance from it that
     * the bound allows; owned, freed by probe_close; NULL or NaN: not known */
    double *want[TRIAL_OUT], *bound[TRIAL_OUT];
};

void probe_check(struct probe *p); /* runs p->check and sets word and says */

/* Makes a call under the conventions and `more` ("offset=3"; NULL: nothing), of `sizes`. false: together they are
 * undefined, so there is nothing to ask, and t is closed; else trial_close(t) is due. */
bool probe_make(struct probe *p, struct trial *t, const char *more, const char *sizes);
/* Asks the call. true: t has the answers. false: it lies outside what is declared, every kernel declined, or it
 * failed or crashed, which p->word and p->says hold then; t is closed. */
bool probe_ask(struct probe *p, struct trial *t);
/* Asks n calls (at most 8) one after the other in one process, as a server would be asked. false: as above, and all
 * of t[n] are closed. */
bool probe_ask_together(struct probe *p, struct trial *t, int n);
/* Compares every element with its derived bound and fills want and bound.  Returns how many lie outside; -1: there
 * is no bound, which p->says tells, and want and bound are NaN. */
long probe_read(struct probe *p, struct trial *t);
/* probe_read; where an element lies outside, a FAIL with the known mistake that explains the outputs, if one does.
 * true: everything lies within. */
bool probe_judge(struct probe *p, struct trial *t);
/* whether element i of output o lies outside its bound, after probe_read */
bool probe_misses(const struct probe *p, const struct trial *t, int o, long i);
/* appends a finding to p->says without changing the verdict */
void probe_say(struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* a FAIL with its finding; only the first is kept, and none after a crash */
void probe_fail(struct probe *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* a copy of call t with the exact values, rounded once, as its outputs; to be closed. false: it could not be made,
 * and is closed */
bool probe_exact(const struct trial *t, struct trial *exact);
void probe_close(struct probe *p); /* frees want and bound */

/* The following set inputs of t; an input that the call does not have is left out. */
void probe_fill(struct trial *t, const char *name, double x);                              /* sets every element to x */
/* sets element [i][j][k]; of an array of lower rank the last indices are not used, and are 0 */
void probe_put(struct trial *t, const char *name, long i, long j, long k, double x);
/* sets v[g,j,c] = 1 where c is j, else 0, so that o is the weights */
void probe_keys(struct trial *t);
/* Copies into to[n] the positions of from[n] that are declared, and the largest declared one in the last place; all
 * of them where no positions are declared.  Returns how many. */
int probe_within(const struct probe *p, const long *from, int n, long *to);
/* sets pos[n], or every line of pos[a,n], to the list of n positions; line a begins at its element a */
void probe_positions(struct trial *t, const long *pos, int n);
/* Element [i][j][k] of output o, as probe_put counts. */
double probe_got(const struct trial *t, int o, long i, long j, long k);
/* copies a parameter's value into text[n] and returns text */
const char *probe_value(const struct trial *t, const char *key, char *text, size_t n);
/* whether the row has a parameter of that name */
bool probe_has(const struct trial *t, const char *key);
/* whether the optional input may be used: it is declared, or the subject takes all of them */
bool probe_wants(const struct probe *p, const char *name);

/* What checks are asked of a subject: of everything that it offers (row, out and type NULL), or only of these; under
 * `params`, or where that is NULL under one in `every` of the presets. names: "all", or "ONEHOT,ALIGN". own,
 * profile, with: as in struct probe. */
struct checking {
    struct subject *who;
    const struct declaration *declared; /* or NULL */
    const struct asked *asked; /* what the command line asks, for sizes that are found (design/offered.h); NULL: none */
    const char *names, *row, *out, *type, *params, *preset, *profile, *with;
    uint64_t seed;
    int every;
    bool own;
};
/* Asks them; each verdict goes to s.  How many checks were asked. */
long checks_ask(struct sink *s, const struct checking *c);
/* NULL, or what is wrong with the list of names, written into text[n] */
const char *checks_fault(const char *names, char *text, size_t n);
#endif

/* What a subject claims of itself: `judge --declaration FILE.json`.  Format: data/README.md.  A claim is about one row,
 * some of its outputs, some element types: under which conventions it answers, with which arithmetic, for which sizes
 * and positions, and where it is known to deviate. */
#ifndef DECLARATION_H
#define DECLARATION_H
#include "subject/subject.h"
#include "trial/trial.h"
#include "judge/finding.h"

enum { CLAIM_SIZES = 16 };
struct range { char letter; long least, most; }; /* declared extents of an axis, both ends included */
struct known_case {                /* a failure that is expected: that it is no longer seen is a FAIL */
    char outs[80], id[96];         /* outputs; the check or case, with * and ? as fnmatch reads them; "": any */
    unsigned types;                /* bit t: element type t; ~0: all */
    char keys[200], params[TEXT_MAX]; /* names of the parameters that matter, and their values; "": any */
    char mistake[48], reason[200], cite[120]; /* id of data/mistakes; "": whatever the diagnosis names */
    long asked, seen;              /* findings it is about: that passed or failed; that failed as it says */
};
struct declared {
    const char *file;              /* name of the declaration, borrowed from struct declaration */
    char path[24];                 /* place in the file, "claims[2]" */
    const struct row *row;
    char outs[200], profile[1024]; /* outputs, "": all; arithmetic, "": the subject's own */
    unsigned types;                /* as in known_case */
    struct preset *convention;     /* owned; ends with name NULL.  NULL: none claimed, the row's presets are asked */
    struct range size[CLAIM_SIZES];
    /* NULL; or nothing is declared, and these sizes are what the kernel was found to take under these conventions
     * (offered.h), borrowed */
    const char *found;
    bool positioned;               /* whether positions are limited: to least .. most */
    long least, most;
    struct known_case *known;      /* owned */
    int n_sizes, n_known;
};
struct declaration { char *file; struct declared *claim; int n; };

/* Reads and checks a declaration.  0; or -1 and one line in err: file, line:column, place, what was found, what is
 * allowed.  declaration_close is due either way. */
int declaration_read(struct declaration *d, const char *file, char *err, size_t n);
/* Frees everything that d holds; pointers to its claims end with it. */
void declaration_close(struct declaration *d);
/* Whether the subject, which is no pack, offers every row, output and type that is claimed.  0, or -1 and one line as
 * above. */
int declaration_offered(const struct declaration *d, const struct subject *s, char *err, size_t n);
/* The claim about a kernel with these outputs ("o lse") and this type; NULL: none is made, or d is NULL. */
const struct declared *declared_of(const struct declaration *d, const char *row, const char *outs, const char *type);

/* The claim with `found` set that is about just the row, outputs and type of k; NULL: there is none, or d is NULL. */
const struct declared *declared_found(const struct declaration *d, const struct mer_kernel *k);

/* The sizes of one question about a claim, and its name. */
struct declared_question {
    char sizes[300];                  /* as trial_make reads them */
    char id[40];                      /* "least sizes", "most n"; "": one of the usual sizes */
};
/* The sizes of question number `turn` under preset p.  Turns 0 and 1 are `usual`, with letters moved into the declared
 * ranges.  Further turns exist for the first convention (or, without conventions, the row's first preset) alone: 2 has
 * all declared sizes at their least, 3 and on each size in turn at its most, or as large as one question may be.  k may
 * be NULL.  false: there is no such turn, and *q says nothing. */
bool declared_sizes(const struct declared *k, const struct preset *p, const char *outs, int type,
    const char *const usual[2], int turn, struct declared_question *q);
/* Appends d and e to the sizes of a check in `text` where k declares wider ones.  k may be NULL. */
void declared_widths(const struct declared *k, const char *params, const char *outs, int type, char *text, size_t n);
/* Maps the positions of t that lie outside the declared range into it, equal ones to equal ones.  ends: besides, the
 * first element becomes the largest declared position and the last the least. */
void declared_positions(const struct declared *k, struct trial *t, bool ends);
/* Whether for each enumerated value in `changes` ("layout=half length=4096") some declared convention has it.  Numbers,
 * and rows without declared conventions, always pass. */
bool declared_has(const struct declared *k, const char *changes);
/* Whether a size or a position of t lies outside what is declared; why: which. */
bool declared_outside(const struct declared *k, const struct trial *t, char *why, size_t n);

/* Sets f against the known deviations and counts it there.  Returns f where none is about it or it passed; else g,
 * filled: KNOWN where it failed as declared, else with a reason that says how it differs. */
const struct finding *declaration_meets(struct declaration *d, const struct finding *f, struct finding *g);
/* The first known deviation that is expected by the name of its mistake; NULL: there is none. */
const struct known_case *declaration_named(const struct declaration *d);
/* Fills f with the verdict on the next known deviation that was asked about and never seen (FAIL), or not asked about
 * (SKIP); it borrows from d.  *at is 0 at first and is advanced.  false: there are no more. */
bool declaration_unseen(const struct declaration *d, long *at, const char *subject, struct finding *f);
#endif

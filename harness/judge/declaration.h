/* What a subject claims of itself: `judge --declaration FILE.json`.  Format: data/README.md.  A claim is about one row,
 * some of its outputs, some element types: under which conventions it answers, with which arithmetic, for which sizes
 * and positions, and where it is known to deviate. */
#ifndef DECLARATION_H
#define DECLARATION_H
#include "subject/subject.h"
#include "trial/trial.h"
#include "judge/verdict.h"

enum { CLAIM_SIZES = 16 };
struct range { char letter; long least, most; };
struct known_case {                /* a failure that is expected: not seen any more is a FAIL */
    char outs[80], id[96];         /* outputs; check or case of a pack, with * and ?; "": any */
    unsigned types;                /* bit by element type */
    char keys[200], params[TEXT_MAX]; /* names of the parameters that matter, and their values */
    char mistake[48], reason[200], cite[120]; /* mistake "": whatever it is named */
    long asked, seen;
};
struct declared {
    const char *file;              /* of the declaration */
    char path[24];                 /* "claims[2]" */
    const struct row *row;
    char outs[200], profile[1024]; /* "": all; the subject's own */
    unsigned types;
    struct preset *convention;     /* ends with name NULL; NULL: nothing is claimed, the row's presets are asked */
    struct range size[CLAIM_SIZES];
    bool positioned;
    long least, most;              /* positions */
    struct known_case *known;
    int n_sizes, n_known;
};
struct declaration { char *file; struct declared *claim; int n; };

/* 0, or -1 and one line: file, line:column, place, what was found, what is allowed.  declaration_close is due either
 * way. */
int declaration_read(struct declaration *d, const char *file, char *err, size_t n);
void declaration_close(struct declaration *d);
/* Does the subject (no pack) offer what is claimed?  0, or -1 and one line as above. */
int declaration_offered(const struct declaration *d, const struct subject *s, char *err, size_t n);
/* The claim that holds for a kernel, NULL: none is made about it. */
const struct declared *declared_of(const struct declaration *d, const char *row, const char *outs, const char *type);

/* The sizes of one question about a claim, and its name. */
struct declared_question {
    char sizes[300];                  /* as trial_make reads them */
    char id[40];                      /* "least sizes", "most n"; "": one of the usual sizes */
};
/* Question number `turn` about claim k (NULL: nothing is claimed) under convention p: the two of `usual`, their letters
 * moved into the declared sizes, then, of the first convention, all declared sizes at their least, and each alone at
 * its most (or as large as one question may be).  false: there are no more, and *q says nothing. */
bool declared_sizes(const struct declared *k, const struct preset *p, const char *outs, int type,
    const char *const usual[2], int turn, struct declared_question *q);
/* d and e of a check's sizes, where it declares wider ones */
void declared_widths(const struct declared *k, const char *params, const char *outs, int type, char *text, size_t n);
/* Positions of t that lie outside come in, equal ones to equal ones; ends: and the first is the most, the last the
 * least declared. */
void declared_positions(const struct declared *k, struct trial *t, bool ends);
/* Does some declared convention have each enumerated value of "layout=half length=4096"?  Numbers, and rows without
 * declared conventions: yes. */
bool declared_has(const struct declared *k, const char *changes);
/* sizes or positions of t lie outside what is declared */
bool declared_outside(const struct declared *k, const struct trial *t, char *why, size_t n);

/* f set against the known deviations: itself, or g filled with what it is then. */
const struct finding *declaration_meets(struct declaration *d, const struct finding *f, struct finding *g);
/* Says each known deviation that was asked about and not seen (FAIL), or not asked about (SKIP). */
void declaration_unseen(struct declaration *d, struct sink *s, const char *subject);
#endif

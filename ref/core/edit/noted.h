/* Notes of the operations that a page makes on a line: which, where they are written, how often, along which axes, and
 * which of them take the same numbers.  They say what can be done differently there (site.h, each.c). */
#ifndef NOTED_H
#define NOTED_H
#include "ball/ball.h"

enum site_kind { SITE_ADD, SITE_SUB, SITE_MUL, SITE_DIV, SITE_POW, SITE_MAX, SITE_MIN, SITE_NEG, SITE_ABS, SITE_EXP,
    SITE_LOG, SITE_SQRT, SITE_SIN, SITE_COS, SITE_TANH, SITE_ERF, SITE_SIGMOID, SITE_SOFTPLUS, SITE_FLOOR,
    SITE_CEIL, SITE_RATIONAL,
    SITE_INTEGER, SITE_RATIO, SITE_SUM, SITE_LARGEST, SITE_AVERAGE, SITE_WHOLE, SITE_APART, SITE_PLUS, SITE_TIMES,
    SITE_OVER, SITE_MOD, SITE_CLIP, SITE_LESS, SITE_MOST, SITE_TRUTH, SITE_BOTH, SITE_MASK, SITE_INPUT, SITE_ELEMENT,
    SITE_LINE, SITE_INDEX, SITE_OUT, SITE_KINDS };

/* Where an operation is written, and how: "s - max"; or NULL, where that would say nothing. */
struct source { const char *file; int line; const char *text; };
#define HERE ((struct source){ __FILE__, __LINE__, NULL }) /* this line */
/* An operation that a line has made: where, what, how often, and of what is read, the extents of its axes; of what is
 * computed those of the answer before its bar, the parts that the page had (0: it has none), and the most turns that
 * one of them took; `last` and `run` count these.  Of its two numbers: elsewhere, another operation takes the same
 * number as well; again, it takes one itself more than once, and others too. */
struct site {
    struct source at;
    enum site_kind kind;
    long count, extent[MER_RANK + 1]; /* The extents behind the last axis are 0. */
    int axes;
    long parts, turns, last, run;
    const char *part_of; /* what its parts are (ask_part) */
    bool elsewhere[2], again[2];
    bool sign[2]; /* Some of its numbers are negative, some positive. */
    bool hides; /* It is made of the keys that a page has gathered, without those that the line hides. */
    bool may_hide; /* The same of a page that hides keys, be it of this line or of others. */
    bool reduced; /* The page has operations over all their terms, which code may make over all axes. */
    bool form;  /* It is of another form of the page, whose results the page has at another place, too. */
    const struct shift_places *places; /* The extents that a whole number may be off by (shift.h); NULL: none. */
};
/* A number that an operation has taken: the operation's place in sites.s, and as which of its numbers. */
struct site_use { double number; short site, as; };
/* The operations of a line, in the order in which they came first.  An ask that carries one of these notes them, where
 * its arithmetic has an edit of this kind (one that never happens is enough: edit_nowhere).  Those beyond SITES are
 * left out. */
enum { SITES = 400 };
struct sites {
    int n;
    struct site s[SITES];
    bool hidden, hides;   /* The page has left out keys of this line, or it hides keys of some line. */
    bool form;            /* What is noted is of another form of the page. */
    struct mer_array out; /* the answer, of which the first `lead` axes number its lines */
    int lead;
    struct site_use *use; /* n_use of room, owned */
    long n_use, room;
    /* What an operation takes without a rounding since the operation that made it, where `bits` are asked for: a number
     * that no step rounded, and that a significand of so many bits does not hold.  0: nobody asks. */
    mpfr_prec_t bits;
    struct source bare[SITES];
    int n_bare;
};
/* Adds those of another line: each counts as often as in the line that made it most often.  What the line has kept of
 * numbers is read, and freed. */
void sites_join(struct sites *to, struct sites *line);
/* Notes that an operation of this kind is made there; a: what is read, with its axes, or NULL. */
void note(const struct ask *w, struct source at, enum site_kind kind, const struct mer_array *a);
/* Notes that the operation there, which is noted, takes x as its first number (as = 0) or its second (1). */
void note_use(const struct ask *w, struct source at, enum site_kind kind, const struct ball *x, int as);
/* Notes, where that is asked, that the operation there takes x without a rounding. */
void note_bare(const struct ask *w, struct source at, const struct ball *x);
/* x as the operation there takes it, which is noted where that is asked. */
static inline const struct ball *noted(const struct ask *w, struct source at, const struct ball *x)
{
    if (w->sites)
        note_bare(w, at, x);
    return x;
}
/* Is an edit of an operation asked?  An ask that computes without a page has no arithmetic. */
static inline bool sited(const struct ask *w) { return w->arith && w->arith->edit.step == SITE_EDIT; }
/* Is it a number that the page computes, with a ball? */
static inline bool kind_computed(int kind) { return kind < SITE_WHOLE; }
/* Does it take all its terms at once? */
static inline bool kind_reduces(int kind) { return kind == SITE_SUM || kind == SITE_LARGEST || kind == SITE_AVERAGE; }
/* Is it one of these, a whole number that the page computes, or a condition?  All may be taken from elsewhere. */
static inline bool kind_taken(int kind) { return kind <= SITE_CLIP || kind == SITE_TRUTH; }
/* Are both written on the same line of the same file? */
bool same_place(struct source a, struct source b);
#endif

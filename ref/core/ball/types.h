/* A ball is a number x of which |x - mid| <= rad is known, together with mag, the same formula evaluated on absolute
 * values (the G of the gauge); rad and mag are rounded up.  Where a function is undefined somewhere in its argument's
 * ball, the result is the whole line: mid 0, rad infinite.
 * Here are the types alone, with what reads and writes their fields; ball.h has the operations. */
#ifndef BALL_TYPES_H
#define BALL_TYPES_H
#include <math.h>
#include <stdbool.h>
#include <mpfr.h>
#include "meridian.h"
#include "arith/need.h"
#include "arith/step.h"
#include "arith/up.h"

/* Beside mid, rad and mag a ball says:
 * n, how many operations on the way here may underflow in an implementation; with eta the smallest subnormal, the
 * gauge's floor is n eta;
 * format, which is 1 + the place in formats[] of the format whose value this is (an input's, or that of the step that
 * rounded it last), and 0 where none is known; b_is and b_becomes read and write it, and it is an index and no pointer,
 * since a question holds millions of balls;
 * lift, under a contract and in a bound, by how much its exponent is above the sum of those of its two factors: 1 or 0
 * of normal numbers, less where a factor is below its format's normal ones; 0 of what is no product.  Matrix units
 * align by it (tensor.h);
 * id, on the exact path the name of a number that bits cannot finish (same.h), where equal names are equal numbers and
 * 0 is none;
 * d, its tangent, where the ask carries tangents (dual.h); NULL is a tangent of 0. */
struct ball { mpfr_t mid; struct up rad, mag; double n; short format, lift; unsigned id; const struct ball *d; };
/* Marks a ball that a page gives where there may be no number, either: its n has no end, as has that of all that is
 * made of it; and reads that mark. */
static inline void b_or_none(struct ball *b) { b->n = HUGE_VAL; }
static inline bool b_may_be_none(const struct ball *b) { return b->n == HUGE_VAL; }
/* The format whose value x is, or NULL. */
static inline const struct format *b_is(const struct ball *x) { return x->format ? &formats[x->format - 1] : NULL; }
/* From now on b is a value of f, which is one of formats[]; NULL, or any other format, says nothing. */
static inline void b_becomes(struct ball *b, const struct format *f)
{
    b->format = 0;
    for (int k = 0; k < FORMATS; k++)
        b->format = f == &formats[k] ? (short)(k + 1) : b->format;
}
struct exact_names;
struct dual;
struct memo;
struct stored;
struct trace;
struct sites;
struct elsewhere;

/* What the truth cost, added up over lines by line_eval. */
struct cost {
    uint64_t elements;  /* So many numbers were answered. */
    uint64_t retries;   /* The precision was raised so often. */
    uint64_t exact;     /* So many lines ended on the exact path without having begun there. */
    uint64_t ties;      /* So many EXACT lines were left with a rounding which no precision decided. */
    long prec;          /* This is the highest precision of a result, in bits. */
    double ns;          /* This is the processor time of the thread, in nanoseconds. */
};

/* One question to a page: this output line, of this call, in this arithmetic; and all memory that its answer needs.
 * What is called owned is given back by ask_clear; all else is borrowed and has to outlive the question. */
struct ask {
    const void *params;          /* The row's own struct of parameters. */
    const struct mer_call *call;
    const struct arith *arith;
    long at[MER_RANK], len;      /* The leading indices of the line, and its length. */
    /* `of` and form of the quantity that is asked (row.h), for its page. */
    int of;
    bool form;
    const void *with;            /* `with` of the mixing that is asked, for pages that several rows share (mixing.h). */
    mpfr_prec_t prec;            /* In bits. */
    bool undecided;              /* A rounding or a comparison needs more precision: Ziv raises it. */
    /* The exact path: + - * / sqrt pow of known numbers get the bits that their results need, EXACT_BITS at most.  It
     * is set by line_eval where more bits do not decide, or by the asker from the start. */
    bool exact;
    bool making;                 /* What is made once for all lines is being made (question.h). */
    bool whole;                  /* The page has taken what is made once for all lines, and kept (question.h). */
    struct dual *dual;           /* Borrowed; NULL: there are no tangents. */
    struct exact_names *names;         /* The names of the exact path (same.h), owned. */
    struct memo *memo;           /* What is kept of the parameters (memo.h), owned. */
    void (*memo_free)(struct memo *); /* This releases memo; whoever makes that sets it. */
    struct trace *trace;         /* Borrowed: it notes which words are reached (trace.h); NULL: nobody asks. */
    struct sites *sites;         /* Borrowed: it notes the operations of the page (edit/site.h); NULL: nobody asks. */
    long site_turns;             /* How often this line has met the operation that is done differently. */
    long site_all;               /* How often it meets that in all, where an edit asks for it (edit/shift.h). */
    /* Borrowed: what that operation gives at another place (edit/tape.h), or NULL; and of how many parts of its line,
     * such as keys, the page is at which one, from 1: 0 where it is at none. */
    struct elsewhere *tape;
    struct elsewhere *kept;      /* What was recorded of all lines, owned, and what releases it (edit/tape.h). */
    void (*kept_free)(struct elsewhere *);
    long part, parts;
    const char *part_of; /* What the parts are: "the keys". */
    const struct stored *stored; /* Borrowed: the inputs that are stored in a narrower format (stored.h), or NULL. */
    struct cost *cost;           /* Borrowed; NULL: nothing is counted, and no clock is read. */
    double made;                 /* So many balls were made since the ask was zeroed: work that no clock measures. */
    struct ball **pool;          /* pool[room], owned; the first `used` balls of it are given out. */
    size_t used, room;
    mpfr_prec_t widest;          /* The most bits that one of them was given since the ask was zeroed. */
};
enum { EXACT_BITS = 1 << 16 };
#endif

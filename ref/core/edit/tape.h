/* What an operation gives elsewhere: on another line of the answer, or at another of its turns on this line.  A kernel
 * holds what a page computes number by number in arrays, and errs in an index of one of them: the exponentials of the
 * next query, the total of another head.  So under an edit with an axis the page is run once for the place that is
 * read, which records what the operation gave, and once more for the line itself, which plays that back.
 *   axis 0, 1, ..   a leading axis of the answer
 *   AXIS_PARTS      the parts that the page numbers (ask_part: the keys of a softmax, the pairs of a rotation)
 *   AXIS_TURNS      the times that it makes the operation within a part, or on the line where there are none
 *   AXIS_ALL        all leading axes, and the parts of a number that is of one part */
#ifndef TAPE_H
#define TAPE_H
#include "edit/noted.h"

/* One number: the part (0: outside of all; -1: what all parts have in common) and the turn within it, both as they
 * came; the ball is owned.  Of a number that is added up over lines also how many, its value on the last one, and
 * whether that was ever another: a constant has no such axis in any kernel, and stays as it is. */
struct number_taken { long part, turn, lines; struct ball x; double last; bool varies; };
/* What a recording depends on beside the edit: the question and its page, precision and length of the line, and the
 * leading indices, 0 along each axis whose lines are all recorded.  The pointers are compared alone. */
struct recorded_for { const void *call, *arith, *page; mpfr_prec_t prec; bool exact; long len, at[MER_RANK]; };
/* at[n] of room, and the turns met so far of each part, turn[parts], are owned.  of: what it was recorded for, and
 * whether that left something undecided.  out: the answer, in whose format sums are kept; borrowed.  Playing: what is
 * recorded is given; else it is being recorded.  Added: numbers recorded are added to those that are there (an axis
 * that is summed up), or the larger or smaller one stays, as the edit says. */
struct elsewhere {
    struct number_taken *at;
    long n, room, *turn, parts, next;
    struct recorded_for of;
    bool playing, added, undecided;
    const struct mer_array *out;
};

/* Begins another run of the page. */
void tape_begin(struct elsewhere *t, bool playing, bool added);
void tape_free(struct elsewhere *t);
/* The recording of w for `of`, where one is kept; else an empty one, which w keeps and frees. */
struct elsewhere *tape_kept(struct ask *w, const struct recorded_for *of);
/* What the operation gives in place of x, which is what it gives here: x itself while the tape records. */
const struct ball *tape_turn(struct ask *w, const struct ball *x);
/* The second number of an operation in place of y, where x is the first, which is what the tape records: what the first
 * ones of all lines have in common. */
const struct ball *tape_across(struct ask *w, const struct ball *x, const struct ball *y);
/* Does the page run for an edit that takes its numbers elsewhere? */
bool tape_records(const struct ask *w);
#endif

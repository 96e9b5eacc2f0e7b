/* Adverse arithmetic: the contract's page (ROUND) asked to do the worst that its words, read as a profile, allow.  A
 * profile says how far a rounding may be off and in which shapes a sum may be added up; an adverse arithmetic picks,
 * for every rounding and every sum, one of the allowed results.  Whatever it picks, the result has to lie in the
 * widened ball (WIDEN) of the same words: `meridian climb` searches for a choice that does not. */
#ifndef ADVERSE_H
#define ADVERSE_H
#include <stdint.h>
#include "ball/ball.h"

/* Where a rounding goes.  With an error of one half-ulp only to nearest is allowed, and the direction decides ties
 * alone; with more, it goes to the farthest number of the format that lies in that direction and within the error.
 * Never to the other side of zero, never beyond the largest finite number. */
enum adverse_way { TO_NEAREST, UPWARD, DOWNWARD, TOWARD_ZERO, AWAY_FROM_ZERO, ANY_WAY, ADVERSE_WAYS };
/* In which order a sum is added up, as far as the step's declared structure leaves it open: from left to right, from
 * right to left, by halves, by a random tree, or in the order of the terms' values from the least or from the greatest.
 * Declared lanes leave nothing open: they say where every term goes, and the tree over the lanes is the balanced
 * one. */
enum adverse_tree { LEFT_TO_RIGHT, RIGHT_TO_LEFT, HALVES, RANDOM_TREE, LEAST_FIRST, GREATEST_FIRST, ADVERSE_TREES };
extern const char *const adverse_way_name[ADVERSE_WAYS], *const adverse_tree_name[ADVERSE_TREES];

/* A pure function of the seed, the step and the number that is rounded, so that the same number at the same step always
 * goes the same way: what pages keep of a question (memo.h) stays true, and raising the precision does not change the
 * choice. */
struct adverse {
    /* An odd one counts blocks and lanes of an online softmax by place, with the hidden keys in them. */
    uint64_t seed;
    unsigned char way[STEPS], tree[STEPS]; /* Each is indexed by the step of the row whose page rounds. */
    /* Terms of a tree that are not in the sum's format are rounded to it before they join. */
    bool convert;
    bool flush;                            /* With ftz=on, what lies below the normal numbers becomes 0. */
    /* sums[STEPS], borrowed, is set to true at every step that added something up; NULL: nobody asks. */
    bool *sums;
};

/* Rounds y in place to the format of step s, where and how far a->adverse chooses. */
void adverse_round(const struct arith *a, int s, mpfr_t y);
/* Is every number from lo to hi, which are finite, rounded to `to`, as both of them are?  On either side of 0 a
 * rounding is monotone but at a power of two, from which on its half-ulps are twice as large; and where any way may be
 * taken, only among numbers that are the same to nearest. */
bool adverse_steady(const struct arith *a, int s, mpfr_srcptr lo, mpfr_srcptr hi, mpfr_srcptr to);
/* The sum of t[n], n > 0, at a step s that rounds, in the order that w->arith->adverse chooses; where that is NULL, in
 * the declared lanes, or by the tree of the declared height that leans to the left. */
const struct ball *adverse_sum(struct ask *w, int s, const struct ball *const *t, long n);

/* For pages that add one term after the other, and do something to the sum in between (an online softmax rescales it):
 * how many running sums of n terms in all such a page keeps side by side, term k in sum k mod so many, where the step's
 * structure is declared.  They are its lanes, or as many as its height asks for; 1 under a profile. */
long running_sums(const struct ask *w, int s, long n);
/* Does the page's running sum wait for all terms of a block of keys, as a matrix unit takes them at once?  An edited
 * page adds them one by one, so that the edit meets what it names. */
bool running_waits(const struct ask *w, int s);
/* x and the terms t[n], which have waited. */
const struct ball *running_block(
    struct ask *w, int s, const struct ball *x, const struct ball *const *t, long n);
/* `both`, which is x + y, rounded at s; under an adverse arithmetic x itself where y is exactly 0, and y where x is. */
const struct ball *running_joined(
    struct ask *w, int s, const struct ball *x, const struct ball *y, const struct ball *both);
/* All of t[n], the running sums, by the balanced tree that adds them up at last. */
const struct ball *running_total(struct ask *w, int s, const struct ball *const *t, long n);
#endif

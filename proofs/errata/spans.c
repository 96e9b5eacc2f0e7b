/* Claims about the distances of spans in a lattice of characters and words (Li et al. 2020, FLAT, eq. 4-9):
 *   d_hh = head_i - head_j   d_ht = head_i - tail_j   d_th = tail_i - head_j   d_tt = tail_i - tail_j */
#include <stdlib.h>
#include <string.h>
#include "mat.h"

enum { SPANS = 10, PAIRS = SPANS * SPANS, HH = 0, HT, TH, TT };
/* The four distances of all pairs of ten spans, by the page of flat.  The spans are all those of 4 characters, or, as
 * `points`, 10 characters. unsigned_ takes their absolute values. */
static void distances(struct claim *c, bool points, bool unsigned_, long d[PAIRS][4])
{
    const char *params = points ? "chars=10 words=" : "chars=4 words=0,1,0,2,0,3,1,2,1,3,2,3";
    for (long p = 0; p < PAIRS; p++) {
        const struct ball *y[4];
        law_line(c->w, (struct law_of){ row_named("flat"), "distance", params }, (struct givens){ 0 },
            (long[MER_RANK]){ p / SPANS, p % SPANS }, 4, y);
        for (int k = 0; k < 4; k++)
            d[p][k] = unsigned_ ? labs((long)b_value(y[k])) : (long)b_value(y[k]);
    }
}

/* Is distance `which` a function of the n distances `from`, over all pairs of spans? */
static bool follows(long d[PAIRS][4], int which, const int *from, int n)
{
    for (long p = 0; p < PAIRS; p++)
        for (long q = 0; q < p; q++) {
            bool alike = true;
            for (int k = 0; k < n; k++)
                alike &= d[p][from[k]] == d[q][from[k]];
            if (alike && d[p][which] != d[q][which])
                return false;
        }
    return true;
}

/* How span i lies to span j, from their ends (head <= tail): 0 before, 1 behind, 2 the same, 3 within, 4 around, 5
 * overlapping from before, 6 overlapping from behind. */
static int relation(long head_i, long tail_i, long head_j, long tail_j)
{
    if (tail_i < head_j || tail_j < head_i)
        return tail_i < head_j ? 0 : 1;
    if (head_i == head_j && tail_i == tail_j)
        return 2;
    if (head_i >= head_j && tail_i <= tail_j)
        return 3;
    return head_i <= head_j && tail_i >= tail_j ? 4 : head_i < head_j ? 5 : 6;
}
/* The head (0) or tail (1) of one of the ten spans of four characters: first the characters, then the words in the
 * order in which `distances` names them. */
static long end_of(long span, int tail)
{
    static const long word[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
    return span < 4 ? span : word[span - 4][tail];
}
static enum truth tell_relation(long d[PAIRS][4]) /* Do equal distances always mean an equal relation? */
{
    for (long p = 0; p < PAIRS; p++)
        for (long q = 0; q < p; q++) {
            long a = p / SPANS, b = p % SPANS, e = q / SPANS, f = q % SPANS;
            int here = relation(end_of(a, 0), end_of(a, 1), end_of(b, 0), end_of(b, 1)), there = relation(end_of(e,
                0), end_of(e, 1), end_of(f, 0), end_of(f, 1));
            if (!memcmp(d[p], d[q], sizeof d[p]) && here != there)
                return NO;
        }
    return YES;
}

static void four(struct claim *c)
{
    static const int two[3][2] = { { HT, TT }, { HH, TT }, { HH, HT } }, kept[3] = { HH, HT, TT };
    long d[PAIRS][4];
    distances(c, false, claim_is(c, "distance=unsigned"), d);
    c->written = tell_relation(d);
    distances(c, claim_is(c, "spans=points"), false, d);
    c->corrected = YES;
    for (int k = 0; k < 3; k++)
        c->corrected = truth_and(c->corrected, truth_of(!follows(d, kept[k], two[k], 2)));
    for (long p = 0; p < PAIRS; p++)
        c->corrected = truth_and(c->corrected, truth_of(d[p][HH] + d[p][TT] == d[p][HT] + d[p][TH]));
    c->corrected = truth_and(c->corrected, truth_of(!follows(d, HT, (const int[]){ HH, TT }, 2)));
    claim_say(c, "all %d pairs of spans of 4 characters: equal distances, equal relation (before, behind, the same, "
        "within, around, overlapping); hh + tt = ht + th; of hh, ht, tt none follows from the other two", PAIRS);
}

/* P_d is evaluated at distances of spans.  Is d the place where a character stands, head_i or head_j?  It is only for
 * pairs with the first character (others=first).  What is right: d < 0 occurs, and P_-d is P_d with its sines
 * negated. */
static void signed_distance(struct claim *c)
{
    long d[PAIRS][4], least = 0;
    enum truth own = YES, other = YES; /* Is d_hh the place of character i, or that of j, throughout? */
    distances(c, false, false, d);
    for (long p = 0; p < PAIRS; p++)
        for (int k = 0; k < 4; k++)
            least = d[p][k] < least ? d[p][k] : least;
    for (long i = 0; i < 4; i++)
        for (long j = 0; j < (claim_is(c, "others=first") ? 1 : 4); j++) {
            own = truth_and(own, truth_of(d[i * SPANS + j][HH] == i));
            other = truth_and(other, truth_of(d[i * SPANS + j][HH] == j));
        }
    c->written = truth_not(truth_and(truth_not(own), truth_not(other)));
    double pos[] = { 3, -3 };
    struct mat p = mat_table(c->w, "dim=6", pos, 2, 6);
    enum truth alike = YES;
    c->corrected = truth_of(least < 0);
    for (int k = 0; k < 6; k++) {
        const struct ball *mirrored = k % 2 ? mat_get(p, 0, k) : b_neg(c->w, mat_get(p, 0, k));
        alike = truth_and(
            alike, k % 2 == 0 && claim_is(c, "columns=cosines") ? YES : claim_same(mat_get(p, 0, k), mat_get(p, 1, k)));
        c->corrected = truth_and(c->corrected, claim_same(mirrored, mat_get(p, 1, k)));
    }
    c->corrected = truth_and(c->corrected, truth_not(alike));
    claim_say(c, "characters 0 .. 3: between 1 and 2 d is %ld, neither's place; spans of 4 characters: d from %ld on; "
        "d = 6: P_3 = %s, %s, ..., P_-3 = %s, %s, ...", d[SPANS + 2][HH], least, claim_digits(c, mat_get(p, 0, 0),
        12), claim_digits(c, mat_get(p, 0, 1), 12), claim_digits(c, mat_get(p, 1, 0), 12),
        claim_digits(c, mat_get(p, 1, 1), 12));
}

const struct erratum spans_errata[] = {
    { "E10", signed_distance, "others=first", "columns=cosines" },
    { "E61", four, "distance=unsigned", "spans=points" },
    { 0 },
};

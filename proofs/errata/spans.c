/* Claims about the distances of spans in a lattice of characters and words.   Li et al. 2020 (FLAT), eq. 4-9
 *   d_hh = head_i - head_j   d_ht = head_i - tail_j   d_th = tail_i - head_j   d_tt = tail_i - tail_j */
#include <stdlib.h>
#include "mat.h"

enum { SPANS = 10, PAIRS = SPANS * SPANS, HH = 0, HT, TH, TT }; /* all spans of 0 .. 3 */
static void distances(bool points, bool unsigned_, long d[PAIRS][4])
{
    long head[SPANS], tail[SPANS], n = 0;
    for (long h = 0; h < 4; h++)
        for (long t = h; t < 4; t++, n++)
            head[n] = h, tail[n] = points ? h : t;
    for (long p = 0; p < PAIRS; p++) {
        long i = p / SPANS, j = p % SPANS, all[4] = { head[i] - head[j], head[i] - tail[j], tail[i] - head[j], tail[i] - tail[j] };
        for (int k = 0; k < 4; k++)
            d[p][k] = unsigned_ ? labs(all[k]) : all[k];
    }
}

static bool follows(long d[PAIRS][4], int which, const int *from, int n) /* is `which` a function of the n others? */
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

static void four(struct claim *c)
{
    static const int rest[4][3] = { { HT, TH, TT }, { HH, TH, TT }, { HH, HT, TT }, { HH, HT, TH } }, two[3][2] = { { HT, TT }, { HH, TT }, { HH, HT } }, kept[3] = { HH, HT, TT };
    long d[PAIRS][4];
    distances(claim_is(c, "spans=points"), claim_is(c, "distance=unsigned"), d);
    c->conditional = true;
    c->written = c->within = c->corrected = YES;
    for (int k = 0; k < 4; k++)
        c->written = truth_and(c->written, truth_of(!follows(d, k, rest[k], 3)));
    for (int k = 0; k < 3; k++)
        c->within = truth_and(c->within, truth_of(!follows(d, kept[k], two[k], 2)));
    for (long p = 0; p < PAIRS; p++)
        c->corrected = truth_and(c->corrected, truth_of(d[p][HH] + d[p][TT] == d[p][HT] + d[p][TH]));
    c->corrected = truth_and(c->corrected, truth_of(!follows(d, HT, (const int[]){ HH, TT }, 2)));
    claim_say(c, "all %d pairs of spans of 4 characters: each distance is the same function of the other three; of hh, ht, tt none follows from the other two", PAIRS);
}

/* P_d at the distances of spans: d < 0 occurs, and P_-d is P_d with its sines negated. */
static void signed_distance(struct claim *c)
{
    long d[PAIRS][4], least = 0;
    bool right = claim_is(c, "spans=right");
    c->conditional = true;
    c->written = c->within = YES;
    distances(false, false, d);
    for (long p = 0; p < PAIRS; p++)
        for (int k = 0; k < 4; k++) {
            least = d[p][k] < least ? d[p][k] : least;
            c->within = truth_and(c->within, truth_of(d[p][claim_is(c, "within=heads") ? HH : HT] < 0 || d[p][k] >= 0));
            c->written = truth_and(c->written, truth_of((right && d[p][HT] < 0) || d[p][k] >= 0));
        }
    double pos[] = { 3, -3 };
    struct mat p = mat_table(c->w, "dim=6", pos, 2, 6);
    enum truth alike = YES;
    c->corrected = YES;
    for (int k = 0; k < 6; k++) {
        const struct ball *mirrored = k % 2 ? mat_get(p, 0, k) : b_neg(c->w, mat_get(p, 0, k));
        alike = truth_and(alike, k % 2 == 0 && claim_is(c, "columns=cosines") ? YES : claim_same(mat_get(p, 0, k), mat_get(p, 1, k)));
        c->corrected = truth_and(c->corrected, claim_same(mirrored, mat_get(p, 1, k)));
    }
    c->corrected = truth_and(c->corrected, truth_not(alike));
    claim_say(c, "spans of 4 characters: distances from %ld on; d = 6: P_3 = %s, %s, ..., P_-3 = %s, %s, ...", least, claim_digits(c, mat_get(p, 0, 0), 12), claim_digits(c, mat_get(p, 0, 1), 12), claim_digits(c, mat_get(p, 1, 0), 12),
        claim_digits(c, mat_get(p, 1, 1), 12));
}

const struct erratum spans_errata[] = {
    { "E10", signed_distance, "spans=right", "within=heads columns=cosines" },
    { "E61", four, "distance=unsigned", "spans=points" },
    { 0 },
};

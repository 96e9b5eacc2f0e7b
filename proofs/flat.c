/* Laws of flat: what its four distances say, what words in another order change, and how the released row numbers
 * differ from the paper's. */
#include <stdio.h>
#include "law.h"

enum { HH, HT, TH, TT };
enum { NODES = 7 };
/* Four characters and three words: two that overlap, one within another, and one of a single character. */
static const char lattice[] = "chars=4 words=0,1,1,3,2,2";

/* The heads and tails of all nodes and the four distances of all pairs, by the page. */
static void read(struct ask *w, const struct row *r, const char *params, long d[NODES][NODES][4], long end[NODES][2])
{
    const struct ball *y[4];
    for (long i = 0; i < NODES; i++) {
        law_line(w, (struct law_of){ r, "head", params }, (struct givens){ 0 }, (long[MER_RANK]){ i }, 1, y);
        end[i][0] = (long)b_value(y[0]);
        law_line(w, (struct law_of){ r, "tail", params }, (struct givens){ 0 }, (long[MER_RANK]){ i }, 1, y);
        end[i][1] = (long)b_value(y[0]);
        for (long j = 0; j < NODES; j++) {
            law_line(w, (struct law_of){ r, "distance", params }, (struct givens){ 0 }, (long[MER_RANK]){ i, j }, 4, y);
            for (int k = 0; k < 4; k++)
                d[i][j][k] = (long)b_value(y[k]);
        }
    }
}

/* Three distances give the fourth, and those of (j, i) follow from those of (i, j). */
static enum truth related(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    long d[NODES][NODES][4], end[NODES][2];
    bool ok = true;
    read(w, r, params, d, end);
    for (int k = 0; k < NODES * NODES; k++) {
        const long *a = d[k / NODES][k % NODES], *b = d[k % NODES][k / NODES];
        ok &= a[HH] + a[TT] == a[HT] + a[TH] && a[HH] == -b[HH] && a[TT] == -b[TT] && a[HT] == -b[TH];
    }
    return law_close(&l, ok);
}

/* How two spans lie, read off their distances, is what their sets of characters say; all five relations must occur in
 * the lattice. */
enum { SEPARATE, SAME, INSIDE, AROUND, CROSSING };
static int by_distances(const long d[4])
{
    return d[HT] > 0 || d[TH] < 0 ? SEPARATE :
        d[HH] == 0 && d[TT] == 0  ? SAME :
        d[HH] >= 0 && d[TT] <= 0  ? INSIDE :
        d[HH] <= 0 && d[TT] >= 0  ? AROUND :
                                    CROSSING;
}
static int by_characters(const long a[2], const long b[2])
{
    int in_a = 0, in_b = 0, both = 0;
    for (long c = 0; c < 16; c++) {
        bool x = c >= a[0] && c <= a[1], y = c >= b[0] && c <= b[1];
        in_a += x, in_b += y, both += x && y;
    }
    return !both                     ? SEPARATE :
        both == in_a && both == in_b ? SAME :
        both == in_a                 ? INSIDE :
        both == in_b                 ? AROUND :
                                       CROSSING;
}
static enum truth determined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64 + (mpfr_prec_t)seed);
    long d[NODES][NODES][4], end[NODES][2];
    bool ok = true;
    int seen = 0;
    read(w, r, params, d, end);
    for (int k = 0; k < NODES * NODES; k++) {
        int relation = by_characters(end[k / NODES], end[k % NODES]);
        ok &= by_distances(d[k / NODES][k % NODES]) == relation, seen |= 1 << relation;
    }
    return law_close(&l, ok && seen == (1 << CROSSING) * 2 - 1);
}

/* Inputs of one head over six nodes (four characters and two words), with c = 4 and d = 2. */
struct flat_inputs { double q[12], k[12], v[6], u[2], w[2], wf[64], wr[8]; struct given in[7]; };
static struct given *fill(struct flat_inputs *x, uint64_t seed)
{
    double *all[] = { x->q, x->k, x->v, x->u, x->w, x->wf, x->wr };
    const int len[] = { 12, 12, 6, 2, 2, 64, 8 };
    for (int a = 0; a < 7; a++)
        for (int k = 0; k < len[a]; k++)
            all[a][k] = (double)((seed * 5 + (uint64_t)(a * 29 + k * k * 3 + k)) % 13) / 8 - 0.5;
    struct given in[] = { { "q", x->q, 3, { 1, 6, 2 } }, { "k", x->k, 3, { 1, 6, 2 } }, { "v", x->v, 3, { 1, 6, 1 } },
        { "u", x->u, 2, { 1, 2, 0 } }, { "w", x->w, 2, { 1, 2, 0 } }, { "wf", x->wf, 2, { 16, 4, 0 } },
        { "wr", x->wr, 3, { 1, 4, 2 } } };
    return memcpy(x->in, in, sizeof in);
}

/* Four distances with zero weights for ht and th are the two distances hh and tt. */
static enum truth two(const struct row *r, const char *params, uint64_t seed)
{
    struct flat_inputs x;
    struct given *in = fill(&x, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *a, *b;
    char text[200];
    bool ok = true;
    memset(x.wf + 16, 0, 32 * sizeof *x.wf);
    for (long i = 0; i < 6; i++) {
        law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 7 }, (long[MER_RANK]){ 0, i }, 1, &a);
        double packed[32];
        memcpy(packed, x.wf, sizeof packed / 2), memcpy(packed + 16, x.wf + 48, sizeof packed / 2);
        in[5] = (struct given){ "wf", packed, 2, { 8, 4, 0 } };
        law_line(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "fusion=two") },
            (struct givens){ in, 7 }, (long[MER_RANK]){ 0, i }, 1, &b);
        in[5] = (struct given){ "wf", x.wf, 2, { 16, 4, 0 } };
        ok &= law_same(a, b);
    }
    return law_close(&l, ok);
}

/* Words may be listed in any order: exchanging the two exchanges their rows. */
static enum truth unordered(const struct row *r, const char *params, uint64_t seed)
{
    struct flat_inputs x, y;
    struct given *in = fill(&x, seed), *swapped = fill(&y, seed);
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *a, *b;
    char text[200];
    bool ok = true;
    for (int k = 0; k < 4; k++)
        y.q[8 + k] = x.q[8 + (k + 2) % 4], y.k[8 + k] = x.k[8 + (k + 2) % 4];
    y.v[4] = x.v[5], y.v[5] = x.v[4];
    for (long i = 0; i < 6; i++) {
        law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 7 }, (long[MER_RANK]){ 0, i }, 1, &a);
        law_line(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "words=1,3,0,1") },
            (struct givens){ swapped, 7 }, (long[MER_RANK]){ 0, i < 4 ? i : 9 - i }, 1, &b);
        ok &= law_same(a, b);
    }
    return law_close(&l, ok);
}

/* Without words every distance is i - j, so that there is one row of relations for each distance. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    struct flat_inputs x;
    struct given *in = fill(&x, seed) + 5;
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    const struct ball *a[4], *b[4];
    bool ok = true;
    for (long k = 0; k < 9; k++) {
        law_line(w, (struct law_of){ r, "r", params }, (struct givens){ in, 1 }, (long[MER_RANK]){ k / 3, k % 3 }, 4,
            a);
        law_line(w, (struct law_of){ r, "r", params }, (struct givens){ in, 1 },
            (long[MER_RANK]){ k / 3 + 1, k % 3 + 1 }, 4, b);
        for (int c = 0; c < 4; c++)
            ok &= b_cmp(a[c], b_si(w, 0)) == 0 ? b_cmp(b[c], b_si(w, 0)) == 0 : law_same(a[c], b[c]);
    }
    return law_close(&l, ok);
}

/* P at distance + reach, which is the released row number, is P at the distance with each pair turned by reach w.  W_f
 * turned back makes up for all of the difference. */
static enum truth turned(const struct row *r, const char *params, uint64_t seed)
{
    struct flat_inputs x;
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *wf[32], *angle[4], *a[4], *b[4];
    struct mer_array in = { .name = "wf", .type = BALLS, .rank = 2, .dim = { 8, 4 }, .data = wf },
                     own = { .name = "wf", .type = MER_F64, .rank = 1, .dim = { 32 }, .data = x.wf };
    char text[200];
    bool ok = true;
    fill(&x, seed);
    struct given plain_wf = { "wf", x.wf, 2, { 8, 4 } };
    law_row(w, row_named("sinusoid"), "p", "dim=4", NULL, (double)law_int(params, "reach", 128), 4, angle);
    for (int k = 0; k < 32; k++) {
        int row = k / 4, pair = row % 4 / 2, even = row - row % 2;
        const struct ball *s = angle[2 * pair], *c = angle[2 * pair + 1], *u = b_element(w, &own, even * 4 + k % 4),
                          *v = b_element(w, &own, even * 4 + 4 + k % 4);
        wf[k] = row % 2 ? b_add(w, b_mul(w, s, u), b_mul(w, c, v)) : b_sub(w, b_mul(w, c, u), b_mul(w, s, v));
    }
    law_text(text, sizeof text, params, "index=signed");
    for (long k = 0; k < 36; k++) {
        law_line(w, (struct law_of){ r, "r", params }, (struct givens){ &plain_wf, 1 },
            (long[MER_RANK]){ k / 6, k % 6 }, 4, a);
        line_of(w, (struct page_of){ r, "r", text, &in, 1 }, (long[MER_RANK]){ k / 6, k % 6 }, 4, b);
        for (int c = 0; c < 4; c++)
            ok &= b_cmp(a[c], b_si(w, 0)) == 0 ? b_cmp(b[c], b_si(w, 0)) == 0 : law_same(a[c], b[c]);
    }
    return law_close(&l, ok);
}

const struct law flat_laws[] = {
    { "hh + tt = ht + th, and the distances of (j, i) are those of (i, j) negated", lattice, related, "index=shifted" },
    { "the four distances determine how two spans lie: apart, equal, inside, around, crossing", lattice, determined,
        "index=shifted" },
    { "four distances with nothing on ht and th are two", "dim=4", two, "fusion=two" },
    { "words may come in any order", "dim=4 words=0,1,1,3", unordered, "words=0,1,1,2" },
    { "the released row numbers, distance + reach, turn each pair by reach w: W_f turned back is all the difference",
        "dim=4 words=0,1,1,3 fusion=two index=shifted reach=11", turned, "index=signed" },
    { "without words the relation is one row per distance i - j", "dim=4 chars=4 words=", plain,
        "chars=2 words=0,1,1,1" },
    { 0 },
};

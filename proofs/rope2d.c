/* Laws of rotary encodings of images: what a score depends on, what one axis turns, and that halves of a head are ropes
 * of half the width. */
#include "law.h"
extern const struct row row_rope;

enum { D = 8, K = D / 2, N = 2 };
/* y[D]: x turned at that row and column. */
static void at(struct ask *w, struct law_of of, const double *x, double row, double column, const struct ball **y)
{
    const double pos[2] = { row, column };
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", pos, 2, { 2, 1 } } };
    law_line(w, of, (struct givens){ in, 2 }, NULL, D, y);
}
static struct law_of turned(const struct row *r, const char *params) { return (struct law_of){ r, "y", params }; }

/* The score of two tokens does not change where both move by the same rows and columns. */
static enum truth relative(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double q[D], k[D];
    const struct ball *a[D], *b[D], *s[N];
    const double down = (double)(seed % 97), right = (double)(seed % 31);
    law_fill(q, D, seed), law_fill(k, D, seed + 1);
    for (int moved = 0; moved < N; moved++) {
        at(w, turned(r, params), q, 3 + moved * down, 11 + moved * right, a);
        at(w, turned(r, params), k, 7 + moved * down, 2 + moved * right, b);
        s[moved] = law_dot(w, a, b, D);
    }
    return law_close(&l, law_same(s[0], s[1]));
}
/* The first half of a head is rope of half the width at the row, the second at the column. */
static enum truth halves(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[D], pos[2] = { 5 + (double)(seed % 89), 2 + (double)(seed % 53) };
    const struct ball *y[D], *part[D];
    law_fill(x, D, seed);
    at(w, turned(r, params), x, pos[0], pos[1], y);
    for (int s = 0; s < 2; s++) {
        const struct given in[] = { { "x", x + s * K, 3, { 1, 1, K } }, { "pos", pos + s, 1, { 1 } } };
        law_line(w, (struct law_of){ &row_rope, "y", "dim=4 layout=interleaved" }, (struct givens){ in, 2 }, NULL, K,
            part + s * K);
    }
    return law_close(&l, law_same_line(y, part, D));
}
/* In column 0 the pairs of columns pass. */
static enum truth still(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    double x[D];
    const struct ball *y[D];
    law_fill(x, D, seed);
    at(w, turned(r, params), x, 9 + (double)(seed % 7), 0, y);
    const struct mer_array a = { .type = MER_F64, .rank = 1, .dim = { D }, .data = x };
    bool same = true;
    for (int c = 0; c < D; c++)
        if (c % K >= K / 2)
            same = same && b_same(y[c], b_element(w, &a, c));
    return law_close(&l, same);
}
/* The transposed image with the axes in the other order. */
static enum truth transposed(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    char other[TEXT_MAX];
    double x[D];
    const struct ball *a[D], *b[D];
    const double row = (double)(seed % 61), column = 70 + (double)(seed % 13);
    law_fill(x, D, seed);
    at(w, turned(r, params), x, row, column, a);
    /* A breaker stands behind and gives both one order. */
    at(w, turned(r, law_text(other, sizeof other, "first=columns", params)), x, column, row, b);
    return law_close(&l, law_same_line(a, b, D));
}
/* The middle of an image turns nothing, and places on opposite sides turn against each other. */
static enum truth middle(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const long far = 1 + (long)(seed % 4);
    const double pos[2 * 3] = { 4, (double)(4 - far), (double)(4 + far), 3, 1, 5 };
    const struct given in[] = { { "pos", pos, 2, { 2, 3 } } };
    const struct ball *y[3][K];
    bool same = true;
    for (long i = 0; i < 3; i++)
        law_line(w, (struct law_of){ r, "angle", params }, (struct givens){ in, 1 }, (long[MER_RANK]){ i }, K, y[i]);
    for (int k = 0; k < K; k++)
        same = same && b_same(y[0][k], b_si(w, 0)) && law_same(y[1][k], b_neg(w, y[2][k]));
    return law_close(&l, same);
}

const struct law rope2d_laws[] = {
    { "a score depends on the differences of rows and of columns", "dim=8", relative, "phase=bf16" },
    { "halves of a head are ropes of half the width", "dim=8 layout=interleaved", halves, "frequency=woven" },
    { "in column 0 the pairs of columns pass", "dim=8", still, "start=1" },
    { "a transposed image with the axes exchanged is the same", "dim=8", transposed, "first=rows" },
    { "the middle of an image turns nothing, opposite places turn against each other",
        "dim=8 coordinates=centred height=9 width=7", middle, "height=10" },
    { 0 },
};

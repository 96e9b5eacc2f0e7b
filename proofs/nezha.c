/* Laws of nezha: the code and the paper differ by a rotation, and either is shaw with one fixed table. */
#include "law.h"

enum { N = 2, M = 5, D = 6, REACH = 3 };
extern const struct row row_shaw;
struct nezha_made { double q[N * D], k[M * D], v[M * D]; };

static struct nezha_made make(uint64_t seed)
{
    struct nezha_made x;
    double *all = x.q;
    for (size_t j = 0; j < sizeof x / sizeof *all; j++)
        all[j] = (double)((seed * 2654435761u + j * j * 40503u + j * 9973u) >> 4 & 31) / 8 - 2;
    return x;
}

/* Takes each pair (x0, x1) to (c x0 + s x1, c x1 - s x0), where `by` holds the sines and cosines of the angles: row
 * `reach` of the code's table, that of distance 0.  The map takes (sin a, cos a) to (sin(a + b), cos(a + b)); back is
 * the map by -b. */
static void turn(
    struct ask *w, const struct ball *const *by, int back, const struct ball *const *x, const struct ball **y)
{
    for (int k = 0; k < D; k += 2) {
        const struct ball *s = back ? b_neg(w, by[k]) : by[k], *c = by[k + 1];
        y[k] = b_add(w, b_mul(w, c, x[k]), b_mul(w, s, x[k + 1]));
        y[k + 1] = b_sub(w, b_mul(w, c, x[k + 1]), b_mul(w, s, x[k]));
    }
}

/* o(code; q, k, v) = A o(paper; A^T q, A^T k, A^T v), where A is the rotation by reach w. */
static enum truth rotated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct nezha_made x = make(seed);
    char text[200];
    const struct ball *by[D], *given[(N + 2 * M) * D], *turned[(N + 2 * M) * D], *o[D], *paper[D], *back[D];
    law_line(w, (struct law_of){ r, "table", "dim=6 reach=3 argument=index" }, (struct givens){ 0 },
        (long[MER_RANK]){ REACH }, D, by);
    for (int k = 0; k < (N + 2 * M) * D; k++) {
        struct mer_array all = { .type = MER_F64, .rank = 1, .dim = { (N + 2 * M) * D }, .data = x.q };
        given[k] = b_element(w, &all, k);
    }
    for (int k = 0; k < N + 2 * M; k++)
        turn(w, by, 1, given + k * D, turned + k * D);
    struct mer_array in[3] = { { "q", BALLS, 3, { 1, N, D }, given }, { "k", BALLS, 3, { 1, M, D }, given + N * D },
        { "v", BALLS, 3, { 1, M, D }, given + (N + M) * D } };
    line_of(w, (struct page_of){ r, "o", params, in, 3 }, (long[MER_RANK]){ 0, 1 }, D, o);
    in[0].data = turned, in[1].data = turned + N * D, in[2].data = turned + (N + M) * D;
    line_of(w, (struct page_of){ r, "o", law_text(text, sizeof text, params, "argument=distance"), in, 3 },
        (long[MER_RANK]){ 0, 1 }, D, paper);
    turn(w, by, 0, paper, back);
    return law_close(&l, law_same_line(o, back, D));
}

/* Its output is that of shaw with nezha's table for keys and for values. */
static enum truth one_of_shaw(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct nezha_made x = make(seed);
    const struct ball *t[(2 * REACH + 1) * D], *a[D], *b[D];
    for (long k = 0; k <= 2 * REACH; k++)
        law_line(w, (struct law_of){ r, "table", params }, (struct givens){ 0 }, (long[MER_RANK]){ k }, D, t + k * D);
    struct mer_array in[4] = { { "q", MER_F64, 3, { 1, N, D }, x.q }, { "k", MER_F64, 3, { 1, M, D }, x.k },
        { "v", MER_F64, 3, { 1, M, D }, x.v }, { "t", BALLS, 2, { 2 * REACH + 1, D }, t } };
    line_of(w, (struct page_of){ r, "o", params, in, 3 }, (long[MER_RANK]){ 0, 1 }, D, a);
    line_of(w, (struct page_of){ &row_shaw, "shared", "least=-3 most=3", in, 4 }, (long[MER_RANK]){ 0, 1 }, D, b);
    return law_close(&l, law_same_line(a, b, D));
}

/* (0, 1, 0, 1 ..) stands at distance `at`, whatever the positions. */
static enum truth origin(const struct row *r, const char *params, long at, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 64);
    const struct ball *t[D];
    long i = 65536 + (long)seed;
    bool ok = true;
    law_line(w, (struct law_of){ r, "place", params }, (struct givens){ 0 }, (long[MER_RANK]){ i, i + at }, D, t);
    for (int k = 0; k < D; k++)
        ok &= b_value(t[k]) == (double)(k % 2);
    return law_close(&l, ok);
}
static enum truth origin_code(const struct row *r, const char *params, uint64_t seed)
{
    return origin(r, params, -REACH, seed);
}
static enum truth origin_paper(const struct row *r, const char *params, uint64_t seed)
{
    return origin(r, params, 0, seed);
}

/* Where every key is hidden by the same added number, none is: the weights are those of a row that sees everything. */
static enum truth all_lowered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct nezha_made x = make(seed);
    double none[N * M] = { 0 };
    const struct ball *a[M], *b[M];
    struct given in[] = { { "q", x.q, 3, { 1, N, D } }, { "k", x.k, 3, { 1, M, D } },
        { "keep", none, 3, { 1, N, M } } };
    law_line(w, (struct law_of){ r, "weights", params }, (struct givens){ in, 3 }, (long[MER_RANK]){ 0, 1 }, M, a);
    law_line(w, (struct law_of){ r, "weights", params }, (struct givens){ in, 2 }, (long[MER_RANK]){ 0, 1 }, M, b);
    return law_close(&l, law_same_line(a, b, M));
}

const struct law nezha_laws[] = {
    { "the code's shifted index is a rotation of q, k, v and o by reach w", "dim=6 reach=3", rotated,
        "argument=distance" },
    { "it is shaw with one fixed table", "dim=6 reach=3", one_of_shaw, "sign=query-key" },
    { "in the paper too", "dim=6 reach=3 argument=distance", one_of_shaw, "memory=1" },
    { "the code's (0, 1, 0, 1 ..) stands at distance -reach", "dim=6 reach=3", origin_code, "argument=distance" },
    { "the paper's stands at distance 0", "dim=6 reach=3 argument=distance", origin_paper, "argument=index" },
    { "-10000 on every key hides nothing", "dim=6 reach=3 mask=add", all_lowered, "mask=skip" },
    { 0 },
};

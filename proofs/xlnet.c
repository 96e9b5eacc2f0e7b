/* Laws of xlnet: what its score is made of, what it adds to txl, and that shift, mask and both signs mean what they
 * say. */
#include "law.h"

enum { N = 3, M = 5, D = 4, E = 2, C = 6, S = 2, INPUTS = 9 };
extern const struct row row_txl;
struct xlnet_made { double q[M * D], k[M * D], v[M * E], u[D], vr[D], wr[C * D], rs[D], se[S * D], seg[M * M * S]; };

static struct xlnet_made make(uint64_t seed)
{
    struct xlnet_made x;
    law_fill(x.q, sizeof x / sizeof(double), seed);
    return x;
}
/* The line y[len] of one of n queries over m keys.  Keys 0 and 1 are one segment and those from 2 on another; query 0
 * is of the first and the others of the second. seg holds, one-hot, whether a pair shares its segment. */
static void ask(struct ask *w, struct law_of of, struct xlnet_made *x, long n, long m, long query, long len,
    const struct ball **y)
{
    for (long t = 0; t < n * m; t++)
        x->seg[t * S] = (t % m > 1) == (t / m > 0), x->seg[t * S + 1] = 1 - x->seg[t * S];
    struct given in[INPUTS] = { { "q", x->q, 3, { 1, n, D } }, { "k", x->k, 3, { 1, m, D } },
        { "v", x->v, 3, { 1, m, E } }, { "u", x->u, 2, { 1, D } }, { "vr", x->vr, 2, { 1, D } },
        { "wr", x->wr, 3, { 1, C, D } }, { "rs", x->rs, 2, { 1, D } }, { "se", x->se, 3, { S, 1, D } },
        { "seg", x->seg, 3, { n, m, S } } };
    law_line(w, of, (struct givens){ in, INPUTS }, (long[MER_RANK]){ 0, query }, len, y);
}
/* Content, position and segment add up to the score: each weight is exp(sum / sqrt(d) - lse). */
static enum truth terms(const struct row *r, const char *params, uint64_t seed)
{
    static const char *const name[] = { "content", "position", "segment" };
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct xlnet_made x = make(seed);
    const struct ball *p[M], *t[3][M], *lse[1], *mine[M];
    ask(w, (struct law_of){ r, "weights", params }, &x, N, M, 1, M, p);
    ask(w, (struct law_of){ r, "lse", params }, &x, N, M, 1, 1, lse);
    for (int k = 0; k < 3; k++)
        ask(w, (struct law_of){ r, name[k], "" }, &x, N, M, 1, M, t[k]);
    for (int j = 0; j < M; j++)
        mine[j] =
            b_exp(w, b_sub(w, b_div(w, b_add(w, b_add(w, t[0][j], t[1][j]), t[2][j]), b_sqrt(w, b_si(w, D))), lse[0]));
    return law_close(&l, law_same_line(p, mine, M));
}

/* Without segment vectors it is txl under the given words. */
static enum truth without_segments(const struct row *r, const char *params, const char *words, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct xlnet_made x = make(seed);
    const struct ball *a[E], *b[E];
    bool ok = true;
    memset(x.se, 0, sizeof x.se);
    for (long i = 0; i < N; i++) {
        ask(w, (struct law_of){ r, "o", params }, &x, N, M, i, E, a);
        ask(w, (struct law_of){ &row_txl, "o", words }, &x, N, M, i, E, b);
        ok &= law_same_line(a, b, E);
    }
    return law_close(&l, ok);
}
static enum truth is_txl(const struct row *r, const char *params, uint64_t seed)
{
    return without_segments(r, params, "", seed);
}
static enum truth is_whole_txl(const struct row *r, const char *params, uint64_t seed)
{
    return without_segments(r, params, "causal=none clamp=1", seed);
}

/* The same vector added to both segments adds the same number to every score of a row, as one-hot rows sum to 1. */
static enum truth segments_relative(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct xlnet_made x = make(seed), z = x;
    const struct ball *a[M], *b[M];
    for (int k = 0; k < S * D; k++)
        z.se[k] += (double)(k % D) / 2 - 1;
    ask(w, (struct law_of){ r, "weights", params }, &x, N, M, 2, M, a);
    ask(w, (struct law_of){ r, "weights", params }, &z, N, M, 2, M, b);
    return law_close(&l, law_same_line(a, b, M));
}

/* R at -delta is R with its sines negated: where the first C/2 rows of W_kR are negated, the sign of distances changes
 * nothing. */
static enum truth mirrored(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct xlnet_made x = make(seed), z = x;
    const struct ball *a[E], *b[E];
    char text[160];
    for (int k = 0; k < C / 2 * D; k++)
        z.wr[k] = -x.wr[k];
    ask(w, (struct law_of){ r, "o", params }, &x, N, M, 1, E, a);
    ask(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "sign=key-query") }, &z, N, M, 1, E, b);
    return law_close(&l, law_same_line(a, b, E));
}

/* The page's own table, whose row t is that of distance m - t, given to it as `rows` changes nothing. */
static enum truth rows_given(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct xlnet_made x = make(seed);
    const struct ball *a[M], *b[M], *R[(M + N) * C];
    double distance[M + N];
    struct given in = { "distance", distance, 1, { M + N } };
    for (long t = 0; t < M + N; t++)
        distance[t] = (double)(M - t);
    for (long t = 0; t < M + N; t++)
        law_line(w, (struct law_of){ r, "table", "clamp=2" }, (struct givens){ &in, 1 }, (long[MER_RANK]){ t }, C,
            R + t * C);
    ask(w, (struct law_of){ r, "weights", params }, &x, N, M, 0, M, a); /* This call fills seg. */
    struct mer_array given[] = { { "q", MER_F64, 3, { 1, N, D }, x.q }, { "k", MER_F64, 3, { 1, M, D }, x.k },
        { "u", MER_F64, 2, { 1, D }, x.u }, { "vr", MER_F64, 2, { 1, D }, x.vr },
        { "wr", MER_F64, 3, { 1, C, D }, x.wr }, { "rs", MER_F64, 2, { 1, D }, x.rs },
        { "se", MER_F64, 3, { S, 1, D }, x.se }, { "seg", MER_F64, 3, { N, M, S }, x.seg },
        { "rows", BALLS, 2, { M + N, C }, R } };
    line_of(w, (struct page_of){ r, "weights", params, given, 9 }, NULL, M, b);
    return law_close(&l, law_same_line(a, b, M));
}

/* The output of every query through route=shift, with fewer queries than keys and with more, is that of the direct
 * route under the plain words alone. */
static void o_of(struct ask *w, const struct row *r, const char *params, uint64_t seed, long n, long m, long i,
    const struct ball **y)
{
    struct xlnet_made x = make(seed);
    ask(w, (struct law_of){ r, "o", params }, &x, n, m, i, E, y);
}
static enum truth whole_shift(const struct row *r, const char *params, uint64_t seed)
{
    return law_shift(r, params, "", seed, N, M, E, o_of);
}
static enum truth causal_shift(const struct row *r, const char *params, uint64_t seed)
{
    return law_shift(r, params, "causal=causal", seed, N, M, E, o_of);
}

const struct law xlnet_laws[] = {
    { "content, position and segment add up to the score", "", terms, "scale=1" },
    { "without segments and with a causal mask it is txl", "causal=causal", is_txl, "causal=none" },
    { "cut from above only, everywhere", "clamp=1 cut=above", is_whole_txl, "cut=both" },
    { "segments are relative: the same vector added to both is nothing", "", segments_relative, "product=bf16" },
    { "the backward sign negates the sines", "", mirrored, "layout=interleaved" },
    { "rows given stand for the page's own", "clamp=2", rows_given, "clamp=1" },
    { "the shift reads what the definition says, everywhere", "", whole_shift, "clamp=1" },
    { "with half the list, wherever a causal mask lets it be seen", "causal=causal", causal_shift, "sign=key-query" },
    { 0 },
};

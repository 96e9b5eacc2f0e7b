/* Claims about encodings by name, against their rows: nezha, deberta, txl, complexorder, product. */
#include <stdio.h>
#include "mat.h"

static struct mat made(struct claim *c, long n, long m, unsigned seed) { return mat_made(c, n, m, seed); }
/* The table [rows,d] of row nezha. */
static struct mat table_of(struct claim *c, const char *params, long rows, long d)
{
    struct mat y = { rows, d, { 0 } };
    for (long r = 0; r < rows; r++)
        line_of(c->w, (struct page_of){ row_named("nezha"), "table", params }, (long[MER_RANK]){ r }, d, y.a + r * d);
    return y;
}

/* The page of shaw with tables of its own, and with nezha's fixed table in place of both.  Nezha's table by index and
 * by distance differ by the rotation M(reach). */
static void one_fixed_table(struct claim *c)
{
    enum { REACH = 2, R = 2 * REACH + 1, W = 4 };
    struct mat q = made(c, 2, W, 1), k = made(c, 5, W, 2), v = made(c, 5, W, 3), used = table_of(c,
        "dim=4 reach=2 argument=index", R, W), by_distance = table_of(c, "dim=4 reach=2 argument=distance", R, W);
    struct mat own = made(c, R, W, 4), other = made(c, R, W, 5), tk = claim_is(c, "tables=trained") ? own : used,
        tv = claim_is(c, "tables=trained") ? other : used;
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3), mat_array("v", &v, 3), mat_array("tk",
        &tk, 2), mat_array("tv", &tv, 2) }, apart[] = { in[0], in[1], in[2], mat_array("tk", &own, 2), mat_array("tv",
        &other, 2) };
    struct mat nezha = mat_lines(c->w, "nezha", "o", "dim=4 reach=2 argument=index", in, 3, 2, W),
        trained = mat_lines(c->w, "shaw", "o", "least=-2 most=2", apart, 5, 2, W);
    c->written = mat_same(nezha, mat_lines(c->w, "shaw", "o", "least=-2 most=2", in, 5, 2, W));
    c->corrected = truth_not(mat_same(used, by_distance));
    double reach = REACH;
    struct mat m = mat_table(c->w, "dim=4", &reach, 1, W), turned = by_distance;
    for (long r = 0; r < R; r++)
        for (long j = 0; j < W; j += 2) {
            const struct ball *s = mat_get(by_distance, r, j), *co = mat_get(by_distance, r, j + 1);
            turned.a[r * W + j] = b_add(c->w, b_mul(c->w, m.a[j + 1], s), b_mul(c->w, m.a[j], co));
            turned.a[r * W + j + 1] = b_sub(c->w, b_mul(c->w, m.a[j + 1], co), b_mul(c->w, m.a[j], s));
        }
    c->corrected = truth_and(c->corrected, mat_same(used, claim_is(c, "rotation=none") ? by_distance : turned));
    claim_say(c, "5 keys, reach 2: output %s by nezha and by shaw with nezha's table, %s by shaw with two trained "
        "ones; row of distance 0 is %s, ... in the code, %s, ... at angle 0", claim_digits(c, nezha.a[0], 12),
        claim_digits(c, trained.a[0], 12), claim_digits(c, mat_get(used, REACH, 0), 12),
        claim_digits(c, mat_get(by_distance, REACH, 0), 12));
}

/* Content to content, content to place and place to content with one W_Q and one W_K,
 *   x W_Q W_K^T x^T + x W_Q W_K^T R_{i,j}^T + R_{j,i} W_Q W_K^T x^T,
 * over sqrt(3 d), against row deberta: 3 tokens, a table of 4 rows, span 2. */
/* Row of the relative table for the pair (i, j), whose distance is clipped to -2 .. 1. */
static long place(long i, long j) { return (i - j <= -2 ? -2 : i - j >= 1 ? 1 : i - j) + 2; }
static void disentangled(struct claim *c)
{
    enum { N = 3, W = 3 };
    struct mat x = made(c, N, W, 1), rel = made(c, 4, W, 2), wq = made(c, W, W, 3), wk = made(c, W, W, 4),
               q = mat_mul(c->w, x, wq), k = mat_mul(c->w, x, wk), v = made(c, N, 2, 5);
    struct mat kr = mat_mul(c->w, rel, wk), qr = mat_mul(c->w, rel, wq), own_kr = mat_mul(c->w, rel, made(c, W, W,
        6)), own_qr = mat_mul(c->w, rel, made(c, W, W, 7)), scaled = { N, N, { 0 } };
    for (long i = 0; i < N; i++)
        for (long j = 0; j < N; j++) {
            const struct ball *sum = b_add(c->w, law_dot(c->w, q.a + i * W, k.a + j * W, W),
                law_dot(c->w, q.a + i * W, kr.a + place(i, j) * W, W));
            sum = b_add(c->w, sum, law_dot(c->w, qr.a + place(j, i) * W, k.a + j * W, W));
            scaled.a[i * N + j] = b_div(c->w, sum, b_si(c->w, 3)); /* sqrt(3 d) is 3 for d = 3. */
        }
    bool shared = claim_is(c, "projections=shared"), separate = claim_is(c, "within=separate");
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3), mat_array("v", &v, 3),
        mat_array("kr", shared ? &kr : &own_kr, 3), mat_array("qr", shared ? &qr : &own_qr, 3) };
    struct mer_array one[] = { in[0], in[1], in[2], mat_array("kr", separate ? &own_kr : &kr, 3),
        mat_array("qr", &qr, 3) };
    struct mat divided = mat_mix(c->w, scaled, mat_unit(c->w, N), "");
    struct mat paper = mat_lines(c->w, "deberta", "weights", "span=2", in, 5, N, N),
               code = mat_lines(c->w, "deberta", "weights",
                   claim_is(c, "index=paper") ? "span=2" : "span=2 p2c_index=code", in, 5, N, N);
    c->conditional = true;
    c->written = mat_same(divided, paper);
    c->within = mat_same(divided, mat_lines(c->w, "deberta", "weights", "span=2", one, 5, N, N));
    c->corrected = truth_not(mat_same(paper, code));
    claim_say(c, "3 tokens, d = 3, span 2: weight of key 1 for query 0 is %s with one W_Q and one W_K, %s with "
        "matrices of their own for places, %s with the released index of the third term", claim_digits(c,
        divided.a[1], 12), claim_digits(c, paper.a[1], 12),
        claim_digits(c, code.a[1], 12));
}

/* The terms (a) + (b) + (c) + (d) by matrices, against the pages of txl: queries 0 and 1 behind a memory of 1, keys 0
 * .. 2. */
static void four_relative_terms(struct claim *c)
{
    enum { N = 2, M = 3, W = 4 };
    struct mat q = made(c, N, W, 1), k = made(c, M, W, 2), u = made(c, 1, W, 3), v = made(c, 1, W, 4),
               wr = made(c, W, W, 5), s = { N, M, { 0 } }, half = s;
    const char *params = claim_is(c, "table=concat") ? "causal=none" : "causal=none layout=interleaved";
    for (long i = 0; i < N; i++)
        for (long j = 0; j < M; j++) {
            double distance = (double)(1 + i - j);
            struct mat r = mat_mul(c->w, mat_table(c->w, "dim=4", &distance, 1, W), wr);
            const struct ball *sum =
                b_add(c->w, law_dot(c->w, q.a + i * W, k.a + j * W, W), law_dot(c->w, q.a + i * W, r.a, W));
            sum = b_add(c->w, sum, law_dot(c->w, v.a, r.a, W));
            s.a[i * M + j] = claim_is(c, "terms=3") ? sum : b_add(c->w, sum, law_dot(c->w, u.a, k.a + j * W, W));
            half.a[i * M + j] = claim_is(c, "root=1") ? s.a[i * M + j] : b_div(c->w, s.a[i * M + j], b_si(c->w, 2));
        }
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3), mat_array("u", &u, 2),
        mat_array("vr", &v, 2), mat_array("wr", &wr, 3) },
                     content_bias[] = { in[0], in[1], in[2] }, position_bias[] = { in[0], in[1], in[3], in[4] },
                     position[] = { in[0], in[1], in[4] };
    struct mat sum = mat_add(c->w,
        mat_add(c->w, mat_lines(c->w, "txl", "content", params, in, 2, N, M),
            mat_lines(c->w, "txl", "position", params, position, 3, N, M)),
        mat_add(c->w, mat_lines(c->w, "txl", "content_bias", params, content_bias, 3, N, M),
            mat_lines(c->w, "txl", "position_bias", params, position_bias, 4, N, M)));
    c->written = mat_same(s, sum);
    c->corrected =
        mat_same(mat_mix(c->w, half, mat_unit(c->w, M), ""), mat_lines(c->w, "txl", "weights", params, in, 5, N, M));
    claim_say(c, "2 queries behind a memory of 1, 3 keys: score of query 1, key 0 is %s either way",
        claim_digits(c, mat_get(s, 1, 0), 15));
}

/* The parts y[2] of word 0, out of a book of 2 words, at a position, by row complexorder; out is "re" or "im". */
static void complex_word(struct claim *c, const char *out, const double *frequency, double pos, const struct ball **y)
{
    static const double amplitude[] = { 1.5, -.75, 2, .5 }, theta[] = { .25, 1, -.5, 2 }, word = 0;
    struct given in[] = { { "word", &word, 1, { 1 } }, { "pos", &pos, 1, { 1 } },
        { "amplitude", amplitude, 2, { 2, 2 } }, { "frequency", frequency, 2, { 2, 2 } },
        { "theta", theta, 2, { 2, 2 } } };
    law_line(c->w, (struct law_of){ row_named("complexorder"), out, "" }, (struct givens){ in, 5 }, NULL, 2, y);
}
/* The score of word 0 at position m with word 1 at position n. */
static const struct ball *complex_score(struct claim *c, const double *frequency, double m, double n)
{
    static const double amplitude[] = { 1.5, -.75, 2, .5 }, theta[] = { .25, 1, -.5, 2 }, word = 0, key = 1;
    struct given in[] = { { "word", &word, 1, { 1 } }, { "pos", &m, 1, { 1 } }, { "key", &key, 1, { 1 } },
        { "key_pos", &n, 1, { 1 } }, { "amplitude", amplitude, 2, { 2, 2 } }, { "frequency", frequency, 2, { 2, 2 } },
        { "theta", theta, 2, { 2, 2 } } };
    const struct ball *y[1];
    const char *params = claim_is(c, "pairing=unconjugated") ? "pairing=unconjugated" : "";
    law_line(c->w, (struct law_of){ row_named("complexorder"), "score", params }, (struct givens){ in, 7 },
        (long[MER_RANK]){ 0, 0 }, 1, y);
    return y[0];
}
static void complex_order(struct claim *c)
{
    static const double own[] = { 1, .125, .5, .25 }, shared[] = { 1, .125, 1, .125 };
    const struct ball *re[2], *im[2], *far_re[2], *far_im[2], *a, *b;
    complex_word(c, "re", own, 70001, re), complex_word(c, "im", own, 70001, im),
        complex_word(c, "re", own, 70018, far_re), complex_word(c, "im", own, 70018, far_im);
    c->written = YES;
    for (int k = 0; k < 2; k++) { /* f(p + 17) = f(p) e^(i w 17), with w = 1 and 1/8. */
        const struct ball *s, *co;
        b_sincos(c->w, b_mul(c->w, b_ratio(c->w, k ? 1 : 8, 8), b_si(c->w, 17)), &s, &co);
        c->written = truth_and(c->written,
            truth_and(claim_same(far_re[k], b_sub(c->w, b_mul(c->w, re[k], co), b_mul(c->w, im[k], s))),
                claim_same(far_im[k], b_add(c->w, b_mul(c->w, re[k], s), b_mul(c->w, im[k], co)))));
    }
    a = complex_score(c, own, 3, 20), b = complex_score(c, own, 1003, 1020);
    c->corrected = truth_and(
        claim_same(complex_score(c, shared, 3, 20), complex_score(c, shared, 1003, 1020)), truth_not(claim_same(a, b)));
    claim_say(c,
        "two words, d = 2: with frequencies of their own <f(3), f(20)> = %s, <f(1003), f(1020)> = %s; with common ones "
        "both are %s",
        claim_digits(c, a, 12), claim_digits(c, b, 12), claim_digits(c, complex_score(c, shared, 3, 20), 12));
}

/* The token x[1,4] multiplied by its place, by row product.  At position 0 the sines of the table are 0, so that tokens
 * which differ only there become one. */
static struct mat multiplied(struct claim *c, const char *form, struct mat x, double pos)
{
    struct mat z = { 1, 4, { 0 } };
    char params[60];
    struct mer_array in[] = { mat_array("x", &x, 2),
        { .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &pos } };
    snprintf(params, sizeof params, "dim=4 form=%s", form);
    line_of(c->w, (struct page_of){ row_named("product"), "z", params, in, 2 }, NULL, 4, z.a);
    return z;
}
static void multiplication(struct claim *c)
{
    struct mat x = made(c, 1, 4, 1), y = x, p = x;
    const char *saved = claim_is(c, "saved=product") ? "product" : "one_plus";
    double pos = (double)claim_int(c, "position", 0);
    y.a[2] = b_add(c->w, x.a[2], b_si(c->w, 1));
    p.a[3] = claim_is(c, "entry=sine") ? y.a[2] : b_add(c->w, x.a[3], b_si(c->w, 1));
    struct mat a = multiplied(c, "product", x, pos), b = multiplied(c, "product", y, pos);
    c->conditional = true;
    c->written = truth_not(mat_same(a, b));
    c->within = truth_not(mat_same(multiplied(c, saved, x, 0), multiplied(c, saved, y, 0)));
    c->corrected = truth_and(claim_same(mat_get(multiplied(c, "product", x, pos), 0, 0), b_si(c->w, 0)),
        truth_and(claim_same(a.a[2], b_si(c->w, 0)), truth_not(mat_same(a, multiplied(c, "product", p, pos)))));
    claim_say(c, "d = 4, position %g: two tokens that differ in entry 2 both become (%s, %s, %s, %s)", pos,
        claim_digits(c, a.a[0], 6), claim_digits(c, a.a[1], 6), claim_digits(c, a.a[2], 6), claim_digits(c, a.a[3], 6));
}

const struct erratum released_errata[] = {
    { "E20", disentangled, "projections=shared", "within=separate index=paper" },
    { "E28", one_fixed_table, "tables=trained", "rotation=none" },
    { "E63", four_relative_terms, "table=concat", "root=1" },
    { "E64", complex_order, "phase=bf16", "pairing=unconjugated" },
    { "E65", multiplication, "position=3", "saved=product" },
    { 0 },
};

/* Claims about the terms of a score (x_i + p_i) W_Q W_K^T (x_j + p_j)^T.  Vectors are rows, and W is [d,d_k]; in the
 * text of Transformer-XL they are columns, and W is [d_k,d]. */
#include "mat.h"

enum { WIDE = 4 };
static struct mat score(struct claim *c, struct mat a, struct mat wq, struct mat wk, struct mat b)
{
    return mat_mul(c->w, mat_mul(c->w, a, wq), mat_mul(c->w, mat_t(wk), mat_t(b)));
}
static struct mat plus(struct claim *c, struct mat a, struct mat b) { return mat_add(c->w, a, b); }
static struct mat made(struct claim *c, long n, long m, unsigned seed) { return mat_made(c, n, m, seed); }

/* Two tokens and their places, x_i, p_i, x_j and p_j as rows [1,3], and W_Q and W_K [3,2]. */
struct decompose_token { struct mat x, p, y, r, wq, wk; };
static struct decompose_token tokens(struct claim *c)
{
    return (struct decompose_token){ made(c, 1, 3, 1), made(c, 1, 3, 2), made(c, 1, 3, 3), made(c, 1, 3, 4),
        made(c, 3, 2, 5),
        made(c, 3, 2, 6) };
}

static void four_terms(struct claim *c)
{
    struct decompose_token t = tokens(c);
    struct mat whole = score(c, plus(c, t.x, t.p), t.wq, t.wk, plus(c, t.y, t.r));
    struct mat sum = plus(
        c, plus(c, score(c, t.x, t.wq, t.wk, t.y), score(c, t.x, t.wq, t.wk, t.r)), score(c, t.p, t.wq, t.wk, t.y));
    bool flat = claim_is(c, "transposed=no");
    struct mat q = mat_mul(c->w, flat ? t.wq : mat_t(t.wq), mat_t(plus(c, t.x, t.p))),
               k = mat_mul(c->w, flat ? t.wk : mat_t(t.wk), mat_t(plus(c, t.y, t.r)));
    c->written = mat_same(whole, claim_is(c, "terms=3") ? sum : plus(c, sum, score(c, t.p, t.wq, t.wk, t.r)));
    c->corrected = mat_same(whole, mat_mul(c->w, mat_t(q), k));
    claim_say(c, "d = 3, d_k = 2: the score and the sum of the four are %s", claim_digits(c, whole.a[0], 20));
}

static void two_factors(struct claim *c)
{
    struct decompose_token t = tokens(c);
    struct mat left = plus(c, mat_mul(c->w, t.x, t.wq), mat_mul(c->w, t.p, t.wq)),
               w = claim_is(c, "transpose=no") ? t.wk : mat_t(t.wk);
    struct mat right = plus(c, mat_mul(c->w, w, mat_t(t.y)), mat_mul(c->w, w, mat_t(t.r))),
               whole = score(c, plus(c, t.x, t.p), t.wq, t.wk, plus(c, t.y, t.r));
    c->written = mat_same(mat_mul(c->w, left, right), whole);
    c->corrected = mat_same(mat_mul(c->w, left, mat_mul(c->w, w, mat_t(plus(c, t.y, t.r)))), whole);
    claim_say(c, "d = 3, d_k = 2: both sides are %s", claim_digits(c, whole.a[0], 20));
}

static void transposed_bias(struct claim *c)
{
    struct mat u = made(c, 2, 1, 1), e = made(c, 3, 1, 2),
               w = claim_is(c, "stored=transposed") ? made(c, 3, 2, 3) : made(c, 2, 3, 3);
    struct mat as_written = mat_mul(c->w, mat_mul(c->w, mat_t(u), mat_t(w)), e),
               right = mat_mul(c->w, mat_mul(c->w, mat_t(u), w), e);
    c->shapes = true;
    c->written = truth_of(mat_is(as_written, 1, 1));
    c->corrected =
        truth_and(truth_of(mat_is(right, 1, 1)), mat_same(right, mat_mul(c->w, mat_t(u), mat_mul(c->w, w, e))));
    claim_say(c, "u 2x1, W_{k,E} 2x3, E 3x1: u^T W^T E is undefined, u^T W E is <u, k_j> = %s",
        right.n ? claim_digits(c, right.a[0], 12) : "undefined");
}

/* The product u^T (W_{k,E} E) for one of the heads, where E has d = 6 numbers, a key 6 / heads, and u `size`; undefined
 * where these differ. */
static struct mat bias_of(struct claim *c, long heads, long size)
{
    struct mat key = mat_mul(c->w, made(c, 6 / heads, 6, 1), made(c, 6, 1, 2));
    return mat_mul(c->w, mat_t(made(c, size, 1, 3)), key);
}
static void bias_width(struct claim *c)
{
    c->conditional = true;
    c->written = truth_of(mat_is(bias_of(c, claim_int(c, "heads", 2), 6), 1, 1));
    c->within = truth_of(mat_is(bias_of(c, claim_int(c, "single", 1), 6), 1, 1));
    c->corrected = truth_of(mat_is(bias_of(c, 2, claim_int(c, "size", 3)), 1, 1));
    claim_say(c,
        "d = 6, 2 heads of 3: u in R^6 has no product with a key in R^3; u in R^3, one a head, has: 2 * 3 numbers for "
        "u");
}

static void product_of_columns(struct claim *c)
{
    long tokens = 5, width = 2;
    bool columns = claim_is(c, "tokens=columns");
    struct mat q = columns ? made(c, width, tokens, 1) : made(c, tokens, width, 1),
               k = columns ? made(c, width, tokens, 2) : made(c, tokens, width, 2);
    struct mat all = mat_mul(c->w, q, mat_t(k));
    c->shapes = true;
    c->written = truth_of(mat_is(mat_mul(c->w, mat_t(q), k), tokens, tokens));
    c->corrected = truth_of(mat_is(all, tokens, tokens));
    for (long i = 0; i < tokens && c->corrected == YES; i++)
        c->corrected =
            mat_same(mat_mul(c->w, mat_row(q, i), mat_t(mat_row(k, 2))), (struct mat){ 1, 1, { mat_get(all, i, 2) } });
    claim_say(c, "5 tokens, d_k = 2: Q^T K is 2x2, Q K^T is 5x5 with the entries <q_i, k_j>");
}

/* Are the weights of three tokens x[3,4] at places p[3,4] the same with all four terms and without the two mixed ones?
 * `apart` puts words and places into orthogonal subspaces and makes the projections 1. *with and *without are the
 * weights of key 1 for query 0. */
static enum truth dropped(struct claim *c, bool apart, const struct ball **with, const struct ball **without)
{
    struct mat x = made(c, 3, WIDE, 1), p = made(c, 3, WIDE, 2),
               wq = apart ? mat_unit(c->w, WIDE) : made(c, WIDE, WIDE, 3),
               wk = apart ? mat_unit(c->w, WIDE) : made(c, WIDE, WIDE, 4), one = mat_unit(c->w, 3);
    for (long k = 0; apart && k < 12; k++)
        *(k % WIDE < 2 ? &p.a[k] : &x.a[k]) = b_si(c->w, 0);
    struct mat a = mat_mix(c->w, score(c, plus(c, x, p), wq, wk, plus(c, x, p)), one, ""),
               b = mat_mix(c->w, plus(c, score(c, x, wq, wk, x), score(c, p, wq, wk, p)), one, "");
    *with = a.a[1], *without = b.a[1];
    return mat_same(a, b);
}
static void mixed_terms(struct claim *c)
{
    const struct ball *a, *b, *other[2];
    struct mat s = made(c, 3, 3, 5), more = s, one = mat_unit(c->w, 3), f = made(c, 1, 3, 6);
    for (long k = 0; k < 9; k++)
        more.a[k] = b_add(c->w, s.a[k], f.a[claim_is(c, "added=keys") ? k % 3 : k / 3]);
    c->conditional = true;
    c->within = dropped(c, !claim_is(c, "overlap=yes"), &other[0], &other[1]);
    c->written = dropped(c, claim_is(c, "subspaces=orthogonal"), &a, &b);
    c->corrected = mat_same(mat_mix(c->w, s, one, ""), mat_mix(c->w, more, one, ""));
    claim_say(c,
        "3 tokens, d = 4: weight of key 1 for query 0 is %s with all four terms, %s without the two mixed ones; adding "
        "f(i) to the scores changes no weight",
        claim_digits(c, a, 12), claim_digits(c, b, 12));
}

/* The term p_i M p_j^T of positions i and j alone. */
static const struct ball *place_place(struct claim *c, struct mat m, double i, double j)
{
    double pos[] = { i, j };
    struct mat p = mat_table(c->w, "dim=4", pos, 2, WIDE);
    return mat_mul(c->w, mat_mul(c->w, mat_row(p, 0), m), mat_t(mat_row(p, 1))).a[0];
}
/* The bias of T5's head 3 for query i and key j, out of a made-up table [32,8]. */
static const struct ball *t5_bias(struct claim *c, long i, long j)
{
    double t[32 * 8];
    const struct ball *y[1];
    for (int k = 0; k < 32 * 8; k++)
        t[k] = k * k % 97;
    struct given in = { "table", t, 2, { 32, 8 } };
    law_line(c->w, (struct law_of){ row_named("t5"), "bias", "" }, (struct givens){ &in, 1 },
        (long[MER_RANK]){ 3, i, j }, 1, y);
    return y[0];
}
/* The fourth term of the score of two words x and y at positions 5 and 2: what is left of the whole score when the
 * three other terms are taken away. by_word makes the positions depend on the word that stands there, as those of
 * complex order do. */
static struct mat fourth_term(struct claim *c, struct mat x, struct mat y, bool by_word)
{
    double pos[] = { 5, 2 };
    struct mat p = mat_table(c->w, "dim=4", pos, 2, WIDE), wq = made(c, WIDE, 2, 5), wk = made(c, WIDE, 2, 6),
        at_i = mat_row(p, 0), at_j = mat_row(p, 1);
    for (long k = 0; by_word && k < WIDE; k++)
        at_i.a[k] = b_mul(c->w, at_i.a[k], x.a[k]), at_j.a[k] = b_mul(c->w, at_j.a[k], y.a[k]);
    const struct ball *all = score(c, plus(c, x, at_i), wq, wk, plus(c, y, at_j)).a[0], *mixed = b_add(c->w, score(c,
        x, wq, wk, at_j).a[0], score(c, at_i, wq, wk, y).a[0]);
    return (struct mat){ 1, 1, { b_sub(c->w, all, b_add(c->w, score(c, x, wq, wk, y).a[0], mixed)) } };
}
static void place_scalar(struct claim *c)
{
    struct mat m = claim_is(c, "projection=identity") ? mat_unit(c->w, WIDE) : made(c, WIDE, WIDE, 7);
    const struct ball *near = place_place(c, m, 1, 0), *far = place_place(c, m, 70001, 70000);
    bool by_word = claim_is(c, "positions=of-words");
    struct mat one = fourth_term(c, made(c, 1, WIDE, 1), made(c, 1, WIDE, 2), by_word), other = fourth_term(c, made(c,
        1, WIDE, 3), made(c, 1, WIDE, 4), by_word);
    c->written = mat_same(one, other);
    c->corrected = truth_not(claim_same(near, far));
    for (long j = 0; j < 40; j += 3)
        c->corrected = truth_and(c->corrected, claim_same(t5_bias(c, 20, j), t5_bias(c, 25, j + 5)));
    claim_say(c, "d = 4, i = 5, j = 2: the term is %s for two pairs of words; with a made-up W p_1 W p_0 = %s and "
        "p_70001 W p_70000 = %s, both at distance 1, where T5 has one number", claim_digits(c, one.a[0], 12),
        claim_digits(c, near, 12),
        claim_digits(c, far, 12));
}

/* Quantity `out` of row txl for query i and key j of 13 queries and keys: content is <q_i, k_j>, content_bias is <u,
 * k_j>, position_bias is <v, R_(i-j) W_{k,R}>. */
static const struct ball *txl(struct claim *c, const char *out, long i, long j)
{
    enum { TOKENS = 13 };
    struct mat q = made(c, TOKENS, WIDE, 1), k = made(c, TOKENS, WIDE, 2), u = made(c, 1, WIDE, 3),
               v = made(c, 1, WIDE, 4), wr = made(c, WIDE, WIDE, 5);
    bool place = !strcmp(out, "position_bias");
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3),
        place ? mat_array("vr", &v, 2) : mat_array("u", &u, 2), mat_array("wr", &wr, 3) };
    const struct ball *y[TOKENS];
    const int arrays = place ? 4 : strcmp(out, "content") ? 3 : 2;
    line_of(c->w, (struct page_of){ row_named("txl"), out, "causal=none", in, arrays },
        (long[MER_RANK]){ 0, i }, TOKENS, y);
    return y[j];
}
static void same_bias(struct claim *c)
{
    const char *content = claim_is(c, "query=kept") ? "content" : "content_bias";
    const struct ball *a = txl(c, content, 7, 3), *b = txl(c, content, 12, 3), *p = txl(c, "position_bias", 7, 3),
                      *q = txl(c, "position_bias", 12, 3);
    c->written = claim_same(a, b);
    c->corrected = truth_and(truth_not(claim_same(p, q)), claim_same(p, txl(c, "position_bias", 11, claim_is(c,
        "key=stays") ? 3 : 7)));
    claim_say(c,
        "key 3 seen from 7 and from 12: content bias %s both times, position bias %s and %s; from 11 key 7 has the "
        "first again",
        claim_digits(c, a, 12), claim_digits(c, p, 12), claim_digits(c, q, 12));
}

/* The score of Transformer-XL for one query, key and distance, with biases u and v and key matrices W_{k,E} and
 * W_{k,R}.  With u W_Q and v W_Q in place of u and v, and one W_K for both matrices, it is what the second article
 * writes. */
static struct mat relative(struct claim *c, struct mat wq, struct mat wke, struct mat wkr, struct mat u, struct mat v)
{
    struct mat x = made(c, 1, WIDE, 1), y = made(c, 1, WIDE, 2), r = made(c, 1, WIDE, 3), q = mat_mul(c->w, x, wq);
    struct mat content = mat_mul(c->w, plus(c, q, u), mat_mul(c->w, mat_t(wke), mat_t(y))),
               place = mat_mul(c->w, plus(c, q, v), mat_mul(c->w, mat_t(wkr), mat_t(r)));
    return plus(c, content, place);
}
/* The y with y upper = u, where `upper` is upper triangular with a diagonal of 1. */
static struct mat solved(struct claim *c, struct mat u, struct mat upper)
{
    struct mat y = u;
    for (long k = 0; k < u.m; k++)
        for (long j = 0; j < k; j++)
            y.a[k] = b_sub(c->w, y.a[k], b_mul(c->w, y.a[j], mat_get(upper, j, k)));
    return y;
}
static void one_key_matrix(struct claim *c)
{
    struct mat wq = made(c, WIDE, WIDE, 4), upper = wq, wke = made(c, WIDE, WIDE, 5), other = made(c, WIDE, WIDE, 6),
        u = made(c, 1, WIDE, 7), v = made(c, 1, WIDE, 8), none = mat_unit(c->w, WIDE);
    for (long k = 0; k < WIDE * WIDE; k++)
        none.a[k] = b_si(c->w, 0);
    for (long i = 0; i < WIDE; i++)
        for (long j = 0; j <= i; j++)
            upper.a[i * WIDE + j] = b_si(c->w, i == j);
    struct mat uq = mat_mul(c->w, u, wq), vq = mat_mul(c->w, v, wq), as_written = relative(c, wq, wke, wke, uq, vq),
               zero = { 1, 1, { b_si(c->w, 0) } };
    struct mat free = claim_is(c, "u=projected") ?
        relative(c, none, wke, other, mat_mul(c->w, u, none), mat_mul(c->w, v, none)) :
        relative(c, none, wke, other, u, v);
    struct mat full = relative(c, wq, wke, claim_is(c, "matrices=one") ? wke : other, uq, vq);
    c->conditional = true;
    c->written = mat_same(as_written, full);
    /* The invertible W_Q gives every free u and v as some u' W_Q and v' W_Q. */
    struct mat u_of = mat_mul(c->w, solved(c, u, upper), upper), v_of = mat_mul(c->w, solved(c, v, upper), upper);
    c->within = mat_same(relative(c, upper, wke, wke, u_of, v_of), relative(c, upper, wke, claim_is(c,
        "within=two") ? other : wke, u, v));
    c->corrected = truth_and(truth_not(mat_same(free, zero)),
        mat_same(relative(c, none, wke, wke, mat_mul(c->w, u, none), mat_mul(c->w, v, none)), zero));
    claim_say(c,
        "d = 4: %s with one W_K, %s with W_{k,E} and W_{k,R}.  At W_Q = 0 the form with u W_Q, v W_Q is 0 whatever u, "
        "v; Transformer-XL's is %s",
        claim_digits(c, as_written.a[0], 12), claim_digits(c, full.a[0], 12), claim_digits(c, free.a[0], 12));
}

/* The vector R_1 of row txl, entry by entry: a query with a 1 at entry c, and W_{k,R} = 1, read it out.  The keys
 * before which it is read are made up by `keys`; R_1 must not depend on them. */
static struct mat vector_at_one(struct claim *c, unsigned keys, struct mat wr)
{
    struct mat q = mat_unit(c->w, WIDE), k = made(c, WIDE + 1, WIDE, keys), r = { 1, WIDE, { 0 } };
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3), mat_array("wr", &wr, 3) };
    struct mat s = mat_lines(c->w, "txl", "position", "causal=none layout=interleaved", in, 3, WIDE, WIDE + 1);
    for (long j = 0; j < WIDE; j++)
        r.a[j] = mat_get(s, j, j); /* Query j stands at j + 1, behind a memory of 1, so that key j is at distance 1. */
    return r;
}
/* "As in the Transformer" R is a fixed vector that is not learned: the same before all keys, and the Transformer's row.
 * vector=projected asks it of R W_{k,R} instead, which is learned. */
static void fixed_table(struct claim *c)
{
    double distance = 70001, one = 1;
    /* concat[j] is interleaved[at[j]]: all sines, then all cosines. */
    long at[6] = { 0, 2, 4, 1, 3, 5 };
    const char *ours = "dim=6 layout=concat";
    struct mat wr = claim_is(c, "vector=projected") ? made(c, WIDE, WIDE, 3) : mat_unit(c->w, WIDE),
        read = vector_at_one(c, 4, wr);
    struct mat w = made(c, 2, 6, 1), v = made(c, 1, 2, 2), a = mat_table(c->w, "dim=6", &distance, 1, 6),
        b = mat_table(c->w, ours, &distance, 1, 6), back = b;
    for (long k = 0; k < 6; k++)
        back.a[claim_is(c, "permuted=no") ? k : at[k]] = b.a[k];
    struct mat bias = mat_mul(c->w, mat_mul(c->w, v, w), mat_t(a)),
               theirs = mat_mul(c->w, mat_mul(c->w, v, w), mat_t(b));
    c->written = truth_and(mat_same(read, vector_at_one(c, 5, wr)), mat_same(read, mat_table(c->w, "dim=4", &one, 1,
        WIDE)));
    c->corrected = truth_and(mat_same(a, back), truth_not(mat_same(bias, theirs)));
    claim_say(c, "d = 4: R_1 = (%s, %s, ...) before any keys, the Transformer's row 1; d = 6, distance 70001, the "
        "same W_{k,R}: bias %s by the Transformer's table, %s by the released one (sines first)", claim_digits(c,
        read.a[0], 12), claim_digits(c, read.a[1], 12), claim_digits(c, bias.a[0], 12), claim_digits(c, theirs.a[0],
        12));
}

const struct erratum decompose_errata[] = {
    { "E7", transposed_bias, "stored=transposed", NULL },
    { "E8", bias_width, "heads=1", "single=2 size=6" },
    { "E9", product_of_columns, "tokens=columns", NULL },
    { "E29", fixed_table, "vector=projected", "permuted=no" },
    { "E33", four_terms, "terms=3", "transposed=no" },
    { "E34", two_factors, "transpose=no", NULL },
    { "E35", mixed_terms, "subspaces=orthogonal", "overlap=yes added=keys" },
    { "E36", place_scalar, "positions=of-words", "projection=identity" },
    { "E52", same_bias, "query=kept", "key=stays" },
    { "E57", one_key_matrix, "matrices=one", "within=two u=projected" },
    { 0 },
};

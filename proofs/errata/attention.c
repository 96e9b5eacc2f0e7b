/* Claims about attention itself: its mask, its scale, its shapes, its heads, and what it knows of order. */
#include <stdio.h>
#include "mat.h"

static struct mat first(struct mat x, long n) { return (x.n = n, x); }

static void zero_fill(struct claim *c)
{
    const double three[9] = { 2, 1, 3, 2, 1, 3, 2, 1, 3 };
    struct mat s = mat_of(c->w, 3, 3, three), zeroed = s, v = mat_unit(c->w, 3), w = v;
    const char *mask = claim_is(c, "mask=none") ? "" : "causal=topleft";
    bool infinite = claim_is(c, "fill=-inf");
    zeroed.a[1] = zeroed.a[2] = zeroed.a[5] = b_si(c->w, 0);
    w.a[8] = b_si(c->w, 100); /* Another value of the third key, which rows 0 and 1 must not see. */
    struct mat a = mat_mix(c->w, infinite ? s : zeroed, v, infinite ? mask : ""),
               b = mat_mix(c->w, infinite ? s : zeroed, w, infinite ? mask : "");
    struct mat right = mat_mix(c->w, s, v, mask), other = mat_mix(c->w, s, w, mask),
               two = mat_mix(c->w, mat_columns(s, 0, 2), mat_columns(first(v, 2), 0, 3), "");
    c->written = mat_same(first(a, 2), first(b, 2));
    c->corrected = truth_and(mat_same(first(right, 2), first(other, 2)), mat_same(mat_row(right, 1), mat_row(two, 1)));
    claim_say(c, "scores (2, 1, 3), third hidden: weights %s %s %s if filled with 0, %s %s 0 if with -infinity",
        claim_digits(c, mat_get(a, 1, 0), 12), claim_digits(c, mat_get(a, 1, 1), 12),
        claim_digits(c, mat_get(a, 1, 2), 12), claim_digits(c, mat_get(right, 1, 0), 12),
        claim_digits(c, mat_get(right, 1, 1), 12));
}

/* Does output t of one pass over all tokens stay when a token behind t changes, and is it what the step that has seen t
 * + 1 tokens gives?  Both hold under a causal mask only. */
static void teacher(struct claim *c)
{
    struct mat x = mat_made(c, 4, 3, 1), y = x, wq = mat_made(c, 3, 3, 2), wk = mat_made(c, 3, 3, 3),
               wv = mat_made(c, 3, 2, 4);
    const char *mask = claim_is(c, "mask=none") ? "" : "causal=topleft",
               *none = claim_is(c, "unmasked=causal") ? "causal=topleft" : "";
    long t = 1;
    y.a[3 * 3] = b_add(c->w, y.a[3 * 3], b_si(c->w, 1)); /* Another fourth token. */
    struct mat q = mat_mul(c->w, x, wq), k = mat_mul(c->w, x, wk), v = mat_mul(c->w, x, wv), k2 = mat_mul(c->w, y, wk),
               v2 = mat_mul(c->w, y, wv);
    struct mat all = mat_attend(c->w, none, q, k, v), changed = mat_attend(c->w, none, q, k2, v2),
               masked = mat_attend(c->w, mask, q, k, v);
    c->written = truth_not(mat_same(mat_row(all, t), mat_row(changed, t)));
    c->corrected = truth_and(mat_same(mat_row(masked, t), mat_row(mat_attend(c->w, mask, q, k2, v2), t)),
        mat_same(mat_row(masked, t), mat_attend(c->w, "", mat_row(q, t), first(k, t + 1), first(v, t + 1))));
    claim_say(c,
        "4 tokens, another fourth one: output 1 changes from %s to %s without a mask; with a causal one it stays at "
        "%s, which is what a step that has seen 2 tokens gives",
        claim_digits(c, mat_get(all, t, 0), 12), claim_digits(c, mat_get(changed, t, 0), 12),
        claim_digits(c, mat_get(masked, t, 0), 12));
}

static void unscaled(struct claim *c)
{
    long d = claim_int(c, "dim", 4), root = claim_int(c, "root", d == 4 ? 2 : 1);
    struct mat q = mat_made(c, 3, d, 1), k = mat_made(c, 5, d, 2), v = mat_made(c, 5, 2, 3), folded = q;
    char scale[30];
    snprintf(scale, sizeof scale, "scale=1/%ld", root);
    for (long j = 0; j < q.n * q.m; j++)
        folded.a[j] = b_div(c->w, q.a[j], b_si(c->w, root));
    struct mat usual = mat_attend(c->w, "", q, k, v), bare = mat_attend(c->w, "scale=1", q, k, v);
    c->conditional = true;
    c->written = mat_same(bare, usual);
    c->within = mat_same(mat_attend(c->w, "scale=1", folded, k, v), usual);
    c->corrected = mat_same(mat_attend(c->w, scale, q, k, v), usual);
    claim_say(c, "d = %ld, 5 keys: output %s unscaled, %s with 1/sqrt d, and the same unscaled with W_Q/2", d,
        claim_digits(c, bare.a[0], 12), claim_digits(c, usual.a[0], 12));
}

static void mean_of_values(struct claim *c)
{
    struct mat q = mat_made(c, 1, 3, 1), k = mat_made(c, 5, 3, 2), p = mat_attend(c->w, "", q, k, mat_unit(c->w, 5)),
               one = { 5, 1, { 0 } };
    for (int j = 0; j < 5; j++)
        one.a[j] = b_si(c->w, 1);
    const char *zero =
                   claim_is(c, "offset=0") ? "causal=offset offset=4 empty=zero" : "causal=offset offset=-1 empty=zero",
               *mean =
                   claim_is(c, "offset=0") ? "causal=offset offset=4 empty=mean" : "causal=offset offset=-1 empty=mean";
    c->written = claim_same(mat_attend(c->w, "", q, k, one).a[0], b_si(c->w, 1));
    for (int j = 0; j < 5; j++)
        c->written = truth_and(c->written, claim_less(b_si(c->w, 0), p.a[j]));
    struct mat a = mat_attend(c->w, zero, q, k, one), b = mat_attend(c->w, mean, q, k, one);
    c->corrected = truth_not(mat_same(a, b));
    claim_say(c,
        "5 keys: weights %s, %s, ... > 0, their sum is 1; a query that sees no key gets sum %s under one policy, %s "
        "under another",
        claim_digits(c, p.a[0], 12), claim_digits(c, p.a[1], 12), claim_digits(c, a.a[0], 3),
        claim_digits(c, b.a[0], 3));
}

/* For two keys whose scores are a gap g apart, the weight p = 1 / (1 + e^-g) of one has the slope dp/dg = p (1 - p). */
static const struct ball *slope(struct claim *c, const struct ball *gap)
{
    const struct ball *one = b_si(c->w, 1), *p = b_div(c->w, one, b_add(c->w, one, b_exp(c->w, b_neg(c->w, gap))));
    return b_mul(c->w, p, b_sub(c->w, one, p));
}
/* Independent entries +-1: the mean of s^2 is counted over all 2^d sign patterns of the d products of one score s.  The
 * slope of the weights at the usual gap then stays where scores are divided by sqrt d, and falls where they are not;
 * for aligned vectors, q = k, it falls all the same. */
static void steady(struct claim *c)
{
    long power = claim_int(c, "power", 1); /* The scale squared is d^-power: 1 divides by sqrt d, 0 does not divide. */
    c->conditional = true;
    c->written = c->within = YES;
    for (long d = 1; d <= 10; d++) {
        long square = 0;
        for (long signs = 0; signs < 1 << d; signs++) {
            long s = 0;
            for (long j = 0; j < d; j++)
                s += signs >> j & 1 ? 1 : -1;
            square += s * s;
        }
        c->within = truth_and(c->within, truth_of(square == (1 << d) * (power ? d : 1)));
    }
    c->written = c->within;
    const struct ball *far[2] = { NULL, NULL }, *unit = slope(c, b_si(c->w, 1)), *aligned = NULL;
    c->corrected = YES;
    /* d = 4, 16, 64: the root mean square of a score is sqrt d unscaled and 1 scaled; for q = k the gap is d / sqrt d
     * scaled. */
    for (long root = 2; root <= 8; root *= 2) {
        far[1] = slope(c, b_si(c->w, root));
        c->corrected = truth_and(c->corrected, claim_less(far[1], far[0] ? far[0] : unit));
        c->corrected = truth_and(c->corrected, claim_same(slope(c, b_si(c->w, power ? 1 : root)), unit));
        far[0] = far[1], aligned = slope(c, b_si(c->w, power ? root : root * root));
        if (!claim_is(c, "aligned=no"))
            c->written = truth_and(c->written, claim_same(aligned, unit));
    }
    claim_say(c,
        "independent entries +-1: the mean of s^2 is d for d = 1 .. 10 (all patterns), and 1 after division; slope p(1 "
        "- p) at that gap for d = 64: %s before, %s after.  q = k: the gap is sqrt d after division, slope %s",
        claim_digits(c, far[1], 6), claim_digits(c, unit, 6), claim_digits(c, aligned, 6));
}

static void shapes_of_one_query(struct claim *c)
{
    long d = 4, keys = 5;
    struct mat q = mat_made(c, 1, d, 1), rows = mat_made(c, keys, d, 2), v = mat_made(c, keys, d, 3),
               k = claim_is(c, "keys=rows") ? rows : mat_t(rows);
    struct mat scale = { 1, 1, { b_ratio(c->w, 1, 2) } }, s = mat_mul(c->w, scale, mat_mul(c->w, q, k)),
               usual = mat_attend(c->w, "", q, rows, v);
    struct mat o = s.n ? mat_mix(c->w, s, v, "") : s;
    c->written = truth_and(truth_of(mat_is(o, 1, d)), mat_same(o, usual));
    c->corrected = mat_same(mat_mix(c->w, mat_mul(c->w, scale, mat_mul(c->w, q, mat_t(rows))), v, ""), usual);
    claim_say(c, "Q 1x4, K 4x5, V 5x4: QK is 1x5 and the context 1x4, first entry %s as by the page of attention",
        claim_digits(c, usual.a[0], 12));
}

/* The output y[n,c] of row layer for x[n,c], with four weights c x c of its own; params name its heads. */
static struct mat layer(
    struct claim *c, const char *params, struct mat x, struct mat wq, struct mat wk, struct mat wv, struct mat wo)
{
    struct mat y = { x.n, wo.m, { 0 } };
    struct mer_array in[] = { mat_array("x", &x, 2), mat_array("wq", &wq, 2), mat_array("wk", &wk, 2),
        mat_array("wv", &wv, 2), mat_array("wo", &wo, 2) };
    char text[160];
    snprintf(text, sizeof text, "%s width=%ld", params, wq.m / law_int(params, "heads", 2));
    for (long i = 0; i < y.n; i++)
        line_of(c->w, (struct page_of){ row_named("layer"), "y", text, in, 5 },
            (long[MER_RANK]){ i }, y.m, y.a + i * y.m);
    return y;
}
static struct mat made_layer(struct claim *c, const char *params, struct mat x)
{
    return layer(
        c, params, x, mat_made(c, 4, 4, 11), mat_made(c, 4, 4, 12), mat_made(c, 4, 4, 13), mat_made(c, 4, 4, 14));
}
/* x[n,4] plus `amplitude` times the sinusoidal rows of positions 0 .. n - 1, where n is at most 5. */
static struct mat placed(struct claim *c, struct mat x, long amplitude)
{
    static const double pos[5] = { 0, 1, 2, 3, 4 };
    struct mat p = mat_table(c->w, "dim=4", pos, x.n, 4);
    for (long k = 0; k < p.n * p.m; k++)
        p.a[k] = b_mul(c->w, p.a[k], b_si(c->w, amplitude));
    return mat_add(c->w, x, p);
}

/* The products of n tokens of `wide` numbers in heads of width e.  A head takes 3 n wide e for q, k and v, 2 n^2 e for
 * scores and means, and n e wide for its part of the output.  One head of width `wide` is the single head. */
static long products(long n, long wide, long e, long heads) { return heads * (4 * n * wide * e + 2 * n * n * e); }
static void copies(struct claim *c)
{
    long n = 3, wide = 4, heads = claim_int(c, "heads", 2), e = claim_int(c, "width", wide / heads);
    struct mat x = mat_made(c, n, wide, 1), w[4], sum = { 0 };
    for (unsigned k = 0; k < 4; k++)
        w[k] = mat_made(c, wide, wide, 2 + k);
    for (long h = 0; h < 2; h++) { /* Two single heads of half the width, each with its own rows of wo. */
        long other = claim_is(c, "slices=swapped") ? 2 - 2 * h : 2 * h;
        struct mat y = layer(c, "heads=1", x, mat_columns(w[0], 2 * h, 2), mat_columns(w[1], other, 2),
            mat_columns(w[2], 2 * h, 2), mat_t(mat_columns(mat_t(w[3]), 2 * h, 2)));
        sum = h ? mat_add(c->w, sum, y) : y;
    }
    c->written = mat_same(sum, layer(c, "heads=2", x, w[0], w[1], w[2], w[3]));
    c->corrected = truth_of(products(n, wide, e, heads) == products(n, wide, wide, 1) && products(n, wide, wide,
        heads) != products(n, wide, wide, 1));
    claim_say(c, "n = 3, d = 4: one head takes %ld products, %ld copies of it %ld, %ld heads of width %ld again %ld; "
        "two of half the width, added, are the page of layer: %s", products(n, wide, wide, 1), heads, products(n,
        wide, wide, heads), heads, e,
        products(n, wide, e, heads), claim_digits(c, sum.a[0], 12));
}

/* When tokens 0 and 2 change places, do their outputs, and does nothing else change? */
static enum truth equivariant(struct claim *c, const char *mask, bool positions)
{
    struct mat x = mat_made(c, 4, 4, 1), z = mat_swap(x, 0, 2);
    return mat_same(made_layer(c, mask, positions ? placed(c, z, 1) : z),
        mat_swap(made_layer(c, mask, positions ? placed(c, x, 1) : x), 0, 2));
}
static void blind(struct claim *c)
{
    const char *mask = claim_is(c, "mask=none") ? "" : "causal=topleft";
    struct mat x = mat_made(c, 4, 4, 1), y = made_layer(c, mask, x), z = made_layer(c, mask, mat_swap(x, 0, 2));
    c->conditional = true;
    c->within = equivariant(c, "", claim_is(c, "positions=added"));
    c->written = truth_and(equivariant(c, "", false), equivariant(c, mask, false));
    c->corrected = truth_not(mat_same(mat_row(y, 0), mat_row(z, 2)));
    claim_say(c,
        "4 tokens, no positions, tokens 0 and 2 exchanged: the first one's output goes from %s to %s under a causal "
        "mask; without a mask outputs move with their tokens",
        claim_digits(c, y.a[0], 12), claim_digits(c, mat_get(z, 2, 0), 12));
}

/* After one causal layer the last token cannot tell the order of the others; after two it can. */
static void equal_places(struct claim *c)
{
    const char *mask = claim_is(c, "mask=none") ? "" : "causal=topleft";
    struct mat x = mat_made(c, 4, 4, 5), z = mat_swap(x, 0, 1), y = made_layer(c, mask, x), u = made_layer(c, mask, z),
               y2 = made_layer(c, mask, y), u2 = made_layer(c, mask, u);
    c->conditional = true;
    c->within = equivariant(c, "", claim_is(c, "positions=added"));
    c->written = truth_and(equivariant(c, "", false), equivariant(c, mask, false));
    c->corrected =
        truth_and(mat_same(mat_row(y, 3), mat_row(u, 3)), truth_not(mat_same(mat_row(y2, 3), mat_row(u2, 3))));
    claim_say(c,
        "first two of four tokens exchanged, causal: the last output is %s either way after one layer, %s or %s after "
        "two",
        claim_digits(c, mat_get(y, 3, 0), 12), claim_digits(c, mat_get(y2, 3, 0), 12),
        claim_digits(c, mat_get(u2, 3, 0), 12));
}

/* "The mother loves the daughter" against "the daughter loves the mother": words 0 "the", 1 "mother", 2 "loves" and 3
 * "daughter" are rows of a made-up book of vectors.  Has "mother" the same output as subject and as object? */
static void sentences(struct claim *c)
{
    static const int word[2][5] = { { 0, 1, 2, 0, 3 }, { 0, 3, 2, 0, 1 } };
    struct mat book = mat_made(c, 4, 4, 6), x[2] = { { 5, 4, { 0 } }, { 5, 4, { 0 } } }, y[2] = { { 0 } },
               z[2] = { { 0 } };
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 20; k++)
            x[s].a[k] = mat_get(book, word[s][k / 4], k % 4);
        y[s] = made_layer(c, "", claim_is(c, "positions=added") ? placed(c, x[s], 1) : x[s]);
        z[s] = made_layer(c, "", placed(c, x[s], claim_int(c, "amplitude", 1)));
    }
    c->written = YES;
    for (int k = 0; k < 5; k++)
        c->written = truth_and(c->written, mat_same(mat_row(y[0], k), mat_row(y[1], k == 1 ? 4 : k == 4 ? 1 : k)));
    c->corrected = truth_not(mat_same(mat_row(z[0], 1), mat_row(z[1], 4)));
    claim_say(c, "\"mother\" as subject and as object: first entry %s both times; with positions added %s and %s",
        claim_digits(c, mat_get(y[0], 1, 0), 12), claim_digits(c, mat_get(z[0], 1, 0), 12),
        claim_digits(c, mat_get(z[1], 4, 0), 12));
}

/* What stands beside self-attention in a block, a token a row: the feed-forward layer W2 max(0, W1 x + b1) + b2 (here
 * b2 = 0), the residual sum and the normalisation. normalise=tokens takes mean and variance over the tokens instead of
 * within each of them. */
static struct mat stages(struct claim *c, struct mat x)
{
    struct mat h = mat_mul(c->w, x, mat_made(c, 4, 5, 21)), b = mat_made(c, 1, 5, 22), y;
    bool over_tokens = claim_is(c, "normalise=tokens");
    for (long k = 0; k < h.n * h.m; k++)
        h.a[k] = b_max(c->w, b_si(c->w, 0), b_add(c->w, h.a[k], b.a[k % 5]));
    y = mat_add(c->w, x, mat_mul(c->w, h, mat_made(c, 5, 4, 23)));
    y = over_tokens ? mat_t(y) : y;
    for (long i = 0; i < y.n; i++) {
        const struct ball *mean = b_si(c->w, 0), *var = b_ratio(c->w, 1, 100000);
        for (long k = 0; k < y.m; k++)
            mean = b_add(c->w, mean, b_div(c->w, mat_get(y, i, k), b_si(c->w, y.m)));
        for (long k = 0; k < y.m; k++) {
            y.a[i * y.m + k] = b_sub(c->w, mat_get(y, i, k), mean);
            var = b_add(c->w, var, b_div(c->w, b_mul(c->w, mat_get(y, i, k), mat_get(y, i, k)), b_si(c->w, y.m)));
        }
        for (long k = 0; k < y.m; k++)
            y.a[i * y.m + k] = b_div(c->w, mat_get(y, i, k), b_sqrt(c->w, var));
    }
    return over_tokens ? mat_t(y) : y;
}
static void independent(struct claim *c)
{
    struct mat x = mat_made(c, 4, 4, 1), other = x;
    other.a[3 * 4] = b_add(c->w, x.a[3 * 4], b_si(c->w, 1));
    enum truth alone = mat_same(mat_row(stages(c, x), 0), mat_row(stages(c, other), 0));
    struct mat y = made_layer(c, "", x), z = made_layer(c, "", other);
    c->written = claim_is(c, "stages=others") ? alone : truth_and(alone, mat_same(mat_row(y, 0), mat_row(z, 0)));
    c->corrected = truth_and(alone, equivariant(c, claim_is(c, "mask=causal") ? "causal=topleft" : "", false));
    claim_say(c,
        "4 tokens, another fourth one: output 0 of self-attention goes from %s to %s, that of feed forward, sum and "
        "normalisation stays",
        claim_digits(c, y.a[0], 12), claim_digits(c, z.a[0], 12));
}

const struct erratum attention_errata[] = {
    { "E1", zero_fill, "fill=-inf", "mask=none" },
    { "E11", independent, "stages=others", "normalise=tokens mask=causal" },
    { "E17", blind, "mask=none", "positions=added" },
    { "E18", unscaled, "dim=1", "root=3" },
    { "E42", mean_of_values, "weight=bf16", "offset=0" },
    { "E43", steady, "aligned=no", "power=0" },
    { "E44", shapes_of_one_query, "keys=rows", "score=bf16" },
    { "E45", copies, "slices=swapped", "width=3" },
    { "E50", teacher, "unmasked=causal", "mask=none" },
    { "E54", sentences, "positions=added", "amplitude=0" },
    { "E59", equal_places, "mask=none", "positions=added" },
    { 0 },
};

/* Claims about relative positions: clipped tables, signs, buckets, layers. */
#include <stdio.h>
#include "mat.h"

/* The output o[2,1] of row shaw for one head, q[2,2], k[5,2] and v[5,1], with tables tk[rows,2] and tv[rows,1], whose
 * rows are taken in reverse order where `backwards`. */
static struct mat shaw(
    struct claim *c, const char *params, const double *tk, const double *tv, long rows, bool backwards)
{
    static const double q[4] = { 1, -2, .5, 3 }, k[10] = { .5, 1, -1, 2, .25, -3, 1.5, .75, 2, -.5 },
                        v[5] = { 1, 2, 4, 8, 16 };
    double key[32], value[16];
    struct mat o = { 2, 1, { 0 } };
    for (long r = 0; r < rows; r++) {
        long from = backwards ? rows - 1 - r : r;
        key[2 * r] = tk[2 * from], key[2 * r + 1] = tk[2 * from + 1], value[r] = tv[from];
    }
    struct given in[] = { { "q", q, 3, { 1, 2, 2 } }, { "k", k, 3, { 1, 5, 2 } }, { "v", v, 3, { 1, 5, 1 } },
        { "tk", key, 2, { rows, 2 } }, { "tv", value, 2, { rows, 1 } } };
    for (long i = 0; i < 2; i++)
        law_line(c->w, (struct law_of){ row_named("shaw"), "o", params }, (struct givens){ in, 5 },
            (long[MER_RANK]){ 0, i }, 1, o.a + i);
    return o;
}
static void sign(struct claim *c)
{
    static const double tk[10] = { .5, 1, -1, .25, 2, -.5, 3, 1, -2, .75 }, tv[5] = { 1, -2, 3, 5, -8 },
                        pk[10] = { .5, 1, -1, .25, 2, -.5, -1, .25, .5, 1 }, pv[5] = { 1, -2, 3, -2, 1 };
    bool palindrome = claim_is(c, "table=symmetric"), plain = claim_is(c, "palindrome=no");
    struct mat a = shaw(
                   c, "sign=query-key memory=3 least=-2 most=2", palindrome ? pk : tk, palindrome ? pv : tv, 5, false),
               b = shaw(
                   c, "sign=key-query memory=3 least=-2 most=2", palindrome ? pk : tk, palindrome ? pv : tv, 5, false);
    c->conditional = true;
    c->written = mat_same(a, b);
    c->within = mat_same(shaw(c, "sign=query-key memory=3 least=-2 most=2", plain ? tk : pk, pv, 5, false),
        shaw(c, "sign=key-query memory=3 least=-2 most=2", plain ? tk : pk, pv, 5, false));
    c->corrected = mat_same(shaw(c, "sign=query-key memory=3 least=-1 most=3", tk, tv, 5, false),
        shaw(c, "sign=key-query memory=3 least=-3 most=1", tk, tv, 5, !claim_is(c, "reversed=no")));
    claim_say(c, "query 3 of 5 keys, an asymmetric table: output %s by i - j, %s by j - i", claim_digits(c, a.a[0], 12),
        claim_digits(c, b.a[0], 12));
}

/* The table row that row shaw reads for query i and key j, with i - j + memory clipped to least .. most. */
static long row_of(struct claim *c, long least, long most, long i, long j, long memory)
{
    char params[120];
    const struct ball *y[1];
    snprintf(params, sizeof params, "sign=query-key least=%ld most=%ld memory=%ld", least, most, memory);
    law_line(c->w, (struct law_of){ row_named("shaw"), "index", params }, (struct givens){ 0 },
        (long[MER_RANK]){ i, j }, 1, y);
    return (long)b_value(y[0]);
}
/* Does every distance +-far[n] read a row of the finite table of `rows` rows, 2 clip + 1 of them, whatever the
 * length? */
static enum truth has_a_row(struct claim *c, const long *far, int n, long clip, long rows)
{
    enum truth t = YES;
    for (int k = 0; k < n; k++)
        t = truth_and(t, truth_of(row_of(c, -clip, clip, 0, 0, far[k]) < rows && row_of(c, -clip, clip, 0, 0,
            -far[k]) >= 0));
    return t;
}
/* Do all distances -most .. most read rows of their own? */
static enum truth told_apart(struct claim *c, long clip, long most)
{
    for (long a = -most; a <= most; a++)
        for (long b = -most; b < a; b++)
            if (row_of(c, -clip, clip, 0, 0, a) == row_of(c, -clip, clip, 0, 0, b))
                return NO;
    return YES;
}
static void any_length(struct claim *c)
{
    static const long far[] = { 5, 100, 70001, 1L << 39 };
    const long reach = 4, rows = 2 * reach + 1;
    c->written = has_a_row(c, far, 4, claim_int(c, "clip", reach), rows);
    c->corrected = truth_and(told_apart(c, reach, reach), truth_not(told_apart(c, reach, claim_int(c, "range", 9))));
    for (int k = 0; k < 4; k++)
        c->corrected = truth_and(c->corrected, truth_of(row_of(c, -reach, reach, 0, 0, far[k]) == rows - 1
            && row_of(c, -reach, reach, 0, 0, -far[k]) == 0));
    claim_say(c, "9 rows, clipped at 4: distances 5, 100, 70001 and 2^39 all read row %ld, as 4 does",
        row_of(c, -4, 4, 0, 0, 70001));
}

static void no_absolute(struct claim *c)
{
    static const long shift[] = { 1, 70001 };
    struct mat x = mat_made(c, 2, 4, 1), w = mat_made(c, 4, 4, 2);
    const struct ball *s[2];
    c->written = YES;
    for (int a = 0; a < 2; a++)
        for (long i = 0; i < 3; i++)
            for (long j = 0; j < 7; j++)
                c->written = truth_and(c->written,
                    truth_of(row_of(c, -2, 2, i, j, 0) ==
                        row_of(c, -2, 2, i, j + shift[a], claim_is(c, "query=stays") ? 0 : shift[a])));
    for (int a = 0; a < 2; a++) {
        double pos[] = { 3 + 70001.0 * a, 1 + 70001.0 * a };
        struct mat p = mat_table(c->w, "dim=4", pos, 2, 4);
        for (long k = 0; k < 8; k++)
            p.a[k] = b_add(c->w, x.a[k], b_mul(c->w, p.a[k], b_si(c->w, claim_int(c, "amplitude", 1))));
        s[a] = mat_mul(c->w, mat_mul(c->w, mat_row(p, 0), w), mat_t(mat_row(p, 1))).a[0];
    }
    c->corrected = truth_not(claim_same(s[0], s[1]));
    claim_say(c,
        "3 queries, 7 keys moved together by 1 and by 70001 read the same rows of shaw's tables; with absolute "
        "positions a score goes from %s to %s",
        claim_digits(c, s[0], 12), claim_digits(c, s[1], 12));
}

static long bucket(struct claim *c, double rho) /* The bucket of T5 for rho = j - i. */
{
    struct given in = { "relative_position", &rho, 1, { 1 } };
    const struct ball *y[1];
    const char *params = claim_is(c, "reach=256") ? "max_distance=256" :
        claim_is(c, "side=causal")                ? "direction=causal" :
                                                    "";
    law_line(c->w, (struct law_of){ row_named("t5"), "bucket", params }, (struct givens){ &in, 1 }, NULL, 1, y);
    return (long)b_value(y[0]);
}
static void bucket_table(struct claim *c)
{
    /* The table as printed. */
    static const int f[31] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 11, 11, 11,
        11, 11, 11, 11, 11 };
    c->written = c->corrected = YES;
    for (int n = 0; n <= 30; n++) {
        c->written = truth_and(c->written, truth_of(bucket(c, -n) == f[n]));
        c->corrected = truth_and(c->corrected, truth_of(n == 0 || bucket(c, n) == f[n] + 16));
    }
    for (long n = 91; n < 100000; n = 2 * n - 7)
        c->corrected = truth_and(c->corrected, truth_of(bucket(c, (double)-n) == 15 && bucket(c, (double)n) == 31));
    c->corrected = truth_and(c->corrected, truth_of(bucket(c, -90) == 14));
    claim_say(c, "all 31 entries agree with the integer rule; f(90) = %ld, f(91) = %ld; for i - j = -1: %ld, -91: %ld",
        bucket(c, -90), bucket(c, -91), bucket(c, 1), bucket(c, 91));
}

/* A layer softmax(h h^T + slope bias) h, with the bias of row alibi.  A slope of 0 is a layer that adds no position of
 * its own, as after an encoding that is added to the inputs. */
static struct mat biased(struct claim *c, struct mat h, long slope)
{
    struct mat s = mat_mul(c->w, h, mat_t(h));
    for (long i = 0; slope && i < s.n; i++)
        for (long j = 0; j < s.m; j++) {
            const struct ball *b[1];
            law_line(c->w, (struct law_of){ row_named("alibi"), "bias", "form=absolute" }, (struct givens){ 0 },
                (long[MER_RANK]){ 0, i, j }, 1, b);
            s.a[i * s.m + j] = b_add(c->w, s.a[i * s.m + j], b_mul(c->w, b[0], b_si(c->w, slope)));
        }
    return mat_mix(c->w, s, h, "");
}
/* When tokens 0 and 1 change places, do their outputs, and nothing else? */
static enum truth blind(struct claim *c, struct mat h, long slope)
{
    return mat_same(biased(c, mat_swap(h, 0, 1), slope), mat_swap(biased(c, h, slope), 0, 1));
}
static void first_block(struct claim *c)
{
    static const double pos[4] = { 0, 1, 2, 3 };
    struct mat x = mat_made(c, 4, 2, 1), added = biased(c, mat_add(c->w, x, mat_table(c->w, "dim=2", pos, 4, 2)), 0),
        one = biased(c, x, 1), with = biased(c, one, 1), without = biased(c, one, 0);
    c->written = blind(c, added, claim_is(c, "second=biased") ? 1 : 0);
    c->corrected = truth_and(truth_not(blind(c, one, claim_int(c, "slope", 1))), truth_not(mat_same(with, without)));
    claim_say(c, "4 tokens, positions added: the second layer treats what it is given alike whatever the places; with "
        "alibi output %s if the second layer has its bias too, %s if only the first has", claim_digits(c, with.a[0],
        12),
        claim_digits(c, without.a[0], 12));
}

static void rows_of_table(struct claim *c)
{
    static const double pos[5] = { 0, 1, 2, 3, 70001 };
    struct mat p = mat_table(c->w, "dim=4", pos, 5, 4), e = claim_is(c, "transposed=yes") ? mat_t(p) : p,
               token = mat_row(p, 3);
    c->shapes = true;
    c->written = truth_of(mat_is(mat_t(mat_columns(e, 3, 1)), 1, 4));
    c->corrected = mat_same(mat_row(e, 3), token);
    claim_say(c,
        "E is 5x4 for T = 5, D = 4: its columns have 5 entries, its rows 4; row 3 is token 3's vector, %s, ...",
        claim_digits(c, token.a[0], 12));
}

const struct erratum relative_errata[] = {
    { "E12", rows_of_table, "transposed=yes", NULL },
    { "E16", first_block, "second=biased", "slope=0" },
    { "E19", sign, "table=symmetric", "palindrome=no reversed=no" },
    { "E22", bucket_table, "reach=256", "side=causal" },
    { "E37", any_length, "clip=100", "range=4" },
    { "E38", no_absolute, "query=stays", "amplitude=0" },
    { 0 },
};

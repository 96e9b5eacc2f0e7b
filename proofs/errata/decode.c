/* Claims about decoding: what flows where, what waits for what, and what a search finds. */
#include <stdio.h>
#include "mat.h"

/* The contexts c_1 .. c_3 [3,2] of a source x[m,2] by row seq2seq, and, in *states, the decoder's states [3,2]: two
 * recurrent networks with made-up weights, bh = 0. */
static struct mat contexts(struct claim *c, const char *attention, struct mat x, struct mat *states)
{
    static const int64_t target[3] = { 1, 2, 0 };
    struct mat w[6], emb = mat_made(c, 3, 2, 40), zero = { 2, 1, { b_si(c->w, 0), b_si(c->w, 0) } }, bs = mat_made(c,
        2, 1, 41), wa = mat_made(c, 1, 2, 42), ua = mat_made(c, 1, 2, 43), va = mat_made(c, 1, 1, 44), y = { 3, 2,
        { 0 } };
    const char *name[] = { "wx", "wh", "wy", "ws", "wc" };
    char params[60];
    struct mer_array in[14] = { mat_array("x", &x, 2), { .name = "target", .type = MER_I64, .rank = 1, .dim = { 3 },
        .data = (void *)(uintptr_t)target }, mat_array("emb", &emb, 2), mat_array("bh", &zero, 1), mat_array("bs",
        &bs, 1), mat_array("wa", &wa, 2),
        mat_array("ua", &ua, 2), mat_array("va", &va, 1) };
    for (unsigned k = 0; k < 5; k++)
        w[k] = mat_made(c, 2, 2, 50 + k), in[8 + k] = mat_array(name[k], &w[k], 2);
    snprintf(params, sizeof params, "vocab=3 attention=%s", attention);
    *states = y;
    for (long t = 0; t < 3; t++) {
        line_of(c->w, (struct page_of){ row_named("seq2seq"), "context", params, in, 13 },
            (long[MER_RANK]){ t }, 2, y.a + 2 * t);
        line_of(c->w, (struct page_of){ row_named("seq2seq"), "s", params, in, 13 },
            (long[MER_RANK]){ t }, 2, states->a + 2 * t);
    }
    return y;
}
/* Without attention, which the article introduces further down, there is one context c for all steps, as wide for three
 * inputs as for five.  It is all that a decoder learns of its source: five inputs of which the first two are 0 leave
 * the same last state as the other three alone. */
static void one_context(struct claim *c)
{
    const char *kind = claim_is(c, "attention=dot") ? "dot" : "none";
    struct mat x = mat_made(c, 3, 2, 1), wide = { 5, 2, { 0 } }, s[3], one, other, own, q = mat_made(c, 3, 2, 2),
        k = mat_made(c, 5, 2, 3);
    for (long j = 0; j < 10; j++)
        wide.a[j] = j < 4 ? b_si(c->w, 0) : x.a[j - 4];
    for (int j = 0; j < 6 && claim_is(c, "queries=equal"); j++)
        q.a[j] = q.a[j % 2];
    one = contexts(c, kind, x, &s[0]), other = contexts(c, kind, wide, &s[1]), own = mat_attend(c->w, "", q, k,
        mat_made(c, 5, 2, 4));
    c->written = truth_and(truth_and(mat_same(mat_row(one, 0), mat_row(one, 1)), mat_same(mat_row(one, 0),
        mat_row(one, 2))), truth_and(mat_same(one, other), mat_same(s[0], s[1])));
    c->corrected = truth_and(truth_of(mat_is(own, 3, 2)), truth_not(mat_same(mat_row(own, 0), mat_row(own, 1))));
    claim_say(c, "3 inputs, and 5 whose first two are 0: c = (%s, %s) at all 3 steps of both, and the same states; by "
        "attention over 5 inputs contexts begin with %s, %s, %s", claim_digits(c, one.a[0], 10), claim_digits(c,
        one.a[1], 10), claim_digits(c, mat_get(own, 0, 0), 10),
        claim_digits(c, mat_get(own, 1, 0), 10), claim_digits(c, mat_get(own, 2, 0), 10));
}

/* With one vector as the only key and value the weight is 1 whatever the query; with a sequence of them it depends on
 * the query. */
/* Does the output depend on the query, where there are so many keys? */
static enum truth asks(struct claim *c, long keys)
{
    struct mat k = mat_made(c, keys, 2, 2), v = mat_made(c, keys, 3, 3),
               o = mat_attend(c->w, "", mat_made(c, 2, 2, 1), k, v);
    return truth_not(mat_same(mat_row(o, 0), mat_row(o, 1)));
}
static void cross(struct claim *c)
{
    struct mat y = mat_made(c, 3, 2, 4), z = y, h = mat_made(c, 5, 2, 5);
    z.a[4] = b_add(c->w, y.a[4], b_si(c->w, 1)); /* Another last target token. */
    bool self = claim_is(c, "kind=self");
    struct mat o = mat_attend(c->w, "", y, self ? y : h, self ? y : h),
               p = mat_attend(c->w, "", z, self ? z : h, self ? z : h), s = mat_attend(c->w, "", y, y, y),
               t = mat_attend(c->w, "", z, z, z);
    c->conditional = true;
    c->written = asks(c, claim_int(c, "keys", 1));
    c->within = asks(c, claim_int(c, "sequence", 5));
    c->corrected = truth_and(truth_of(mat_is(o, 3, 2)),
        truth_and(mat_same(mat_row(o, 0), mat_row(p, 0)), truth_not(mat_same(mat_row(s, 0), mat_row(t, 0)))));
    claim_say(c,
        "with one vector c as key and value every query gets c; with 5 source rows, 3 target rows: 3x2, row 0 is %s, "
        "... whatever the other targets, in self-attention it goes from %s to %s with them",
        claim_digits(c, o.a[0], 12), claim_digits(c, s.a[0], 12), claim_digits(c, t.a[0], 12));
}

static void last_softmax(struct claim *c)
{
    long words = claim_int(c, "vocabulary", 5);
    struct mat h = mat_made(c, 1, 3, 1), w = mat_made(c, 3, claim_is(c, "matrix=square") ? 3 : 5, 2),
               s = mat_mul(c->w, h, w);
    struct mat bare = mat_mix(c->w, h, mat_unit(c->w, 3), ""), p = mat_mix(c->w, s, mat_unit(c->w, s.m), "");
    const struct ball *sum = b_si(c->w, 0);
    for (long k = 0; k < p.m; k++)
        sum = b_add(c->w, sum, p.a[k]);
    c->shapes = true;
    c->written = truth_of(mat_is(bare, 1, words));
    c->corrected = truth_and(truth_of(mat_is(p, 1, 5)), claim_same(sum, b_si(c->w, 1)));
    claim_say(c,
        "d = 3, 5 words: softmax of the last state has 3 entries; of its product with a 3x5 matrix, 5, whose sum is 1");
}

/* The longest chain of operations that wait for each other, counted in a graph whose node n waits for those named by
 * wait().  The graph is that of a recurrent decoder with attention (its states, scores and contexts) or of a block of
 * self-attention. */
enum { NODES = 2000 };
struct decode_chain { long depth[NODES]; long edges; };
static void wait(struct decode_chain *g, long n, long on)
{
    g->edges++;
    g->depth[n] = g->depth[on] + 1 > g->depth[n] ? g->depth[on] + 1 : g->depth[n];
}
/* The chain of `steps` states of a decoder that reads `keys` keys by attention: s_t waits for s_(t-1) (or for the
 * input, from_input) and c_t, c_t for its scores, a score for its query and its key. */
static long recurrent(long steps, long keys, bool from_input)
{
    static struct decode_chain g;
    g = (struct decode_chain){ 0 };
    long last = 0, next = keys; /* Nodes 0 .. keys - 1 are the keys, which are given. */
    for (long t = 0; t < steps; t++, next += keys + 2) {
        long query = t && !from_input ? last : 0, context = next + keys, state = context + 1;
        for (long j = 0; j < keys; j++)
            wait(&g, next + j, query), wait(&g, next + j, j), wait(&g, context, next + j);
        wait(&g, state, context), wait(&g, state, query);
        last = state;
    }
    return g.depth[last];
}
/* The chain of a block of self-attention over n tokens, all queries at once, from token to score to context.  A window
 * above 0 keeps the keys nearer than that. *scores becomes the number of scores. */
static long block(long n, long window, long *scores)
{
    static struct decode_chain g;
    g = (struct decode_chain){ 0 };
    long next = n;
    for (long i = 0; i < n; i++) {
        long context = next++;
        for (long j = 0; j < n; j++)
            if (!window || labs(i - j) < window) {
                wait(&g, next, i), wait(&g, next, j);
                g.depth[context] = g.depth[next] + 1 > g.depth[context] ? g.depth[next] + 1 : g.depth[context];
                next++;
            }
    }
    *scores = next - 2 * n;
    long deepest = 0;
    for (long k = 0; k < next; k++)
        deepest = g.depth[k] > deepest ? g.depth[k] : deepest;
    return deepest;
}
static void parallel(struct claim *c)
{
    bool input = claim_is(c, "query=input"), self = claim_is(c, "self=recurrent");
    long few, many, short_chain = recurrent(4, 6, input), long_chain = recurrent(40, 6, input),
                    all = self ? recurrent(40, 6, false) : block(40, 0, &many),
                    some = self ? recurrent(4, 6, false) : block(4, 0, &few);
    c->conditional = true;
    c->written = truth_of(short_chain == long_chain);
    c->within = truth_of(some == all);
    c->corrected = truth_of(recurrent(4, 40, input) == short_chain && long_chain == 10 * short_chain);
    claim_say(c,
        "longest chain of dependent operations: %ld for 4 output steps, %ld for 40, with 6 keys; %ld with 40 keys; "
        "self-attention over 4 and over 40 tokens %ld and %ld",
        short_chain, long_chain, recurrent(4, 40, input), some, all);
}
static void faster(struct claim *c)
{
    bool rnn = claim_is(c, "block=recurrent");
    long few = 4, many = 40, window = claim_int(c, "window", 0),
         a = rnn ? recurrent(4, 6, false) : block(4, window, &few),
         b = rnn ? recurrent(40, 6, false) : block(40, window, &many);
    c->written = truth_of(a == b);
    c->corrected = truth_of(few == 16 && many == 1600);
    claim_say(c, "longest chain %ld for 4 tokens and %ld for 40; scores %ld and %ld", a, b, few, many);
}

/* A made-up model of sequences of LENGTH words out of WORDS: at every prefix, integer weights of sum TOTAL.  The
 * probability of a sequence is their product over TOTAL^LENGTH, so that products compare exactly. */
enum { WORDS = 3, LENGTH = 3, TOTAL = 60, PREFIXES = 13 };
static void model(long seed, bool independent, long weight[PREFIXES][WORDS])
{
    /* The four kinds of weights: undecided, between two words, sure of one, and in between. */
    static const long kind[4][WORDS] = { { 21, 20, 19 }, { 29, 28, 3 }, { 54, 4, 2 }, { 30, 19, 11 } };
    uint64_t z = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + 99;
    for (int n = 0; n < PREFIXES; n++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t v = 0; v < WORDS; v++)
            weight[n][(v + (z >> 50)) % WORDS] = kind[z >> 40 & 3][v];
        for (int v = 0; independent && v < WORDS; v++)
            weight[n][v] = weight[n == 0 ? 0 : n < 4 ? 1 : 4][v];
    }
}
/* The number of the node of a prefix of 0, 1 or 2 words, which is numbered to base WORDS among those of its length. */
static long node(long prefix, int length) { return length == 0 ? 0 : length == 1 ? 1 + prefix : 4 + prefix; }
/* A prefix, numbered to base WORDS, and the product of its weights. */
struct decode_hypothesis { long words, p; };
/* The best probability that a search with a beam of k finds, times TOTAL^length.  Of equal hypotheses the first
 * wins. */
static long beam(long (*weight)[WORDS], long k, int length)
{
    struct decode_hypothesis live[27] = { { 0, 1 } }, all[81];
    long n = 1, count;
    for (int t = 0; t < length; t++, n = count < k ? count : k) {
        count = 0;
        for (long h = 0; h < n; h++)
            for (long v = 0; v < WORDS; v++)
                all[count++] =
                    (struct decode_hypothesis){ live[h].words * WORDS + v,
                        live[h].p * weight[node(live[h].words, t)][v] };
        for (long h = 0; h < k && h < count; h++) {
            long best = h;
            for (long j = h + 1; j < count; j++)
                best = all[j].p > all[best].p ? j : best;
            struct decode_hypothesis x = all[best];
            for (long j = best; j > h; j--)
                all[j] = all[j - 1];
            all[h] = live[h] = x;
        }
    }
    return live[0].p;
}
/* The best probability of all sequences of length 1 or 3, times TOTAL^length. */
static long best(long (*weight)[WORDS], int length)
{
    long most = 0;
    for (long s = 0; s < (length == 1 ? 3 : 27); s++) {
        long p = length == 1 ? weight[0][s] :
                               weight[0][s / 9] * weight[node(s / 9, 1)][s / 3 % 3] * weight[node(s / 3, 2)][s % 3];
        most = p > most ? p : most;
    }
    return most;
}
enum { MODELS = 3000 };
static void greedy(struct claim *c)
{
    long w[PREFIXES][WORDS], missed = 0, first = 0, wide = claim_int(c, "beam", 9);
    int length = (int)claim_int(c, "length", LENGTH);
    c->corrected = YES;
    for (long seed = 1; seed <= MODELS; seed++) {
        model(seed, false, w);
        bool miss = beam(w, 1, length) < best(w, length);
        missed += miss, first = miss && !first ? seed : first;
        c->corrected = truth_and(c->corrected, truth_of(beam(w, wide, LENGTH) == best(w, LENGTH)));
    }
    model(first, false, w);
    c->written = truth_of(missed > 0);
    claim_say(c,
        "%d models of 3 words, length 3, all 27 sequences counted: greedy search misses the best in %ld; model %ld: "
        "%ld/216000 found, %ld/216000 best",
        MODELS, missed, first, beam(w, 1, length), best(w, length));
}
static void remedy(struct claim *c)
{
    long w[PREFIXES][WORDS], missed = 0, greedy_missed = 0, worse = 0, first = 0, enough = claim_int(c, "enough", 9),
        k = 2;
    bool independent = claim_is(c, "words=independent"), all = true;
    for (long seed = 1; seed <= MODELS; seed++) {
        model(seed, independent, w);
        missed += beam(w, k, LENGTH) < best(w, LENGTH), greedy_missed += beam(w, 1, LENGTH) < best(w, LENGTH);
        bool less = beam(w, k, LENGTH) < beam(w, k - 1, LENGTH);
        worse += less, first = less && !first ? seed : first;
        all &= beam(w, enough, LENGTH) == best(w, LENGTH);
    }
    model(first, independent, w);
    c->written = truth_of(missed < greedy_missed);
    c->corrected = truth_of(missed > 0 && worse > 0 && all);
    claim_say(c, "%d models: a beam of %ld misses the best of 27 sequences in %ld, greedy search in %ld; in %ld it "
        "finds less than greedy, model %ld: %ld/216000 and %ld/216000; a beam of 9 never misses", MODELS, k, missed,
        greedy_missed, worse, first, beam(w, k, LENGTH), beam(w, k - 1, LENGTH));
}

/* The last state of h_t = tanh(x_t W + h_(t-1) U) over the rows of x, and the sum of all states; U = 0 where not
 * recurrent. */
static void recur(struct claim *c, struct mat x, bool recurrent, struct mat *last, struct mat *sum)
{
    struct mat w = mat_made(c, 2, 2, 32), u = mat_made(c, 2, 2, 33), h = { 1, 2, { b_si(c->w, 0), b_si(c->w, 0) } };
    *sum = h;
    for (long t = 0; t < x.n; t++) {
        struct mat in = mat_mul(c->w, mat_row(x, t), w);
        h = recurrent ? mat_add(c->w, in, mat_mul(c->w, h, u)) : in;
        for (int k = 0; k < 2; k++)
            h.a[k] = b_tanh(c->w, h.a[k]);
        *sum = mat_add(c->w, *sum, h);
    }
    *last = h;
}
static void knows_order(struct claim *c)
{
    struct mat x = mat_made(c, 4, 2, 31), last[2] = { { 0 } }, sum[2] = { { 0 } }, own[2] = { { 0 } },
               total[2] = { { 0 } };
    for (int k = 0; k < 2; k++) {
        struct mat in = k ? mat_swap(x, 0, 1) : x;
        recur(c, in, !claim_is(c, "recurrence=none"), &last[k], &sum[k]);
        recur(c, in, claim_is(c, "states=chained"), &own[k], &total[k]);
    }
    c->written = truth_not(mat_same(last[0], last[1]));
    c->corrected = truth_and(truth_not(mat_same(sum[0], sum[1])), mat_same(total[0], total[1]));
    claim_say(c,
        "first two of four inputs exchanged: the last state begins with %s or %s; the sum of the states with U = 0 "
        "with %s either way",
        claim_digits(c, last[0].a[0], 12), claim_digits(c, last[1].a[0], 12), claim_digits(c, total[0].a[0], 12));
}

const struct erratum decode_errata[] = {
    { "E23", cross, "keys=5", "sequence=1 kind=self" },
    { "E24", last_softmax, "vocabulary=3", "matrix=square" },
    { "E25", one_context, "attention=dot", "queries=equal" },
    { "E26", parallel, "query=input", "self=recurrent" },
    { "E27", greedy, "length=1", "beam=1" },
    { "E55", faster, "block=recurrent", "window=2" },
    { "E58", remedy, "words=independent", "enough=2" },
    { "E60", knows_order, "recurrence=none", "states=chained" },
    { 0 },
};

/* Laws of differential attention: what is left where both halves are alike, where the second is given no share, and
 * where the published files differ. */
#include "law.h"
extern const struct row row_attention;

enum { H = 2, G = 1, N = 2, M = 4, D = 2, E = 3, INPUTS = 10 };
/* A call: the first version's inputs; k1 is the gated one's k. */
struct law_differential_call {
    double q1[H * N * D], q2[H * N * D], k1[G * M * D], k2[G * M * D], v[G * M * E], vector[4][D], gain[E], a[H * N];
};
static struct law_differential_call made(uint64_t seed)
{
    struct law_differential_call c;
    law_fill(c.q1, H * N * D, seed), law_fill(c.q2, H * N * D, seed + 1), law_fill(c.k1, G * M * D, seed + 2);
    law_fill(c.k2, G * M * D, seed + 3), law_fill(c.v, G * M * E, seed + 4), law_fill(c.gain, E, seed + 5);
    law_fill(c.a, H * N, seed + 6);
    for (int k = 0; k < 4; k++)
        law_fill(c.vector[k], D, seed + 7 + (uint64_t)k);
    return c;
}
static void ungained(struct law_differential_call *c)
{
    for (int k = 0; k < E; k++)
        c->gain[k] = 1;
}
static void answer(
    struct ask *w, struct law_of of, const struct law_differential_call *c, const long at[MER_RANK], long len,
        const struct ball **y)
{
    const struct given in[INPUTS] = { { "q1", c->q1, 3, { H, N, D } }, { "q2", c->q2, 3, { H, N, D } },
        { "k1", c->k1, 3, { G, M, D } }, { "k2", c->k2, 3, { G, M, D } }, { "v", c->v, 3, { G, M, E } },
        { "lambda_q1", c->vector[0], 1, { D } }, { "lambda_k1", c->vector[1], 1, { D } },
        { "lambda_q2", c->vector[2], 1, { D } }, { "lambda_k2", c->vector[3], 1, { D } },
        { "gain", c->gain, 1, { E } } };
    law_line(w, of, (struct givens){ in, INPUTS }, at, len, y);
}
static void answer_gated(
    struct ask *w, struct law_of of, const struct law_differential_call *c, const long at[MER_RANK],
        const struct ball **y)
{
    const struct given in[] = { { "q1", c->q1, 3, { H, N, D } }, { "q2", c->q2, 3, { H, N, D } },
        { "k", c->k1, 3, { G, M, D } }, { "v", c->v, 3, { G, M, E } }, { "a", c->a, 2, { H, N } },
        { "gain", c->gain, 1, { E } } };
    law_line(w, of, (struct givens){ in, 6 }, at, E, y);
}
/* Row attention's output of the first half of head h, query i. */
static void attention(struct ask *w, const struct law_differential_call *c, const long at[MER_RANK],
    const struct ball **y)
{
    const struct given in[] = { { "q", c->q1, 3, { H, N, D } }, { "k", c->k1, 3, { G, M, D } },
        { "v", c->v, 3, { G, M, E } } };
    law_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, (struct givens){ in, 3 }, at, E, y);
}

/* With both halves alike the maps differ by the factor 1 - lambda alone; lambda is 1/2 where both powers are alike. */
static enum truth alike(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const long at[MER_RANK] = { (long)(seed % H), (long)(seed / H % N) };
    const struct ball *x[E], *y[E];
    struct law_differential_call c = made(seed);
    ungained(&c);
    memcpy(c.q2, c.q1, sizeof c.q2), memcpy(c.k2, c.k1, sizeof c.k2);
    memcpy(c.vector[2], c.vector[0], 2 * sizeof c.vector[0]);
    answer(w, (struct law_of){ r, "o", params }, &c, at, E, x);
    attention(w, &c, at, y);
    for (int k = 0; k < E; k++)
        y[k] = b_div(w, y[k], b_si(w, 2));
    return law_close(&l, law_same_line(x, y, E));
}
/* Whether call a under params answers as call b does with more words. */
static enum truth agree(const struct row *r, const char *params, const char *more,
    const struct law_differential_call *a,
    const struct law_differential_call *b, const long at[MER_RANK])
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[E], *y[E];
    char text[200];
    answer(w, (struct law_of){ r, "o", params }, a, at, E, x);
    answer(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, more) }, b, at, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* The norm forgets the size of the values but for eps: values twice as large, with four times the eps. */
static enum truth sized(const struct row *r, const char *params, uint64_t seed)
{
    const long at[MER_RANK] = { (long)(seed % H), (long)(seed / H % N) };
    const struct law_differential_call c = made(seed);
    struct law_differential_call larger = c;
    for (int k = 0; k < G * M * E; k++)
        larger.v[k] *= 2;
    return agree(r, params, "eps=1/25000", &c, &larger, at);
}
/* With lambda = 1/2 (vectors of 0): (A - B/2) + (B - A/2) = (A + B)/2 of the halves' attentions A and B. */
static enum truth exchanged(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const long at[MER_RANK] = { (long)(seed % H), (long)(seed / H % N) };
    const struct ball *x[E], *y[E];
    struct law_differential_call c = made(seed), other;
    memset(c.vector, 0, sizeof c.vector), ungained(&c);
    other = c;
    memcpy(other.q1, c.q2, sizeof c.q2), memcpy(other.q2, c.q1, sizeof c.q1);
    memcpy(other.k1, c.k2, sizeof c.k2), memcpy(other.k2, c.k1, sizeof c.k1);
    answer(w, (struct law_of){ r, "o", params }, &c, at, E, x);
    answer(w, (struct law_of){ r, "o", params }, &other, at, E, y);
    const struct ball *first[E], *second[E];
    attention(w, &c, at, first), attention(w, &other, at, second);
    for (int k = 0; k < E; k++)
        x[k] = b_add(w, x[k], y[k]), y[k] = b_div(w, b_add(w, first[k], second[k]), b_si(w, 2));
    return law_close(&l, law_same_line(x, y, E));
}
/* The second version with a = 0 is the first with a share of 1/2 and one k for both halves. */
static enum truth versions(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const long at[MER_RANK] = { (long)(seed % H), (long)(seed / H % N) };
    const struct ball *x[E], *y[E];
    struct law_differential_call c = made(seed);
    char text[200];
    memset(c.a, 0, sizeof c.a), memset(c.vector, 0, sizeof c.vector), memcpy(c.k2, c.k1, sizeof c.k2);
    answer_gated(w, (struct law_of){ r, "gated", params }, &c, at, x);
    answer(w, (struct law_of){ r, "o", law_text(text, sizeof text, params, "level=1/2 layer=1") }, &c, at, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* With one head of keys for two of queries, whose halves are repeated one by one, head 0 reads k1 twice. */
static enum truth repeated(const struct row *r, const char *params, uint64_t seed)
{
    const long at[MER_RANK] = { 0, (long)(seed % N) };
    const struct law_differential_call c = made(seed);
    struct law_differential_call twice = c;
    memcpy(twice.k2, c.k1, sizeof c.k2);
    return agree(r, params, "keys=halves", &c, &twice, at);
}
/* Both routes are one number. */
static enum truth routes(const struct row *r, const char *params, uint64_t seed)
{
    const long at[MER_RANK] = { (long)(seed % H), (long)(seed / H % N) };
    const struct law_differential_call c = made(seed);
    return agree(r, params, "route=weights", &c, &c, at);
}

const struct law differential_laws[] = {
    { "with both halves alike it is 1 - lambda of attention", "norm=off fade=off level=1/2", alike, "level=1/4" },
    { "values of twice the size and four times the eps give one output", "", sized, "norm=off" },
    { "both orders of the halves together are half of both attentions", "norm=off fade=off level=1/2", exchanged,
        "level=1/4" },
    { "the second version at a = 0 is the first with a share of 1/2", "norm=off fade=off", versions,
        "fade=on" },
    { "keys repeated one by one give a query's halves one half of the keys", "keys=repeated", repeated,
        "keys=halves" },
    { "weights subtracted before they meet the values are outputs subtracted", "", routes, "part=bf16" },
    { 0 },
};

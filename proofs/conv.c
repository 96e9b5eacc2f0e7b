/* Laws of conv. */
#include "law.h"
#include "ruler/bits.h"

enum { N = 5, C = 2, W = 3 };
struct law_conv_call { long n; const struct ball *x[N * C], *weight[C * W], *bias[C], *state[C * W]; };
static void fill(struct ask *w, const struct ball **x, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        x[k] = b_ratio(w, 2 * (long)(gen_bits(seed, stream, (uint64_t)k) % 16) - 15, 16);
}
static struct law_conv_call made(struct ask *w, uint64_t seed)
{
    struct law_conv_call c = { .n = N };
    fill(w, c.x, N * C, seed, 1), fill(w, c.weight, C * W, seed, 2), fill(w, c.bias, C, seed, 3);
    fill(w, c.state, C * W, seed, 4);
    return c;
}
/* All of y[n][C] and final[C][W]. */
static void answer(struct ask *w, const struct row *r, const struct law_conv_call *c, const char *params,
    const struct ball **y,
    const struct ball **final)
{
    struct mer_array in[] = { { .name = "x", .type = BALLS, .rank = 2, .dim = { c->n, C } },
        { .name = "weight", .type = BALLS, .rank = 2, .dim = { C, W } },
        { .name = "bias", .type = BALLS, .rank = 1, .dim = { C } },
        { .name = "state", .type = BALLS, .rank = 2, .dim = { C, W } } };
    const struct ball *const *const data[] = { c->x, c->weight, c->bias, c->state };
    for (int k = 0; k < 4; k++)
        memcpy(&in[k].data, &data[k], sizeof data[k]);
    for (long t = 0; t < c->n; t++)
        line_of(w, (struct page_of){ r, "y", params, in, 4 }, &t, C, y + t * C);
    for (long a = 0; a < C; a++)
        line_of(w, (struct page_of){ r, "final", params, in, 4 }, &a, W, final + a * W);
}

/* A call in two pieces, cut behind every token, the second given the state of the first. */
static enum truth joined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 160);
    const struct ball *x[N * C], *y[N * C], *final[C * W], *last[C * W];
    const struct law_conv_call c = made(w, seed);
    bool ok = true;
    answer(w, r, &c, "", x, final);
    for (long cut = 1; cut < N; cut++) {
        struct law_conv_call one = c, two = c;
        one.n = cut, two.n = N - cut;
        answer(w, r, &one, "", y, last);
        memcpy(two.state, last, sizeof last);
        memcpy(two.x, c.x + cut * C, sizeof *c.x * (size_t)(two.n * C));
        answer(w, r, &two, params, y + cut * C, last);
        ok &= law_same_line(x, y, N * C) && law_same_line(final, last, C * W);
    }
    return law_close(&l, ok);
}
/* A tap of 1 for the token itself, and nothing else: y is silu of x. */
static enum truth passed(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *y[N * C], *want[N * C], *final[C * W];
    struct law_conv_call c = made(w, seed);
    for (long k = 0; k < C * W; k++)
        c.weight[k] = b_si(w, k % W == W - 1);
    for (long k = 0; k < C; k++)
        c.bias[k] = b_si(w, 0);
    answer(w, r, &c, params, y, final);
    for (long k = 0; k < N * C; k++)
        want[k] = b_div(w, c.x[k], b_add(w, b_si(w, 1), b_exp(w, b_neg(w, c.x[k]))));
    return law_close(&l, law_same_line(y, want, N * C));
}
/* Without activation the output is linear in x and state together, and the bias is added once. */
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *y[N * C], *twice[N * C], *final[C * W];
    struct law_conv_call c = made(w, seed);
    answer(w, r, &c, params, y, final);
    for (long k = 0; k < N * C; k++)
        c.x[k] = b_mul(w, b_si(w, 2), c.x[k]);
    for (long k = 0; k < C * W; k++)
        c.state[k] = b_mul(w, b_si(w, 2), c.state[k]);
    answer(w, r, &c, params, twice, final);
    for (long k = 0; k < N * C; k++)
        y[k] = b_sub(w, b_mul(w, b_si(w, 2), y[k]), c.bias[k % C]);
    return law_close(&l, law_same_line(twice, y, N * C));
}
/* The taps turned over are the other convention. */
static enum truth flipped(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * C], *y[N * C], *final[C * W];
    struct law_conv_call c = made(w, seed), other = c;
    for (long k = 0; k < C * W; k++)
        other.weight[k] = c.weight[k / W * W + W - 1 - k % W];
    answer(w, r, &c, params, x, final), answer(w, r, &other, "", y, final);
    return law_close(&l, law_same_line(x, y, N * C));
}
const struct law conv_laws[] = {
    { "two calls, the second given the first one's last inputs, are one", "", joined, "act=none" },
    { "a tap of 1 for the token itself passes it on", "", passed, "taps=newest-first" },
    { "without activation y is linear in inputs and state, and the bias joins once", "act=none", linear, "act=silu" },
    { "taps turned over are the other convention", "taps=newest-first", flipped, "taps=newest-last" },
    { 0 },
};

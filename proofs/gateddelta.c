/* Laws of gateddelta: the recurrence against the pairwise form of its own unrolling, calls that are joined, what the
 * delta rule does to one key, and what a turn of the channels, sums of values and idle tokens leave as it is. */
#include "law.h"
#include "ruler/bits.h"

enum { H = 2, N = 5, D = 3, E = 2 };
/* One call of h value and g key heads, as balls, so that a call can be given what another one answered. */
struct call {
    long h, g, n;
    const struct ball *q[H * N * D], *k[H * N * D], *v[H * N * E], *beta[H * N], *a[H * N], *A_log[H], *dt_bias[H],
        *state[H * D * E];
};

/* Multiples of 1/16 in (-1, 1), none of them 0. */
static void fill(struct ask *w, const struct ball **x, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        x[k] = b_ratio(w, 2 * (long)(gen_bits(seed, stream, (uint64_t)k) % 16) - 15, 16);
}
/* beta in (0, 2), decays below 1. */
static struct call made(struct ask *w, uint64_t seed, long h, long g)
{
    struct call c = { .h = h, .g = g, .n = N };
    fill(w, c.q, g * N * D, seed, 1), fill(w, c.k, g * N * D, seed, 2), fill(w, c.v, h * N * E, seed, 3);
    fill(w, c.beta, h * N, seed, 4), fill(w, c.a, h * N, seed, 5), fill(w, c.state, h * D * E, seed, 6);
    fill(w, c.A_log, h, seed, 7), fill(w, c.dt_bias, h, seed, 8);
    for (long k = 0; k < h * N; k++)
        c.beta[k] = b_add(w, c.beta[k], b_si(w, 1)), c.a[k] = b_sub(w, c.a[k], b_si(w, 1));
    return c;
}
/* Line `at` of an output of a call. */
static void answer(struct ask *w, struct law_of of, const struct call *c, const long *at, const struct ball **y)
{
    const struct { const char *name; const struct ball *const *x; int rank; long dim[3]; } in[] = {
        { "q", c->q, 3, { c->g, c->n, D } }, { "k", c->k, 3, { c->g, c->n, D } }, { "v", c->v, 3, { c->h, c->n, E } },
        { "beta", c->beta, 2, { c->h, c->n } }, { "a", c->a, 2, { c->h, c->n } }, { "A_log", c->A_log, 1, { c->h } },
        { "dt_bias", c->dt_bias, 1, { c->h } }, { "state", c->state, 3, { c->h, D, E } },
    };
    enum { IN = sizeof in / sizeof *in };
    struct mer_array array[IN];
    for (int k = 0; k < IN; k++) {
        array[k] = (struct mer_array){
            .name = in[k].name, .type = BALLS, .rank = in[k].rank, .dim = { in[k].dim[0], in[k].dim[1], in[k].dim[2] }
        };
        memcpy(&array[k].data, &in[k].x, sizeof in[k].x);
    }
    line_of(w, (struct page_of){ of.row, of.out, of.params, array, IN }, at, E, y);
}
/* All of o[n][E] of head h, and the last state final[D][E]. */
static void head(struct ask *w, struct law_of of, const struct call *c, long h, const struct ball **o,
    const struct ball **final)
{
    for (long t = 0; t < c->n; t++)
        answer(w, (struct law_of){ of.row, "o", of.params }, c, (long[MER_RANK]){ h, t }, o + t * E);
    for (long i = 0; i < D; i++)
        answer(w, (struct law_of){ of.row, "final", of.params }, c, (long[MER_RANK]){ h, i }, final + i * E);
}

/* The pairwise form, of raw keys and scale 1: with L_t the sum of the decays' logarithms up to t,
 *   u_i = beta_i (v_i - e^L_i S_0^T k_i - sum_{j<i} e^(L_i - L_j) <k_j, k_i> u_j)
 *   o_i = e^L_i S_0^T q_i + sum_{j<=i} e^(L_i - L_j) <k_j, q_i> u_j */
static void pairwise(struct ask *w, const struct call *c, const struct ball **o)
{
    const struct ball *u[N * E], *L[N];
    for (long i = 0; i < N; i++) {
        L[i] = i ? b_add(w, L[i - 1], c->a[i]) : c->a[0];
        for (long e = 0; e < E; e++) {
            const struct ball *from_k = b_si(w, 0), *from_q = b_si(w, 0), *decay = b_exp(w, L[i]);
            for (long x = 0; x < D; x++) {
                const struct ball *s = b_mul(w, decay, c->state[x * E + e]);
                from_k = b_add(w, from_k, b_mul(w, s, c->k[i * D + x]));
                from_q = b_add(w, from_q, b_mul(w, s, c->q[i * D + x]));
            }
            for (long j = 0; j <= i; j++) {
                const struct ball *gap = b_exp(w, b_sub(w, L[i], L[j]));
                const struct ball *by_k = b_mul(w, gap, law_dot(w, c->k + j * D, c->k + i * D, D)),
                                  *by_q = b_mul(w, gap, law_dot(w, c->k + j * D, c->q + i * D, D));
                if (j == i)
                    u[i * E + e] = b_mul(w, c->beta[i], b_sub(w, c->v[i * E + e], from_k));
                from_k = j < i ? b_add(w, from_k, b_mul(w, by_k, u[j * E + e])) : from_k;
                from_q = b_add(w, from_q, b_mul(w, by_q, u[j * E + e]));
            }
            o[i * E + e] = from_q;
        }
    }
}
static enum truth unrolled(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E];
    struct call c = made(w, seed, 1, 1);
    head(w, (struct law_of){ r, "o", params }, &c, 0, x, final);
    pairwise(w, &c, y);
    return law_close(&l, law_same_line(x, y, N * E));
}

/* The call cut into chunks of C tokens, for every C: each is given the state that the one before it ended with.  The
 * first call of each cut is asked under params, the whole without what they round. */
static enum truth joined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct call c = made(w, seed, 1, 1);
    bool ok = true;
    head(w, (struct law_of){ r, "o", "" }, &c, 0, x, final);
    for (long size = 1; size < N; size++) {
        const struct ball *state[D * E];
        memcpy(state, c.state, sizeof state);
        for (long from = 0; from < N; from += size) {
            struct call part = { .h = 1, .g = 1, .n = N - from < size ? N - from : size };
            memcpy(part.q, c.q + from * D, sizeof *part.q * (size_t)(part.n * D));
            memcpy(part.k, c.k + from * D, sizeof *part.k * (size_t)(part.n * D));
            memcpy(part.v, c.v + from * E, sizeof *part.v * (size_t)(part.n * E));
            memcpy(part.beta, c.beta + from, sizeof *part.beta * (size_t)part.n);
            memcpy(part.a, c.a + from, sizeof *part.a * (size_t)part.n);
            memcpy(part.A_log, c.A_log, sizeof part.A_log), memcpy(part.dt_bias, c.dt_bias, sizeof part.dt_bias);
            memcpy(part.state, state, sizeof state);
            head(w, (struct law_of){ r, "o", from ? "" : params }, &part, 0, y + from * E, last);
            memcpy(state, last, sizeof state);
        }
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

/* Nothing is written where beta is 0: the state is what the decays leave of it. */
static enum truth idle(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[N * E], *final[D * E], *sum = b_si(w, 0), *y[D * E];
    struct call c = made(w, seed, 1, 1);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 0), sum = b_add(w, sum, c.a[t]);
    head(w, (struct law_of){ r, "o", params }, &c, 0, o, final);
    for (long k = 0; k < D * E; k++)
        y[k] = b_mul(w, b_exp(w, sum), c.state[k]);
    return law_close(&l, law_same_line(final, y, D * E));
}

/* With beta = 1 and |k| = 1 the state answers v to the key that it has just been given, whatever it held. */
static enum truth projected(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[N * E], *final[D * E];
    struct call c = made(w, seed, 1, 1);
    memcpy(c.q, c.k, sizeof c.q);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 1);
    head(w, (struct law_of){ r, "o", params }, &c, 0, o, final);
    return law_close(&l, law_same_line(o, c.v, N * E));
}

/* A turn by 3/5, 4/5 of two channels of q, k and the state leaves o as it is. */
static void turn(struct ask *w, const struct ball **x, long stride)
{
    const struct ball *c = b_ratio(w, 3, 5), *s = b_ratio(w, 4, 5), *p = x[0], *q = x[stride];
    x[0] = b_sub(w, b_mul(w, c, p), b_mul(w, s, q)), x[stride] = b_add(w, b_mul(w, s, p), b_mul(w, c, q));
}
static enum truth turned(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E];
    struct call c = made(w, seed, 1, 1);
    head(w, (struct law_of){ r, "o", params }, &c, 0, x, final);
    for (long t = 0; t < N; t++)
        turn(w, c.q + t * D, 1), turn(w, c.k + t * D, 1);
    for (long e = 0; e < E; e++)
        turn(w, c.state + e, E);
    head(w, (struct law_of){ r, "o", params }, &c, 0, y, final);
    return law_close(&l, law_same_line(x, y, N * E));
}

/* o and final are linear in v and the first state together. */
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[3][N * E], *final[3][D * E];
    struct call a = made(w, seed, 1, 1), b = a, sum = a, more = made(w, seed + 1, 1, 1);
    memcpy(b.v, more.v, sizeof b.v), memcpy(b.state, more.state, sizeof b.state);
    for (long k = 0; k < N * E; k++)
        sum.v[k] = b_add(w, a.v[k], b.v[k]);
    for (long k = 0; k < D * E; k++)
        sum.state[k] = b_add(w, a.state[k], b.state[k]);
    const struct call *const calls[] = { &a, &b, &sum };
    for (int k = 0; k < 3; k++)
        head(w, (struct law_of){ r, "o", params }, calls[k], 0, o[k], final[k]);
    for (long k = 0; k < N * E; k++)
        o[0][k] = b_add(w, o[0][k], o[1][k]);
    for (long k = 0; k < D * E; k++)
        final[0][k] = b_add(w, final[0][k], final[1][k]);
    return law_close(&l, law_same_line(o[0], o[2], N * E) && law_same_line(final[0], final[2], D * E));
}

/* A token whose key is 0 and whose decay is 1 changes nothing behind it. */
static enum truth silent(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct call c = made(w, seed, 1, 1);
    const long at = (long)(seed % (N - 1));
    c.a[at] = b_si(w, 0);
    for (long i = 0; i < D; i++)
        c.k[at * D + i] = b_si(w, 0);
    head(w, (struct law_of){ r, "o", params }, &c, 0, x, final);
    struct call less = c;
    less.n = N - 1;
    for (long t = at; t < N - 1; t++) {
        memcpy(less.q + t * D, c.q + (t + 1) * D, D * sizeof *c.q);
        memcpy(less.k + t * D, c.k + (t + 1) * D, D * sizeof *c.k);
        memcpy(less.v + t * E, c.v + (t + 1) * E, E * sizeof *c.v);
        less.beta[t] = c.beta[t + 1], less.a[t] = c.a[t + 1];
    }
    head(w, (struct law_of){ r, "o", params }, &less, 0, y, last);
    return law_close(&l,
        law_same_line(x + (at + 1) * E, y + at * E, (N - 1 - at) * E) && law_same_line(final, last, D * E));
}

/* Two value heads of one key head are two calls. */
static enum truth grouped(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct call c = made(w, seed, H, 2);
    bool ok = true;
    /* Four value heads of two key heads: the second value head reads the first key head. */
    enum { FOUR = 4 };
    const struct ball *v[FOUR * N * E], *beta[FOUR * N], *a[FOUR * N], *state[FOUR * D * E], *A[FOUR], *bias[FOUR];
    for (long h = 0; h < FOUR; h++) {
        memcpy(v + h * N * E, c.v + h / 2 * N * E, N * E * sizeof *v);
        memcpy(beta + h * N, c.beta + h % 2 * N, N * sizeof *beta), memcpy(a + h * N, c.a + h / 2 * N, N * sizeof *a);
        memcpy(state + h * D * E, c.state, D * E * sizeof *state), A[h] = c.A_log[0], bias[h] = c.dt_bias[0];
    }
    struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 2, N, D } },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 2, N, D } },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { FOUR, N, E } },
        { .name = "beta", .type = BALLS, .rank = 2, .dim = { FOUR, N } },
        { .name = "a", .type = BALLS, .rank = 2, .dim = { FOUR, N } },
        { .name = "A_log", .type = BALLS, .rank = 1, .dim = { FOUR } },
        { .name = "dt_bias", .type = BALLS, .rank = 1, .dim = { FOUR } },
        { .name = "state", .type = BALLS, .rank = 3, .dim = { FOUR, D, E } } };
    const struct ball *const *data[] = { c.q, c.k, v, beta, a, A, bias, state };
    for (int k = 0; k < 8; k++)
        memcpy(&in[k].data, &data[k], sizeof data[k]);
    for (long h = 0; h < FOUR; h++) {
        struct call one = { .h = 1, .g = 1, .n = N };
        memcpy(one.q, c.q + h / 2 * N * D, N * D * sizeof *one.q);
        memcpy(one.k, c.k + h / 2 * N * D, N * D * sizeof *one.k);
        memcpy(one.v, v + h * N * E, N * E * sizeof *one.v), memcpy(one.beta, beta + h * N, N * sizeof *one.beta);
        memcpy(one.a, a + h * N, N * sizeof *one.a), memcpy(one.state, state, D * E * sizeof *one.state);
        one.A_log[0] = A[h], one.dt_bias[0] = bias[h];
        head(w, (struct law_of){ r, "o", params }, &one, 0, x, final);
        for (long t = 0; t < N; t++)
            line_of(w, (struct page_of){ r, "o", params, in, 8 }, (long[MER_RANK]){ h, t }, E, y + t * E);
        for (long i = 0; i < D; i++)
            line_of(w, (struct page_of){ r, "final", params, in, 8 }, (long[MER_RANK]){ h, i }, E, last + i * E);
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

/* gate=softplus and strength=sigmoid are gate=log and strength=given of what they make. */
static enum truth gated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E], *one = b_si(w, 1);
    struct call c = made(w, seed, 1, 1);
    head(w, (struct law_of){ r, "o", params }, &c, 0, x, final);
    for (long t = 0; t < N; t++) {
        const struct ball *z = b_exp(w, b_add(w, c.a[t], c.dt_bias[0])), *e = b_exp(w, c.beta[t]);
        c.a[t] = b_neg(w, b_mul(w, b_exp(w, c.A_log[0]), b_log(w, b_add(w, one, z))));
        c.beta[t] = b_mul(w, b_si(w, 2), b_div(w, e, b_add(w, one, e)));
    }
    head(w, (struct law_of){ r, "o", "" }, &c, 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}

const struct law gateddelta_laws[] = {
    { "the recurrence is its pairwise form", "l2norm=none scale=1", unrolled, "order=correct-first" },
    { "chunks of every size, each given the last state of the one before, are one call", "", joined, "scale=1" },
    { "beta = 0 leaves the decays alone", "", idle, "strength=sigmoid" },
    { "beta = 1 and a unit key: the state answers v to that key", "l2norm=add l2_eps=1e-60 scale=1", projected,
        "read=before" },
    { "and is not asked by a key that is no unit vector", "l2norm=max scale=1", projected, "l2norm=none" },
    { "a turn of the channels of q, k and the state changes nothing", "", turned, "unit=bf16" },
    { "o and final are linear in v and the state", "", linear, "state=bf16" },
    { "a token of key 0 and decay 1 changes nothing behind it", "", silent, "gate=softplus" },
    { "value heads of a group are calls of their own", "", grouped, "group=tile" },
    { "gate and strength are what their formulas say", "gate=softplus strength=sigmoid beta_max=2", gated,
        "beta_max=1" },
    { 0 },
};

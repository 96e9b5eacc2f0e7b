/* Laws of state-space duality: the recurrence is its quadratic form and its chunk form (Dao, Gu 2024, section 6), and
 * what its conventions say. */
#include "law.h"
#include "ruler/bits.h"

enum { H = 4, N = 5, D = 3, E = 2 };
/* A call of h heads in g groups and n tokens, all of balls; with says which optional inputs it holds.  Arrays have no
 * gaps. */
enum { WITH_SKIP = 1, WITH_GATE = 2, WITH_DOCUMENTS = 4, WITH_STATE = 8, WITHOUT_BIAS = 16 };
struct law_ssd_call {
    long h, g, n;
    int with;
    const struct ball *x[H * N * E], *dt[H * N], *A[H], *B[H * N * D], *C[H * N * D], *D[H], *bias[H], *z[H * N * E],
        *state[H * D * E];
    int64_t documents[3];
};
/* Odd multiples of 1/16 in (-1, 1). */
static void fill(struct ask *w, const struct ball **x, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        x[k] = b_ratio(w, 2 * (long)(gen_bits(seed, stream, (uint64_t)k) % 16) - 15, 16);
}
static struct law_ssd_call made(struct ask *w, uint64_t seed, long h, long g, int with)
{
    struct law_ssd_call c = { .h = h, .g = g, .n = N, .with = with,
        .documents = { 0, 1 + (int64_t)(seed % (N - 1)), N } };
    fill(w, c.x, h * N * E, seed, 1), fill(w, c.dt, h * N, seed, 2), fill(w, c.A, h, seed, 3);
    fill(w, c.B, g * N * D, seed, 4), fill(w, c.C, g * N * D, seed, 5), fill(w, c.D, h, seed, 6);
    fill(w, c.bias, h, seed, 7), fill(w, c.z, h * N * E, seed, 8), fill(w, c.state, h * D * E, seed, 9);
    return c;
}
static struct mer_array balls(const char *name, const struct ball *const *x, int rank, long i, long j, long k)
{
    struct mer_array a = { .name = name, .type = BALLS, .rank = rank, .dim = { i, j, k } };
    memcpy(&a.data, &x, sizeof x);
    return a;
}
/* All of y[n][E] of head h, and final[D][E]. */
static void ask_head(struct ask *w, const struct row *r, const struct law_ssd_call *c, const char *params, long h,
    const struct ball **y, const struct ball **final)
{
    struct mer_array in[10] = { balls("x", c->x, 3, c->h, c->n, E), balls("dt", c->dt, 2, c->h, c->n, 0),
        balls("A", c->A, 1, c->h, 0, 0), balls("B", c->B, 3, c->g, c->n, D), balls("C", c->C, 3, c->g, c->n, D) };
    int n = 5;
    if (!(c->with & WITHOUT_BIAS))
        in[n++] = balls("dt_bias", c->bias, 1, c->h, 0, 0);
    if (c->with & WITH_SKIP)
        in[n++] = balls("D", c->D, 1, c->h, 0, 0);
    if (c->with & WITH_GATE)
        in[n++] = balls("z", c->z, 3, c->h, c->n, E);
    if (c->with & WITH_STATE)
        in[n++] = balls("state", c->state, 3, c->h, D, E);
    if (c->with & WITH_DOCUMENTS) {
        in[n] = (struct mer_array){ .name = "cu_seqlens", .type = MER_I64, .rank = 1, .dim = { 3 } };
        const int64_t *from = c->documents;
        memcpy(&in[n++].data, &from, sizeof from);
    }
    for (long t = 0; t < c->n; t++)
        line_of(w, (struct page_of){ r, "y", params, in, n }, (long[MER_RANK]){ h, t }, E, y + t * E);
    for (long i = 0; i < D && final; i++)
        line_of(w, (struct page_of){ r, "final", params, in, n }, (long[MER_RANK]){ h, i }, E, final + i * E);
}
/* The tokens from .. from + n of a call of one head. */
static struct law_ssd_call piece(const struct law_ssd_call *c, long from, long n)
{
    struct law_ssd_call p = *c;
    p.n = n;
    memmove(p.x, p.x + from * E, sizeof *p.x * (size_t)(n * E)), memmove(p.dt, p.dt + from, sizeof *p.dt * (size_t)n);
    memmove(p.B, p.B + from * D, sizeof *p.B * (size_t)(n * D));
    memmove(p.C, p.C + from * D, sizeof *p.C * (size_t)(n * D));
    return p;
}
/* dt of a token of a call of one head by its formula, log(1 + exp(dt + dt_bias)), and dt A with A = -exp(A_log). */
static const struct ball *dt_of(struct ask *w, const struct law_ssd_call *c, long t)
{
    return b_log(w, b_add(w, b_si(w, 1), b_exp(w, b_add(w, c->dt[t], c->bias[0]))));
}
static const struct ball *log_of(struct ask *w, const struct law_ssd_call *c, long t)
{
    return b_neg(w, b_mul(w, dt_of(w, c, t), b_exp(w, c->A[0])));
}
/* exp of the sum of dt A of the tokens from .. to - 1. */
static const struct ball *span_of(struct ask *w, const struct law_ssd_call *c, long from, long to)
{
    const struct ball *sum = b_si(w, 0);
    for (long t = from; t < to; t++)
        sum = b_add(w, sum, log_of(w, c, t));
    return b_exp(w, sum);
}
/* y of token t from the pairs with the tokens from `from` on, and from the state s[D][E] before `from`. */
static void pairs(struct ask *w, const struct law_ssd_call *c, long from, long t, const struct ball *const *s,
    const struct ball **y)
{
    for (long e = 0; e < E; e++) {
        y[e] = b_si(w, 0);
        for (long i = 0; i < D; i++) {
            const struct ball *left = b_mul(w, span_of(w, c, from, t + 1), s[i * E + e]);
            y[e] = b_add(w, y[e], b_mul(w, c->C[t * D + i], left));
        }
        for (long j = from; j <= t; j++) {
            const struct ball *weight = b_mul(w, span_of(w, c, j + 1, t + 1), dt_of(w, c, j));
            weight = b_mul(w, weight, law_dot(w, c->C + t * D, c->B + j * D, D));
            y[e] = b_add(w, y[e], b_mul(w, weight, c->x[j * E + e]));
        }
    }
}
static enum truth quadratic(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_ssd_call c = made(w, seed, 1, 1, WITH_STATE);
    const struct ball *x[N * E], *y[N * E];
    ask_head(w, r, &c, params, 0, x, NULL);
    for (long t = 0; t < N; t++)
        pairs(w, &c, 0, t, c.state, y + t * E);
    return law_close(&l, law_same_line(x, y, N * E));
}
/* The four steps of the paper's listing: outputs within each chunk, its own last state, the states handed from chunk to
 * chunk, and what they add to the outputs; the last chunk may be short. */
static enum truth chunked(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_ssd_call c = made(w, seed, 1, 1, WITH_STATE);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *s[D * E];
    bool ok = true;
    ask_head(w, r, &c, params, 0, x, final);
    for (long size = 1; size <= N; size++) {
        memcpy(s, c.state, sizeof s);
        for (long from = 0; from < N; from += size) {
            const long to = from + size < N ? from + size : N;
            for (long t = from; t < to; t++)
                pairs(w, &c, from, t, s, y + t * E);
            for (long k = 0; k < D * E; k++) {
                s[k] = b_mul(w, span_of(w, &c, from, to), s[k]);
                for (long j = from; j < to; j++) {
                    const struct ball *left = b_mul(w, span_of(w, &c, j + 1, to), dt_of(w, &c, j));
                    left = b_mul(w, left, b_mul(w, c.B[j * D + k / E], c.x[j * E + k % E]));
                    s[k] = b_add(w, s[k], left);
                }
            }
        }
        ok &= law_same_line(x, y, N * E) && law_same_line(final, s, D * E);
    }
    return law_close(&l, ok);
}
static enum truth handed_on(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 160);
    const struct law_ssd_call c = made(w, seed, 1, 1, WITH_STATE | WITH_SKIP);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    bool ok = true;
    ask_head(w, r, &c, "", 0, x, final);
    for (long size = 1; size < N; size++) {
        memcpy(last, c.state, sizeof last);
        for (long from = 0; from < N; from += size) {
            struct law_ssd_call part = piece(&c, from, N - from < size ? N - from : size);
            memcpy(part.state, last, sizeof last);
            ask_head(w, r, &part, from ? "" : params, 0, y + from * E, last);
        }
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}
/* Row gla of queries C, keys B, values dt x and, in every channel, the logarithm dt A. */
static enum truth gated_linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_ssd_call c = made(w, seed, 1, 1, WITH_STATE);
    const struct ball *x[N * E], *y[N * E], *v[N * E], *a[N * D];
    for (long k = 0; k < N * E; k++)
        v[k] = b_mul(w, dt_of(w, &c, k / E), c.x[k]);
    for (long k = 0; k < N * D; k++)
        a[k] = log_of(w, &c, k / D);
    const struct mer_array in[] = { balls("q", c.C, 3, 1, N, D), balls("k", c.B, 3, 1, N, D),
        balls("v", v, 3, 1, N, E), balls("a", a, 3, 1, N, D), balls("state", c.state, 3, 1, D, E) };
    ask_head(w, r, &c, params, 0, x, NULL);
    for (long t = 0; t < N; t++)
        line_of(w, (struct page_of){ row_named("gla"), "o", "scale=1", in, 5 }, (long[MER_RANK]){ 0, t }, E, y + t * E);
    return law_close(&l, law_same_line(x, y, N * E));
}
static enum truth separated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_ssd_call c = made(w, seed, 1, 1, WITH_STATE | WITH_DOCUMENTS);
    const long first = (long)c.documents[1];
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct law_ssd_call a = piece(&c, 0, first), b = piece(&c, first, N - first);
    a.with = WITH_STATE, b.with = 0;
    ask_head(w, r, &c, params, 0, x, final);
    ask_head(w, r, &a, "", 0, y, last), ask_head(w, r, &b, "", 0, y + first * E, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}
/* Four heads of two groups are four heads of four groups, of which two and two are alike. */
static enum truth grouped(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_ssd_call c = made(w, seed, H, 2, 0);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct law_ssd_call each = c;
    bool ok = true;
    each.g = H;
    for (long h = 0; h < H; h++) {
        memcpy(each.B + h * N * D, c.B + h / 2 * N * D, sizeof *c.B * N * D);
        memcpy(each.C + h * N * D, c.C + h / 2 * N * D, sizeof *c.C * N * D);
    }
    for (long h = 0; h < H; h++) {
        ask_head(w, r, &c, params, h, x, final), ask_head(w, r, &each, "", h, y, last);
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}
/* With D and z it is (y + D x) z / (1 + exp(-z)) of the y without both. */
static enum truth skipped_and_gated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_ssd_call c = made(w, seed, 1, 1, WITH_SKIP | WITH_GATE);
    const struct ball *x[N * E], *y[N * E];
    ask_head(w, r, &c, params, 0, x, NULL);
    c.with = 0;
    ask_head(w, r, &c, "", 0, y, NULL);
    for (long k = 0; k < N * E; k++) {
        const struct ball *sum = b_add(w, y[k], b_mul(w, c.D[0], c.x[k]));
        y[k] = b_div(w, b_mul(w, sum, c.z[k]), b_add(w, b_si(w, 1), b_exp(w, b_neg(w, c.z[k]))));
    }
    return law_close(&l, law_same_line(x, y, N * E));
}
/* dt is clamped to 1/2 .. 3/4 behind the softplus: the same dt, given. */
static enum truth limited(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_ssd_call c = made(w, seed, 1, 1, 0);
    const struct ball *x[N * E], *y[N * E];
    c.dt[0] = b_si(w, -3), c.dt[1] = b_si(w, 3); /* Both limits are met. */
    ask_head(w, r, &c, params, 0, x, NULL);
    for (long t = 0; t < N; t++)
        c.dt[t] = b_min(w, b_max(w, dt_of(w, &c, t), b_ratio(w, 1, 2)), b_ratio(w, 3, 4));
    c.A[0] = b_neg(w, b_exp(w, c.A[0])), c.with = WITHOUT_BIAS;
    ask_head(w, r, &c, "a_log=off dt_softplus=off", 0, y, NULL);
    return law_close(&l, law_same_line(x, y, N * E));
}
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_ssd_call a = made(w, seed, 1, 1, WITH_STATE | WITH_SKIP), b = a, sum = a;
    const struct law_ssd_call more = made(w, seed + 1, 1, 1, 0);
    const struct ball *y[3][N * E], *final[3][D * E];
    memcpy(b.x, more.x, sizeof b.x), memcpy(b.state, more.state, sizeof b.state);
    for (long k = 0; k < N * E; k++)
        sum.x[k] = b_add(w, a.x[k], b.x[k]);
    for (long k = 0; k < D * E; k++)
        sum.state[k] = b_add(w, a.state[k], b.state[k]);
    const struct law_ssd_call *const calls[] = { &a, &b, &sum };
    for (int k = 0; k < 3; k++)
        ask_head(w, r, calls[k], params, 0, y[k], final[k]);
    for (long k = 0; k < N * E; k++)
        y[0][k] = b_add(w, y[0][k], y[1][k]);
    for (long k = 0; k < D * E; k++)
        final[0][k] = b_add(w, final[0][k], final[1][k]);
    return law_close(&l, law_same_line(y[0], y[2], N * E) && law_same_line(final[0], final[2], D * E));
}

const struct law ssd_laws[] = {
    { "the recurrence is its quadratic form, attention with the mask exp(sum dt A)", "", quadratic, "read=before" },
    { "the recurrence is its chunk form, for chunks of every size", "", chunked, "dt_softplus=off" },
    { "calls that are each given the last state of the one before are one call", "", handed_on, "dt_min=2" },
    { "it is row gla of queries C, keys B, values dt x and logarithms dt A", "", gated_linear, "a_log=off" },
    { "packed documents are calls of their own, without a state but the first", "", separated, "read=before" },
    { "heads of a group read its B and C", "group=repeat", grouped, "group=tile" },
    { "D adds D x to the output, and z multiplies it by z / (1 + exp(-z))", "", skipped_and_gated, "gate=sigmoid" },
    { "dt is clamped behind the softplus", "dt_min=1/2 dt_max=3/4", limited, "clamp=before" },
    { "y and final are linear in x and the state", "", linear, "state=bf16" },
    { 0 },
};

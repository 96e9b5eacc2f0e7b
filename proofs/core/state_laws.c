/* Laws of the recurrence, with or without delta rule and decays; see state_laws.h. */
#include "state_laws.h"
#include "ruler/bits.h"

enum { H = 4, N = 5, D = 3, E = 2 };
/* One call of h value and g key heads, as balls, so that a call can be given what another one answered.  wide: the
 * decays of a token, 0 where the row has none. */
struct call {
    const struct row *r;
    long h, g, n, wide;
    bool strength;
    const struct ball *q[H * N * D], *k[H * N * D], *v[H * N * E], *beta[H * N], *a[H * N * D], *A_log[H],
        *dt_bias[H * D], *state[H * D * E];
};

/* The input of that name in the row's signature of o; NULL: it has none. */
static const struct axes *input_of(const struct sign *s, const char *name)
{
    for (int k = 0; k < s->n_in; k++)
        if (!strcmp(s->in[k].name, name))
            return &s->in[k];
    return NULL;
}
/* Odd multiples of 1/16 in (-1, 1). */
static void fill(struct ask *w, const struct ball **x, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        x[k] = b_ratio(w, 2 * (long)(gen_bits(seed, stream, (uint64_t)k) % 16) - 15, 16);
}
/* beta in (0, 2), decays below 1. */
static struct call made(struct ask *w, const struct row *r, uint64_t seed, long h, long g)
{
    struct sign s;
    sign_read(&s, row_quantity(r, "o")->sign);
    const struct axes *a = input_of(&s, "a");
    struct call c = { .r = r, .h = h, .g = g, .n = N, .wide = !a ? 0 : a->rank == 3 ? D : 1,
        .strength = input_of(&s, "beta") };
    fill(w, c.q, g * N * D, seed, 1), fill(w, c.k, g * N * D, seed, 2), fill(w, c.v, h * N * E, seed, 3);
    fill(w, c.beta, h * N, seed, 4), fill(w, c.a, h * N * D, seed, 5), fill(w, c.state, h * D * E, seed, 6);
    fill(w, c.A_log, h, seed, 7), fill(w, c.dt_bias, h * D, seed, 8);
    for (long k = 0; k < h * N; k++)
        c.beta[k] = b_add(w, c.beta[k], b_si(w, 1));
    for (long k = 0; k < h * N * D; k++)
        c.a[k] = b_sub(w, c.a[k], b_si(w, 1));
    return c;
}
/* Line `at` of an output of a call. */
static void answer(struct ask *w, const struct call *c, const char *out, const char *params, const long *at,
    const struct ball **y)
{
    const int rank = c->wide == D ? 3 : 2;
    const struct { const char *name; const struct ball *const *x; int rank; long dim[3]; } in[] = {
        { "q", c->q, 3, { c->g, c->n, D } }, { "k", c->k, 3, { c->g, c->n, D } }, { "v", c->v, 3, { c->h, c->n, E } },
        { "state", c->state, 3, { c->h, D, E } }, { "beta", c->beta, 2, { c->h, c->n } },
        { "a", c->a, rank, { c->h, c->n, D } }, { "A_log", c->A_log, 1, { c->h } },
        { "dt_bias", c->dt_bias, rank - 1, { c->h, D } },
    };
    enum { IN = sizeof in / sizeof *in, BETA = 4, GATES = 3 };
    struct mer_array array[IN];
    int n = 0;
    for (int k = 0; k < IN; k++) {
        if ((k == BETA && !c->strength) || (k > BETA && !c->wide))
            continue;
        array[n] = (struct mer_array){
            .name = in[k].name, .type = BALLS, .rank = in[k].rank, .dim = { in[k].dim[0], in[k].dim[1], in[k].dim[2] }
        };
        memcpy(&array[n++].data, &in[k].x, sizeof in[k].x);
    }
    line_of(w, (struct page_of){ c->r, out, params, array, n }, at, E, y);
}
/* All of o[n][E] of head h, and the last state final[D][E]. */
static void head(struct ask *w, const struct call *c, const char *params, long h, const struct ball **o,
    const struct ball **final)
{
    for (long t = 0; t < c->n; t++)
        answer(w, c, "o", params, (long[MER_RANK]){ h, t }, o + t * E);
    for (long i = 0; i < D; i++)
        answer(w, c, "final", params, (long[MER_RANK]){ h, i }, final + i * E);
}
/* The logarithm of decay x of token t of a call of one head. */
static const struct ball *decay_at(struct ask *w, const struct call *c, long t, long x)
{
    return !c->wide ? b_si(w, 0) : c->a[c->wide == D ? t * D + x : t];
}

/* With L_t the sums of the decays' logarithms, u_i = beta_i (v_i - S_0^T (e^L_i k_i) - sum_{j<i} <k_j, e^(L_i - L_j)
 * k_i> u_j) and o_i = S_0^T (e^L_i q_i) + sum_{j<=i} <k_j, e^(L_i - L_j) q_i> u_j. */
static void pairwise(struct ask *w, const struct call *c, const struct ball **o)
{
    const struct ball *u[N * E], *L[N * D];
    for (long i = 0; i < N; i++) {
        for (long x = 0; x < D; x++)
            L[i * D + x] = i ? b_add(w, L[(i - 1) * D + x], decay_at(w, c, i, x)) : decay_at(w, c, 0, x);
        for (long e = 0; e < E; e++) {
            const struct ball *by_k = b_si(w, 0), *by_q = b_si(w, 0);
            for (long x = 0; x < D; x++) {
                const struct ball *s = b_mul(w, b_exp(w, L[i * D + x]), c->state[x * E + e]);
                by_k = b_add(w, by_k, b_mul(w, s, c->k[i * D + x]));
                by_q = b_add(w, by_q, b_mul(w, s, c->q[i * D + x]));
            }
            for (long j = 0; j <= i; j++) {
                const struct ball *kk = b_si(w, 0), *kq = b_si(w, 0);
                for (long x = 0; x < D; x++) {
                    const struct ball *k = b_mul(w, b_exp(w, b_sub(w, L[i * D + x], L[j * D + x])), c->k[j * D + x]);
                    kk = b_add(w, kk, b_mul(w, k, c->k[i * D + x])), kq = b_add(w, kq, b_mul(w, k, c->q[i * D + x]));
                }
                if (j == i)
                    u[i * E + e] =
                        c->strength ? b_mul(w, c->beta[i], b_sub(w, c->v[i * E + e], by_k)) : c->v[i * E + e];
                by_k = j < i ? b_add(w, by_k, b_mul(w, kk, u[j * E + e])) : by_k;
                by_q = b_add(w, by_q, b_mul(w, kq, u[j * E + e]));
            }
            o[i * E + e] = by_q;
        }
    }
}
enum truth state_unrolled(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E];
    struct call c = made(w, r, seed, 1, 1);
    head(w, &c, params, 0, x, final);
    pairwise(w, &c, y);
    return law_close(&l, law_same_line(x, y, N * E));
}

/* The tokens from .. from + n of head h of a call, as a call of one head. */
static struct call piece(const struct call *c, long h, long from, long n)
{
    struct call p = { .r = c->r, .h = 1, .g = 1, .n = n, .wide = c->wide, .strength = c->strength };
    const long g = c->g * h / c->h, wide = c->wide ? c->wide : 1;
    memcpy(p.q, c->q + (g * N + from) * D, sizeof *p.q * (size_t)(n * D));
    memcpy(p.k, c->k + (g * N + from) * D, sizeof *p.k * (size_t)(n * D));
    memcpy(p.v, c->v + (h * N + from) * E, sizeof *p.v * (size_t)(n * E));
    memcpy(p.beta, c->beta + h * N + from, sizeof *p.beta * (size_t)n);
    memcpy(p.a, c->a + (h * N + from) * wide, sizeof *p.a * (size_t)(n * wide));
    memcpy(p.state, c->state + h * D * E, sizeof *p.state * D * E);
    memcpy(p.dt_bias, c->dt_bias + h * wide, sizeof *p.dt_bias * (size_t)wide), p.A_log[0] = c->A_log[h];
    return p;
}
enum truth state_joined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct call c = made(w, r, seed, 1, 1);
    bool ok = true;
    head(w, &c, "", 0, x, final);
    for (long size = 1; size < N; size++) {
        memcpy(last, c.state, sizeof last);
        for (long from = 0; from < N; from += size) {
            struct call part = piece(&c, 0, from, N - from < size ? N - from : size);
            memcpy(part.state, last, sizeof last);
            head(w, &part, from ? "" : params, 0, y + from * E, last);
        }
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

enum truth state_idle(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[N * E], *final[D * E], *y[D * E];
    struct call c = made(w, r, seed, 1, 1);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 0);
    head(w, &c, params, 0, o, final);
    for (long x = 0; x < D; x++) {
        const struct ball *sum = b_si(w, 0);
        for (long t = 0; t < N; t++)
            sum = b_add(w, sum, decay_at(w, &c, t, x));
        for (long e = 0; e < E; e++)
            y[x * E + e] = b_mul(w, b_exp(w, sum), c.state[x * E + e]);
    }
    return law_close(&l, law_same_line(final, y, D * E));
}

enum truth state_projected(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[N * E], *final[D * E];
    struct call c = made(w, r, seed, 1, 1);
    memcpy(c.q, c.k, sizeof c.q);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 1);
    head(w, &c, params, 0, o, final);
    return law_close(&l, law_same_line(o, c.v, N * E));
}

/* The turn by 3/5, 4/5 of x[0] and x[stride], or their exchange. */
static void turn(struct ask *w, const struct ball **x, long stride, bool exchange)
{
    const struct ball *c = b_ratio(w, 3, 5), *s = b_ratio(w, 4, 5), *p = x[0], *q = x[stride];
    x[0] = exchange ? q : b_sub(w, b_mul(w, c, p), b_mul(w, s, q));
    x[stride] = exchange ? p : b_add(w, b_mul(w, s, p), b_mul(w, c, q));
}
enum truth state_turned(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E];
    struct call c = made(w, r, seed, 1, 1);
    const bool exchange = c.wide == D;
    const long first = exchange; /* Of three channels, so that sums meet their terms in another order. */
    head(w, &c, params, 0, x, final);
    for (long t = 0; t < N; t++) {
        turn(w, c.q + t * D + first, 1, exchange), turn(w, c.k + t * D + first, 1, exchange);
        if (exchange)
            turn(w, c.a + t * D + first, 1, true);
    }
    for (long e = 0; e < E; e++)
        turn(w, c.state + first * E + e, E, exchange);
    head(w, &c, params, 0, y, final);
    return law_close(&l, law_same_line(x, y, N * E));
}

enum truth state_linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[3][N * E], *final[3][D * E];
    struct call a = made(w, r, seed, 1, 1), b = a, sum = a, more = made(w, r, seed + 1, 1, 1);
    memcpy(b.v, more.v, sizeof b.v), memcpy(b.state, more.state, sizeof b.state);
    for (long k = 0; k < N * E; k++)
        sum.v[k] = b_add(w, a.v[k], b.v[k]);
    for (long k = 0; k < D * E; k++)
        sum.state[k] = b_add(w, a.state[k], b.state[k]);
    const struct call *const calls[] = { &a, &b, &sum };
    for (int k = 0; k < 3; k++)
        head(w, calls[k], params, 0, o[k], final[k]);
    for (long k = 0; k < N * E; k++)
        o[0][k] = b_add(w, o[0][k], o[1][k]);
    for (long k = 0; k < D * E; k++)
        final[0][k] = b_add(w, final[0][k], final[1][k]);
    return law_close(&l, law_same_line(o[0], o[2], N * E) && law_same_line(final[0], final[2], D * E));
}

enum truth state_silent(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct call c = made(w, r, seed, 1, 1);
    const long at = (long)(seed % (N - 1)), wide = c.wide ? c.wide : 1;
    for (long i = 0; i < D; i++)
        c.k[at * D + i] = b_si(w, 0);
    for (long i = 0; i < wide; i++)
        c.a[at * wide + i] = b_si(w, 0);
    head(w, &c, params, 0, x, final);
    struct call front = piece(&c, 0, 0, at), rest = piece(&c, 0, at + 1, N - at - 1);
    if (at)
        head(w, &front, params, 0, y, last);
    else
        memcpy(last, c.state, sizeof last);
    memcpy(rest.state, last, sizeof last);
    head(w, &rest, params, 0, y, last);
    return law_close(&l, law_same_line(x + (at + 1) * E, y, (N - 1 - at) * E) && law_same_line(final, last, D * E));
}

enum truth state_grouped(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct call c = made(w, r, seed, H, 2);
    bool ok = true;
    for (long h = 0; h < H; h++) {
        const struct call one = piece(&c, h, 0, N);
        head(w, &one, params, 0, x, final), head(w, &c, params, h, y, last);
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

enum truth state_gated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E], *one = b_si(w, 1);
    struct call c = made(w, r, seed, 1, 1);
    head(w, &c, params, 0, x, final);
    for (long k = 0; k < N * c.wide; k++) {
        const struct ball *z = b_exp(w, b_add(w, c.a[k], c.dt_bias[k % c.wide]));
        c.a[k] = b_neg(w, b_mul(w, b_exp(w, c.A_log[0]), b_log(w, b_add(w, one, z))));
    }
    for (long t = 0; t < N; t++) {
        const struct ball *e = b_exp(w, c.beta[t]);
        c.beta[t] = b_mul(w, b_si(w, 2), b_div(w, e, b_add(w, one, e)));
    }
    head(w, &c, "", 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}

/* The row with decays made so that it is another row, against that one. */
static enum truth is_the_row(const struct row *r, const char *other, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct call c = made(w, r, seed, 1, 1), one = made(w, row_named(other), seed, 1, 1);
    for (long k = 0; k < N * c.wide; k++)
        c.a[k] = one.wide ? one.a[k / c.wide] : b_si(w, 0);
    head(w, &c, params, 0, x, final), head(w, &one, "", 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}
enum truth state_alike(const struct row *r, const char *params, uint64_t seed)
{
    return is_the_row(r, "gateddelta", params, seed);
}
enum truth state_undecayed(const struct row *r, const char *params, uint64_t seed)
{
    return is_the_row(r, "deltanet", params, seed);
}

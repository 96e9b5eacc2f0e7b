/* Laws of the recurrence, with or without delta rule and decays; see state_laws.h. */
#include "state_laws.h"
#include "state_call.h"

enum { H = STATE_H, N = STATE_N, D = STATE_D, E = STATE_E };
/* The logarithm of decay x of token t of a call of one head. */
static const struct ball *decay_at(struct ask *w, const struct state_call *c, long t, long x)
{
    return !c->wide ? b_si(w, 0) : c->a[c->wide == D ? t * D + x : t];
}

/* With L_t the sums of the decays' logarithms, u_i = beta_i (v_i - S_0^T (e^L_i k_i) - sum_{j<i} <k_j, e^(L_i - L_j)
 * k_i> u_j) and o_i = S_0^T (e^L_i q_i) + sum_{j<=i} <k_j, e^(L_i - L_j) q_i> u_j. */
static void pairwise(struct ask *w, const struct state_call *c, const struct ball **o)
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
    struct state_call c = state_made(w, r, seed, 1, 1);
    state_head(w, &c, params, 0, x, final);
    pairwise(w, &c, y);
    return law_close(&l, law_same_line(x, y, N * E));
}

enum truth state_joined(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, "", 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E], *z[D];
    const struct state_call c = state_made(w, r, seed, 1, 1);
    bool ok = true;
    state_head(w, &c, "", 0, x, final);
    for (long size = 1; size < N; size++) {
        memcpy(last, c.state, sizeof last), memcpy(z, c.z, sizeof z);
        for (long from = 0; from < N; from += size) {
            struct state_call part = state_piece(&c, 0, from, N - from < size ? N - from : size);
            memcpy(part.state, last, sizeof last), memcpy(part.z, z, sizeof z);
            state_head(w, &part, from ? "" : params, 0, y + from * E, last);
            if (c.sums)
                state_sums(w, &part, from ? "" : params, 0, z);
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
    struct state_call c = state_made(w, r, seed, 1, 1);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 0);
    state_head(w, &c, params, 0, o, final);
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
    struct state_call c = state_made(w, r, seed, 1, 1);
    memcpy(c.q, c.k, sizeof c.q);
    for (long t = 0; t < N; t++)
        c.beta[t] = b_si(w, 1);
    state_head(w, &c, params, 0, o, final);
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
    struct state_call c = state_made(w, r, seed, 1, 1);
    const bool exchange = c.wide == D;
    const long first = exchange; /* Of three channels, so that sums meet their terms in another order. */
    state_head(w, &c, params, 0, x, final);
    for (long t = 0; t < N; t++) {
        turn(w, c.q + t * D + first, 1, exchange), turn(w, c.k + t * D + first, 1, exchange);
        if (exchange)
            turn(w, c.a + t * D + first, 1, true);
    }
    for (long e = 0; e < E; e++)
        turn(w, c.state + first * E + e, E, exchange);
    state_head(w, &c, params, 0, y, final);
    return law_close(&l, law_same_line(x, y, N * E));
}

enum truth state_linear(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *o[3][N * E], *final[3][D * E];
    struct state_call a = state_made(w, r, seed, 1, 1), b = a, sum = a, more = state_made(w, r, seed + 1, 1, 1);
    memcpy(b.v, more.v, sizeof b.v), memcpy(b.state, more.state, sizeof b.state);
    for (long k = 0; k < N * E; k++)
        sum.v[k] = b_add(w, a.v[k], b.v[k]);
    for (long k = 0; k < D * E; k++)
        sum.state[k] = b_add(w, a.state[k], b.state[k]);
    const struct state_call *const calls[] = { &a, &b, &sum };
    for (int k = 0; k < 3; k++)
        state_head(w, calls[k], params, 0, o[k], final[k]);
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
    struct state_call c = state_made(w, r, seed, 1, 1);
    const long at = (long)(seed % (N - 1)), wide = c.wide ? c.wide : 1;
    for (long i = 0; i < D; i++)
        c.k[at * D + i] = b_si(w, 0);
    for (long i = 0; i < wide; i++)
        c.a[at * wide + i] = b_si(w, 0);
    state_head(w, &c, params, 0, x, final);
    struct state_call front = state_piece(&c, 0, 0, at), rest = state_piece(&c, 0, at + 1, N - at - 1);
    if (at)
        state_head(w, &front, params, 0, y, last);
    else
        memcpy(last, c.state, sizeof last);
    memcpy(rest.state, last, sizeof last);
    state_head(w, &rest, params, 0, y, last);
    return law_close(&l, law_same_line(x + (at + 1) * E, y, (N - 1 - at) * E) && law_same_line(final, last, D * E));
}

enum truth state_grouped(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct state_call c = state_made(w, r, seed, H, 2);
    bool ok = true;
    for (long h = 0; h < H; h++) {
        const struct state_call one = state_piece(&c, h, 0, N);
        state_head(w, &one, params, 0, x, final), state_head(w, &c, params, h, y, last);
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

enum truth state_gated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E], *one = b_si(w, 1);
    struct state_call c = state_made(w, r, seed, 1, 1);
    state_head(w, &c, params, 0, x, final);
    for (long k = 0; k < N * c.wide; k++) {
        const struct ball *z = b_exp(w, b_add(w, c.a[k], c.dt_bias[k % c.wide]));
        c.a[k] = b_neg(w, b_mul(w, b_exp(w, c.A_log[0]), b_log(w, b_add(w, one, z))));
    }
    for (long t = 0; t < N; t++) {
        const struct ball *e = b_exp(w, c.beta[t]);
        c.beta[t] = b_mul(w, b_si(w, 2), b_div(w, e, b_add(w, one, e)));
    }
    state_head(w, &c, "", 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}

/* The row with decays made so that it is another row, against that one. */
static enum truth is_the_row(const struct row *r, const char *other, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1), one = state_made(w, row_named(other), seed, 1, 1);
    for (long k = 0; k < N * c.wide; k++)
        c.a[k] = one.wide ? one.a[k / c.wide] : b_si(w, 0);
    state_head(w, &c, params, 0, x, final), state_head(w, &one, "", 0, y, last);
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

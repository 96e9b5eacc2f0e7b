/* Laws of mla: both forms are one, and both are row attention of vectors made by hand. */
#include "law.h"
#include "ruler/bits.h"

enum { H = 2, N = 2, M = 4, D = 2, R = 2, E = 3, L = 3 };
/* A call, as balls. */
struct law_mla_call {
    const struct ball *q_nope[H * N * D], *q_pe[H * N * R], *c[M * L], *k_pe[M * R], *w_uk[H * D * L], *w_uv[H * E * L];
};
static void fill(struct ask *w, const struct ball **x, long n, uint64_t seed, uint64_t stream)
{
    for (long k = 0; k < n; k++)
        x[k] = b_ratio(w, 2 * (long)(gen_bits(seed, stream, (uint64_t)k) % 16) - 15, 16);
}
static struct law_mla_call made(struct ask *w, uint64_t seed)
{
    struct law_mla_call c;
    fill(w, c.q_nope, H * N * D, seed, 1), fill(w, c.q_pe, H * N * R, seed, 2), fill(w, c.c, M * L, seed, 3);
    fill(w, c.k_pe, M * R, seed, 4), fill(w, c.w_uk, H * D * L, seed, 5), fill(w, c.w_uv, H * E * L, seed, 6);
    return c;
}
/* All of an output of len numbers a line: y[H][N][len]. */
static void answer(struct ask *w, const struct row *r, const struct law_mla_call *c, const char *out,
    const char *params,
    long len, const struct ball **y)
{
    struct mer_array in[] = { { .name = "q_nope", .type = BALLS, .rank = 3, .dim = { H, N, D } },
        { .name = "q_pe", .type = BALLS, .rank = 3, .dim = { H, N, R } },
        { .name = "c", .type = BALLS, .rank = 2, .dim = { M, L } },
        { .name = "k_pe", .type = BALLS, .rank = 2, .dim = { M, R } },
        { .name = "w_uk", .type = BALLS, .rank = 3, .dim = { H, D, L } },
        { .name = "w_uv", .type = BALLS, .rank = 3, .dim = { H, E, L } } };
    const struct ball *const *const data[] = { c->q_nope, c->q_pe, c->c, c->k_pe, c->w_uk, c->w_uv };
    for (int k = 0; k < 6; k++)
        memcpy(&in[k].data, &data[k], sizeof data[k]);
    for (long h = 0; h < H; h++)
        for (long i = 0; i < N; i++)
            line_of(w, (struct page_of){ r, out, params, in, 6 }, (long[MER_RANK]){ h, i }, len, y + (h * N + i) * len);
}
/* Is the row's answer the same under `more`, of a call that was changed? */
static enum truth alike(const struct row *r, const char *params, const char *more, uint64_t seed,
    void (*change)(struct ask *, struct law_mla_call *))
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[H * N * E], *y[H * N * E], *a[H * N], *b[H * N];
    struct law_mla_call c = made(w, seed), other = c;
    char text[200];
    if (change)
        change(w, &other);
    answer(w, r, &c, "o", params, E, x), answer(w, r, &c, "lse", params, 1, a);
    law_text(text, sizeof text, more, "");
    answer(w, r, &other, "o", text, E, y), answer(w, r, &other, "lse", text, 1, b);
    return law_close(&l, law_same_line(x, y, H * N * E) && law_same_line(a, b, H * N));
}
static enum truth absorbed(const struct row *r, const char *params, uint64_t seed)
{
    return alike(r, params, "scaling=yarn factor=40 mscale_all_dim=1 mscale=1 form=naive", seed, NULL);
}

/* Keys of a cache that was rotated when it was written. */
static void rotate(struct ask *w, struct law_mla_call *c)
{
    const struct ball *y[R];
    for (long j = 0; j < M; j++) {
        law_row(w, row_named("rope"), "y", "dim=2 layout=interleaved", c->k_pe + j * R, (double)j, R, y);
        memcpy(c->k_pe + j * R, y, sizeof y);
    }
    for (long k = 0; k < H * N; k++) {
        law_row(w, row_named("rope"), "y", "dim=2 layout=interleaved", c->q_pe + k * R, (double)(M - N + k % N), R, y);
        memcpy(c->q_pe + k * R, y, sizeof y);
    }
}
static enum truth rotated(const struct row *r, const char *params, uint64_t seed)
{
    return alike(r, params, "rope=off", seed, rotate);
}

/* g = 0.1 ln 40 + 1; queries twice times it. */
static void warm(struct ask *w, struct law_mla_call *c)
{
    const struct ball *g = b_add(w, b_si(w, 1), b_mul(w, b_ratio(w, 1, 10), b_log(w, b_si(w, 40))));
    for (long k = 0; k < H * N * D; k++)
        c->q_nope[k] = b_mul(w, b_mul(w, c->q_nope[k], g), g);
    for (long k = 0; k < H * N * R; k++)
        c->q_pe[k] = b_mul(w, b_mul(w, c->q_pe[k], g), g);
}
static enum truth warmed(const struct row *r, const char *params, uint64_t seed)
{
    return alike(r, params, "rope=off", seed, warm);
}

/* Row attention of the naive queries, keys and values, which are made here. */
static enum truth attended(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[H * N * E], *y[H * N * E], *q[H * N * (D + R)], *k[H * M * (D + R)], *v[H * M * E];
    struct law_mla_call c = made(w, seed);
    answer(w, r, &c, "o", params, E, x);
    for (long h = 0; h < H; h++) {
        for (long i = 0; i < N * (D + R); i++)
            q[h * N * (D + R) + i] = i % (D + R) < D ? c.q_nope[(h * N + i / (D + R)) * D + i % (D + R)] :
                                                       c.q_pe[(h * N + i / (D + R)) * R + i % (D + R) - D];
        for (long j = 0; j < M; j++) {
            const struct ball **at = k + (h * M + j) * (D + R);
            for (long a = 0; a < D; a++)
                at[a] = law_dot(w, c.w_uk + (h * D + a) * L, c.c + j * L, L);
            memcpy(at + D, c.k_pe + j * R, sizeof *at * R);
            for (long a = 0; a < E; a++)
                v[(h * M + j) * E + a] = law_dot(w, c.w_uv + (h * E + a) * L, c.c + j * L, L);
        }
    }
    const struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { H, N, D + R }, .data = q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { H, M, D + R }, .data = k },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { H, M, E }, .data = v } };
    for (long k2 = 0; k2 < H * N; k2++)
        line_of(w, (struct page_of){ row_named("attention"), "o", "causal=bottomright", in, 3 },
            (long[MER_RANK]){ k2 / N, k2 % N }, E, y + k2 * E);
    return law_close(&l, law_same_line(x, y, H * N * E));
}

const struct law mla_laws[] = {
    { "the absorbed form is the naive one", "scaling=yarn factor=40 mscale_all_dim=1 mscale=1 form=absorbed", absorbed,
        "width=latent" },
    { "rope turns q_pe and k_pe alone, each at its own position", "", rotated, "start=zero" },
    { "of two channels both layouts are one", "layout=half", rotated, "rope=off" },
    { "g multiplies the score twice", "scaling=yarn factor=40 mscale_all_dim=1 mscale=1 rope=off", warmed,
        "warming=once" },
    { "behind the rotation it is row attention of d + r channels", "rope=off", attended, "width=nope" },
    { 0 },
};

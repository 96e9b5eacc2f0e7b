/* Laws of attention over a quantized cache: it is attention over what the codes and scales stand for. */
#include "law.h"
extern const struct row row_attention;

enum { H = 2, N = 2, G = 1, M = 4, D = 4, E = 2, R = 2, A = 2 };
struct quantized_call { double q[H * N * D], k[M * D], v[M * E], k_scale[R * A], v_scale[R], k_zero[R * A]; };
/* Codes are whole numbers from -8 to 7, and scales sixteenths. */
static struct quantized_call made(uint64_t seed)
{
    struct quantized_call c;
    law_fill(c.q, H * N * D, seed), law_fill(c.k, M * D, seed + 1), law_fill(c.v, M * E, seed + 2);
    law_fill(c.k_scale, R * A, seed + 3), law_fill(c.v_scale, R, seed + 4), law_fill(c.k_zero, R * A, seed + 5);
    for (int k = 0; k < M * D; k++)
        c.k[k] = (double)(long)(8 * c.k[k]);
    for (int k = 0; k < M * E; k++)
        c.v[k] = (double)(long)(8 * c.v[k]);
    for (int k = 0; k < R * A; k++)
        c.k_scale[k] += 2, c.k_zero[k] = (double)(long)(8 * c.k_zero[k]);
    for (int k = 0; k < R; k++)
        c.v_scale[k] += 2;
    return c;
}
static void ask_o(
    struct ask *w, struct law_of of, const struct quantized_call *c, bool zeros, long i, const struct ball **y)
{
    const struct given in[] = { { "q", c->q, 3, { H, N, D } }, { "k", c->k, 3, { G, M, D } },
        { "k_scale", c->k_scale, 3, { G, R, A } }, { "v", c->v, 3, { G, M, E } },
        { "v_scale", c->v_scale, 3, { G, R, 1 } }, { "k_zero", c->k_zero, 3, { G, R, A } } };
    law_line(w, of, (struct givens){ in, 5 + zeros }, (long[MER_RANK]){ 1, i }, E, y);
}

#define SMALL "k_code=int4 v_code=int4 k_tokens=2 k_width=2 v_tokens=2"
/* The same numbers, unpacked by hand into keys and values; zero: with the zeros of keys. */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct quantized_call c = made(seed);
    const bool zeros = seed % 2;
    const struct ball *x[E], *y[E];
    double k[M * D], v[M * E];
    for (long j = 0; j < M; j++) {
        for (long a = 0; a < D; a++)
            k[j * D + a] =
                c.k_scale[j / 2 * A + a / 2] * (c.k[j * D + a] - (zeros ? c.k_zero[j / 2 * A + a / 2] : 0));
        for (long a = 0; a < E; a++)
            v[j * E + a] = c.v_scale[j / 2] * c.v[j * E + a];
    }
    const struct given in[] = { { "q", c.q, 3, { H, N, D } }, { "k", k, 3, { G, M, D } }, { "v", v, 3, { G, M, E } } };
    const long i = (long)(seed / 2 % N);
    ask_o(w, (struct law_of){ r, "o", params }, &c, zeros, i, x);
    law_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, (struct givens){ in, 3 },
        (long[MER_RANK]){ 1, i }, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* A zero of the code is a minimum of minus scale times it. */
static enum truth minimum(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct quantized_call c = made(seed);
    struct quantized_call other = c;
    const struct ball *x[E], *y[E];
    char text[200];
    for (int k = 0; k < R * A; k++)
        other.k_zero[k] *= -c.k_scale[k];
    ask_o(w, (struct law_of){ r, "o", params }, &c, true, 1, x);
    ask_o(w, (struct law_of){ r, "o", law_text(text, sizeof text, SMALL, "zero=after") }, &other, true, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* Codes of half the size under scales of twice the size. */
static enum truth scaled(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct quantized_call c = made(seed), other;
    const struct ball *x[E], *y[E];
    for (int k = 0; k < M * D; k++)
        c.k[k] *= 2;
    other = c;
    for (int k = 0; k < M * D; k++)
        other.k[k] /= 2;
    for (int k = 0; k < R * A; k++)
        other.k_scale[k] *= 2;
    ask_o(w, (struct law_of){ r, "o", "k_code=int8 v_code=int4 k_tokens=2 k_width=2 v_tokens=2" }, &c, false, 1, x);
    ask_o(w, (struct law_of){ r, "o", params }, &other, false, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* A block of one token of which two have the same scale is a block of two. */
static enum truth repeated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct quantized_call c = made(seed);
    const struct ball *x[D], *y[D];
    double each[M * A];
    for (long k = 0; k < M * A; k++)
        each[k] = c.k_scale[k / A / 2 * A + k % A];
    const struct given few[] = { { "k", c.k, 3, { 1, M, D } }, { "k_scale", c.k_scale, 3, { 1, R, A } } },
                       many[] = { { "k", c.k, 3, { 1, M, D } }, { "k_scale", each, 3, { 1, M, A } } };
    bool same = true;
    for (long j = 0; j < M; j++) {
        const long at[MER_RANK] = { 0, j };
        law_line(w, (struct law_of){ r, "key", params }, (struct givens){ few, 2 }, at, D, x);
        law_line(w, (struct law_of){ r, "key", "k_code=int4 k_width=2" }, (struct givens){ many, 2 }, at, D, y);
        same &= law_same_line(x, y, D);
    }
    return law_close(&l, same);
}

const struct law quantized_laws[] = {
    { "it is attention over the keys and values that are unpacked", SMALL " causal=bottomright", plain, "k_width=1" },
    { "a zero of the code is a minimum of minus scale times it", SMALL, minimum, "zero=after" },
    { "half the codes under twice the scales are the same", SMALL, scaled, "scale=2" },
    { "a scale of two tokens is that scale of each", SMALL, repeated, "k_tokens=3" },
    { 0 },
};

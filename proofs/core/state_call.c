/* Calls of rows of the recurrence; see state_call.h. */
#include "state_call.h"
#include "ruler/bits.h"

enum { H = STATE_H, N = STATE_N, D = STATE_D, E = STATE_E };

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
struct state_call state_made(struct ask *w, const struct row *r, uint64_t seed, long h, long g)
{
    struct sign s;
    sign_read(&s, row_quantity(r, "o")->sign);
    const struct axes *a = input_of(&s, "a"), *q = input_of(&s, "q");
    g = q->axis[0] == input_of(&s, "v")->axis[0] ? h : g;
    struct state_call c = { .r = r, .h = h, .g = g, .n = N, .wide = !a ? 0 : a->rank == 3 ? D : 1,
        .strength = input_of(&s, "beta"), .sums = input_of(&s, "z") };
    fill(w, c.q, g * N * D, seed, 1), fill(w, c.k, g * N * D, seed, 2), fill(w, c.v, h * N * E, seed, 3);
    fill(w, c.beta, h * N, seed, 4), fill(w, c.a, h * N * D, seed, 5), fill(w, c.state, h * D * E, seed, 6);
    fill(w, c.A_log, h, seed, 7), fill(w, c.dt_bias, h * D, seed, 8), fill(w, c.z, h * D, seed, 9);
    for (long k = 0; k < h * D; k++)
        c.z[k] = b_add(w, c.z[k], b_si(w, 1));
    for (long k = 0; k < h * N; k++)
        c.beta[k] = b_add(w, c.beta[k], b_si(w, 1));
    for (long k = 0; k < h * N * D; k++)
        c.a[k] = b_sub(w, c.a[k], b_si(w, 1));
    return c;
}
/* Line `at` of an output of a call. */
static void answer(struct ask *w, const struct state_call *c, const char *out, const char *params, const long *at,
    long len, const struct ball **y)
{
    const int rank = c->wide == D ? 3 : 2;
    const struct { const char *name; const struct ball *const *x; int rank; long dim[3]; } in[] = {
        { "q", c->q, 3, { c->g, c->n, D } }, { "k", c->k, 3, { c->g, c->n, D } }, { "v", c->v, 3, { c->h, c->n, E } },
        { "state", c->state, 3, { c->h, D, E } }, { "beta", c->beta, 2, { c->h, c->n } },
        { "a", c->a, rank, { c->h, c->n, D } }, { "A_log", c->A_log, 1, { c->h } },
        { "dt_bias", c->dt_bias, rank - 1, { c->h, D } }, { "z", c->z, 2, { c->h, D } },
    };
    enum { IN = sizeof in / sizeof *in };
    struct mer_array array[IN];
    struct sign s;
    int n = 0;
    sign_read(&s, row_quantity(c->r, out)->sign);
    for (int k = 0; k < IN; k++) {
        if (!input_of(&s, in[k].name))
            continue;
        array[n] = (struct mer_array){
            .name = in[k].name, .type = BALLS, .rank = in[k].rank, .dim = { in[k].dim[0], in[k].dim[1], in[k].dim[2] }
        };
        memcpy(&array[n++].data, &in[k].x, sizeof in[k].x);
    }
    line_of(w, (struct page_of){ c->r, out, params, array, n }, at, len, y);
}
void state_head(struct ask *w, const struct state_call *c, const char *params, long h, const struct ball **o,
    const struct ball **final)
{
    for (long t = 0; t < c->n; t++)
        answer(w, c, "o", params, (long[MER_RANK]){ h, t }, E, o + t * E);
    for (long i = 0; i < D; i++)
        answer(w, c, "final", params, (long[MER_RANK]){ h, i }, E, final + i * E);
}
void state_sums(struct ask *w, const struct state_call *c, const char *params, long h, const struct ball **z)
{
    answer(w, c, "final_z", params, (long[MER_RANK]){ h }, D, z);
}

struct state_call state_piece(const struct state_call *c, long h, long from, long n)
{
    struct state_call p = { .r = c->r, .h = 1, .g = 1, .n = n, .wide = c->wide, .strength = c->strength,
        .sums = c->sums };
    const long g = c->g * h / c->h, wide = c->wide ? c->wide : 1;
    memcpy(p.q, c->q + (g * N + from) * D, sizeof *p.q * (size_t)(n * D));
    memcpy(p.k, c->k + (g * N + from) * D, sizeof *p.k * (size_t)(n * D));
    memcpy(p.v, c->v + (h * N + from) * E, sizeof *p.v * (size_t)(n * E));
    memcpy(p.beta, c->beta + h * N + from, sizeof *p.beta * (size_t)n);
    memcpy(p.a, c->a + (h * N + from) * wide, sizeof *p.a * (size_t)(n * wide));
    memcpy(p.state, c->state + h * D * E, sizeof *p.state * D * E);
    memcpy(p.z, c->z + h * D, sizeof *p.z * D);
    memcpy(p.dt_bias, c->dt_bias + h * wide, sizeof *p.dt_bias * (size_t)wide), p.A_log[0] = c->A_log[h];
    return p;
}

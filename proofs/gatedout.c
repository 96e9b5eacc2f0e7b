/* Laws of attention with a gated output: what the gate is, and when it may be moved in front of attention. */
#include "law.h"
extern const struct row row_attention;

enum { H = 2, N = 3, M = 5, D = 2, E = 3 };
struct law_gatedout_call { double q[H * N * D], k[H * M * D], v[H * M * E], gate[H * N * E], gate_head[H * N]; };
static struct law_gatedout_call made(uint64_t seed)
{
    struct law_gatedout_call c;
    law_fill(c.q, H * N * D, seed), law_fill(c.k, H * M * D, seed + 1), law_fill(c.v, H * M * E, seed + 2);
    law_fill(c.gate, H * N * E, seed + 3), law_fill(c.gate_head, H * N, seed + 4);
    return c;
}
/* Line (1, i) of y, y_head or, of row attention, o. */
static void ask_line(struct ask *w, struct law_of of, const struct law_gatedout_call *c, long i, const struct ball **y)
{
    const bool head = !strcmp(of.out, "y_head"), gated = *of.out == 'y';
    const struct given in[] = { { "q", c->q, 3, { H, N, D } }, { "k", c->k, 3, { H, M, D } },
        { "v", c->v, 3, { H, M, E } },
        { head ? "gate_head" : "gate", head ? c->gate_head : c->gate, head ? 2 : 3, { H, N, E } } };
    law_line(w, of, (struct givens){ in, 3 + gated }, (long[MER_RANK]){ 1, i }, E, y);
}
static const struct ball *sigmoid(struct ask *w, double x)
{
    const struct mer_array a = { .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &x };
    return b_div(w, b_si(w, 1), b_add(w, b_si(w, 1), b_exp(w, b_neg(w, b_element(w, &a, 0)))));
}

static enum truth multiplied(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct law_gatedout_call c = made(seed);
    const long i = (long)(seed % N);
    const struct ball *x[E], *y[E];
    ask_line(w, (struct law_of){ r, "y", params }, &c, i, x);
    ask_line(w, (struct law_of){ &row_attention, "o", "causal=bottomright" }, &c, i, y);
    for (long e = 0; e < E; e++)
        y[e] = b_mul(w, y[e], sigmoid(w, c.gate[(N + i) * E + e]));
    return law_close(&l, law_same_line(x, y, E));
}
static enum truth halved(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_gatedout_call c = made(seed);
    const struct ball *x[E], *y[E];
    memset(c.gate, 0, sizeof c.gate);
    ask_line(w, (struct law_of){ r, "y", params }, &c, (long)(seed % N), x);
    ask_line(w, (struct law_of){ &row_attention, "o", "" }, &c, (long)(seed % N), y);
    for (long e = 0; e < E; e++)
        y[e] = b_mul(w, y[e], b_ratio(w, 1, 2));
    return law_close(&l, law_same_line(x, y, E));
}
static enum truth spread(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_gatedout_call c = made(seed);
    const struct ball *x[E], *y[E];
    for (long k = 0; k < H * N * E; k++)
        c.gate[k] = c.gate_head[k / E];
    ask_line(w, (struct law_of){ r, "y_head", params }, &c, (long)(seed % N), x);
    ask_line(w, (struct law_of){ r, "y", "" }, &c, (long)(seed % N), y);
    return law_close(&l, law_same_line(x, y, E));
}
/* Gates of 0 but in the first channel, so that the values that they are put on are exact halves; the first channel is
 * multiplied behind attention. */
static enum truth moved(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    struct law_gatedout_call c = made(seed), scaled = c;
    const struct ball *x[E], *y[E];
    for (long k = 0; k < H * N * E; k++)
        c.gate[k] = k % E ? 0 : -1;
    for (long k = 0; k < H * M * E; k++)
        scaled.v[k] /= k % E ? 2 : 1;
    ask_line(w, (struct law_of){ r, "y", params }, &c, (long)(seed % N), x);
    ask_line(w, (struct law_of){ &row_attention, "o", "" }, &scaled, (long)(seed % N), y);
    y[0] = b_mul(w, y[0], sigmoid(w, -1));
    return law_close(&l, law_same_line(x, y, E));
}

const struct law gatedout_laws[] = {
    { "it is attention times 1 / (1 + exp(-gate))", "causal=bottomright", multiplied, "causal=topleft" },
    { "a gate of 0 halves the output", "", halved, "act=silu" },
    { "one gate for a head is the same gate in every channel", "", spread, "act=identity" },
    { "a gate that all queries share may be put on the values", "", moved, "act=silu" },
    { 0 },
};

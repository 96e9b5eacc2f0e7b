/* Laws of attention over a paged cache: it is attention over the keys that a table gathers, however pages lie. */
#include <math.h>
#include "law.h"
extern const struct row row_attention;

#define SMALL "page=2 pages=3"
enum { H = 2, N = 2, D = 2, E = 3, P = 5, S = 2, G = 2, B = 2, C = 3 };
struct paged_call { double q[H * N * D], k[P * S * G * D], v[P * S * G * E], table[B * C], seq[N], pos[N]; };
/* Both sequences begin with page 3, and no table names page 1. */
static struct paged_call made(uint64_t seed)
{
    struct paged_call c = { .table = { 3, 0, 4, 3, 2, 0 }, .seq = { 1, 0 }, .pos = { (double)(seed % 5), 4 } };
    law_fill(c.q, H * N * D, seed), law_fill(c.k, P * S * G * D, seed + 1), law_fill(c.v, P * S * G * E, seed + 2);
    return c;
}
static struct mer_array reals(const char *name, const double *x, int rank, long i, long j, long k, long l)
{
    struct mer_array a = { .name = name, .type = MER_F64, .rank = rank, .dim = { i, j, k, l } };
    memcpy(&a.data, &x, sizeof x);
    return a;
}
/* o[E] of query i of head 1; integers are read from doubles, which hold them exactly. */
static void ask_line(struct ask *w, struct law_of of, const struct paged_call *c, long i, const struct ball **y)
{
    int64_t whole[B * C + 2 * N];
    for (int k = 0; k < B * C; k++)
        whole[k] = (int64_t)c->table[k];
    for (int k = 0; k < N; k++)
        whole[B * C + k] = (int64_t)c->seq[k], whole[B * C + N + k] = (int64_t)c->pos[k];
    const struct mer_array in[] = { reals("q", c->q, 3, H, N, D, 0), reals("k", c->k, 4, P, S, G, D),
        reals("v", c->v, 4, P, S, G, E),
        { .name = "table", .type = MER_I64, .rank = 2, .dim = { B, C }, .data = whole },
        { .name = "seq", .type = MER_I64, .rank = 1, .dim = { N }, .data = whole + B * C },
        { .name = "pos", .type = MER_I64, .rank = 1, .dim = { N }, .data = whole + B * C + N } };
    line_of(w, (struct page_of){ of.row, of.out, of.params, in, 6 }, (long[MER_RANK]){ 1, i }, E, y);
}

static enum truth gathered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct paged_call c = made(seed);
    const struct ball *x[E], *y[E];
    double k[G * C * S * D], v[G * C * S * E];
    const long i = (long)(seed % N), m = (long)c.pos[i] + 1;
    for (long g = 0; g < G; g++)
        for (long j = 0; j < m; j++) {
            const long at = ((long)c.table[(long)c.seq[i] * C + j / S] * S + j % S) * G + g;
            memcpy(k + (g * m + j) * D, c.k + at * D, D * sizeof *k);
            memcpy(v + (g * m + j) * E, c.v + at * E, E * sizeof *v);
        }
    const struct given in[] = { { "q", c.q, 3, { H, N, D } }, { "k", k, 3, { G, m, D } }, { "v", v, 3, { G, m, E } } };
    ask_line(w, (struct law_of){ r, "o", params }, &c, i, x);
    law_line(w, (struct law_of){ &row_attention, "o", "" }, (struct givens){ in, 3 }, (long[MER_RANK]){ 1, i }, E, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* Pages in another order, with the table that says so. */
static enum truth moved(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct paged_call c = made(seed);
    struct paged_call other = c;
    const struct ball *x[E], *y[E];
    for (long p = 0; p < P; p++) {
        const long to = (p * 2 + 1) % P;
        memcpy(other.k + to * S * G * D, c.k + p * S * G * D, S * G * D * sizeof *c.k);
        memcpy(other.v + to * S * G * E, c.v + p * S * G * E, S * G * E * sizeof *c.v);
    }
    for (long k = 0; k < B * C; k++)
        other.table[k] = (double)(((long)c.table[k] * 2 + 1) % P);
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, x);
    ask_line(w, (struct law_of){ r, "o", SMALL }, &other, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* What is not the query's may hold anything: a page that no table names, and the slot behind the last position. */
static enum truth unread(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct paged_call c = made(seed);
    struct paged_call other = c;
    const struct ball *x[E], *y[E];
    for (long k = 0; k < S * G * D; k++)
        other.k[1 * S * G * D + k] = (double)NAN;
    for (long k = 0; k < G * D; k++)
        other.k[(4 * S + 1) * G * D + k] = (double)NAN;
    for (long k = 0; k < G * E; k++)
        other.v[(4 * S + 1) * G * E + k] = (double)INFINITY;
    ask_line(w, (struct law_of){ r, "o", SMALL }, &c, 1, x);
    ask_line(w, (struct law_of){ r, "o", params }, &other, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}
/* A page that two tables share is two pages alike. */
static enum truth shared(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct paged_call c = made(seed);
    struct paged_call apart = c;
    const struct ball *x[E], *y[E];
    memcpy(apart.k + 1 * S * G * D, c.k + 3 * S * G * D, S * G * D * sizeof *c.k);
    memcpy(apart.v + 1 * S * G * E, c.v + 3 * S * G * E, S * G * E * sizeof *c.v);
    apart.table[0] = 1;
    ask_line(w, (struct law_of){ r, "o", params }, &c, 1, x);
    ask_line(w, (struct law_of){ r, "o", SMALL }, &apart, 1, y);
    return law_close(&l, law_same_line(x, y, E));
}

const struct law paged_laws[] = {
    { "it is attention over the keys that the table gathers", SMALL, gathered, "scale=2" },
    { "the order of pages in the cache changes nothing", SMALL, moved, "window=2" },
    { "pages without a table and slots behind the last position are not read", SMALL, unread, "window=2" },
    { "a page of two tables is two pages alike", SMALL, shared, "window=2" },
    { 0 },
};

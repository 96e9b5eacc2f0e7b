/* What the laws of the rows that remap distances share; see remapped.h. */
#include "remapped.h"
extern const struct row row_rope, row_attention;
enum { D = REMAPPED_D, E = REMAPPED_E, N = REMAPPED_N, M = REMAPPED_M };

void remapped_fill(struct remapped_case *x, uint64_t seed)
{
    law_fill(x->q, N * D, seed), law_fill(x->k, M * D, seed + 5), law_fill(x->v, M * E, seed + 11);
}

void remapped_line(struct ask *w, const struct row *r, const char *params, const struct remapped_case *x, long i,
    const struct ball **o)
{
    const struct given in[] = { { "q", x->q, 3, { 1, N, D } }, { "k", x->k, 3, { 1, M, D } },
        { "v", x->v, 3, { 1, M, E } } };
    law_line(w, (struct law_of){ r, "o", params }, (struct givens){ in, 3 }, (long[MER_RANK]){ 0, i }, E, o);
}

/* x[D] rotated to that position by row rope, as balls y[D]. */
static void turned(
struct ask *w, const double *x, double pos, const struct ball **y)
{
    const struct given in[] = { { "x", x, 3, { 1, 1, D } }, { "pos", &pos, 1, { 1 } } };
    law_line(w, (struct law_of){ &row_rope, "y", "dim=8" }, (struct givens){ in, 2 }, NULL, D, y);
}
void remapped_by_rope(
    struct ask *w, const struct remapped_case *x, long i, long c, const long *at, const struct ball **o)
{
    const struct ball *q[D], *k[M * D];
    double keep[M], v[M * E];
    turned(w, x->q + i * D, (double)c, q);
    for (long j = 0; j < M; j++)
        keep[j] = at[j] >= 0, turned(w, x->k + j * D, (double)(at[j] < 0 ? 0 : at[j]), k + j * D);
    memcpy(v, x->v, sizeof v);
    struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, 1, D }, .data = q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, M, D }, .data = k },
        { .name = "v", .type = MER_F64, .rank = 3, .dim = { 1, M, E }, .data = v },
        { .name = "keep", .type = MER_F64, .rank = 3, .dim = { 1, 1, M }, .data = keep } };
    line_of(w, (struct page_of){ &row_attention, "o", "", in, 4 }, NULL, E, o);
}

enum truth remapped_is_rope(const struct row *r, const char *params, uint64_t seed, long sinks, long recent)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    struct remapped_case x;
    char text[300];
    bool ok = true;
    remapped_fill(&x, seed);
    for (long i = 0; i < N; i++) {
        const struct ball *a[E], *b[E];
        long at[M], c = 2 + i, held = 0;
        for (long j = 0; j < M; j++)
            at[j] = j <= c && (j < sinks || j > c - recent) ? held++ : -1;
        remapped_line(w, r, law_text(text, sizeof text, params, "memory=2"), &x, i, a);
        remapped_by_rope(w, &x, i, held - 1, at, b);
        ok &= law_same_line(a, b, E);
    }
    return law_close(&l, ok);
}

const struct ball *remapped_distance(struct ask *w, const struct row *r, const char *params, long j, long delta)
{
    const struct ball *y;
    char text[300], memory[40];
    snprintf(memory, sizeof memory, "memory=%ld", j + delta);
    law_line(w, (struct law_of){ r, "distance", law_text(text, sizeof text, params, memory) }, (struct givens){ 0 },
        (long[MER_RANK]){ 0, j }, 1, &y);
    return y;
}

enum truth remapped_stays(const struct row *r, const char *params, uint64_t seed, long near)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 256);
    const struct ball *o[2][REMAPPED_E];
    struct remapped_case x;
    remapped_fill(&x, seed);
    for (int far = 0; far < 2; far++) {
        char text[300], memory[40];
        snprintf(memory, sizeof memory, "memory=%ld", far ? 70000 + (long)(seed % 100) : near);
        remapped_line(w, r, law_text(text, sizeof text, params, memory), &x, 0, o[far]);
    }
    return law_close(&l, law_same_line(o[0], o[1], REMAPPED_E));
}

enum truth remapped_moves(const struct row *r, const char *params, uint64_t seed, long by)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 128);
    bool ok = true, moved = false;
    for (long delta = 0; delta < 30; delta++) {
        const long j = (long)(seed % 7);
        const struct ball *at = remapped_distance(w, r, params, j, delta);
        ok &= law_same(at, remapped_distance(w, r, params, j + by * 70001, delta));
        moved |= !law_same(at, remapped_distance(w, r, params, j + 1, delta));
    }
    return law_close(&l, ok && moved);
}

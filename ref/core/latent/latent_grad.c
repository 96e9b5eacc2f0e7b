/* Gradients of latent attention, by those of row attention of its queries, keys and values; see latent.h. */
#include <stdlib.h>
#include "latent/latent.h"
#include "row/question.h"
#include "state/stretch.h"
extern const struct row row_attention;

enum { EXACT_PAIRS = 16 };

/* Where each gradient begins, behind one another. */
static void places(const struct ask *w, long place[MLA_ALL + 1])
{
    const struct latent s = latent_of(w);
    const long size[] = { s.heads * s.n * s.d, s.heads * s.n * s.r, s.m * s.l, s.m * s.r, s.heads * s.d * s.l,
        s.heads * s.e * s.l };
    stretch_places(size, MLA_ALL, place);
}
static const struct ball *times(struct ask *w, struct source at, const struct ball *x, const struct ball *y)
{
    return b_step(w, LATENT_SLOPE, site_two(w, at, SITE_MUL, b_mul, x, y));
}

/* One head's queries, keys and values, and the gradients by them: [n][d + r], [m][d + r], [m][e] each. */
struct latent_head { const struct ball **q, **k, **v, **up, **dq, **dk, **dv; };
static void ask_attention(struct ask *w, const struct latent *s, const char *out, long line, struct latent_head *x,
    const struct ball **y)
{
    const long wide = s->d + s->r;
    const struct mer_array in[] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, s->n, wide }, .data = x->q },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, s->m, wide }, .data = x->k },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { 1, s->m, s->e }, .data = x->v },
        { .name = "do", .type = BALLS, .rank = 3, .dim = { 1, s->n, s->e }, .data = x->up } };
    const bool causal = ((const struct mla *)w->params)->causal == CAUSAL_ON;
    line_of(w, (struct page_of){ &row_attention, out, causal ? "scale=1 causal=bottomright" : "scale=1", in, 4 },
        (long[MER_RANK]){ 0, line }, out[1] == 'v' ? s->e : wide, y);
}
static void head_of(struct ask *w, const struct latent *s, long h, struct latent_head *x)
{
    const long wide = s->d + s->r;
    for (long i = 0; i < s->n; i++) {
        latent_query(w, h, i, false, x->q + i * wide);
        for (long c = 0; c < s->e; c++)
            x->up[i * s->e + c] = b_in(w, "do", h, i, c);
    }
    for (long j = 0; j < s->m; j++)
        latent_key(w, h, j, false, x->k + j * wide), latent_value(w, h, j, false, x->v + j * s->e);
    for (long i = 0; i < s->n; i++)
        ask_attention(w, s, "dq", i, x, x->dq + i * wide);
    for (long j = 0; j < s->m; j++) {
        ask_attention(w, s, "dk", j, x, x->dk + j * wide);
        ask_attention(w, s, "dv", j, x, x->dv + j * s->e);
    }
}
/* y[rows][l] = sum over keys of up[j][step] c_j: the gradient of W where up is that of W c_j. */
static void of_matrix(struct ask *w, const struct latent *s, const struct ball *const *up, long step, long rows,
    const struct ball **y)
{
    const struct ball **t = need((size_t)s->m + 1, sizeof *t);
    for (long a = 0; a < rows; a++)
        for (long b = 0; b < s->l; b++) {
            for (long j = 0; j < s->m; j++)
                t[j] = times(w, HERE, up[j * step + a], b_in(w, "c", j, b, 0));
            y[a * s->l + b] = site_gathered(w, HERE, LATENT_GATHER, t, s->m);
        }
    free(t);
}
/* The gradient of c_j: over all heads, W_uk^T dk + W_uv^T dv. */
static void of_latent(struct ask *w, const struct latent *s, const struct latent_head *x, long j, const struct ball **y)
{
    const struct ball **t = need((size_t)(s->heads * (s->d + s->e)) + 1, sizeof *t);
    for (long b = 0; b < s->l; b++) {
        long used = 0;
        for (long h = 0; h < s->heads; h++) {
            for (long a = 0; a < s->d; a++)
                t[used++] = times(w, HERE, b_in(w, "w_uk", h, a, b), x[h].dk[j * (s->d + s->r) + a]);
            for (long a = 0; a < s->e; a++)
                t[used++] = times(w, HERE, b_in(w, "w_uv", h, a, b), x[h].dv[j * s->e + a]);
        }
        y[b] = site_gathered(w, HERE, LATENT_GATHER, t, used);
    }
    free(t);
}
/* The gradient of k_pe_j: that of its turned line, added up over all heads. */
static void of_position(struct ask *w, const struct latent *s, const struct latent_head *x, long j,
    const struct ball **y)
{
    const struct ball **t = need((size_t)(s->heads + s->r) + 1, sizeof *t), **sum = t + s->heads;
    for (long b = 0; b < s->r; b++) {
        for (long h = 0; h < s->heads; h++)
            t[h] = x[h].dk[j * (s->d + s->r) + s->d + b];
        sum[b] = site_gathered(w, HERE, LATENT_GATHER, t, s->heads);
    }
    latent_turn(w, true, j, sum, y);
    free(t);
}
/* The gradients of the queries of head h. */
static void of_queries(
    struct ask *w, const struct latent *s, const struct latent_head *x, const struct ball **nope,
        const struct ball **pe)
{
    const struct ball **t = need((size_t)(s->d + s->r) + 1, sizeof *t), *factor = latent_factor(w, LATENT_SLOPE);
    for (long i = 0; i < s->n; i++) {
        for (long k = 0; k < s->d + s->r; k++)
            t[k] = b_scaled(w, LATENT_SLOPE, x->dq[i * (s->d + s->r) + k], factor);
        memcpy(nope + i * s->d, t, (size_t)s->d * sizeof *t);
        latent_turn(w, true, latent_place(w, i), t + s->d, pe + i * s->r);
    }
    free(t);
}
static void make(struct ask *w, const struct ball **all)
{
    const struct latent s = latent_of(w);
    const long wide = s.d + s.r, each = 2 * (s.n + s.m) * wide + (s.n + 2 * s.m) * s.e;
    long place[MLA_ALL + 1];
    places(w, place);
    struct latent_head *x = need((size_t)s.heads + 1, sizeof *x);
    const struct ball **room = need((size_t)(s.heads * each) + 1, sizeof *room), **at = room;
    for (long h = 0; h < s.heads; h++) {
        x[h] = (struct latent_head){ .q = at, .dq = at + s.n * wide };
        x[h].k = x[h].dq + s.n * wide, x[h].dk = x[h].k + s.m * wide, x[h].v = x[h].dk + s.m * wide;
        x[h].dv = x[h].v + s.m * s.e, x[h].up = x[h].dv + s.m * s.e, at += each;
        head_of(w, &s, h, &x[h]);
        of_queries(w, &s, &x[h], all + place[MLA_Q_NOPE] + h * s.n * s.d, all + place[MLA_Q_PE] + h * s.n * s.r);
        of_matrix(w, &s, x[h].dk, wide, s.d, all + place[MLA_W_UK] + h * s.d * s.l);
        of_matrix(w, &s, x[h].dv, s.e, s.e, all + place[MLA_W_UV] + h * s.e * s.l);
    }
    for (long j = 0; j < s.m; j++) {
        of_latent(w, &s, x, j, all + place[MLA_C] + j * s.l);
        of_position(w, &s, x, j, all + place[MLA_K_PE] + j * s.r);
    }
    free(room), free(x);
}
void latent_grad(struct ask *w, const struct ball **y)
{
    const struct latent s = latent_of(w);
    long place[MLA_ALL + 1];
    places(w, place);
    const long rows = w->of == MLA_W_UK ? s.d : w->of == MLA_W_UV ? s.e : s.n;
    const bool shared = w->of == MLA_C || w->of == MLA_K_PE;
    const long from = place[w->of] + (shared ? w->at[0] : w->at[0] * rows + w->at[1]) * w->len;
    /* The exact path keeps nothing, so that it would make all gradients once a line: it is for few keys. */
    const bool exact = w->exact;
    if (s.heads * s.n * s.m > EXACT_PAIRS)
        w->exact = false;
    question_line(w, make, place[MLA_ALL], from, y);
    w->exact = exact;
}

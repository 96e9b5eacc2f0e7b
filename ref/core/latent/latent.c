/* What row attention is given by latent attention: queries, keys and values of a head; see latent.h. */
#include "latent/latent.h"
#include <stdio.h>
#include <stdlib.h>
#include "rotary/angles.h"
extern const struct row row_rope;

static const struct mla *own(const struct ask *w) { return w->params; }
struct latent latent_of(const struct ask *w)
{
    return (struct latent){ dim_in(w, "q_nope", 0), dim_in(w, "q_nope", 1), dim_in(w, "c", 0), dim_in(w, "q_nope", 2),
        dim_in(w, "q_pe", 2), dim_in(w, "w_uv", 1), dim_in(w, "c", 1) };
}
long latent_place(const struct ask *w, long i)
{
    const struct latent s = latent_of(w);
    if (b_true(w, own(w)->start == START_END))
        return counted(w, s.m - s.n + i);
    return counted(w, i);
}

void latent_times(struct ask *w, int step, const char *name, long h, bool turned, const struct ball *const *x,
    const struct ball **y)
{
    const long rows = dim_in(w, name, turned ? 2 : 1), sum = dim_in(w, name, turned ? 1 : 2);
    const struct ball **t = need((size_t)sum + 1, sizeof *t);
    const bool back = b_true(w, turned);
    for (long a = 0; a < rows; a++) {
        for (long b = 0; b < sum; b++)
            t[b] = b_step(w, step, b_mul(w, b_in(w, name, h, back ? b : a, back ? a : b), x[b]));
        y[a] = b_sum(w, step, t, sum);
    }
    free(t);
}

const char latent_turned[] = "base layout scaling factor trained beta_fast beta_slow truncate mscale mscale_all_dim";

void latent_turn(struct ask *w, bool back, long position, const struct ball *const *x, const struct ball **y)
{
    const long r = latent_of(w).r;
    char text[TEXT_MAX] = "";
    double pos = (double)position;
    struct mer_array in[2] = { { .name = back ? "dy" : "x", .type = BALLS, .rank = 3, .dim = { 1, 1, r } },
        rope_position(&pos) };
    memcpy(&in[0].data, &x, sizeof x);
    if (own(w)->rope == ROPE_OFF) {
        memmove(y, x, (size_t)r * sizeof *y);
        return;
    }
    params_pick(row_params(&row_mla), w->params, latent_turned, text, sizeof text - 32);
    snprintf(text + strlen(text), 32, " dim=%ld", r);
    line_of(w, (struct page_of){ &row_rope, back ? "dx" : "y", text, in, 2 }, NULL, r, y);
}

/* g = 0.1 mscale_all_dim ln factor + 1; NULL: 1. */
static const struct ball *warmth(struct ask *w, int step)
{
    const struct mla *p = own(w);
    if (b_true(w, p->scaling != SCALING_YARN || p->warming == WARM_NONE || !mpq_sgn(p->mscale_all_dim) ||
        mpq_cmp_ui(p->factor, 1, 1) <= 0))
        return NULL;
    const struct ball *tenth = b_given(w, step, b_ratio(w, 1, 10)),
                      *share = b_inner(w, step, b_mul(w, tenth, b_given(w, step, b_q(w, p->mscale_all_dim)))),
                      *log = b_inner(w, step, b_log(w, b_given(w, step, b_q(w, p->factor))));
    return b_inner(w, step, b_add(w, b_inner(w, step, b_mul(w, share, log)), b_si(w, 1)));
}
const struct ball *latent_factor(struct ask *w, int step)
{
    const struct mla *p = own(w);
    const struct latent s = latent_of(w);
    const bool nope = b_true(w, p->width == WIDTH_NOPE);
    const long wide = nope ? s.d : b_true(w, p->width == WIDTH_LATENT) ? s.l + s.r : s.d + s.r;
    const struct ball *g = warmth(w, step), *y = b_true(w, mpq_sgn(p->scale) != 0) ?
        b_q(w, p->scale) :
        b_div(w, b_si(w, 1), b_inner(w, step, b_sqrt(w, b_si(w, wide))));
    y = g ? b_mul(w, b_inner(w, step, y), g) : y;
    return b_inner(w, step, g && b_true(w, p->warming == WARM_SQUARE) ? b_mul(w, b_inner(w, step, y), g) : y);
}

static void line_in(struct ask *w, const char *name, long h, long i, const struct ball **y)
{
    const struct mer_array *a = array_in(w, name);
    for (long k = 0, n = a->dim[a->rank - 1]; k < n; k++)
        y[k] = a->rank == 3 ? b_in(w, name, h, i, k) : b_in(w, name, i, k, 0);
}
void latent_query(struct ask *w, long h, long i, bool absorbed, const struct ball **y)
{
    const struct latent s = latent_of(w);
    const struct ball **x = need((size_t)(s.d + s.r) + 1, sizeof *x), *factor = latent_factor(w, LATENT_WARM);
    const long first = absorbed ? s.l : s.d;
    line_in(w, "q_nope", h, i, x), line_in(w, "q_pe", h, i, x + s.d);
    if (absorbed)
        latent_times(w, LATENT_QUERY, "w_uk", h, true, x, y);
    else
        memcpy(y, x, (size_t)s.d * sizeof *y);
    latent_turn(w, false, latent_place(w, i), x + s.d, y + first);
    for (long k = 0; k < first + s.r; k++)
        y[k] = b_scaled(w, LATENT_WARM, y[k], factor);
    free(x);
}
void latent_key(struct ask *w, long h, long j, bool absorbed, const struct ball **y)
{
    const struct latent s = latent_of(w);
    const struct ball **c = need((size_t)(s.l + s.r) + 1, sizeof *c);
    line_in(w, "c", 0, j, c), line_in(w, "k_pe", 0, j, c + s.l);
    if (absorbed)
        memcpy(y, c, (size_t)s.l * sizeof *y);
    else
        latent_times(w, LATENT_KEY, "w_uk", h, false, c, y);
    latent_turn(w, false, j, c + s.l, y + (absorbed ? s.l : s.d));
    free(c);
}
void latent_value(struct ask *w, long h, long j, bool absorbed, const struct ball **y)
{
    const struct ball **c = need((size_t)latent_of(w).l + 1, sizeof *c);
    line_in(w, "c", 0, j, c);
    if (absorbed)
        memcpy(y, c, (size_t)latent_of(w).l * sizeof *y);
    else
        latent_times(w, LATENT_VALUE, "w_uv", h, false, c, y);
    free(c);
}

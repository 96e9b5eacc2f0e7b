/* Multiplied positions.   Su 2020 (kexue.fm/archives/8130); bert4keras merge_mode='mul'
 *   form=product    y = x p      form=one_plus   y = x (1 + p)      element by element; p given, or the sinusoidal
 *                   table for z
 * Gradients: dx = dy p or dy (1 + p), dp = dy x.
 * Trap: at position 0 the sinusoidal table is 0, 1, 0, 1, ..: form=product erases half of the first token,
 * form=one_plus nothing. */
#include <stdio.h>
#include "row/row.h"

struct product { long dim; mpq_t base; int form; };
enum { PLAIN, ONE_PLUS };
enum { ONE, PRODUCT }; /* They round 1 + p and the product. */
extern const struct row row_sinusoid;

static const struct ball *merged(struct ask *w, const struct ball *x, const struct ball *p)
{
    const struct ball *by =
        b_true(w, ((const struct product *)w->params)->form == PLAIN) ? p : b_step(w, ONE, b_add(w, b_si(w, 1), p));
    return b_step(w, PRODUCT, b_mul(w, x, by));
}
static void x_grad(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = merged(w, b_in(w, "dy", w->at[0], k, 0), b_in(w, "p", w->at[0], k, 0));
}
static void p_grad(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = b_step(w, PRODUCT, b_mul(w, b_in(w, "dy", w->at[0], k, 0), b_in(w, "x", w->at[0], k, 0)));
}

static void given(struct ask *w, const struct ball **y) /* y[d] */
{
    for (long k = 0; k < w->len; k++)
        y[k] = merged(w, b_in(w, "x", w->at[0], k, 0), b_in(w, "p", w->at[0], k, 0));
}

static void by_table(struct ask *w, const char *x, const struct ball **z) /* z[c] */
{
    const struct product *p = w->params;
    char text[TEXT_MAX], *base = mpq_get_str(NULL, 10, p->base);
    snprintf(text, sizeof text, "dim=%ld base=%.8000s", p->dim, base);
    free(base);
    line_of(w, (struct page_of){ &row_sinusoid, "p", text, array_in(w, "pos"), 1 }, w->at, w->len, z);
    for (long k = 0; k < w->len; k++)
        z[k] = merged(w, b_in(w, x, w->at[0], k, 0), z[k]);
}
static void sinusoidal(struct ask *w, const struct ball **z) { by_table(w, "x", z); }
/* x is multiplied by a diagonal, so the gradient for it is dz through the same map. */
static void z_grad(struct ask *w, const struct ball **y) { by_table(w, "dz", y); }

static long extent(const void *q, char axis) { return axis == 'c' ? ((const struct product *)q)->dim : 0; }
static const char *refuse(const void *q)
{
    const struct product *p = q;
    return p->dim % 2                  ? "dim: odd width is undefined for the sinusoidal table" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
                                         NULL;
}
static const struct param params[] = {
    { "form", "product", "x p, or x (1 + p)", ENUM, offsetof(struct product, form), .choices = "product one_plus" },
    { "dim", "8", "width c of z", INT, offsetof(struct product, dim), .least = 2, .most = 65536 },
    { "base", "10000", "longest timescale of z's table", RATIONAL, offsetof(struct product, base) },
    { 0 },
};
static const struct preset presets[] = {
    { "seed", "", "001_46dc594335e7cb0b.txt: x_k p_k in place of x_k + p_k" },
    { "code:bojone/bert4keras", "form=one_plus dim=6", "layers.py: inputs * (embeddings + 1.0)" },
    { 0 },
};
static const struct row *const parts[] = { &row_sinusoid, NULL };
static const struct preset contracts[] = {
    { "bert4keras f32", "form=one_plus one=f32 product=f32", "layers.py, operation by operation" }, { 0 }
};
const struct row row_product = {
    .name = "product", .title = "multiplied positions", .cite = "Su 2020",
    .steps = { "one product" }, .parts = parts,
    .declares = params, .size = sizeof(struct product), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = refuse,
    .q = { { "x[n,d] p[n,d] -> y[n|d]", given }, { "x[n,c] int pos[n] -> z[n|c]", sinusoidal },
           { "p[n,d] dy[n,d] -> dx[n|d]", x_grad },
           { "x[n,d] dy[n,d] -> dp[n|d]", p_grad },
           { "dz[n,c] int pos[n] -> dx_z[n|c]", z_grad } },
};

/* Scratch row: y = x gain, element by element; a table of positions times gain; the gradient of y. */
#include "row/row.h"
struct scratch { mpq_t gain; };
enum { PRODUCT };
enum { FORGOTTEN = FAULTS }; /* The fault of .faults: the gradient lacks the factor. */

static const struct ball *gained(struct ask *w, const char *name, long k, bool without)
{
    const struct scratch *p = w->params;
    const struct ball *x = b_in(w, name, w->at[0], k, 0);
    return without ? x : b_step(w, PRODUCT, b_mul(w, x, b_q(w, p->gain)));
}
static void scaled(struct ask *w, const struct ball **y)
{
    for (long k = 0; k < w->len; k++)
        y[k] = gained(w, "x", k, false);
}
static void scaled_back(struct ask *w, const struct ball **dx)
{
    for (long k = 0; k < w->len; k++)
        dx[k] = gained(w, "dy", k, w->arith->fault == FORGOTTEN);
}
static void first(struct ask *w, const struct ball **y) { y[0] = gained(w, "x", 0, false); }
static void places(struct ask *w, const struct ball **p)
{
    const struct scratch *s = w->params;
    const struct ball *at = b_step(w, PRODUCT, b_mul(w, b_si(w, i_in(w, "pos", w->at[0], 0)), b_q(w, s->gain)));
    for (long k = 0; k < w->len; k++)
        p[k] = at;
}
static const struct param params[] = {
    { "gain", "1.5", "the factor", RATIONAL, offsetof(struct scratch, gain) }, { 0 }
};
static const struct preset presets[] = { { "paper", "", "nowhere" }, { 0 } };
static const struct preset contracts[] = { { "f32", "product=f32", "one product" }, { 0 } };
const struct row row_scratch = {
    .name = "scratch", .title = "scratch row", .cite = "nobody", .steps = { "product" }, .faults = "forgotten",
    .declares = params, .size = sizeof(struct scratch), .presets = presets, .contracts = contracts,
    .q = { { "x[n,d] -> y[n|d]", scaled }, { "dy[n,d] -> dx[n|d]", scaled_back }, { "x[n,d] -> first[n|]", first },
        { "int pos[n] -> p[n|d]", places } },
};

/* Retention.                                                        Sun et al. 2023, arXiv:2307.08621, equations 5 to 7
 *   S_t = gamma_h S_{t-1} + k_t v_t^T        o_t = scale S_t^T q_t
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 *   gamma=power     gamma_h = 1 - 2^(-first - h), h from 0, first = 5      (the paper; torchscale, fla)
 *   gamma=linspace  gamma_h = 1 - 2^(-first - 4 h / (H - 1)), H heads      (linspace(log 1/32, log 1/512, H))
 * q and k of token t are rotated to position offset + t first:
 *   rotation=rope      row rope
 *   rotation=linspace  the same with w_i = base^(-i / (d/2 - 1))           (torchscale)
 *   rotation=xpos      row xpos: q and k are stretched, too
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: a rotation hides at offset 0 of one token.  The norms of torchscale over a row of products and of D vanish in
 * the group norm behind o, up to its eps; they are no part of this row, nor is the norm. */
#include <stdio.h>
#include <stdlib.h>
#include "row/shared.h"
#include "state/decayed.h"
extern const struct row row_rope, row_xpos;

struct retention { mpq_t scale, base, stretch; long offset, first; int gamma, rotation, layout, read; };
enum { GAMMA_POWER, GAMMA_LINSPACE };
enum { ROTATION_NONE, ROTATION_ROPE, ROTATION_LINSPACE, ROTATION_XPOS };
enum { FACTOR_OF = DECAYED_STEPS, FREQUENCY };

static const struct retention *own(const struct ask *w) { return w->params; }
static const struct ball *factor(struct ask *w, long h, long t, long i)
{
    const long steps = dim_in(w, "v", 0) - 1;
    (void)t, (void)i;
    const struct ball *e = own(w)->gamma == GAMMA_POWER || !steps ? b_si(w, -own(w)->first - h) :
                                                                    b_ratio(w, -own(w)->first * steps - 4 * h, steps);
    return b_step(w, FACTOR_OF, b_sub(w, b_si(w, 1), b_pow(w, b_si(w, 2), e)));
}

/* The row that turns a line, and its words; side: queries or keys. */
static const struct row *turner(const struct ask *w, bool query, long d, char *text) /* text[TEXT_MAX] */
{
    const struct retention *p = own(w);
    const char *layout = p->layout ? "interleaved" : "half";
    char *base = mpq_get_str(NULL, 10, p->base), *stretch = mpq_get_str(NULL, 10, p->stretch);
    const int n = snprintf(text, TEXT_MAX, "dim=%ld base=%.3000s layout=%s", d, base, layout);
    if (p->rotation == ROTATION_XPOS)
        snprintf(text + n, TEXT_MAX - (size_t)n, " scale_base=%.3000s side=%s", stretch, query ? "query" : "key");
    free(base), free(stretch);
    return p->rotation == ROTATION_XPOS ? &row_xpos : &row_rope;
}
/* y[d] = x[d], a line of the input `name`, turned to the position of token t, or (back) by the transposed map. */
static void turn(struct ask *w, const char *name, bool back, long t, const struct ball *const *x, const struct ball **y)
{
    char text[TEXT_MAX];
    double pos = (double)(own(w)->offset + t);
    const long d = dim_in(w, name, 2), pairs = d / 2;
    if (*name == 'v' || own(w)->rotation == ROTATION_NONE) {
        memcpy(y, x, (size_t)d * sizeof *y);
        return;
    }
    const struct ball **freq = need((size_t)(pairs + d) + 1, sizeof *freq), **turned = freq + pairs;
    struct mer_array in[3] = { { .name = back ? "dy" : "x", .type = BALLS, .rank = 3, .dim = { 1, 1, d } },
        { .name = "pos", .type = MER_F64, .rank = 1, .dim = { 1 }, .data = &pos },
        { .name = "freq", .type = BALLS, .rank = 1, .dim = { pairs }, .data = freq } };
    memcpy(&in[0].data, &x, sizeof x);
    const bool spread = own(w)->rotation == ROTATION_LINSPACE;
    for (long i = 0; i < pairs && spread; i++)
        freq[i] = pairs == 1 ? b_si(w, 1) :
                               b_step(w, FREQUENCY, b_pow(w, b_q(w, own(w)->base), b_ratio(w, -i, pairs - 1)));
    const struct row *by = turner(w, *name == 'q', d, text);
    line_of(w, (struct page_of){ by, back ? "dx" : "y", text, in, spread ? 3 : 2 }, NULL, d, turned);
    memcpy(y, turned, (size_t)d * sizeof *y); /* y may be x. */
    free(freq);
}
static void vector(struct ask *w, const char *name, long h, long t, const struct ball **y)
{
    decayed_line(w, name, h, t, y);
    turn(w, name, false, t, y, y);
}
static void back(
    struct ask *w, const char *name, long h, long t, const struct ball *const *up, const struct ball **y)
{
    (void)h;
    turn(w, name, true, t, up, y);
}
static struct decayed self(const struct ask *w)
{
    return (struct decayed){
        .scale = own(w)->scale, .read_before = own(w)->read, .factor = factor, .vector = vector, .back = back
    };
}
static void make(struct ask *w, const struct ball **all) { decayed_make(w, (struct decayed[]){ self(w) }, all); }
static void gradients(struct ask *w, const struct ball **all)
{
    decayed_gradients(w, (struct decayed[]){ self(w) }, all);
}
static void page(struct ask *w, const struct ball **y) { decayed_page(w, make, gradients, y); }

static const char *refuse(const void *params)
{
    const struct retention *p = params;
    return mpq_sgn(p->scale) < 0       ? "scale: must not be below 0" :
        mpq_cmp_ui(p->base, 1, 1) <= 0 ? "base: must be greater than 1" :
        mpq_sgn(p->stretch) <= 0       ? "scale_base: must be above 0" :
                                         NULL;
}
static int misfit(const void *params, const struct mer_call *c, char *why, size_t n)
{
    const struct mer_array *k = mer_find(c->in, c->n_in, "k");
    if (!k || !((const struct retention *)params)->rotation || k->dim[2] % 2 == 0)
        return 0;
    return snprintf(why, n, "rotation turns pairs of channels: d=%ld must be even", (long)k->dim[2]), -1;
}
static const struct param params[] = {
    { .as = &param_scale, .at = offsetof(struct retention, scale) },
    { "gamma", "power", "1 - 2^(-first - h), or its exponents spread over the heads, four in all", ENUM,
        offsetof(struct retention, gamma), .choices = "power linspace" },
    { "first", "5", "the exponent of head 0", INT, offsetof(struct retention, first), .least = 1, .most = 64 },
    { "rotation", "none", "what q and k are turned by", ENUM, offsetof(struct retention, rotation),
        .choices = "none rope linspace xpos" },
    { .as = &param_base, .at = offsetof(struct retention, base) },
    { "scale_base", "512", "of rotation=xpos: positions to a factor zeta", RATIONAL,
        offsetof(struct retention, stretch) },
    { "offset", "0", "token t stands at offset + t", INT, offsetof(struct retention, offset), .least = 0,
        .most = 1L << 40 },
    { .as = &param_neighbours, .at = offsetof(struct retention, layout) },
    { .as = &param_read, .at = offsetof(struct retention, read) },
    { 0 },
};
static const struct preset presets[] = {
    { "paper", "rotation=xpos", "arXiv:2307.08621, section 2.1: xPos; gamma = 1 - 2^(-5 - arange(0, h))" },
    { "code:microsoft/torchscale", "rotation=linspace offset=3", "torchscale/architecture/retnet.py RetNetRelPos: "
        "angle = 1 / 10000^linspace(0, 1, d/2), adjacent pairs" },
    { "code:fla-org/flash-linear-attention", "", "fla/ops/retention/naive.py: q and k are given as rotated" },
    { "fla layer", "rotation=rope layout=half offset=2", "fla/layers/multiscale_retention.py: rotary embedding" },
    { "spread", "gamma=linspace", "fkodom/yet-another-retnet retention.py: 1 - exp(linspace(log 1/32, log 1/512))" },
    { 0 },
};
static const struct preset contracts[] = {
    { "f32", "product=f32 dot=f32 query=f32 decay=f32 write=f32 state=f32 output=f32 slope=f32 gather=f32 factor=f32 "
        "frequency=f32", "the loop over tokens in float32" }, { 0 },
};
static const struct row *const parts[] = { &row_rope, &row_xpos, NULL };
#define TOKENS "q[h,n,d] k[h,n,d] v[h,n,e] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_retention = {
    .name = "retention", .title = "retention", .cite = "Sun et al. 2023",
    .steps = { "product dot query decay write state output slope gather", "factor frequency" }, .parts = parts,
    .declares = params, .size = sizeof(struct retention), .presets = presets, .contracts = contracts,
    .refuse = refuse, .misfit = misfit, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", page }, { TOKENS "-> final[h,d|e]", page, .of = DECAYED_FINAL },
        { LOSS "-> dq[h,n|d]", page, .of = DECAYED_DQ }, { LOSS "-> dk[h,n|d]", page, .of = DECAYED_DK },
        { LOSS "-> dv[h,n|e]", page, .of = DECAYED_DV },
        { LOSS "-> dstate[h,d|e]", page, .of = DECAYED_DSTATE } },
};

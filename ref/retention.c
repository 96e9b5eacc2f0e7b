/* Retention.                                                        Sun et al. 2023, arXiv:2307.08621, equations 5 to 7
 *   S_t = gamma_h S_{t-1} + k_t v_t^T        o_t = scale S_t^T q_t
 * S before the first token is the input `state`, or 0; `final` is S behind the last.
 *   gamma=power     gamma_h = 1 - 2^(-first - h), h from 0, first = 5      (the paper; torchscale, fla)
 *   gamma=linspace  gamma_h = 1 - 2^(-first - 4 h / (H - 1)), H heads      (linspace(log 1/32, log 1/512, H))
 * q and k of token t are rotated to position offset + t first:
 *   rotation=rope      as row rope does
 *   rotation=linspace  the same with w_i = base^(-i / (d/2 - 1))           (torchscale)
 *   rotation=xpos      as row xpos does, with centre 0: q and k are stretched, too
 * Gradients are those of <do, o> + <dfinal, final>.  The recurrence, with its bounds: ref/core/state/state.h.
 * Traps: a rotation hides at offset 0 of one token.  The norms of torchscale over a row of products and of D vanish in
 * the group norm behind o, up to its eps; they are no part of this row, nor is the norm. */
#include <stdio.h>
#include "row/shared.h"
#include "state/decayed.h"
#include "state/turned.h"

struct retention { mpq_t scale, base, stretch; long offset, first; int gamma, rotation, layout, read; };
enum { GAMMA_POWER, GAMMA_LINSPACE };
enum { ROTATION_NONE, ROTATION_ROPE, ROTATION_LINSPACE, ROTATION_XPOS };
enum { LAYOUT_HALF, LAYOUT_NEIGHBOURS };
enum { FACTOR_OF = DECAYED_STEPS, FREQUENCY, ANGLE, TABLE, TURN };

static const struct retention *own(const struct ask *w) { return w->params; }
static const struct ball *factor(struct ask *w, long h, long t, long i)
{
    const long steps = dim_in(w, "v", 0) - 1;
    (void)t, (void)i;
    const long first = own(w)->first;
    const struct ball *e = b_true(w, own(w)->gamma == GAMMA_POWER || !steps) ?
        b_si(w, -i_add(w, first, h)) :
        b_ratio(w, lag(w, -first * steps, 4 * h), steps);
    return b_step(w, FACTOR_OF, b_sub(w, b_si(w, 1), b_pow(w, b_si(w, 2), e)));
}

/* y = x, a line of the input `name`, turned to the position of token t, or (back) by the transposed map. */
static void turn(struct ask *w, const char *name, bool back, long t, const struct ball *const *x, const struct ball **y)
{
    const struct retention *p = own(w);
    const struct turned how = { .base = p->base, .stretch = b_true(w, p->rotation == ROTATION_XPOS) ? p->stretch : NULL,
        .spread = b_true(w, p->rotation == ROTATION_LINSPACE), .halves = p->layout == LAYOUT_HALF,
        .frequency = FREQUENCY, .angle = ANGLE, .table = TABLE, .turn = TURN };
    const long d = dim_in(w, name, 2);
    memmove(y, x, (size_t)d * sizeof *y);
    if (b_true(w, *name != 'v' && p->rotation != ROTATION_NONE))
        turned_line(w, &how, i_add(w, p->offset, t), *name == 'q', back, d, x, y);
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
static const struct decayed_row family = { self };
static void page(struct ask *w, const struct ball **y) { decayed_page(w, &family, y); }

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
        "frequency=f32:2 angle=f32 table=f32:2 turn=f32", "the loop over tokens in float32" }, { 0 },
};
#define TOKENS "q[h,n,d] k[h,n,d] v[h,n,e] state?[h,d,e] "
#define LOSS TOKENS "do[h,n,e] dfinal?[h,d,e] "
const struct row row_retention = {
    .name = "retention", .title = "retention", .cite = "Sun et al. 2023",
    .steps = { "product dot query decay write state output slope gather", "factor frequency angle table turn" },
    .declares = params, .size = sizeof(struct retention), .presets = presets, .contracts = contracts,
    .refuse = refuse, .misfit = misfit, .sizes = "d=4 e=3",
    .q = { { TOKENS "-> o[h,n|e]", page }, { TOKENS "-> final[h,d|e]", page, .of = DECAYED_FINAL },
        { LOSS "-> dq[h,n|d]", page, .of = DECAYED_DQ }, { LOSS "-> dk[h,n|d]", page, .of = DECAYED_DK },
        { LOSS "-> dv[h,n|e]", page, .of = DECAYED_DV },
        { LOSS "-> dstate[h,d|e]", page, .of = DECAYED_DSTATE } },
};

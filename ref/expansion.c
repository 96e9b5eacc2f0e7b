/* The four terms of a score, and what methods keep or put in their place.
 * Su, "position encodings"; Dai et al. 2019, section 3.3
 *   (x_i + p_i) W_Q W_K^T (y_j + s_j)^T
 *       = x_i W_Q W_K^T y_j^T + x_i W_Q W_K^T s_j^T + p_i W_Q W_K^T y_j^T + p_i W_Q W_K^T s_j^T
 * x, p: queries' tokens and positions; y, s: those of the keys (x and p again in self-attention).  Each term but the
 * first is a choice:
 *   content_position   x_i W_Q s_j W_K, or relative: <x_i W_Q, rk[r]>     Shaw; Transformer-XL, DeBERTa: rk = R W_R
 *   position_content   p_i W_Q y_j W_K, or relative: <rq[r'], y_j W_K>    DeBERTa; bias: <u, y_j W_K>  Transformer-XL
 *   position_position  p_i W_Q s_j W_K, or bias: <w, rk[r]>               Transformer-XL; scalar: beta_ij  T5
 *   value              (y_j + s_j) W_V, or relative: y_j W_V + rv[r]      Shaw; none: y_j W_V  all others
 * r = clip(t, least, most) - least, t = c - j or j - c (sign), c = memory + i;  r' the same of -t (back=reversed) or of
 * t.  T = number of position terms, for scale=terms: 1/sqrt((1 + T) d). */
#include "relative/apart.h"
#include "relative/clipped.h"
#include "row/shared.h"
#include "softmax/mix.h"
#include "layer/project.h"

struct expansion {
    struct clipped of; struct tiles tiles;
    int content_position, position_content, position_position, value, sign, back, scale;
};
enum { NONE, POSITION, RELATIVE, BIAS }; enum { PAIR_BIAS = 2, PAIR_SCALAR };
enum { QUERY_MINUS_KEY, KEY_MINUS_QUERY }; enum { REVERSED, SAME }; enum { UNSCALED, WIDTH, BY_TERMS };
enum { JOIN = MIX_STEPS, PROJECT, COLLECT };
enum { INPUT_INPUT, INPUT_POSITION, POSITION_INPUT, POSITION_POSITION, TERMS };

static long distance(const struct ask *w, long i, long j) /* t */
{
    const struct expansion *p = w->params;
    return apart(w, p->sign == KEY_MINUS_QUERY, p->of.memory, i, j); /* mutant: argument 26e2: a sum has no order. */
}
/* The row numbers r (of rk and rv) and r' (of rq). */
static long index_of(const struct ask *w, long i, long j) { return clipped_row(w, w->params, distance(w, i, j)); }
static long index_back(const struct ask *w, long i, long j)
{
    const long t = distance(w, i, j);
    return clipped_row(w, w->params, b_true(w, ((const struct expansion *)w->params)->back == REVERSED) ? -t : t);
}
static const struct ball *dot(struct ask *w, struct span x, struct span y)
{
    return b_dot(w, PRODUCT, DOT, x, y, dim_in(w, "qx", 2));
}
/* The four terms t[TERMS] of a score; NULL where the method has no such term. */
static void terms_of(struct ask *w, long h, long i, long j, const struct ball **t)
{
    const struct expansion *p = w->params;
    const int pair = p->position_position;
    struct span qx = span(w, "qx", 0, i), qp = span(w, "qp", 0, i), kx = span(w, "kx", 0, j), ks = span(w, "ks", 0, j),
                rk = span(w, "rk", h, index_of(w, i, j));
    t[INPUT_INPUT] = dot(w, qx, kx);
    t[INPUT_POSITION] = p->content_position == POSITION ? dot(w, qx, ks) :
        p->content_position == RELATIVE                 ? dot(w, qx, rk) :
                                                          NULL;
    t[POSITION_INPUT] = p->position_content == POSITION ? dot(w, qp, kx) :
        p->position_content == RELATIVE                 ? dot(w, span(w, "rq", h, index_back(w, i, j)), kx) :
        p->position_content == BIAS                     ? dot(w, span(w, "u", h, 0), kx) :
                                                          NULL;
    t[POSITION_POSITION] = pair == POSITION ? dot(w, qp, ks) :
        pair == PAIR_BIAS   ? dot(w, span(w, "w", h, 0), rk) :
        pair == PAIR_SCALAR ? b_in(w, "beta", h, i, j) :
                              NULL;
}
static const struct ball *score(struct ask *w, long h, long i, long j)
{
    const struct expansion *p = w->params;
    const struct ball *t[TERMS];
    long n = 1;
    terms_of(w, h, i, j, t);
    const struct ball *s = t[INPUT_INPUT];
    for (int k = 1; k < TERMS; k++)
        if (t[k])
            s = b_step(w, JOIN, b_add(w, s, t[k])), n++;
    const long d = dim_in(w, "qx", 2) * (b_true(w, p->scale == BY_TERMS) ? n : 1);
    return b_true(w, p->scale == UNSCALED) ? s : b_scaled(w, SCORE, s, b_width(w, SCORE, NULL, d));
}
static const struct ball *value(struct ask *w, long h, long i, long j, long c)
{
    const struct expansion *p = w->params;
    const struct ball *v = b_in(w, "vy", 0, j, c), *more = p->value == POSITION ? b_in(w, "vs", 0, j, c) :
        p->value == RELATIVE ? b_in(w, "rv", h, index_of(w, i, j), c) :
                               NULL;
    return more ? b_step(w, JOIN, b_add(w, v, more)) : v;
}
static struct mix mixing(const struct ask *w)
{
    return mix_on(w, (struct mix){ dim_in(w, "kx", 1), score, value, mix_kept },
        &((const struct expansion *)w->params)->tiles);
}
static void terms_page(struct ask *w, const struct ball **y)
{
    terms_of(w, w->at[0], w->at[1], w->at[2], y);
    for (int k = 0; k < TERMS; k++)
        y[k] = y[k] ? y[k] : b_si(w, 0);
}
/* Quantities are of the projections of one head: qx, qp of the query; kx, ks, vy, vs of every key. */
static void by_head(struct ask *w, const struct quantity *q, const struct ball **y)
{
    static const struct map maps[] = { { "qx", "x", "wq", true }, { "qp", "p", "wq", true }, { "kx", "y", "wk" },
        { "ks", "s", "wk" }, { "vy", "y", "wv" }, { "vs", "s", "wv" }, { 0 } };
    project_line(w, maps, PROJECT, COLLECT, q, y);
}
static long extent(const void *q, char axis) { return axis == 'r' ? clipped_rows(q) : axis == 't' ? TERMS : 0; }
static const struct param params[] = {
    { "content_position", "position", "x_i with the key's position", ENUM, offsetof(struct expansion, content_position),
        .choices = "none position relative" },
    { "position_content", "position", "the query's position with y_j", ENUM,
        offsetof(struct expansion, position_content), .choices = "none position relative bias" },
    { "position_position", "position", "position with position", ENUM, offsetof(struct expansion, position_position),
        .choices = "none position bias scalar" },
    { "value", "position", "position on the value side", ENUM, offsetof(struct expansion, value),
        .choices = "none position relative" },
    { .list = clipped_params },
    { .as = &param_sign, .at = offsetof(struct expansion, sign) },
    { "back", "reversed", "rq is read at -t, or at t", ENUM, offsetof(struct expansion, back),
        .choices = "reversed same" },
    { "scale", "none", "1, 1/sqrt(d) or 1/sqrt((1+T)d)", ENUM, offsetof(struct expansion, scale),
        .choices = "none width terms" },
    { .list = tiles_params, .at = offsetof(struct expansion, tiles) }, { 0 },
};
static const struct preset presets[] = {
    { "seed", "", "001_46dc594335e7cb0b.txt" }, { "absolute", "scale=width", "arXiv:1706.03762" },
    { "shaw", "content_position=relative position_content=none position_position=none value=relative scale=width "
        "sign=key-query", "arXiv:1803.02155" },
    { "transformer-xl", "content_position=relative position_content=bias position_position=bias value=none "
        "scale=width least=-12 most=12", "arXiv:1901.02860" },
    { "tener", "content_position=relative position_content=bias position_position=bias value=none",
        "arXiv:1911.04474" },
    { "t5", "content_position=none position_content=none position_position=scalar value=none", "arXiv:1910.10683" },
    { "deberta", "content_position=relative position_content=relative position_position=none value=none scale=terms "
        "least=-4 most=3", "arXiv:2006.03654" }, { 0 },
};
static const struct preset contracts[] = { { 0 } };
#define TOKENS "x[n,c] p[n,c] y[m,c] s[m,c] wq[h,c,d] wk[h,c,d] wv[h,c,e] "
#define SCORED TOKENS "rk[h,r,d] rq[h,r,d] u[h,d] w[h,d] beta[h,n,m] "
#define MIXED TOKENS "rk[h,r,d] rq[h,r,d] rv[h,r,e] u[h,d] w[h,d] beta[h,n,m] int keep?[h,n,m]<2 "
const struct row row_expansion = {
    .name = "expansion", .title = "the four terms of a score", .cite = "Dai et al. 2019",
    .steps = { mix_steps, "join project collect" },
    .declares = params, .size = sizeof(struct expansion), .presets = presets, .contracts = contracts,
    .extent = extent, .refuse = clipped_refuse, .sizes = "c=4 d=4 e=3",
    .q = {
      { MIXED "-> o[h,n|e]", .ask = mix_output, .mix = mixing, .through = by_head },
      { MIXED "-> lse[h,n|]", .ask = mix_lse, .mix = mixing, .through = by_head },
      { SCORED "-> score[h,n|m]", .term = score, .through = by_head },
      { SCORED "-> terms[h,n,m|t]", terms_page, .through = by_head },
      { TOKENS "rv[h,r,e] -> values[h,n,m|e]", .ask = mix_value_line, .mix = mixing, .through = by_head },
      { "-> int index[n,m|]", .index = index_of }, { "-> int index_back[n,m|]", .index = index_back } },
};

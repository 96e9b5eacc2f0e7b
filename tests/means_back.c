/* The balls of the gradients of softmax means (backward.c and mix_grad.c of ref/core/softmax) against a second
 * evaluation of the formulas that their comments derive: of a query over its keys, and of a key over the queries. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "softmax/backward.h"
#include "softmax/divided.h"
#include "softmax/mix_grad.h"
#include "means_again.h"

/* The way back: the gradient of the output, and by query what multiplies the gradient of its scores, by key what the
 * gradient of its query takes from it, and the slope of each score. */
static double seed_of[QUERIES * COLUMNS], rseed_of[QUERIES * COLUMNS], by_query[QUERIES][COLUMNS],
    by_key[KEYS][COLUMNS], rad_of[KEYS], slope_of[KEYS];
static const struct ball *seed_balls[QUERIES * COLUMNS];
static struct mer_array seeds = { "do", BALLS, 3, { 1, QUERIES, COLUMNS }, seed_balls };
static const struct mer_call call = { .in = &seeds, .n_in = 1 };

static const struct ball *query_factor(struct ask *w, long h, long i, long c)
{
    (void)h;
    return given_ball(w, by_query[i][c], rad_of[i]);
}
static const struct ball *key_factor(struct ask *w, long h, long i, long j, long c)
{
    (void)h, (void)i;
    return given_ball(w, by_key[j][c], rad_of[j]);
}
static const struct ball *slope(struct ask *w, long h, long i, long j)
{
    (void)h, (void)i;
    return given_ball(w, slope_of[j], 0);
}
static const double scale_is = 3 + 0x1p-40; /* Of no format, or its products would be exact. */
static const struct ball *scale(struct ask *w) { return given_ball(w, scale_is, 0); }

static void seed_anything(void)
{
    for (long i = 0; i < QUERIES; i++)
        for (long c = 0; c < COLUMNS; c++)
            rseed_of[i * COLUMNS + c] = draw(2) ? tiny(6, 12) : 0,
                                  seed_of[i * COLUMNS + c] = (double)(draw(2049) - 1024) / 128,
                                  by_query[i][c] = (double)(draw(2049) - 1024) / 100;
    for (long j = 0; j < KEYS; j++) {
        rad_of[j] = draw(2) ? tiny(4, 12) : 0,
        slope_of[j] = (double)(1 + draw(300)) / 101 + 0x1p-40; /* Of no format. */
        for (long c = 0; c < COLUMNS; c++)
            by_key[j][c] = (double)(draw(2049) - 1024) / 100;
    }
}

/* The second evaluation of one query's way back, from its forward pass x; the words are those of backward.h. */
struct back {
    const struct second *x;
    const struct mix_grad *grad;
    long i;
    double p[KEYS], dp[KEYS], rdp[KEYS], g[KEYS], off[KEYS], own[KEYS], size[KEYS], extra[KEYS], top[KEYS], far[KEYS],
        moves[KEYS];
    double D, common, shift, moved, rest, others;
    bool normal;
};
static double ball_top(const struct ball *b) { return fabs(b_value(b)) + b_radius(b); }
static double of_base_2(const struct second *x, int step, double top)
{ return x->m->route == EXP2 ? rounds(x, step, top / log(2)) * log(2) : rounds(x, step, top); }

static const struct ball *seed(const struct back *b, long c)
{ return seed_balls[b->i * COLUMNS + c]; }

/* dp = <do, v>, product by product. */
static void products(struct back *b)
{
    struct ask *w = b->x->w;
    for (long j = 0; j < b->x->n; j++) {
        const struct ball *t[COLUMNS];
        for (long c = 0; c < COLUMNS; c++)
            t[c] = b_step(w, PRODUCT, b_mul(w, seed(b, c), value(w, 0, b->i, b->x->key[j], c)));
        const struct ball *dp = b_step(w, DP, b_sum(w, DOT, t, COLUMNS));
        b->dp[j] = b_value(dp), b->rdp[j] = b_radius(dp);
        b->p[j] = b->x->e[j] / b->x->total, b->D += b->p[j] * b->dp[j];
    }
    for (long j = 0; j < b->x->n; j++)
        b->g[j] = b->dp[j] - b->D, b->moved += b->x->D[j] / b->x->low * fabs(b->g[j]);
}

static double moves(const struct back *b, long j) /* how far p'_j may be from p_j */
{ return b->common * b->p[j] + b->own[j] + (1 + b->common) * (b->off[j] + b->p[j] * b->others); }

static void stored_again(struct back *b)
{
    const struct second *x = b->x;
    struct summand t[KEYS];
    double noise = 0;
    b->normal = true, b->common = over(x->lost, x->low - x->lost);
    for (long j = 0; j < x->n; j++) {
        const double top = (1 + b->common) * (x->e[j] + x->D[j]) / x->low;
        b->off[j] = x->D[j] / x->low, b->own[j] = rounds(x, DIV, top), b->size[j] = top + b->own[j],
        b->others += b->off[j];
    }
    for (long j = 0; j < x->n; j++) {
        const double top = fabs(b->dp[j]) + b->rdp[j], product = rounds(x, PRODUCT, b->size[j] * top);
        t[j] = term(b->p[j] * b->dp[j], b->size[j] * b->rdp[j] + moves(b, j) * top + product, b_format(x->w, PRODUCT));
        noise += b->size[j] * b->rdp[j] + b->own[j] * top, b->rest += product;
    }
    b->rest += adding(x, SUM, t, 0, false);
    b->shift = noise + b->rest + (1 + b->common) * b->moved + b->common * fabs(b->D);
}

/* The output and its log-sum-exp by the same route, with the part of the output's radius that is its own. */
static void recomputed_again(struct back *b, const struct soft *s)
{
    const struct second *x = b->x;
    struct ask *w = x->w;
    struct soft again = *s;
    const struct ball *o[COLUMNS], *t[COLUMNS];
    struct up own[COLUMNS];
    const bool split = b->grad->m.route == SPLIT; /* Its two levels of weights share nothing that is kept. */
    const struct ball *lse;
    if (split)
        soft_forward(w, &b->grad->m, &again, o, &lse);
    else
        divided(w, x->m) ? divided_output(w, x->m, &again, o, own) : soft_output(w, x->m, &again, o, own),
            lse = soft_lse(w, x->m, &again);
    double stored = b_radius(lse);
    if (x->m->route == EXP2)
        stored += ball_top(lse) * ln2_again(x), stored += of_base_2(x, LOG, ball_top(lse) + stored);
    b->common = grows(stored);
    const double u = unit(x, EXP), c1 = 1 + b->common;
    for (long j = 0; j < x->n; j++) {
        const double far = fabs(x->s[j] - b_value(lse)) + x->rs[j] + b_radius(lse);
        b->off[j] = b->p[j] * grows(x->rs[j] + of_base_2(x, SHIFT, far) + u / (1 - u)) + c1 * absolute(x, EXP);
        if (c1 * (b->p[j] + b->off[j]) < up_double(b_smallest(w, EXP)))
            b->off[j] += c1 * rounds(x, EXP, 0);
        b->size[j] = c1 * (b->p[j] + b->off[j]);
    }
    b->shift = split ? 0 : b->moved;
    for (long c = 0; c < COLUMNS; c++) {
        const struct ball *held = b_step(w, OUTPUT, o[c]);
        const double g = ball_top(seed(b, c)), alone = split ? b_radius(o[c]) : up_double(own[c]);
        t[c] = b_step(w, PRODUCT, b_mul(w, seed(b, c), held));
        b->shift += g * (alone + rounds(x, OUTPUT, ball_top(o[c]))) + rounds(x, PRODUCT, g * ball_top(held)) +
            b_radius(seed(b, c)) * ball_top(held);
    }
    b->shift += up_double(b_sum_error(w, DOT, t, COLUMNS, false));
}

static void back_again(struct back *b, const struct soft *s)
{
    const struct second *x = b->x;
    products(b);
    b->grad->m.route == TWO_PASSES ? stored_again(b) : recomputed_again(b, s);
    for (long j = 0; j < x->n; j++) {
        const double off = b->rdp[j] + b->shift, g = fabs(b->g[j]) + off, kappa = rounds(x, SUM, g);
        const double v = b->size[j] * (g + kappa), product = rounds(x, PRODUCT, v), held = rounds(x, DS, v + product);
        b->moves[j] = moves(b, j);
        b->extra[j] = product + b->size[j] * kappa + held, b->top[j] = v + product + held;
        b->far[j] = b->extra[j] + b->size[j] * off + b->moves[j] * fabs(b->g[j]);
    }
}

/* The sum of ds_j x_j, and the radius that (1) and (2) of backward.c give it. */
static double sum_again(const struct back *b, const double *X, const double *rX, double *sum)
{
    const long n = b->x->n;
    const double c = b->common, c1 = 1 + c;
    double k = 0, C = 0, moved = 0, spread = 0, own = 0, own_x = 0, noise = 0;
    for (long j = 0; j < n; j++)
        k += b->p[j] * X[j];
    for (long j = 0; j < n; j++)
        C += b->p[j] * b->g[j] * (X[j] - k);
    for (long j = 0; j < n; j++) {
        const double K = X[j] - (b->normal ? k : 0), GK = b->g[j] * K;
        moved += b->off[j] * fabs(GK - (b->normal ? C : 0)), spread += b->off[j] * fabs(K),
            own_x += b->own[j] * fabs(X[j]);
        own += b->own[j] * (fabs(GK - b->D * k) + c * fabs(k) * (fabs(b->dp[j]) + b->rdp[j]));
        noise += b->size[j] * b->rdp[j] * (b->normal ? fabs(K) + c * fabs(k) : fabs(X[j])) + b->extra[j] * fabs(X[j]) +
            b->top[j] * rX[j];
    }
    *sum = C;
    if (!b->normal)
        return noise + c1 * moved + c * fabs(C) + b->shift * c1 * (fabs(k) + spread);
    return noise + c1 * moved + c * (fabs(C - b->D * k) + c * fabs(b->D * k)) +
        c1 * fabs(k) * (b->rest + c * b->moved) + b->shift * (own_x + c1 * spread) + own;
}

/* The sum of the weights of the keys in[]. */
static double weight_again(const struct back *b, const bool *in, double *sum)
{
    double a = 0, own = 0;
    *sum = 0;
    for (long j = 0; j < b->x->n; j++)
        *sum += in[j] ? b->p[j] : 0, own += in[j] ? b->own[j] : 0;
    for (long j = 0; j < b->x->n; j++)
        a += b->off[j] * (!b->normal ? in[j] : in[j] ? 1 - *sum : *sum);
    return own + (1 + b->common) * a + b->common * *sum;
}

/* A factor f of a gradient's product, with the radius r that its ball has; the computed f' is at most top and off by at
 * most far. */
struct factor {
    double f, r, top, far;
};
/* One product f x of a gradient's sum: its rounding is added to *lost, and *t is the term. */
static void product_of(const struct second *x, struct summand *t, struct factor f, double by, double rby, double *lost)
{
    const double product = rounds(x, PRODUCT, f.top * (fabs(by) + rby));
    *lost += product;
    *t = term(f.f * by, f.far * (fabs(by) + rby) + f.top * rby + product + f.r * fabs(by), b_format(x->w, PRODUCT));
}

static bool has_scale(const struct second *x, const struct mix_grad *g)
{
    return g->scale && x->w->arith->fault != FAULT_UNSCALED;
}
/* Does ds meet the scale before all else? */
static bool scales_first(const struct back *b) { return b->x->w->arith->dscale_first && has_scale(b->x, b->grad); }
/* The factor of the scores' gradient behind the whole sum. */
static double scaled_again(const struct second *x, const struct mix_grad *g, double *y, double r)
{
    if (!has_scale(x, g))
        return r;
    *y *= scale_is;
    return scale_is * r + rounds(x, SCORE, fabs(*y) + scale_is * r);
}

/* What a line of a gradient gathers: of a query over its keys, or of a key over the queries. */
enum line { QUERY_LINE, SCORE_LINE, KEY_LINE, PAIR_LINE, VALUE_LINE, LINES };
/* The rounding of a product, up to `top`, one of whose factors ds may meet first, elsewhere in its binade. */
static double either_order(const struct back *b, int step, double top)
{
    const double r = rounds(b->x, step, top);
    return r + unit(b->x, step) / 2 * (top + r);
}
static void multiply_again(const struct back *b, int step, double by, double *X, double *rX)
{
    *X *= by, *rX *= by, *rX += either_order(b, step, fabs(*X) + *rX);
}
/* The factor X of ds times what ds meets before: the slope, and the scale where that is first. */
static void turn_again(const struct back *b, long key, double *X, double *rX)
{
    if (b->grad->slope)
        multiply_again(b, PRODUCT, slope_of[key], X, rX);
    if (scales_first(b))
        multiply_again(b, SCORE, scale_is, X, rX);
}
/* What ds, up to *top, loses times `by` where that underflows; all where it overflows. */
static double factor_again(const struct back *b, int step, double by, double *top)
{
    *top *= by;
    return isinf(rounds(b->x, step, *top)) ? (double)INFINITY : rounds(b->x, step, 0);
}
/* What ds of key number j loses there. */
static double early_again(const struct back *b, long j)
{
    double top = b->top[j];
    const double lost = b->grad->slope ? factor_again(b, PRODUCT, slope_of[b->x->key[j]], &top) : 0;
    return scales_first(b) ? scale_is * lost + factor_again(b, SCORE, scale_is, &top) : lost;
}

static double query_again(const struct back *b, long c, double *y)
{
    struct summand t[KEYS];
    double X[KEYS], rX[KEYS], lost = 0;
    for (long j = 0; j < b->x->n; j++) {
        const long key = b->x->key[j];
        X[j] = by_key[key][c], rX[j] = rad_of[key];
        lost += early_again(b, j) * (fabs(X[j]) + rX[j]);
        turn_again(b, key, &X[j], &rX[j]);
        const struct factor ds = { b->p[j] * b->g[j], 0, b->top[j], b->far[j] };
        product_of(b->x, &t[j], ds, X[j], rX[j], &lost);
    }
    lost += adding(b->x, SUM, t, 0, false);
    const double all = sum_again(b, X, rX, y) + lost;
    return scales_first(b) ? all : scaled_again(b->x, b->grad, y, all);
}

static double score_again(const struct back *b, long key, double *y)
{
    double X[KEYS] = { 0 }, rX[KEYS] = { 0 }, more = 0;
    *y = 0;
    for (long j = 0; j < b->x->n; j++)
        if (b->x->key[j] == key) {
            X[j] = 1;
            if (b->grad->slope)
                multiply_again(b, PRODUCT, slope_of[key], &X[j], &rX[j]);
            more = b->grad->slope ? rounds(b->x, PRODUCT, b->top[j] * (X[j] + rX[j])) : 0;
            return scaled_again(b->x, b->grad, y, sum_again(b, X, rX, y) + more);
        }
    return 0;
}

/* The line of a key: one term of each query that sees it. */
static double key_again(const struct back *b, enum line line, long key, long c, double *y)
{
    struct summand t[QUERIES];
    double lost = 0, whole = 0;
    long n = 0;
    *y = 0;
    for (long i = 0; i < QUERIES; i++, b++)
        for (long j = 0; j < b->x->n; j++) {
            if (b->x->key[j] != key)
                continue;
            double X[KEYS] = { 0 }, rX[KEYS] = { 0 }, sum, r, rs = 0, steep = 1;
            turn_again(b, key, &steep, &rs);
            const bool meets = b->grad->slope || scales_first(b);
            bool in[KEYS] = { false };
            const double stored_rounds = rounds(b->x, WEIGHT, b->size[j]);
            const double by = line == KEY_LINE ? by_query[i][c] :
                line == PAIR_LINE              ? by_key[key][c] :
                                                 seed_of[i * COLUMNS + c];
            const double rby = line == KEY_LINE ? rad_of[i] :
                line == PAIR_LINE               ? rad_of[key] :
                                                  rseed_of[i * COLUMNS + c];
            in[j] = true;
            if (line == VALUE_LINE) {
                r = weight_again(b, in, &sum) + stored_rounds;
                const struct factor p = { b->p[j], 0, b->size[j] + stored_rounds, b->moves[j] + stored_rounds };
                product_of(b->x, &t[n++], p, by, rby, &lost);
            } else {
                double f = b->p[j] * b->g[j] * steep, rf = meets ? rounds(b->x, PRODUCT, fabs(f)) : 0;
                const double top = steep + rs, far = b->far[j] * top + b->top[j] * rs + early_again(b, j);
                X[j] = line == PAIR_LINE ? by : 1, rX[j] = line == PAIR_LINE ? rby : 0;
                turn_again(b, key, &X[j], &rX[j]);
                r = sum_again(b, X, rX, &sum);
                lost += early_again(b, j) * (fabs(by) + rby);
                product_of(b->x, &t[n++], (struct factor){ f, rf, b->top[j] * top, far }, by, rby, &lost);
            }
            *y += line == PAIR_LINE ? sum : sum * by;
            whole += line == PAIR_LINE ? r : fabs(sum) * rby + r * (fabs(by) + rby);
        }
    const double all = whole + lost + up_double(sum_error(b[-1].x->w, SUM, t, n, false));
    return line == VALUE_LINE || scales_first(b - 1) ? all : scaled_again(b[-1].x, b[-1].grad, y, all);
}

static void ask_line(struct ask *w, const struct mix_grad *g, enum line line, const struct ball **y)
{
    w->len = line == SCORE_LINE ? KEYS : COLUMNS;
    switch (line) {
    case QUERY_LINE: mix_query_grad(w, g, &(struct mix_met){ .key = key_factor }, y); break;
    case SCORE_LINE: mix_score_grad(w, g, &(struct mix_met){ .key = NULL }, y); break;
    case KEY_LINE: mix_key_grad(w, g, &(struct mix_met){ .of = mix_of_key, .query = query_factor }, y); break;
    case PAIR_LINE: mix_pair_grad(w, g, &(struct mix_met){ .of = mix_of_key, .key = key_factor }, y); break;
    default: mix_value_grad(w, g, &(struct mix_met){ .of = mix_of_key }, y);
    }
}

static void way_back(int k)
{
    struct arith a;
    round_anyhow(&a);
    a.how = WIDEN, a.divide_first = draw(3) == 0, a.dscale_first = draw(3) == 0;
    a.fault = draw(6) ? FAULT_NONE : FAULT_UNSCALED;
    ask_anything(false, false), seed_anything();
    const int route = (int)draw(5);
    const struct mix_grad g = { .m = { .keys = KEYS,
                                    .score = score,
                                    .value = value,
                                    .visible = seen,
                                    .route = (int[]){ TWO_PASSES, ONLINE, EXP2, LAZY, SPLIT }[route],
                                    .block = route % 2 || route == 4 ? 1 + draw(7) : 0,
                                    .slack = 1 + draw(6) },
        .seed = "do",
        .scale = draw(2) ? scale : NULL,
        .slope = draw(3) ? NULL : slope };
    struct mix flat = g.m;
    if (g.m.route == SPLIT) /* What the way back reads of its weights are those of two passes. */
        flat.route = TWO_PASSES, flat.block = 0;
    struct ask w = { .arith = &a, .call = &call, .len = COLUMNS };
    ask_reset(&w, 200);
    for (long n = 0; n < QUERIES * COLUMNS; n++)
        seed_balls[n] = given_ball(&w, seed_of[n], rseed_of[n]);
    static struct second x[2][QUERIES];
    static struct back b[2][QUERIES];
    for (long i = 0; i < QUERIES; i++)
        for (int high = 0; high < 2; high++) {
            w.at[1] = i, lean = high ? 0x1p-40 : -0x1p-40;
            struct soft s = soft_gather(&w, &g.m);
            x[high][i] = (struct second){ .w = &w, .m = &flat, .q = &asked[i] }, weigh_again(&x[high][i]);
            b[high][i] = (struct back){ .x = &x[high][i], .grad = &g, .i = i }, back_again(&b[high][i], &s);
            soft_free(&s);
        }
    const struct ball *y[KEYS];
    for (int line = 0; line < LINES; line++) {
        const bool of_query = line == QUERY_LINE || line == SCORE_LINE;
        w.at[0] = 0, w.at[1] = of_query ? draw(QUERIES) : draw(KEYS);
        const long at = w.at[1];
        ask_line(&w, &g, line, y);
        for (long c = 0; c < w.len; c++) {
            char what[64];
            double mid = 0, want[2];
            for (int high = 0; high < 2; high++)
                lean = high ? 0x1p-40 : -0x1p-40,
                want[high] = line == QUERY_LINE ? query_again(&b[high][at], c, &mid) :
                    line == SCORE_LINE          ? score_again(&b[high][at], c, &mid) :
                                                  key_again(b[high], line, at, c, &mid);
            snprintf(what, sizeof what, "gradient %d, route %d%s%s", line, g.m.route, g.slope ? ", slope" : "",
                !g.scale ? "" : a.dscale_first ? ", scale first" : ", scale");
            bool open = false;
            for (long i = 0; i < QUERIES; i++)
                open |= !(x[1][i].low > x[1][i].lost);
            const bool unseen = line > SCORE_LINE && !asked[0].seen[at] && !asked[1].seen[at];
            cr_assert(!unseen || mpfr_zero_p(y[c]->mid), "%s, case %d: a gradient of what no query sees", what, k);
            if (open || unseen)
                continue;
            if (isnan(want[0]) || isnan(want[1])) { /* In doubles, an error without end times 0 is no number. */
                cr_assert(isinf(b_radius(y[c])), "%s, case %d", what, k);
                continue;
            }
            cr_assert(
                isinf(want[1]) || fabs(b_value(y[c]) - mid) < 1e-9, "%s, case %d: %g %g", what, k, b_value(y[c]), mid);
            expect(what, k, b_radius(y[c]), want, 1e-12);
        }
    }
    ask_clear(&w);
}
Test(means_back, ways_back_have_the_radius_of_their_formula)
{
    for (int k = 0; k < 100; k++)
        way_back(k);
}

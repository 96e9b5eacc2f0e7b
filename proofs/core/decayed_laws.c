/* Laws of rows of the recurrence without a delta rule; see decayed_laws.h. */
#include "decayed_laws.h"
#include "state_call.h"

enum { H = STATE_H, N = STATE_N, D = STATE_D, E = STATE_E };

/* A call of another row with the same q, k, v and first state. */
static struct state_call as_row(const struct state_call *c, const char *row)
{
    struct state_call y = *c;
    y.r = row_named(row);
    y.wide = D, y.sums = false;
    return y;
}
static const struct ball *same(struct ask *w, const struct ball *x)
{
    (void)w;
    return x;
}
static const struct ball *elu1(struct ask *w, const struct ball *x)
{
    return b_value(x) > 0 ? b_add(w, x, b_si(w, 1)) : b_exp(w, x);
}
static const struct ball *silu(struct ask *w, const struct ball *x)
{
    return b_div(w, x, b_add(w, b_si(w, 1), b_exp(w, b_neg(w, x))));
}
static void map(
    struct ask *w, const struct ball **x, long n, const struct ball *(*f)(struct ask *, const struct ball *))
{
    for (long k = 0; k < n; k++)
        x[k] = f(w, x[k]);
}
/* Do heads 0 .. heads - 1 of c under params give what row gla gives of c through f with these decays' logarithms? */
static enum truth is_gla(const struct row *r, const char *params, const char *words, uint64_t seed, long heads,
    const struct ball *(*f)(struct ask *, const struct ball *), const struct ball *(*log_decay)(struct ask *, long h))
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    const struct state_call c = state_made(w, r, seed, heads, heads);
    struct state_call gla = as_row(&c, "gla");
    bool ok = true;
    map(w, gla.q, heads * N * D, f), map(w, gla.k, heads * N * D, f), map(w, gla.v, heads * N * E, f);
    for (long k = 0; k < heads * N * D; k++)
        gla.a[k] = log_decay(w, k / (N * D));
    for (long h = 0; h < heads; h++) {
        state_head(w, &c, params, h, x, final), state_head(w, &gla, words, h, y, last);
        ok &= law_same_line(x, y, N * E) && law_same_line(final, last, D * E);
    }
    return law_close(&l, ok);
}

enum truth decayed_gated(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1);
    state_head(w, &c, params, 0, x, final);
    for (long k = 0; k < N * D; k++)
        c.a[k] = b_mul(w, b_ratio(w, -1, 16), b_log(w, b_add(w, b_si(w, 1), b_exp(w, b_neg(w, c.a[k])))));
    state_head(w, &c, "", 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}
enum truth decayed_idle(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1), linear = as_row(&c, "linear");
    for (long k = 0; k < N * D; k++)
        c.a[k] = b_si(w, 0);
    state_head(w, &c, params, 0, x, final);
    state_head(w, &linear, "feature=identity normalise=none scale=0", 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}

static const struct ball *log_less(struct ask *w, long power) /* log(1 - 2^-power) */
{
    return b_log(w, b_ratio(w, (1L << power) - 1, 1L << power));
}
static const struct ball *retained(struct ask *w, long h) { return log_less(w, 5 + h); }
static const struct ball *spread(struct ask *w, long h) { return log_less(w, h ? 9 : 5); }
enum truth decayed_retained(const struct row *r, const char *params, uint64_t seed)
{
    return is_gla(r, params, "", seed, H, same, retained);
}
enum truth decayed_spread(const struct row *r, const char *params, uint64_t seed)
{
    return is_gla(r, params, "", seed, 2, same, spread);
}

/* o[N][E] of one head of retention with keys of width 4, of which `turned` holds q and k, [2][N][4]. */
static void wide_head(struct ask *w, const struct row *r, const char *params, const struct ball *const *turned,
    const struct ball *const *v, const struct ball **o)
{
    struct mer_array in[3] = { { .name = "q", .type = BALLS, .rank = 3, .dim = { 1, N, 4 } },
        { .name = "k", .type = BALLS, .rank = 3, .dim = { 1, N, 4 } },
        { .name = "v", .type = BALLS, .rank = 3, .dim = { 1, N, E } } };
    const struct ball *const *k = turned + 4 * N;
    memcpy(&in[0].data, &turned, sizeof turned), memcpy(&in[1].data, &k, sizeof k), memcpy(&in[2].data, &v, sizeof v);
    for (long t = 0; t < N; t++)
        line_of(w, (struct page_of){ r, "o", params, in, 3 }, (long[MER_RANK]){ 0, t }, E, o + t * E);
}
/* Fills q and k, [2][N][4], and v. */
static void wide_fill(struct ask *w, const struct row *r, uint64_t seed, const struct ball **x, const struct ball **v)
{
    const struct state_call c = state_made(w, r, seed, H, H);
    memcpy(x, c.q, sizeof *x * 4 * N), memcpy(x + 4 * N, c.k, sizeof *x * 4 * N), memcpy(v, c.v, sizeof *v * N * E);
}
/* Does the row under params what another row does to q and k at 3 + t under words[0] and words[1], and then rotates
 * no more? */
static enum truth is_turned(
    const struct row *r, const char *params, uint64_t seed, const char *other, const char *const words[2])
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[8 * N], *turned[8 * N], *v[N * E], *o[N * E], *y[N * E];
    wide_fill(w, r, seed, x, v);
    wide_head(w, r, params, x, v, o);
    for (long k = 0; k < 2 * N; k++)
        law_row(w, row_named(other), "y", words[k / N], x + 4 * k, (double)(3 + k % N), 4, turned + 4 * k);
    wide_head(w, r, "", turned, v, y);
    return law_close(&l, law_same_line(o, y, N * E));
}
enum truth decayed_rotated(const struct row *r, const char *params, uint64_t seed)
{
    static const char *const words[] = { "dim=4 layout=interleaved", "dim=4 layout=interleaved" };
    return is_turned(r, params, seed, "rope", words);
}
enum truth decayed_stretched(const struct row *r, const char *params, uint64_t seed)
{
    static const char *const words[] = { "dim=4", "dim=4 side=key" };
    return is_turned(r, params, seed, "xpos", words);
}
enum truth decayed_shifted(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[8 * N], *v[N * E], *o[N * E], *y[N * E];
    char more[200];
    wide_fill(w, r, seed, x, v);
    wide_head(w, r, params, x, v, o);
    wide_head(w, r, law_text(more, sizeof more, params, "offset=5"), x, v, y);
    return law_close(&l, law_same_line(o, y, N * E));
}

static const struct ball *lit(struct ask *w, long h)
{
    const struct ball *share = b_add(w, b_ratio(w, 1, 2), b_ratio(w, 1, 100000));
    return b_neg(w, b_mul(w, b_ratio(w, 1, 1L << 2 * (h + 1)), share));
}
static const struct ball *three(struct ask *w, long h)
{
    const struct ball *share = b_add(w, b_si(w, 1), b_ratio(w, 1, 100000));
    return b_neg(w, b_mul(w, b_ratio(w, 1, h == 0 ? 16 : h == 1 ? 256 : 4), share));
}
enum truth decayed_lightning(const struct row *r, const char *params, uint64_t seed)
{
    return is_gla(r, params, "scale=1", seed, H, silu, lit);
}
enum truth decayed_three(const struct row *r, const char *params, uint64_t seed)
{
    return is_gla(r, params, "scale=1", seed, 3, same, three);
}

enum truth decayed_quotient(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *n[N * E], *z[N * E], *final[D * E], *last[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1), above = as_row(&c, "gla"), below;
    map(w, above.q, N * D, elu1), map(w, above.k, N * D, elu1);
    for (long k = 0; k < N * D; k++)
        above.a[k] = b_si(w, 0);
    below = above;
    for (long k = 0; k < N * E; k++)
        below.v[k] = b_si(w, 1);
    for (long k = 0; k < D * E; k++)
        below.state[k] = c.z[k / E];
    state_head(w, &c, params, 0, x, final);
    state_head(w, &above, "scale=1", 0, n, last), state_head(w, &below, "scale=1", 0, z, last);
    for (long k = 0; k < N * E; k++)
        n[k] = b_div(w, n[k], b_add(w, z[k], b_ratio(w, 1, 1000000)));
    return law_close(&l, law_same_line(x, n, N * E));
}
enum truth decayed_mean(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *one[N * E], *final[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1);
    for (long k = 0; k < N * E; k++)
        c.v[k] = one[k] = b_si(w, 1);
    for (long k = 0; k < D * E; k++)
        c.state[k] = c.z[k / E];
    state_head(w, &c, params, 0, x, final);
    return law_close(&l, law_same_line(x, one, N * E));
}
enum truth decayed_unordered(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 160);
    const struct ball *x[N * E], *y[N * E], *final[D * E], *last[D * E];
    struct state_call c = state_made(w, r, seed, 1, 1), turned = c;
    for (long t = 0; t < N; t++) {
        memcpy(turned.k + t * D, c.k + (t + 2) % N * D, sizeof *c.k * D);
        memcpy(turned.v + t * E, c.v + (t + 2) % N * E, sizeof *c.v * E);
    }
    state_head(w, &c, params, 0, x, final), state_head(w, &turned, params, 0, y, last);
    return law_close(&l, law_same_line(x, y, N * E) && law_same_line(final, last, D * E));
}

/* Gradients of the Transformer block, sublayer by sublayer from the last to the first: block.h. */
#include <stdlib.h>
#include "layer/block.h"
#include "row/question.h"

typedef const struct ball *const *rows; /* [n or m][c] */
enum block_place { SELF, CROSS, FEED, PLACES };
static const char *const gain_of[] = { "ga", "gx", "gf" }, *const shift_of[] = { "sa", "sx", "sf" };
static const enum block_input dgain_of[] = { DGA, DGX, DGF };
/* One way forward: h, u and s of each sublayer; z the memory as cross-attention reads it, before: as it is given.
 * place: of each gradient in all. */
struct block_tape {
    struct ask *w;
    const struct block *p;
    long n, m, c, f;
    bool decoder;
    rows h[PLACES], u[PLACES], s[PLACES], before, z;
    const struct ball **all, **room;
    long used, place[BLOCK_INPUTS + 1];
};

static const struct ball **rows_new(struct block_tape *t, long n) { return t->room + (t->used += n * t->c) - n * t->c; }
static const struct ball *sum(struct block_tape *t, const struct ball *x, const struct ball *y)
{
    return b_step(t->w, ADDITION, b_add(t->w, x, y));
}
/* The n rows x + y; where one of them is NULL (nothing), the other. */
static rows both(struct block_tape *t, rows x, rows y, long n)
{
    const struct ball **z = x && y ? rows_new(t, n) : NULL;
    for (long k = 0; z && k < n * t->c; k++)
        z[k] = sum(t, x[k], y[k]);
    return z ? z : x ? x : y;
}
static rows zeros(struct block_tape *t, long n)
{
    const struct ball **z = rows_new(t, n), *zero = b_si(t->w, 0);
    for (long k = 0; k < n * t->c; k++)
        z[k] = zero;
    return z;
}
static rows given(struct block_tape *t, const char *name, long n)
{
    const struct mer_array *a = array_in(t->w, name);
    const struct ball **x = rows_new(t, n);
    for (long k = 0; k < n * t->c; k++)
        x[k] = b_element(t->w, a, k);
    return x;
}
static rows lines(struct block_tape *t, const struct sublayer *s, const char *out, long n)
{
    const struct ball **y = rows_new(t, n);
    for (long i = 0; i < n; i++)
        sublayer_line(t->w, s, out, i, t->c, y + i * t->c);
    return y;
}

static rows norm(struct block_tape *t, enum block_place k, rows x, long n)
{
    struct sublayer s = block_norm(t->w, gain_of[k], shift_of[k], (const struct ball **)x, n);
    rows y = lines(t, &s, "y", n);
    sublayer_free(&s);
    return y;
}
/* The sublayer f, to be asked over the rows u. */
static struct sublayer inner(struct block_tape *t, enum block_place k, rows u)
{
    const struct mer_array x = rows_of("x", (const struct ball **)u, t->n, t->c),
                           z = rows_of("key", (const struct ball **)t->z, t->m, t->c);
    return k == FEED ? block_feed(t->w, (const struct ball **)u, t->n) :
                       block_attention(t->w, &x, k == CROSS ? &z : NULL, t->p->keys == OWN);
}
static rows apply(struct block_tape *t, enum block_place k, rows u)
{
    struct sublayer s = inner(t, k, u);
    rows y = lines(t, &s, k == CROSS ? "cross" : "y", t->n);
    sublayer_free(&s);
    return y;
}
/* What parameter residual makes of h and f(u). */
static rows joined(struct block_tape *t, rows h, rows f)
{
    rows from = b_true(t->w, t->p->residual == INPUT) ? h : f;
    return b_true(t->w, t->p->residual == NONE) ? f : both(t, from, f, t->n);
}

static rows forward(struct block_tape *t, enum block_place k, rows h)
{
    const bool post = t->p->order == POST;
    t->h[k] = h, t->u[k] = post ? h : norm(t, k, h, t->n);
    /* mutant: condition 108c: what comes behind it is made in vain. */
    if (k == FEED && !post) /* Nothing is asked of what comes behind it. */
        return NULL;
    t->s[k] = joined(t, h, apply(t, k, t->u[k]));
    return k == FEED || !post ? t->s[k] : norm(t, k, t->s[k], t->n);
}

/* From dy behind a norm of n rows x to dx, and to the norm's gain and shift; more: these are added to what gain and
 * shift have already. */
static rows norm_back(struct block_tape *t, enum block_place k, rows x, rows dy, long n, bool more)
{
    struct sublayer s = block_norm(t->w, gain_of[k], shift_of[k], (const struct ball **)x, n);
    const struct ball **now = need((size_t)t->c, sizeof *now);
    s.in[s.n++] = rows_of("dy", (const struct ball **)dy, n, t->c);
    for (int shift = 0; shift < 2; shift++) {
        const struct ball **to = t->all + t->place[dgain_of[k] + (enum block_input)shift];
        const bool read = !shift || t->p->norm == LAYER;
        for (long c = 0; c < t->c && !read; c++)
            to[c] = b_si(t->w, 0);
        if (read)
            sublayer_line(t->w, &s, shift ? "dshift" : "dgain", 0, t->c, now);
        for (long c = 0; c < t->c && read; c++)
            to[c] = more ? sum(t, to[c], now[c]) : now[c];
    }
    rows dx = lines(t, &s, "dx", n);
    free(now), sublayer_free(&s);
    return dx;
}

static void attention_weights(struct block_tape *t, const struct sublayer *s, bool cross)
{
    static const char *const name[] = { "dwq", "dwk", "dwv", "dbq", "dbk", "dbv", "dwo", "dbo" };
    const struct mer_array *wo = array_in(t->w, cross ? "xo" : "wo");
    const long all = dim_in(t->w, "wi", 1), wide[] = { block_size(t->p, 0), block_size(t->p, 1), block_size(t->p, 2) };
    const struct ball **part = need((size_t)(all * t->c + array_len(wo)) + 1, sizeof *part),
                      **weight = t->all + t->place[cross ? DXI : DWI], **bias = t->all + t->place[cross ? DXB : DBI];
    for (long k = 0, at = 0; k < 8; at += k < 3 ? wide[k] : 0, k++) {
        char of[20] = "";
        const long len = k < 3 ? t->c * wide[k] : k < 6 ? wide[k - 3] : k == 6 ? array_len(wo) : t->c;
        strcat(strcat(of, name[k]), cross ? "_cross" : "");
        sublayer_line(t->w, s, of, 0, len, part);
        for (long x = 0; x < len && k < 3; x++)
            weight[x / wide[k] * all + at + x % wide[k]] = part[x];
        if (k >= 3 && k < 6)
            memcpy(bias, part, (size_t)len * sizeof *part), bias += len;
        if (k >= 6)
            memcpy(t->all + t->place[(cross ? DXO : DWO) + (k == 7)], part, (size_t)len * sizeof *part);
    }
    free(part);
}
static void feed_weights(struct block_tape *t, const struct sublayer *s)
{
    static const char *const name[] = { "dw1", "db1", "dwg", "dbg", "dw2", "db2" };
    for (int k = 0; k < 6; k++) {
        const struct ball **to = t->all + t->place[DW1 + k];
        const long len = t->place[DW1 + k + 1] - t->place[DW1 + k];
        for (long x = 0; x < len && !t->p->gated && name[k][2] == 'g'; x++)
            to[x] = b_si(t->w, 0); /* It is not read. */
        if (t->p->gated || name[k][2] != 'g')
            sublayer_line(t->w, s, name[k], 0, len, to);
    }
}
/* From df, the gradient of f(u), to du and to the gradients of f's weights; of cross-attention *dz, too. */
static rows inner_back(struct block_tape *t, enum block_place k, rows df, rows *dz)
{
    struct sublayer s = inner(t, k, t->u[k]);
    s.in[s.n++] = rows_of(k == CROSS ? "dcross" : "dy", (const struct ball **)df, t->n, t->c);
    if (k == FEED)
        feed_weights(t, &s);
    else
        attention_weights(t, &s, k == CROSS);
    if (k == CROSS)
        *dz = both(t, lines(t, &s, "dkey", t->m), lines(t, &s, "dvalue", t->m), t->m);
    rows du = lines(t, &s, k == CROSS ? "dx_cross" : "dx", t->n);
    sublayer_free(&s);
    return du;
}
/* The gradient of f(u) in s, from that of s. */
static rows into(struct block_tape *t, rows ds)
{
    return b_true(t->w, t->p->residual == DOUBLED) ? both(t, ds, ds, t->n) : ds;
}
/* The gradient of h in s without what comes through f; NULL: nothing goes straight through. */
static rows straight(const struct block_tape *t, rows ds) { return b_true(t->w, t->p->residual == INPUT) ? ds : NULL; }

static rows backward(struct block_tape *t, enum block_place k, rows dout, rows *dz)
{
    const bool post = t->p->order == POST;
    rows ds = post ? norm_back(t, k, t->s[k], dout, t->n, false) : dout, du = inner_back(t, k, into(t, ds), dz);
    return both(t, straight(t, ds), post ? du : norm_back(t, k, t->h[k], du, t->n, false), t->n);
}

/* The way back of y = (x + A(u)) + F(u), u = N(x): it answers dx. */
static rows backward_parallel(struct block_tape *t, rows dy)
{
    rows middle = straight(t, dy), dz = NULL, of_feed, of_self, du;
    t->u[FEED] = t->u[SELF];
    of_feed = inner_back(t, FEED, into(t, dy), &dz);
    of_self = inner_back(t, SELF, middle ? middle : zeros(t, t->n), &dz);
    du = both(t, of_self, of_feed, t->n);
    for (long k = t->place[DGF]; k < t->place[DSF + 1]; k++)
        t->all[k] = b_si(t->w, 0); /* The norm of F is not read. */
    return both(t, middle ? straight(t, middle) : NULL, norm_back(t, SELF, t->h[SELF], du, t->n, false), t->n);
}

static void lay_out(struct block_tape *t)
{
    const long s = dim_in(t->w, "wi", 1), u = dim_in(t->w, "wo", 0), c = t->c, f = t->f, cross = t->decoder;
    const long size[BLOCK_INPUTS] = { t->n * c, cross * dim_in(t->w, t->decoder ? "memory" : "x", 0) * c, c * s, s,
        u * c, c, c, c, cross * c * s, cross * s, cross * u * c, cross * c, cross * c, cross * c, c * f, f, c * f, f,
        f * c, c, c, c };
    for (int k = 0; k < BLOCK_INPUTS; k++)
        t->place[k + 1] = t->place[k] + size[k];
}
static struct block_tape open(struct ask *w, bool decoder)
{
    struct block_tape t = { .w = w,
        .p = w->params,
        .n = dim_in(w, "x", 0),
        .c = dim_in(w, "x", 1),
        .f = dim_in(w, "w1", 1),
        .decoder = decoder };
    t.m = decoder ? t.p->keys == OWN ? t.n : dim_in(w, "memory", 0) : 0;
    lay_out(&t);
    return t;
}

static void make(struct ask *w, bool decoder, const struct ball **all)
{
    enum { ARRAYS = 48 };
    struct block_tape t = open(w, decoder);
    const bool parallel = t.p->order == PARALLEL && !decoder, again = t.p->memory == AGAIN;
    t.all = all, t.room = need((size_t)(ARRAYS * (t.n + t.m + 1) * t.c) + 1, sizeof *t.room);
    rows x = given(&t, "x", t.n), y, dz = NULL, dx;
    if (decoder) {
        t.before = t.p->keys == OWN ? x : given(&t, "memory", t.m);
        t.z = again ? norm(&t, CROSS, t.before, t.m) : t.before;
    }
    if (parallel)
        t.h[SELF] = x, t.u[SELF] = norm(&t, SELF, x, t.n);
    else {
        y = forward(&t, SELF, x);
        forward(&t, FEED, decoder ? forward(&t, CROSS, y) : y);
    }
    dx = given(&t, decoder ? "ddecoder" : "dencoder", t.n);
    if (parallel)
        dx = backward_parallel(&t, dx);
    else {
        dx = backward(&t, FEED, dx, &dz);
        dx = decoder ? backward(&t, CROSS, dx, &dz) : dx;
        dx = backward(&t, SELF, dx, &y);
    }
    dz = decoder && again ? norm_back(&t, CROSS, t.before, dz, t.m, true) : dz;
    if (decoder && t.p->keys == OWN)
        dx = both(&t, dx, dz, t.n), dz = zeros(&t, t.place[DMEMORY + 1] / t.c);
    memcpy(all + t.place[DX], dx, (size_t)(t.n * t.c) * sizeof *all);
    if (decoder)
        memcpy(all + t.place[DMEMORY], dz, (size_t)(t.place[DMEMORY + 1] - t.place[DMEMORY]) * sizeof *all);
    free(t.room);
}
static void make_encoder(struct ask *w, const struct ball **all) { make(w, false, all); }
static void make_decoder(struct ask *w, const struct ball **all) { make(w, true, all); }

void block_grad(struct ask *w, bool decoder, enum block_input of, const struct ball **y)
{
    struct block_tape t = open(w, decoder);
    question_line(w, decoder ? make_decoder : make_encoder, t.place[BLOCK_INPUTS], t.place[of], y);
}

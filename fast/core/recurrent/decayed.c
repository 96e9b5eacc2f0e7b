/* The recurrence without a delta rule, in double; see decayed.h.
 * v0  plain loops; the tokens are made first, and on the way back every state of a head is kept */
#include "recurrent/decayed.h"
#include <math.h>
#include <stdlib.h>
#include "recurrent/doubles.h"

/* A call as the state meets it: q (times scale) and k [H,n,d], v [H,n,e], decays [H,n,wide] (NULL: none), the first
 * state [H,d,e].  ones: where the row has z, e is one more than the width of v, and the last column of v is 1. */
struct flow {
    const struct mer_call *c;
    const struct flow_row *row;
    double *block, *q, *k, *v, *a, *first, *raw_a;
    int64_t H, n, d, e, width, wide;
    double scale, eps;
    int ones, divided, at_end, read_before;
};

static double *copy_of(const struct mer_call *c, const char *name, double **used)
{
    double *to = *used;
    return doubles_in(c, name, used) ? to : NULL;
}
/* Lines of `from`, wide each, with room for `step` numbers, through the row; times scale. */
static double *lines(const struct flow *f, const char *name, int64_t step, double scale, double **used)
{
    double *const from = *used, *to = from + mer_count(mer_in(f->c, name));
    const int64_t wide = mer_in(f->c, name)->dim[2];
    doubles_in(f->c, name, used);
    *used += f->H * f->n * step;
    for (int64_t r = 0; r < f->H * f->n; r++) {
        memcpy(to + r * step, from + r * wide, (size_t)wide * sizeof *to);
        if (f->row->vector)
            f->row->vector(f->c, *name, r / f->n, r % f->n, to + r * step, wide);
        for (int64_t i = 0; i < wide; i++)
            to[r * step + i] *= scale;
        if (step > wide)
            to[r * step + wide] = 1;
    }
    return to;
}
static void decays(struct flow *f, double **used)
{
    f->raw_a = f->row->channels ? copy_of(f->c, "a", used) : NULL;
    f->a = *used, *used += f->H * f->n * f->wide;
    for (int64_t k = 0; k < f->H * f->n * f->wide; k++)
        f->a[k] = f->row->factor(f->c, k / (f->n * f->wide), f->raw_a ? f->raw_a[k] : 0);
}
/* The state [H,d,e] that an input of width e - ones and, for the last column, another one begin. */
static double *begun(const struct flow *f, const char *state, const char *z, double **used)
{
    const double *from = doubles_in(f->c, state, used), *sum = f->ones ? doubles_in(f->c, z, used) : NULL;
    double *to = *used;
    *used += f->H * f->d * f->e;
    for (int64_t k = 0; k < f->H * f->d * f->e; k++) {
        const int64_t line = k / f->e, c = k % f->e;
        to[k] = c < f->width ? (from ? from[line * f->width + c] : 0) : (sum ? sum[line] : 0);
    }
    return to;
}
static int open_flow(struct flow *f, const struct mer_call *c, const struct flow_row *row, double **used)
{
    const struct mer_array *k = mer_in(c, "k"), *v = mer_in(c, "v");
    *f = (struct flow){ .c = c, .row = row, .H = v->dim[0], .n = v->dim[1], .d = k->dim[2], .width = v->dim[2],
        .scale = mer_real(c, "scale"), .eps = mer_real(c, "eps"), .ones = row->keys,
        .divided = mer_is(c, "normalise", "sum"),
        .at_end = mer_is(c, "causal", "off"), .read_before = mer_is(c, "read", "before") };
    f->e = f->width + f->ones, f->wide = !row->factor ? 0 : row->channels ? f->d : 1;
    f->read_before = f->read_before && !f->at_end;
    f->scale = f->scale > 0 ? f->scale : 1 / sqrt((double)f->d);
    const int64_t tokens = f->H * f->n,
                  all = doubles_of_all(c) + tokens * (2 * f->d + f->e + f->wide) + 2 * f->H * f->d * f->e;
    f->block = *used = malloc((size_t)(all + 1) * sizeof *f->block);
    if (!f->block)
        return MER_BAD;
    f->q = lines(f, "q", f->d, f->scale, used), f->k = lines(f, "k", f->d, 1, used);
    f->v = lines(f, "v", f->e, 1, used), f->first = begun(f, "state", "z", used);
    if (f->wide)
        decays(f, used);
    return MER_OK;
}

/* s[d][e] is multiplied by the decays of a token. */
static void decay(const struct flow *f, double *s, int64_t at)
{
    for (int64_t k = 0; k < f->d * f->e && f->wide; k++)
        s[k] *= f->a[at * f->wide + (f->wide > 1 ? k / f->e : 0)];
}
/* y[e] = s^T x */
static void read_of(const struct flow *f, const double *s, const double *x, double *y)
{
    memset(y, 0, (size_t)f->e * sizeof *y);
    for (int64_t i = 0; i < f->d; i++)
        for (int64_t c = 0; c < f->e; c++)
            y[c] += x[i] * s[i * f->e + c];
}
/* s += x y^T */
static void write_to(const struct flow *f, double *s, const double *x, const double *y)
{
    for (int64_t i = 0; i < f->d; i++)
        for (int64_t c = 0; c < f->e; c++)
            s[i * f->e + c] += x[i] * y[c];
}
/* o of token `at` from what it reads of s; y[e] is room. */
static void output(const struct flow *f, const double *s, int64_t at, double *y)
{
    read_of(f, s, f->q + at * f->d, y);
    for (int64_t c = 0; c < f->width && f->divided; c++)
        y[c] /= y[f->width] + f->eps;
    doubles_out(mer_out(f->c, "o"), at * f->width, y, f->width);
}
/* Head h forward in s[d][e]; states: NULL, or room for the state before each token and the last; reads: o, too. */
static void run(const struct flow *f, int64_t h, double *s, double *y, double *states, int reads)
{
    const int64_t size = f->d * f->e;
    memcpy(s, f->first + h * size, (size_t)size * sizeof *s);
    for (int64_t t = 0; t < f->n; t++) {
        const int64_t at = h * f->n + t;
        if (states)
            memcpy(states + t * size, s, (size_t)size * sizeof *s);
        decay(f, s, at);
        if (reads && f->read_before)
            output(f, s, at, y);
        write_to(f, s, f->k + at * f->d, f->v + at * f->e);
        if (reads && !f->read_before && !f->at_end)
            output(f, s, at, y);
    }
    for (int64_t t = 0; t < f->n && reads && f->at_end; t++)
        output(f, s, h * f->n + t, y);
    if (states)
        memcpy(states + f->n * size, s, (size_t)size * sizeof *s);
}
/* s[d][e] to an output of width e - ones at head h, its last column to another one. */
static void hand_out(const struct flow *f, const double *s, const char *state, const char *z, int64_t h)
{
    for (int64_t i = 0; i < f->d; i++) {
        const int64_t line = h * f->d + i;
        doubles_out(mer_out(f->c, state), line * f->width, s + i * f->e, f->width);
        const double sum = f->ones ? s[i * f->e + f->width] : 0;
        doubles_out(mer_out(f->c, z), line, &sum, 1);
    }
}
int flow_forward(const struct mer_call *c, const struct flow_row *row)
{
    struct flow f;
    double *used;
    if (open_flow(&f, c, row, &used))
        return MER_BAD;
    double *s = malloc((size_t)(f.d * f.e + f.e + 1) * sizeof *s);
    for (int64_t h = 0; h < f.H && s; h++) {
        run(&f, h, s, s + f.d * f.e, NULL, mer_out(c, "o") != NULL);
        hand_out(&f, s, "final", "final_z", h);
    }
    free(f.block), free(s);
    return s ? MER_OK : MER_BAD;
}

/* Gradients of one head on the way: D[d][e] of the state, lines of q and k [n][d], v [n][e], a [n][d]. */
struct decayed_grads { double *D, *q, *k, *v, *a, *up, *y; };
/* up[e], the gradient by what token `at` reads of s[d][e]. */
static void up_of(const struct flow *f, const double *s, int64_t at, const double *up, double *to, double *y)
{
    memcpy(to, up + at * f->width, (size_t)f->width * sizeof *to);
    if (f->ones)
        to[f->width] = 0;
    if (!f->divided)
        return;
    read_of(f, s, f->q + at * f->d, y);
    double along = 0;
    for (int64_t c = 0; c < f->width; c++) {
        to[c] /= y[f->width] + f->eps;
        along += to[c] * (y[c] / (y[f->width] + f->eps));
    }
    to[f->width] = -along;
}
/* The read of s[d][e] by token t: dq, and D grows. */
static void read_back(const struct flow *f, const double *s, int64_t h, int64_t t, const double *up,
    const struct decayed_grads *r)
{
    const int64_t at = h * f->n + t;
    up_of(f, s, at, up, r->up, r->y);
    for (int64_t i = 0; i < f->d; i++) {
        double g = 0;
        for (int64_t c = 0; c < f->e; c++)
            g += s[i * f->e + c] * r->up[c];
        r->q[t * f->d + i] = g * f->scale;
    }
    write_to(f, r->D, f->q + at * f->d, r->up);
}
/* Decay and write of token t, which found the state `before`; the decayed state is left in met[d][e]. */
static void token_back(const struct flow *f, int64_t h, int64_t t, const double *before, const struct decayed_grads *r,
    const double *up, double *met)
{
    const int64_t at = h * f->n + t, size = f->d * f->e;
    memcpy(met, before, (size_t)size * sizeof *met);
    decay(f, met, at);
    read_of(f, r->D, f->k + at * f->d, r->v + t * f->e);
    for (int64_t i = 0; i < f->d; i++) {
        double g = 0;
        for (int64_t c = 0; c < f->e; c++)
            g += r->D[i * f->e + c] * f->v[at * f->e + c];
        r->k[t * f->d + i] = g;
    }
    if (f->read_before)
        read_back(f, met, h, t, up, r);
    for (int64_t i = 0; i < f->d && f->raw_a; i++) {
        double g = 0;
        for (int64_t c = 0; c < f->e; c++)
            g += r->D[i * f->e + c] * met[i * f->e + c];
        r->a[t * f->d + i] = g * (f->row->slope ? f->row->slope(f->c, f->raw_a[at * f->d + i]) : 1);
    }
    decay(f, r->D, at);
}
/* Lines y[n][step] of head h, gradients by what the input became, back through the row, and out. */
static void lines_back(const struct flow *f, const char *name, const double *raw, int64_t h, double *y, int64_t step)
{
    char out[] = { 'd', *name, 0 };
    const int64_t wide = mer_in(f->c, name)->dim[2];
    for (int64_t t = 0; t < f->n; t++) {
        if (f->row->back)
            f->row->back(f->c, *name, h, t, raw + (h * f->n + t) * wide, y + t * step, wide);
        doubles_out(mer_out(f->c, out), (h * f->n + t) * wide, y + t * step, wide);
    }
}
int flow_backward(const struct mer_call *c, const struct flow_row *row)
{
    struct flow f;
    double *used;
    if (open_flow(&f, c, row, &used))
        return MER_BAD;
    const int64_t size = f.d * f.e, inputs = doubles_of_all(c);
    double *last = begun(&f, "dfinal", "dfinal_z", &used),
           *block = malloc((size_t)(inputs + (f.n + 3) * size + f.n * (3 * f.d + f.e) + 2 * f.e + 1) * sizeof *block),
           *more = block;
    for (int64_t h = 0; h < f.H && block; h++) {
        more = block;
        const double *q = doubles_in(c, "q", &more), *k = doubles_in(c, "k", &more), *v = doubles_in(c, "v", &more),
                     *up = doubles_in(c, "do", &more);
        double *states = more, *met = states + (f.n + 1) * size;
        struct decayed_grads r = { .D = met + size };
        r.q = r.D + size, r.k = r.q + f.n * f.d, r.a = r.k + f.n * f.d, r.v = r.a + f.n * f.d;
        r.up = r.v + f.n * f.e, r.y = r.up + f.e;
        run(&f, h, met, r.y, states, 0);
        memcpy(r.D, last + h * size, (size_t)size * sizeof *r.D);
        for (int64_t t = 0; t < f.n && f.at_end; t++)
            read_back(&f, states + f.n * size, h, t, up, &r);
        for (int64_t t = f.n - 1; t >= 0; t--) {
            if (!f.read_before && !f.at_end)
                read_back(&f, states + (t + 1) * size, h, t, up, &r);
            token_back(&f, h, t, states + t * size, &r, up, met);
        }
        lines_back(&f, "q", q, h, r.q, f.d), lines_back(&f, "k", k, h, r.k, f.d);
        lines_back(&f, "v", v, h, r.v, f.e);
        if (f.raw_a)
            doubles_out(mer_out(c, "da"), h * f.n * f.d, r.a, f.n * f.d);
        hand_out(&f, r.D, "dstate", "dz", h);
    }
    free(f.block), free(block);
    return block ? MER_OK : MER_BAD;
}

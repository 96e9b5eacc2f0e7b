/* Both sides of sum dy . (dy/dx) v = sum dx . v; adjoint.h says what they mean. */
#include "adjoint.h"
#include <stdio.h>
#include <stdlib.h>
#include "ball/dual.h"

/* Does the signature have an input of this name that holds real numbers? */
static bool reads(const struct sign *s, const char *name)
{
    for (int k = 0; k < s->n_in; k++)
        if (!strcmp(s->in[k].name, name) && !s->in[k].integer)
            return true;
    return false;
}

/* The input of y that the quantity `name` is a gradient of, that is, the one for which `name` is d<input> or
 * d<input>_<y>; NULL where there is none. */
static const struct axes *meant(const struct sign *y, const char *name)
{
    for (int k = 0; k < y->n_in; k++) {
        char whole[80];
        snprintf(whole, sizeof whole, "d%s_%s", y->in[k].name, y->out.name);
        if (!y->in[k].integer &&
            (!strcmp(whole, name) || (strlen(y->in[k].name) + 1 == strlen(name) && !strcmp(y->in[k].name, name + 1))))
            return &y->in[k];
    }
    return NULL;
}

bool adjoint_of(const struct row *r, const struct quantity *q, struct adjoint *a)
{
    struct sign s, f;
    sign_read(&s, q->sign);
    *a = (struct adjoint){ .n = 0 };
    if (s.out.name[0] != 'd' || s.out.integer)
        return false;
    for (const struct quantity *y = r->q; y->sign && a->n < ADJOINT_OF; y++) {
        char seed[40];
        sign_read(&f, y->sign);
        snprintf(seed, sizeof seed, "d%s", f.out.name);
        const struct axes *x = reads(&s, seed) ? meant(&f, s.out.name) : NULL;
        if (x && (!a->n || !strcmp(a->in, x->name)))
            memcpy(a->in, x->name, sizeof a->in), a->of[a->n++] = y;
    }
    return a->n > 0;
}

/* Does the row need input `in` under any of its presets? */
static bool ever_needed(const struct row *r, const char *in)
{
    bool yes = false;
    void *p = need(1, r->size);
    char err[200];
    for (const struct preset *k = r->presets; k->name && !yes; k++) {
        yes = !params_read(row_params(r), p, k->text, err, sizeof err) && r->needs(p, in);
        params_clear(row_params(r), p);
    }
    free(p);
    return yes;
}
bool adjoint_reads(const struct row *r, const struct adjoint *a, const void *params)
{
    struct sign y;
    bool optional = false;
    sign_read(&y, a->of[0]->sign);
    for (int k = 0; k < y.n_in; k++)
        optional |= !strcmp(y.in[k].name, a->in) && y.in[k].optional;
    return !optional || !r->needs || r->needs(params, a->in) || !ever_needed(r, a->in);
}

static double direction(uint64_t seed, uint64_t k) /* Entry k of the direction: a multiple of 2^-10 in [-2, 2). */
{
    uint64_t z = (seed * 0x9e3779b97f4a7c15u ^ k) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 31) * 0x94d049bb133111ebu;
    return (double)((int64_t)(z >> 52) - 2048) / 1024;
}

/* Adds to *sum, over all elements of quantity q, the element of `by` at that place times the value of q, or, where d
 * gives a direction, times its tangent. `by` has the shape of q's output; it is the direction on the backward side and
 * a seed on the forward one.  False: a line of q was left undecided. */
static bool paired(struct ask *w, const struct quantity *q, const void *params, const struct mer_call *c,
    const struct mer_array *by, struct dual *d, const struct ball **sum)
{
    const struct arith exact = { 0 };
    struct sign s;
    sign_read(&s, q->sign);
    struct ask line = { .params = params, .call = c, .arith = &exact, .len = 1, .dual = d };
    for (int k = s.out.lead; k < s.out.rank; k++)
        line.len *= by->dim[k];
    const struct ball **y = need((size_t)line.len + 1, sizeof *y);
    bool decided = true;
    for (long i = 0, lines = line.len ? array_len(by) / line.len : 0; i < lines; i++) {
        long rest = i;
        for (int k = s.out.lead - 1; k >= 0; rest /= by->dim[k--])
            line.at[k] = rest % by->dim[k];
        ask_reset(&line, w->prec);
        line_page(&line, q, NULL, y);
        decided &= !line.undecided;
        for (long k = 0; k < line.len; k++)
            *sum = b_add(w, *sum, b_mul(w, b_element(w, by, i * line.len + k), d ? dual_tangent(&line, y[k]) : y[k]));
    }
    free(y), ask_clear(&line);
    return decided;
}

bool adjoint_sides(struct ask *w, const struct row *r, const struct quantity *q, const void *params,
    const struct mer_call *c, uint64_t seed, const struct ball **forward, const struct ball **backward)
{
    struct adjoint a;
    if (!adjoint_of(r, q, &a))
        return false;
    const struct mer_array *x = mer_in(c, a.in);
    if (!x)
        return false;
    struct mer_array v = *x;
    double *to = need((size_t)array_len(x) + 1, sizeof *to);
    for (long k = 0; k < array_len(x); k++)
        to[k] = direction(seed, (uint64_t)k);
    v.type = MER_F64, v.data = to;
    *forward = *backward = b_si(w, 0);
    bool decided = paired(w, q, params, c, &v, NULL, backward);
    for (int k = 0; k < a.n; k++) {
        struct dual d = { .in = { { x, to } }, .n = 1 };
        struct sign f;
        char name[40];
        sign_read(&f, a.of[k]->sign);
        snprintf(name, sizeof name, "d%s", f.out.name);
        if (mer_in(c, name)) /* An optional seed that is not given is 0. */
            decided &= paired(w, a.of[k], params, c, mer_in(c, name), &d, forward);
        dual_close(&d);
    }
    free(to);
    return decided && mpfr_number_p((*forward)->mid) && mpfr_number_p((*backward)->mid);
}

/* Rotated queries and keys; see turned.h. */
#include "state/turned.h"
#include "edit/site.h"

static const struct ball *frequency(struct ask *w, const struct turned *r, long i, long d)
{
    const long under = b_true(w, r->spread) ? d / 2 - 1 : d;
    const long e = b_true(w, r->spread) ? i : 2 * i;
    const struct ball *base = b_given(w, r->frequency, b_q(w, r->base));
    return under ? b_step(w, r->frequency, b_pow(w, base, b_given(w, r->frequency, b_ratio(w, -e, under)))) :
                   b_si(w, 1);
}
static const struct ball *part(struct ask *w, const struct turned *r, const struct ball *x)
{
    return b_inner(w, r->table, x);
}
/* zeta_i^(+-position / stretch), zeta_i = (2i/d + 2/5) / (1 + 2/5). */
static const struct ball *stretched(struct ask *w, const struct turned *r, long position, long i, long d)
{
    const struct ball *more = part(w, r, b_ratio(w, 2, 5)), *share = part(w, r, b_ratio(w, 2 * i, d)),
                      *zeta = b_div(w, part(w, r, b_add(w, share, more)), part(w, r, b_add(w, b_si(w, 1), more))),
                      *power = part(w, r, b_div(w, b_si(w, position), part(w, r, b_q(w, r->stretch))));
    return part(w, r, b_pow(w, part(w, r, zeta), power));
}
static const struct ball *times(struct ask *w, const struct turned *r, const struct ball *x, const struct ball *y)
{
    return b_step(w, r->turn, b_mul(w, x, y));
}

void turned_line(struct ask *w, const struct turned *r, long position, bool query, bool back, long d,
    const struct ball *const *x, const struct ball **y)
{
    for (long i = 0; i < d / 2; i++) {
        const struct ball *angle = b_step(w, r->angle, b_mul(w, b_si(w, position), frequency(w, r, i, d))),
                          *c = b_cos(w, angle), *s = b_sin(w, angle);
        if (r->stretch) {
            const struct ball *by = stretched(w, r, b_true(w, query) ? position : -position, i, d);
            c = b_mul(w, part(w, r, c), by), s = b_mul(w, part(w, r, s), by);
        }
        c = b_step(w, r->table, c), s = b_step(w, r->table, b_true(w, back) ? b_neg(w, s) : s);
        const bool halves = b_true(w, r->halves);
        const long one = halves ? i : 2 * i, other = halves ? i + d / 2 : 2 * i + 1;
        const struct ball *a = x[one], *b = x[other];
        y[one] = b_step(w, r->turn, b_sub(w, times(w, r, a, c), times(w, r, b, s)));
        y[other] = b_step(w, r->turn, b_add(w, times(w, r, b, c), times(w, r, a, s)));
    }
}

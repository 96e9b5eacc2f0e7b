/* The method is exp(M) = exp(M / 2^s)^(2^s), |M / 2^s| <= 1/2 in the norm of absolute row sums: a Taylor sum to K
 * terms, whose rest is at most 2 (1/2)^K / K! in that norm, so in every entry; then s squarings, each of which costs
 * about one bit (Moler and Van Loan 2003, method 3). */
#include "flow/expm.h"
#include <stdlib.h>

enum { SQUARINGS = 65 };

/* Makes x the product x y, where y may be x; all are [d][d], row major, and so is `room`, which is apart from both. */
static void multiply(
    struct ask *w, const struct ball **x, const struct ball *const *y, long d, const struct ball **room)
{
    for (long i = 0; i < d * d; i++) {
        room[i] = b_si(w, 0);
        for (long j = 0; j < d; j++)
            room[i] = b_add(w, room[i], b_mul(w, x[i / d * d + j], y[j * d + i % d]));
    }
    memcpy(x, room, (size_t)(d * d) * sizeof *x);
}

static struct up norm(const struct ball *const *m, long d)
{
    struct up most = { 0, 0 }; /* mutant: constant 3f25: no norm up to 1/2 is scaled, whatever it is. */
    for (long i = 0; i < d; i++) {
        struct up sum = { 0, 0 };
        for (long j = 0; j < d; j++)
            sum = up_add(sum, b_top(m[i * d + j]));
        most = up_max(most, sum);
    }
    return most;
}

void b_expm(struct ask *w, const struct ball *const *m, long d, const struct ball **e)
{
    const size_t n = (size_t)(d * d);
    const struct ball **term = need(3 * n + 1, sizeof *term), **room = term + n, **scaled = room + n,
                      *unit = b_si(w, 1);
    struct up rest = up_d(2), size = norm(m, d);
    long squarings = 0;
    while (squarings < SQUARINGS && up_less(up_d(0.5), up_2exp(size, -squarings)))
        unit = b_mul(w, unit, b_ratio(w, 1, 2)), squarings++;
    for (size_t i = 0; i < n; i++)
        scaled[i] = b_mul(w, m[i], unit), e[i] = term[i] = b_si(w, i % ((size_t)d + 1) == 0);
    const bool small = squarings < SQUARINGS;
    for (long k = 1; small && up_less((struct up){ 0.5, -(long)w->prec - 16 }, rest); k++) {
        rest = up_div(up_2exp(rest, -1), up_d((double)k));
        multiply(w, term, (const struct ball *const *)scaled, d, room);
        for (size_t i = 0; i < n; i++)
            term[i] = b_div(w, term[i], b_si(w, k)), e[i] = b_add(w, e[i], term[i]);
    }
    for (size_t i = 0; i < n; i++)
        e[i] = b_widen(w, e[i], small ? rest : up_inf());
    for (; squarings; squarings--)
        multiply(w, e, (const struct ball *const *)e, d, room);
    free(term);
}

/* Laws of softcap. */
#include "law.h"

static const double k[12] = { 1, 2, 3, 4, 4, 3, 2, 1, -7, 9, 8, -3 }, v[6] = { 1, 2, 4, -8, 16, 3 }; /* [1][3][4] [1][3][2] */

/* The first of `queries` queries, which come from the seed. */
static void answer(struct ask *w, const struct row *r, const char *out, const char *params, uint64_t seed, const double *keys, const double *values, long queries, long len, const struct ball **y)
{
    const double x = (double)(seed % 7), two[8] = { x / 4, -2 - x, 1, 5, 5, 1, -2, 3 };
    struct given in[] = { { "q", two, 3, { 1, queries, 4 } }, { "k", keys, 3, { 1, 3, 4 } }, { "v", values, 3, { 1, 3, 2 } } };
    law_line(w, r, out, params, in, 3, NULL, len, y);
}

/* cap = 0 */
static enum truth plain(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    const struct ball *a[2], *b[2];
    answer(w, r, "o", params, seed, k, v, 1, 2, a);
    answer(w, row_named("attention"), "o", "", seed, k, v, 1, 2, b);
    return law_close(&l, law_same(a[0], b[0]) && law_same(a[1], b[1]));
}

/* Query 0 of two over three keys: key 2 is hidden, whatever it holds. */
static enum truth hidden(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    const struct ball *a[2], *b[2];
    double other_k[12], other_v[6];
    memcpy(other_k, k, sizeof k), memcpy(other_v, v, sizeof v);
    other_k[9] = (double)(seed + 3), other_v[4] = -5;
    answer(w, r, "o", params, seed, k, v, 2, 2, a);
    answer(w, r, "o", params, seed, other_k, other_v, 2, 2, b);
    return law_close(&l, law_same(a[0], b[0]) && law_same(a[1], b[1]));
}

/* No score passes the cap, so log n - c <= lse <= log n + c. */
static enum truth bounded(const struct row *r, const char *params, uint64_t seed)
{
    struct law_ask l;
    struct ask *w = law_open(&l, params, 192);
    const struct ball *y, *far;
    answer(w, r, "lse", params, seed, k, v, 1, 1, &y);
    far = b_abs(w, b_sub(w, y, b_log(w, b_si(w, 3))));
    return law_close(&l, b_cmp(far, b_si(w, 3)) < 0);
}

const struct law softcap_laws[] = {
    { "without a cap it is attention", "cap=0", plain, "cap=30" },
    { "what a hidden key holds changes nothing", "cap=5 causal=bottomright", hidden, "order=mask-first" },
    { "the log-sum-exp is within the cap of log n", "cap=3", bounded, "cap=0" },
    { 0 },
};

/* Small matrices of balls; see mat.h. */
#include "mat.h"

const struct ball *mat_get(struct mat x, long i, long j) { return x.a[i * x.m + j]; }
bool mat_is(struct mat x, long n, long m) { return x.n > 0 && x.n == n && x.m == m; }

struct mat mat_of(struct ask *w, long n, long m, const double *x)
{
    struct mat y = { n, m, { 0 } };
    struct mer_array in = { .type = MER_F64, .rank = 2, .dim = { n, m } };
    memcpy(&in.data, &x, sizeof x);
    for (long k = 0; k < n * m; k++)
        y.a[k] = b_element(w, &in, k);
    return y;
}

struct mat mat_made(struct claim *c, long n, long m, unsigned seed)
{
    struct mat y = { n, m, { 0 } };
    uint64_t z = (seed + 1000 * c->variant) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    c->made = true;
    for (long k = 0; k < n * m; k++) {
        bool met = true;
        while (met) {
            z = z * 6364136223846793005u + 1442695040888963407u;
            y.a[k] = b_ratio(c->w, (long)(z >> 56) - 128, 64);
            met = false;
            for (long j = k / m * m; j < k; j++)
                met |= b_cmp(y.a[j], y.a[k]) == 0;
        }
    }
    return y;
}

struct mat mat_unit(struct ask *w, long n)
{
    struct mat y = { n, n, { 0 } };
    for (long k = 0; k < n * n; k++)
        y.a[k] = b_si(w, k % (n + 1) == 0);
    return y;
}

struct mat mat_t(struct mat x)
{
    struct mat y = { x.n ? x.m : 0, x.n, { 0 } };
    for (long k = 0; k < x.n * x.m; k++)
        y.a[k % x.m * x.n + k / x.m] = x.a[k];
    return y;
}

struct mat mat_mul(struct ask *w, struct mat x, struct mat y)
{
    struct mat z = { x.n && y.n && x.m == y.n && x.n * y.m <= MAT_MOST ? x.n : 0, y.m, { 0 } };
    for (long k = 0; k < z.n * z.m; k++) {
        z.a[k] = b_si(w, 0);
        for (long j = 0; j < x.m; j++)
            z.a[k] = b_add(w, z.a[k], b_mul(w, mat_get(x, k / z.m, j), mat_get(y, j, k % z.m)));
    }
    return z;
}

struct mat mat_add(struct ask *w, struct mat x, struct mat y)
{
    struct mat z = { x.n == y.n && x.m == y.m ? x.n : 0, x.m, { 0 } };
    for (long k = 0; k < z.n * z.m; k++)
        z.a[k] = b_add(w, x.a[k], y.a[k]);
    return z;
}

struct mat mat_row(struct mat x, long i)
{
    struct mat y = { 1, x.m, { 0 } };
    memcpy(y.a, x.a + i * x.m, sizeof *y.a * (size_t)x.m);
    return y;
}

struct mat mat_columns(struct mat x, long from, long m)
{
    struct mat y = { x.n, m, { 0 } };
    for (long k = 0; k < x.n * m; k++)
        y.a[k] = mat_get(x, k / m, from + k % m);
    return y;
}

struct mat mat_swap(struct mat x, long i, long j)
{
    struct mat y = x;
    memcpy(y.a + i * x.m, x.a + j * x.m, sizeof *y.a * (size_t)x.m);
    memcpy(y.a + j * x.m, x.a + i * x.m, sizeof *y.a * (size_t)x.m);
    return y;
}

enum truth mat_same(struct mat x, struct mat y)
{
    enum truth t = truth_of(x.n > 0 && x.n == y.n && x.m == y.m);
    for (long k = 0; t != NO && k < x.n * x.m; k++)
        t = truth_and(t, claim_same(x.a[k], y.a[k]));
    return t;
}

struct mer_array mat_array(const char *name, const struct mat *x, int rank)
{
    const struct ball *const *a = x->a;
    struct mer_array y = {
        .name = name, .type = BALLS, .rank = rank, .dim = { rank == 3 ? 1 : x->n, rank == 3 ? x->n : x->m, x->m }
    };
    memcpy(&y.data, &a, sizeof a);
    return y;
}

struct mat mat_lines(struct ask *w, const char *row, const char *out, const char *params, const struct mer_array *in,
    int n_in, long n, long m)
{
    struct mat y = { n, m, { 0 } };
    for (long i = 0; i < n; i++)
        line_of(w, (struct page_of){ row_named(row), out, params, in, n_in }, (long[MER_RANK]){ 0, i }, m, y.a + i * m);
    return y;
}

struct mat mat_attend(struct ask *w, const char *params, struct mat q, struct mat k, struct mat v)
{
    struct mer_array in[] = { mat_array("q", &q, 3), mat_array("k", &k, 3), mat_array("v", &v, 3) };
    return mat_lines(w, "attention", "o", params, in, 3, q.n, v.m);
}

struct mat mat_mix(struct ask *w, struct mat scores, struct mat v, const char *params)
{
    struct mat zero = { scores.n, 1, { 0 } }, none = { scores.m, 1, { 0 } };
    for (long i = 0; i < scores.n; i++)
        zero.a[i] = b_si(w, 0);
    for (long j = 0; j < scores.m; j++)
        none.a[j] = b_si(w, 0);
    struct mer_array in[] = { mat_array("q", &zero, 3), mat_array("k", &none, 3), mat_array("v", &v, 3),
        mat_array("bias", &scores, 3) };
    return scores.n && v.n == scores.m ? mat_lines(w, "attention", "o", params, in, 4, scores.n, v.m) :
                                         (struct mat){ 0, v.m, { 0 } };
}

struct mat mat_table(struct ask *w, const char *params, const double *pos, long n, long d)
{
    struct mat y = { n, d, { 0 } };
    for (long i = 0; i < n; i++)
        law_row(w, row_named("sinusoid"), "p", params, NULL, pos[i], d, y.a + i * d);
    return y;
}

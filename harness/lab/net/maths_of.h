/* The functions of maths.h in one type, included where that type, `real`, and product() are defined. */
enum { LANES = 16 };
/* Sums have this many lanes on every processor, whatever the width of its vectors, so that results are the same. */
typedef real lanes __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real)), may_alias));

static void add(void *y, const void *x, int64_t n)
{
    real *to = y;
    const real *from = x;
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        *(lanes *)(to + k) += *(const lanes *)(from + k);
    for (; k < n; k++)
        to[k] += from[k];
}
static void add_line(void *y, const void *b, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        add((real *)y + i * m, b, m);
}
static void sum_lines(void *b, const void *y, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++)
        add(b, (const real *)y + i * m, m);
}
static void entropy(
    double *nll, void *dlogits, const void *logits, const int64_t *target, int64_t n, int64_t v, double weight)
{
    for (int64_t i = 0; i < n; i++) {
        const real *s = (const real *)logits + i * v;
        real *d = dlogits ? (real *)dlogits + i * v : NULL;
        double top = -(double)INFINITY, sum = 0, e[MATHS_VOCAB];
        for (int64_t k = 0; k < v; k++)
            top = !((double)s[k] <= top) ? (double)s[k] : top; /* a NaN stays */
        for (int64_t k = 0; k < v; k++)
            sum += e[k] = exp((double)s[k] - top);
        if (nll)
            nll[i] = target[i] < 0 ? (double)NAN : log(sum) + top - (double)s[target[i]];
        for (int64_t k = 0; d && k < v; k++)
            d[k] = target[i] < 0 ? 0 : (real)(weight * (e[k] / sum - (k == target[i])));
    }
}
static void scores_back(void *ds, const void *w, const void *dw, int64_t n, int64_t m)
{
    for (int64_t i = 0; i < n; i++) { /* sums: lane j mod LANES, then from the first to the last */
        const real *p = (const real *)w + i * m, *dp = (const real *)dw + i * m;
        real *to = (real *)ds + i * m, sum = 0;
        lanes all = { 0 };
        int64_t k = 0;
        for (; k + LANES <= m; k += LANES)
            all += *(const lanes *)(p + k) * *(const lanes *)(dp + k);
        for (int64_t j = k; j < m; j++)
            all[j - k] += p[j] * dp[j];
        for (int j = 0; j < LANES; j++)
            sum += all[j];
        for (k = 0; k + LANES <= m; k += LANES)
            *(lanes *)(to + k) += *(const lanes *)(p + k) * (*(const lanes *)(dp + k) - sum);
        for (; k < m; k++)
            to[k] += p[k] * (dp[k] - sum);
    }
}
static double get(const void *x, int64_t i) { return (double)((const real *)x)[i]; }
static void put(void *x, int64_t i, double y) { ((real *)x)[i] = (real)y; }

/* The beam search through a row's parameters; see explain.h. */
#include "fingerprint/explain.h"
#include <math.h>
#include <stdio.h>
#include "fingerprint/candidates.h"

enum { DEPTH = 7, FITTED = 3 };
struct beam { struct explanation *at; int n; };

double explain_time(void) { return 1e-9 * thread_ns(); }

void explain_canonical(const struct row *r, const char *text, char *to, size_t n)
{
    char err[200];
    void *p = need(1, r->size);
    params_read(row_params(r), p, text, err, sizeof err);
    params_write(row_params(r), p, to, n);
    params_clear(row_params(r), p);
    free(p);
}

/* How well the parameters fit the first n questions; miss is infinite beyond `most`. */
static struct guess_fit fit_first(struct explain *x, const char *params, double most, int n)
{
    struct guess_fit fit = { 0 };
    x->trials++;
    for (int k = 0; k < n && fit.miss <= most; k++)
        if (guess_run(&x->guess[k], params))
            guess_fit(&x->guess[k], x->f, &fit);
        else
            fit.miss = (double)INFINITY;
    fit.miss = fit.miss <= most ? fit.miss : (double)INFINITY;
    return fit;
}
struct guess_fit explain_fit(struct explain *x, const char *params, double most)
{
    return fit_first(x, params, most, x->n);
}

static bool same(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(a)); }

static void insert(struct beam *b, const struct row *r, const char *params, struct guess_fit fit)
{
    int k = b->n;
    for (int j = 0; j < b->n; j++)
        /* an equal miss means, almost certainly, equal outputs: the one that came first needs fewer changes */
        if (same(b->at[j].fit.miss, fit.miss))
            return;
    while (k > 0 && fit.miss < b->at[k - 1].fit.miss)
        k--;
    if (k == KEPT)
        return;
    b->n = b->n < KEPT ? b->n + 1 : KEPT;
    memmove(b->at + k + 1, b->at + k, (size_t)(b->n - k - 1) * sizeof *b->at);
    b->at[k].fit = fit;
    explain_canonical(r, params, b->at[k].params, TEXT_MAX);
}
/* a number that stays the same where no change of one parameter improved the beam */
static double total(const struct beam *b)
{
    double all = b->n;
    for (int k = 0; k < b->n; k++)
        all += b->at[k].fit.miss;
    return all;
}
static double worst(const struct beam *b) { return b->n == KEPT ? b->at[KEPT - 1].fit.miss : (double)INFINITY; }
static void consider(struct explain *x, struct beam *b, const char *params)
{
    struct guess_fit fit = explain_fit(x, params, worst(b));
    if (fit.miss < (double)INFINITY)
        insert(b, x->row, params, fit);
}

/* the parameter's value in a complete line of parameters */
static void value_of(char *v, size_t n, const char *params, const struct param *p)
{
    struct mer_call c = { .params = params };
    const char *s = mer_text(&c, p->name);
    snprintf(v, n, "%.*s", (int)strcspn(s, " "), s);
}
static void with_value(char *text, const char *params, const struct param *p, const char *value)
{
    snprintf(text, 2 * TEXT_MAX, "%s %s=%s", params, p->name, value);
}

/* The fraction of least denominator in [low, high], 0 < low (Stern, Brocot). */
static void simplest(double low, double high, char *text, size_t n)
{
    double a = floor(low);
    if (a == low || a + 1 <= high || !(high > low)) {
        snprintf(text, n, "%.0f", a == low ? a : a + 1);
        return;
    }
    /* the continued fraction of the interval */
    double p0 = 1, q0 = 0, p1 = a, q1 = 1, l = 1 / (high - a), h = 1 / (low - a);
    for (int k = 0; k < 40; k++) {
        bool last = ceil(l) <= h;
        double c = last ? ceil(l) : floor(l), p = c * p1 + p0, q = c * q1 + q0, next = 1 / (h - c);
        p0 = p1, q0 = q1, p1 = p, q1 = q;
        if (last)
            break;
        h = 1 / (l - c), l = next;
    }
    snprintf(text, n, "%.0f/%.0f", p1, q1);
}

static double at_value(struct explain *x, const char *params, const struct param *p, double value)
{
    char text[2 * TEXT_MAX], v[64];
    snprintf(v, sizeof v, "%.15g", value);
    with_value(text, params, p, v);
    return fit_first(x, text, (double)INFINITY, x->n < 2 ? x->n : 2).miss;
}

/* Fits a rational parameter to the first two questions, on the scale of its log2: by thirds of an octave, then by
 * golden section; then takes the simplest fraction that fits as well. */
static bool fitted(struct explain *x, const char *params, const struct param *p, char *value, size_t n)
{
    enum { OCTAVES = 20, PER = 3, CUTS = 44 };
    static const double golden = 0.6180339887498949;
    double start, least = (double)INFINITY, most = 0, best = 0;
    value_of(value, n, params, p);
    start = fabs(strtod(value, NULL));
    start = start > 0 ? start : 1;
    /* the parameter has no effect */
    if (same(at_value(x, params, p, start * 1.37), at_value(x, params, p, start * 0.41)))
        return false;
    for (int j = -OCTAVES * PER; j <= OCTAVES * PER && explain_time() < x->until; j++) {
        double at = start * exp2((double)j / PER), m = at_value(x, params, p, at);
        most = m < (double)INFINITY ? fmax(most, m) : most;
        if (m < least)
            least = m, best = at;
    }
    if (!(least < most))
        return false;
    double low = log2(best) - 1.0 / PER, high = log2(best) + 1.0 / PER, a = high - golden * (high - low),
           b = low + golden * (high - low);
    double fa = at_value(x, params, p, exp2(a)), fb = at_value(x, params, p, exp2(b));
    for (int j = 0; j < CUTS && explain_time() < x->until; j++)
        if (fa < fb)
            high = b, b = a, fb = fa, a = high - golden * (high - low), fa = at_value(x, params, p, exp2(a));
        else
            low = a, a = b, fa = fb, b = low + golden * (high - low), fb = at_value(x, params, p, exp2(b));
    best = exp2(fa < fb ? a : b), least = fmin(fa, fb);
    double of = (double)x->guess[0].t.call.n_out * 16;
    for (int j = 3; j <= 26; j++) {
        simplest(best * (1 - exp2(-j)), best * (1 + exp2(-j)), value, n);
        if (at_value(x, params, p,
                strtod(value, NULL) / (strchr(value, '/') ? strtod(strchr(value, '/') + 1, NULL) : 1)) <= least + of)
            return true;
    }
    return snprintf(value, n, "%.9g", best), true;
}

static void expand(struct explain *x, const char *params, struct beam *to)
{
    char v[CANDIDATES][96], value[96], text[2 * TEXT_MAX];
    for (const char *const *s = x->told; *s; s++)
        snprintf(text, sizeof text, "%s %s", params, *s), consider(x, to, text);
    for (const struct preset *s = x->row->presets; s->name; s++)
        snprintf(text, sizeof text, "%s %s", params, s->text), consider(x, to, text);
    for (const struct param *p = row_params(x->row); p->name; p++) {
        if (p->kind == ROUTE)
            continue;
        value_of(value, sizeof value, params, p);
        int n = candidates(x->row, p, value, x->hints, v);
        for (int k = 1; k < n && explain_time() < x->until; k++)
            with_value(text, params, p, v[k]), consider(x, to, text);
    }
}
static void expand_fits(struct explain *x, const char *params, struct beam *to)
{
    char value[96], text[2 * TEXT_MAX];
    for (const struct param *p = row_params(x->row); p->name && explain_time() < x->until; p++)
        if (p->kind == RATIONAL && fitted(x, params, p, value, sizeof value))
            with_value(text, params, p, value), consider(x, to, text);
}

static bool is_clear(const struct explain *x, const struct beam *b)
{
    return !x->thorough && b->n && b->at[0].fit.in == b->at[0].fit.of &&
        b->at[0].fit.miss <= 3 * (double)b->at[0].fit.of;
}

/* Adds the declared parameters, then the closest hypothesis, to the trail: those with fewer changes come first. */
static void extend_trail(struct explain *x, const struct beam *b, const char *declared)
{
    if (declared && x->trail_n < TRAIL)
        explain_canonical(x->row, declared, x->trail[x->trail_n++], TEXT_MAX);
    if (b->n && x->trail_n < TRAIL && (!x->trail_n || strcmp(x->trail[x->trail_n - 1], b->at[0].params)))
        strcpy(x->trail[x->trail_n++], b->at[0].params);
}

int explain(struct explain *x, const char *declared, struct explanation *best)
{
    struct beam from = { best, 0 }, to = { need(KEPT + 1, sizeof *to.at), 0 };
    char text[2 * TEXT_MAX];
    consider(x, &from, declared);
    for (const struct preset *s = x->row->presets; s->name; s++)
        snprintf(text, sizeof text, "%s %s", declared, s->text), consider(x, &from, text);
    for (const char *const *s = x->told; *s; s++)
        snprintf(text, sizeof text, "%s %s", declared, *s), consider(x, &from, text);
    x->trail_n = 0;
    extend_trail(x, &from, declared);
    for (int d = 0; d < DEPTH && from.n && !is_clear(x, &from) && explain_time() < x->until; d++) {
        double was = total(&from);
        to.n = 0;
        for (int k = 0; k < from.n; k++)
            insert(&to, x->row, from.at[k].params, from.at[k].fit);
        for (int k = 0; k < from.n && explain_time() < x->until; k++)
            expand(x, from.at[k].params, &to);
        for (int k = 0; k < from.n && k < FITTED && !is_clear(x, &to); k++)
            expand_fits(x, from.at[k].params, &to);
        memcpy(best, to.at, (size_t)to.n * sizeof *best);
        from.n = to.n;
        extend_trail(x, &from, NULL);
        if (same(total(&from), was))
            break;
    }
    free(to.at);
    return from.n;
}

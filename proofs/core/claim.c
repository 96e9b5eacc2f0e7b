/* The list of all errata, their verdicts, and small matrices. */
#include "claim.h"
#include <stdarg.h>
#include <stdio.h>
#define ERRATA(t) extern const struct erratum t##_errata[];
#include "errata.h"
#undef ERRATA
#define ERRATA(t) { #t, t##_errata },
const struct errata all_errata[] = {
#include "errata.h"
    { NULL, NULL }
};
#undef ERRATA
const char *const claim_word[CLAIM_VERDICTS] = { "true", "false", "true only if", "notation", "undecided", "open" };

const struct erratum *erratum_named(const char *id)
{
    for (const struct errata *t = all_errata; t->theme; t++)
        for (const struct erratum *e = t->list; e->id; e++)
            if (!strcmp(e->id, id))
                return e;
    return NULL;
}

static enum claim_verdict verdict_of(const struct claim *c)
{
    if (c->corrected == NO)
        return CLAIM_OPEN;
    if (c->written == UNDECIDED || c->corrected == UNDECIDED || (c->conditional && c->within == UNDECIDED))
        return CLAIM_UNDECIDED;
    if (c->written == YES)
        return CLAIM_TRUE;
    return c->shapes ? CLAIM_NOTATION : c->conditional && c->within == YES ? CLAIM_ONLY_IF : CLAIM_FALSE;
}

static void ask(struct claim *c, const struct erratum *e, const char *params, unsigned variant)
{
    struct law_ask l;
    *c = (struct claim){ .params = params, .variant = variant, .written = UNDECIDED, .within = UNDECIDED, .corrected = UNDECIDED };
    c->w = law_open(&l, params, 256);
    e->decide(c);
    if (law_close(&l, true) == UNDECIDED)
        c->written = c->within = c->corrected = UNDECIDED;
    c->w = NULL;
}

enum claim_verdict claim_decide(struct claim *c, const struct erratum *e, const char *params)
{
    enum { VARIANTS = 3 };
    struct claim other;
    ask(c, e, params, 0);
    for (unsigned k = 1; k < VARIANTS && c->made; k++) {
        ask(&other, e, params, k);
        c->written = truth_and(c->written, other.written);
        c->within = truth_and(c->within, other.within);
        c->corrected = truth_and(c->corrected, other.corrected);
    }
    return verdict_of(c);
}

bool claim_is(const struct claim *c, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = c->params; *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strcspn(s, " ") == n && !strncmp(s, word, n))
            return true;
    return false;
}

long claim_int(const struct claim *c, const char *key, long otherwise) { return law_int(c->params, key, otherwise); }

void claim_say(struct claim *c, const char *format, ...)
{
    size_t n = strlen(c->witness);
    va_list a;
    va_start(a, format);
    vsnprintf(c->witness + n, sizeof c->witness - n, format, a);
    va_end(a);
}

const char *claim_digits(struct claim *c, const struct ball *x, int n)
{
    char *to = c->digits[c->used++ % 6], other[64];
    mpfr_t low, high, r;
    mpfr_inits2(mpfr_get_prec(x->mid) + 64, low, high, r, (mpfr_ptr)0);
    up_get(r, x->rad);
    mpfr_sub(low, x->mid, r, MPFR_RNDD);
    mpfr_add(high, x->mid, r, MPFR_RNDU);
    if (mpfr_zero_p(low) && mpfr_zero_p(high)) /* x - x is -0 downwards */
        mpfr_set_zero(low, 1), mpfr_set_zero(high, 1);
    snprintf(to, sizeof c->digits[0], "?");
    for (; n > 0; n--) {
        mpfr_snprintf(other, sizeof other, "%.*Rg", n, low);
        mpfr_snprintf(to, sizeof c->digits[0], "%.*Rg", n, high);
        if (!strcmp(to, other))
            break;
        snprintf(to, sizeof c->digits[0], "?");
    }
    mpfr_clears(low, high, r, (mpfr_ptr)0);
    return to;
}

enum truth truth_of(bool b) { return b ? YES : NO; }
enum truth truth_and(enum truth a, enum truth b) { return a == NO || b == NO ? NO : a == UNDECIDED || b == UNDECIDED ? UNDECIDED : YES; }
enum truth truth_not(enum truth a) { return a == UNDECIDED ? UNDECIDED : a == YES ? NO : YES; }
enum truth claim_same(const struct ball *x, const struct ball *y)
{
    if (!b_overlap(x, y))
        return NO;
    return b_radius(x) <= 0x1p-60 && b_radius(y) <= 0x1p-60 ? YES : UNDECIDED;
}
enum truth claim_less(const struct ball *x, const struct ball *y)
{
    int c = b_cmp(x, y);
    return c == 2 ? UNDECIDED : truth_of(c == -1);
}

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
    struct mer_array y = { .name = name, .type = BALLS, .rank = rank, .dim = { rank == 3 ? 1 : x->n, rank == 3 ? x->n : x->m, x->m } };
    memcpy(&y.data, &a, sizeof a);
    return y;
}

struct mat mat_mix(struct ask *w, struct mat scores, struct mat v, const char *params)
{
    struct mat o = { scores.n && v.n == scores.m ? scores.n : 0, v.m, { 0 } }, zero = { scores.n, 1, { 0 } }, none = { scores.m, 1, { 0 } };
    for (long i = 0; i < scores.n; i++)
        zero.a[i] = b_si(w, 0);
    for (long j = 0; j < scores.m; j++)
        none.a[j] = b_si(w, 0);
    struct mer_array in[] = { mat_array("q", &zero, 3), mat_array("k", &none, 3), mat_array("v", &v, 3), mat_array("bias", &scores, 3) };
    for (long i = 0; i < o.n; i++)
        line_of(w, row_named("attention"), "o", params, in, 4, (long[MER_RANK]){ 0, i }, v.m, o.a + i * v.m);
    return o;
}

struct mat claim_table(struct ask *w, const char *params, const double *pos, long n, long d)
{
    struct mat y = { n, d, { 0 } };
    for (long i = 0; i < n; i++)
        law_row(w, row_named("sinusoid"), "p", params, NULL, pos[i], d, y.a + i * d);
    return y;
}

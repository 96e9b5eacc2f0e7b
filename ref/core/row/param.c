/* Reads, checks and prints the parameters of a row from the table that declares them. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "row/param.h"
#include "arith/need.h"

/* A number is read with at most so many digits, which is what the largest that is kept has when it is written out, so
 * that what was written can be read again. */
enum { DIGITS = 320 };

/* Kernels read a numerator and a denominator as doubles, so each of them has to be one: below 2^1023. */
static int in_range(mpq_srcptr q)
{
    enum { BITS = 1023 };
    return mpz_sizeinbase(mpq_numref(q), 2) <= BITS && mpz_sizeinbase(mpq_denref(q), 2) <= BITS;
}

/* Reads a number such as "150000", "0.25", "1e-6" or "1/3" of len bytes into q, exactly.  0, or -1 where it is no such
 * number or out of range. */
static int read_rational(mpq_t q, const char *s, size_t len)
{
    char digits[2 * DIGITS + 3];
    long exponent = 0, n = 0;
    size_t k = 0, seen = 0;
    mpq_set_ui(q, 0, 1);
    if (memchr(s, '/', len)) {
        if (len >= sizeof digits)
            return -1;
        memcpy(digits, s, len);
        digits[len] = 0;
        if (mpq_set_str(q, digits, 10) || !mpz_sgn(mpq_denref(q)))
            return -1;
        mpq_canonicalize(q);
        return in_range(q) ? 0 : -1;
    }
    int point = 0;
    if (k < len && (s[k] == '-' || s[k] == '+'))
        if (s[k++] == '-')
            digits[n++] = '-';
    for (; k < len && s[k] != 'e' && s[k] != 'E'; k++) {
        if (s[k] == '.' && !point)
            point = 1;
        else if (s[k] >= '0' && s[k] <= '9' && n < DIGITS) {
            digits[n++] = s[k];
            exponent -= point;
            seen++;
        } else
            return -1;
    }
    digits[n] = 0;
    if (!seen)
        return -1;
    if (k < len) {
        char *end;
        exponent += strtol(s + k + 1, &end, 10);
        if (end != s + len || labs(exponent) > 400)
            return -1;
    }
    mpz_set_str(mpq_numref(q), digits, 10);
    mpz_t ten;
    mpz_init(ten);
    mpz_ui_pow_ui(ten, 10, (unsigned long)labs(exponent));
    if (exponent < 0)
        mpz_set(mpq_denref(q), ten);
    else
        mpz_mul(mpq_numref(q), mpq_numref(q), ten);
    mpz_clear(ten);
    mpq_canonicalize(q);
    return in_range(q) ? 0 : -1;
}

/* Frees the entries of l, of which the first n are initialised. */
static void list_empty(struct list *l)
{
    for (int k = 0; k < l->n; k++)
        mpq_clear(l->v[k]);
    l->n = 0;
}

/* The range of an INT: its own, or magnitudes up to 2^53, as integers of arrays have, so that sums and differences of a
 * few stay far from overflow. */
static long least_of(const struct param *p) { return p->least < p->most ? p->least : -(1L << 53); }
static long most_of(const struct param *p) { return p->least < p->most ? p->most : 1L << 53; }

/* Reads the value of p, len bytes at v, into its place in the row's struct, which is initialised; 0 where it is
 * allowed. */
static int read_value(const struct param *p, void *at, const char *v, size_t len)
{
    char *end;
    if (p->kind == INT) {
        long x = strtol(v, &end, 10);
        *(long *)at = x;
        return !len || end != v + len || x < least_of(p) || x > most_of(p);
    }
    if (p->kind == RATIONAL)
        return read_rational(*(mpq_t *)at, v, len);
    if (p->kind == ENUM || p->kind == ROUTE) {
        int k = 0;
        for (const char *c = p->choices; *c; c += strcspn(c, " "), c += strspn(c, " "), k++)
            if (strcspn(c, " ") == len && !strncmp(c, v, len))
                return *(int *)at = k, 0;
        return -1;
    }
    struct list *l = at;
    list_empty(l);
    for (const char *s = v; len && s < v + len; s += strcspn(s, ", ") + 1) {
        if (l->n == LIST_MAX)
            return -1;
        mpq_init(l->v[l->n++]);
        if (read_rational(l->v[l->n - 1], s, strcspn(s, ", ")))
            return -1;
    }
    return 0;
}

/* Initialises the numbers of a parameter at its place, of which a list has none yet. */
static void start(const struct param *p, void *at)
{
    if (p->kind == RATIONAL)
        mpq_init(*(mpq_t *)at);
    if (p->kind == LIST)
        ((struct list *)at)->n = 0;
}

/* Frees the numbers of a parameter at its place. */
static void finish(const struct param *p, void *at)
{
    if (p->kind == RATIONAL)
        mpq_clear(*(mpq_t *)at);
    if (p->kind == LIST)
        list_empty(at);
}

/* A table whose shared parameters are written out, in a list of all of them that only grows. */
struct param_whole { const struct param *declared; struct param_whole *next; struct param list[]; };
static struct param_whole *_Atomic wholes;

static const struct param *known(const struct param_whole *x, const struct param *declared)
{
    for (; x; x = x->next)
        if (x->declared == declared)
            return x->list;
    return NULL;
}
static bool stands_for_others(const struct param *p) { return p->as || p->list; }
static bool borrows(const struct param *t)
{
    while (t->name)
        t++;
    return stands_for_others(t);
}
/* Writes out t, whose struct lies at the offset `at` of the row's, into `to`, or only counts where that is NULL.  The
 * answer is the number of its parameters. */
static size_t write_out(const struct param *t, size_t at, struct param *to)
{
    size_t n = 0;
    for (; t->name || stands_for_others(t); t++)
        if (t->list) {
            n += write_out(t->list, at + t->at, to ? to + n : NULL);
        } else {
            if (to)
                to[n] = t->as ? *t->as : *t, to[n].at = at + t->at;
            n++;
        }
    return n;
}
const struct param *params_of(const struct param *t)
{
    if (!borrows(t))
        return t;
    struct param_whole *first = atomic_load(&wholes), *x;
    const struct param *list = known(first, t);
    if (list)
        return list;
    x = need(1, sizeof *x + (write_out(t, 0, NULL) + 1) * sizeof *x->list);
    x->declared = t;
    write_out(t, 0, x->list);
    do { /* Another thread may have been first; then its table is everybody's. */
        list = known(first, t);
        x->next = first;
    } while (!list && !atomic_compare_exchange_weak(&wholes, &first, x));
    if (list)
        free(x);
    return list ? list : x->list;
}

/* Says in err which value of p was found and which are allowed.  Returns -1. */
static int refuse(const struct param *p, const char *value, char *err, size_t n)
{
    char range[80];
    snprintf(range, sizeof range, "an integer from %ld to %ld", least_of(p), most_of(p));
    snprintf(err, n, "%s: found '%.*s', allowed: %s", p->name, (int)strcspn(value, " "), value,
        p->choices ? p->choices : p->kind == INT ? range : "a decimal or p/q");
    return -1;
}

int params_read(const struct param *t, void *out, const char *text, char *err, size_t n)
{
    for (const struct param *p = params_of(t); p->name; p++) {
        start(p, (char *)out + p->at);
        if (read_value(p, (char *)out + p->at, p->value, strlen(p->value)))
            return snprintf(err, n, "bad default of %s", p->name), -1;
    }
    for (const char *s = text ? text + strspn(text, " ") : NULL; s && *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        size_t key = strcspn(s, "= ");
        for (const struct param *p = params_of(t); p->name; p++) {
            if (strlen(p->name) != key || strncmp(p->name, s, key) || s[key] != '=')
                continue;
            const char *v = s + key + 1;
            if (read_value(p, (char *)out + p->at, v, strcspn(v, " ")))
                return refuse(p, v, err, n);
        }
    }
    return 0;
}

static size_t write_rational(char *s, size_t n, mpq_srcptr q)
{
    char *t = mpq_get_str(NULL, 10, q);
    size_t len = (size_t)snprintf(s, n, "%s", t);
    free(t);
    return len;
}

static size_t write_value(const struct param *p, const void *at, char *s, size_t n)
{
    size_t k = 0;
    if (p->kind == INT)
        return (size_t)snprintf(s, n, "%ld", *(const long *)at);
    if (p->kind == RATIONAL)
        return write_rational(s, n, *(const mpq_t *)at);
    if (p->kind == ENUM || p->kind == ROUTE) {
        const char *c = p->choices;
        for (int j = *(const int *)at; j--; c += strcspn(c, " ") + 1)
            ;
        return (size_t)snprintf(s, n, "%.*s", (int)strcspn(c, " "), c);
    }
    *s = 0;
    for (int j = 0; j < ((const struct list *)at)->n && k + 80 < n; j++) {
        k += (size_t)snprintf(s + k, n - k, "%s", j ? "," : "");
        k += write_rational(s + k, n - k, ((const struct list *)at)->v[j]);
    }
    return k;
}

static void write_all(const struct param *t, const void *in, char *s, size_t n, bool brief)
{
    size_t k = 0;
    char value[TEXT_MAX], plain[128];
    void *start_at = need(1, sizeof(struct list));
    *s = 0;
    for (const struct param *p = params_of(t); p->name; p++) {
        write_value(p, (const char *)in + p->at, value, sizeof value);
        if (brief) {
            start(p, start_at);
            read_value(p, start_at, p->value, strlen(p->value));
            write_value(p, start_at, plain, sizeof plain);
            finish(p, start_at);
            memset(start_at, 0, sizeof(struct list));
            if (!strcmp(plain, value))
                continue;
        }
        if (k + strlen(value) + 64 < n)
            k += (size_t)snprintf(s + k, n - k, "%s%s=%s", k ? " " : "", p->name, value);
    }
    free(start_at);
}
void params_write(const struct param *t, const void *in, char *s, size_t n) { write_all(t, in, s, n, false); }
void params_brief(const struct param *t, const void *in, char *s, size_t n) { write_all(t, in, s, n, true); }

void params_pick(const struct param *t, const void *in, const char *names, char *s, size_t n)
{
    size_t k = 0;
    char value[TEXT_MAX];
    *s = 0;
    for (const char *name = names; *name; name += strcspn(name, " "), name += strspn(name, " "))
        for (const struct param *p = params_of(t); p->name; p++)
            if (strlen(p->name) == strcspn(name, " ") && !strncmp(p->name, name, strlen(p->name)) &&
                write_value(p, (const char *)in + p->at, value, sizeof value) + k + 64 < n)
                k += (size_t)snprintf(s + k, n - k, "%s%s=%s", k ? " " : "", p->name, value);
}

void params_clear(const struct param *t, void *q)
{
    for (const struct param *p = params_of(t); p->name; p++)
        finish(p, (char *)q + p->at);
}

bool list_whole(const struct list *l, long most)
{
    bool whole = true;
    for (int k = 0; k < l->n; k++)
        whole &= mpz_cmp_ui(mpq_denref(l->v[k]), 1) == 0 && mpq_sgn(l->v[k]) >= 0 && mpq_cmp_si(l->v[k], most, 1) <= 0;
    return whole;
}
long list_long(const struct list *l, long k) { return (long)mpz_get_si(mpq_numref(l->v[k])); }

bool params_same(const struct param *t, const void *a, const void *b)
{
    bool same = true;
    for (const struct param *p = params_of(t); p->name && same; p++) {
        const void *x = (const char *)a + p->at, *y = (const char *)b + p->at;
        if (p->kind == INT)
            same = *(const long *)x == *(const long *)y;
        else if (p->kind == RATIONAL)
            same = mpq_equal(*(const mpq_t *)x, *(const mpq_t *)y) != 0;
        else if (p->kind == LIST) {
            const struct list *l = x, *m = y;
            same = l->n == m->n;
            for (int k = 0; same && k < l->n; k++)
                same = mpq_equal(l->v[k], m->v[k]) != 0;
        } else
            same = *(const int *)x == *(const int *)y;
    }
    return same;
}

void params_copy(const struct param *t, void *to, const void *from)
{
    for (const struct param *p = params_of(t); p->name; p++) {
        void *x = (char *)to + p->at;
        const void *y = (const char *)from + p->at;
        start(p, x);
        if (p->kind == INT)
            *(long *)x = *(const long *)y;
        else if (p->kind == RATIONAL)
            mpq_set(*(mpq_t *)x, *(const mpq_t *)y);
        else if (p->kind == LIST) {
            struct list *l = x;
            const struct list *m = y;
            l->n = m->n;
            for (int k = 0; k < m->n; k++)
                mpq_init(l->v[k]), mpq_set(l->v[k], m->v[k]);
        } else
            *(int *)x = *(const int *)y;
    }
}

/* The shortest decimal, and the simplest expression, in an interval; see number.h. */
#include "diagnose/hypotheses/number.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trial/rearrange.h"

static const double CHANCE = 0.02; /* that one of all expressions lies in the interval, were it drawn */
static const double RANGE = 14;    /* They are spread over six powers of ten, which are so many of e. */

static const struct { const char *says; double x; } constants[] = {
    { "2", 2 }, { "3", 3 }, { "pi", 3.14159265358979324 }, { "ln 2", 0.693147180559945309 },
    { "ln 10", 2.30258509299404568 },
};
static const struct { double power; const char *says; } powers[] = {
    { 1, "%s" }, { -1, "1/%s" }, { 0.5, "sqrt %s" }, { -0.5, "1/sqrt %s" },
};
enum { POWERS = sizeof powers / sizeof *powers, WHOLE = 2 };

static void term(struct number_terms *to, const char *says, double x)
{
    if (to->n == NUMBER_TERMS || !isfinite(x) || x <= 0 || x == 1)
        return;
    to->of[to->n].x = x;
    snprintf(to->of[to->n++].says, sizeof to->of->says, "%s", says);
}

/* Has an input that is there, or an output, that letter?  Those of others have extents, too. */
static bool has_letter(const struct trial *t, char letter)
{
    struct axes x;
    struct sign s;
    bool is = false;
    for (int k = 0; k < t->call.n_in && !is; k++)
        is = input_axes(t, t->call.in[k].name, &x) && memchr(x.axis, letter, (size_t)x.rank);
    for (int k = 0; k < t->call.n_out && !is; k++) {
        sign_read(&s, row_quantity(t->row, t->out[k].name)->sign);
        is = memchr(s.out.axis, letter, (size_t)s.out.rank);
    }
    return is;
}

void number_terms_of(struct number_terms *to, const struct trial *t)
{
    *to = (struct number_terms){ 0 };
    for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
        term(to, constants[k].says, constants[k].x);
    for (char c = 'a'; c <= 'z'; c++)
        if (t->size[(int)c] > 2 && has_letter(t, c))
            term(to, (char[]){ c, 0 }, (double)t->size[(int)c]);
    for (const struct param *p = row_params(t->row); p->name; p++)
        if ((p->kind == RATIONAL || p->kind == INT) && !p->route)
            term(to, p->name, fabs(mer_real(&t->call, p->name)));
}

static bool within(double x, double low, double high) { return low <= x && x <= high; }

int number_decimal(double low, double high, int digits, char *text, size_t n)
{
    for (int k = 1; k <= digits; k++) {
        snprintf(text, n, "%.*g", k, low + (high - low) / 2);
        if (within(strtod(text, NULL), low, high))
            return k;
    }
    return 0;
}

/* "sqrt(d)/h" or "1/(h n)" for the powers p and q of the terms a and b.  Roots have brackets, since a term follows. */
static void two(const struct number_terms *of, int a, int p, int b, int q, char *text, size_t n)
{
    char above[100] = "", below[100] = "";
    const struct { const char *says; double power; } part[] = {
        { of->of[a].says, powers[p].power }, { of->of[b].says, powers[q].power },
    };
    int under = 0;
    for (int k = 0; k < 2; k++) {
        char *to = part[k].power > 0 ? above : below;
        const size_t len = strlen(to);
        under += part[k].power < 0;
        snprintf(to + len, sizeof above - len, fabs(part[k].power) < 1 ? "%ssqrt(%s)" : "%s%s", len ? " " : "",
            part[k].says);
    }
    snprintf(text, n, under == 2 ? "%s/(%s)" : under ? "%s/%s" : "%s", *above ? above : "1", below);
}

/* Products of two; of a pair of terms both orders are the same. */
static bool of_two(const struct number_terms *of, double low, double high, double *x, char *text, size_t n)
{
    for (int p = 0; p < POWERS; p++)
        for (int q = 0; q < POWERS; q++)
            for (int a = 0; a < of->n; a++)
                for (int b = a + 1; b < of->n; b++) {
                    *x = pow(of->of[a].x, powers[p].power) * pow(of->of[b].x, powers[q].power);
                    if (within(*x, low, high))
                        return two(of, a, p, b, q, text, n), true;
                }
    return false;
}

/* 2 and a half need no name. */
static bool is_plain(const char *says, double x) { return isdigit((unsigned char)*says) && 2 * x == floor(2 * x); }

/* The first so many powers of one term. */
static bool of_one(const struct number_terms *of, int most, double low, double high, double *x, char *text, size_t n)
{
    for (int p = 0; p < most; p++)
        for (int a = 0; a < of->n; a++) {
            *x = pow(of->of[a].x, powers[p].power);
            if (within(*x, low, high) && !is_plain(of->of[a].says, *x))
                return snprintf(text, n, powers[p].says, of->of[a].says), true;
        }
    return false;
}

bool number_expression(
    const struct number_terms *of, enum number_form form, double low, double high, double *x, char *text, size_t n)
{
    char says[200];
    const bool negative = high < 0;
    if (negative) {
        const double kept = -low;
        low = -high, high = kept;
    }
    const double width = (high - low) / low, one = POWERS * of->n, pairs = one * POWERS * (of->n - 1) / 2;
    bool is = false;
    if (one * width <= CHANCE * RANGE)
        is = of_one(of, form == NUMBER_TERM ? WHOLE : POWERS, low, high, x, says, sizeof says);
    if (!is && form == NUMBER_PRODUCT && pairs * width <= CHANCE * RANGE)
        is = of_two(of, low, high, x, says, sizeof says);
    if (is)
        snprintf(text, n, "%s%s", negative ? "-" : "", says), *x = negative ? -*x : *x;
    return is;
}

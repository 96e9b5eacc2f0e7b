/* The choices of an adverse arithmetic; see adverse.h. */
#include "ball/adverse.h"
#include "arith/exactly.h"
#include "arith/mix64.h"
#include "ball/overflow.h"
#include "ball/tensor.h"
#include "ball/trace.h"
#include <stdlib.h>

const char *const adverse_way_name[ADVERSE_WAYS] = { "nearest", "up", "down", "zero", "away", "any" };
const char *const adverse_tree_name[ADVERSE_TREES] = { "left", "right", "halves", "random", "least", "greatest" };

/* Mixes x into the hash h. */
static uint64_t mix(uint64_t h, uint64_t x)
{
    return mix64(mix64_steps(h ^ x));
}

/* The exponent of the binade in which x, a finite number that is not 0, is rounded: at least emin. */
static long exponent_of(mpfr_srcptr x, const struct format *f)
{
    long e = (long)mpfr_get_exp(x) - 1;
    return e > f->emin ? e : f->emin;
}

/* Rounds x in place to the next number of the format in direction `rnd`, as if the format had no largest number. */
static void to_grid(mpfr_t x, const struct format *f, mpfr_rnd_t rnd)
{
    if (!mpfr_regular_p(x))
        return;
    const long unit = exponent_of(x, f) - f->p + 1;
    mpfr_mul_2si(x, x, -unit, MPFR_RNDN);
    mpfr_rint(x, x, rnd);
    mpfr_mul_2si(x, x, unit, MPFR_RNDN);
}

/* Replaces a finite x beyond the largest finite number of the format by that number, with the sign of x. */
static void keep_finite(mpfr_t x, const struct format *f)
{
    const struct up end = format_end(f);
    if (mpfr_number_p(x) && up_less(end, up_of(x)))
        exactly(mpfr_set_d(x, mpfr_sgn(x) * ldexp(end.m, (int)end.e), MPFR_RNDN));
}

/* Rounds y in place to the farthest number that r allows in the direction of sign, 1 or -1: y is moved by the whole
 * error, and then back to the next number of the format.  It does not pass 0 or the largest finite number. */
static void as_far_as_allowed(mpfr_t y, const struct rounding *r, int sign)
{
    mpfr_t far;
    const long half = exponent_of(y, r->f) - r->f->p;
    mpfr_init2(far, mpfr_get_prec(y) + 64);
    exactly(mpfr_set_d(far, sign * r->ulps, MPFR_RNDN));
    mpfr_mul_2si(far, far, half, MPFR_RNDN);
    mpfr_add_d(far, far, sign * r->absolute, sign > 0 ? MPFR_RNDD : MPFR_RNDU);
    mpfr_add(far, far, y, sign > 0 ? MPFR_RNDD : MPFR_RNDU);
    to_grid(far, r->f, sign > 0 ? MPFR_RNDD : MPFR_RNDU);
    if (mpfr_zero_p(far) || mpfr_sgn(far) != mpfr_sgn(y))
        mpfr_set_zero(far, mpfr_sgn(y));
    keep_finite(far, r->f);
    /* mutant: rounding 8a2c: where y has fewer bits than the format, the ask is repeated with more. */
    mpfr_set(y, far, MPFR_RNDN);
    mpfr_clear(far);
}

/* Rounds y in place to the nearest value of the format; a tie goes up where sign is 1, else down. */
static void nearest(mpfr_t y, const struct format *f, int sign)
{
    mpfr_t low, high, below, above;
    /* At the precision of y the smaller difference is exact, and the larger one is not rounded below half a unit. */
    mpfr_inits2(mpfr_get_prec(y), low, high, below, above, (mpfr_ptr)0);
    mpfr_set(low, y, MPFR_RNDN), mpfr_set(high, y, MPFR_RNDN);
    to_grid(low, f, MPFR_RNDD), to_grid(high, f, MPFR_RNDU);
    mpfr_sub(below, y, low, MPFR_RNDN), mpfr_sub(above, high, y, MPFR_RNDN);
    if (mpfr_equal_p(below, above)) /* Where both are 0, y is low and high already. */
        mpfr_set(y, sign > 0 ? high : low, MPFR_RNDN);
    round_to(y, f); /* What a tie has become stays, unless it is beyond the largest number. */
    mpfr_clears(low, high, below, above, (mpfr_ptr)0);
}

/* A hash of the seed, the step s and x rounded to the format, so that the choice made from it does not depend on the
 * precision of x. */
static uint64_t hash_of(const struct adverse *a, int s, mpfr_srcptr x, const struct format *f)
{
    mpfr_t y;
    mpfr_init2(y, mpfr_get_prec(x));
    mpfr_set(y, x, MPFR_RNDN);
    round_to(y, f);
    const double m = exact_double(y) + 0.0; /* Both zeros are one number. */
    uint64_t bits;
    memcpy(&bits, &m, sizeof bits);
    mpfr_clear(y);
    return mix(mix(a->seed, (uint64_t)s), bits);
}

void adverse_round(const struct arith *a, int s, mpfr_t y)
{
    const struct adverse *x = a->adverse;
    const struct rounding *r = &a->at[s];
    if (!mpfr_regular_p(y) || mpfr_get_exp(y) - 1 > r->f->emax) {
        round_to(y, r->f);
        return;
    }
    int way = x->way[s];
    bool flush = x->flush;
    if (way == ANY_WAY) {
        const uint64_t h = hash_of(x, s, y, r->f);
        way = (int)(h % ANY_WAY), flush = flush && h >> 32 & 1;
    }
    const int sign = mpfr_sgn(y), to = way == UPWARD ? 1 : way == DOWNWARD ? -1 : way == TOWARD_ZERO ? -sign : sign;
    const bool below = mpfr_get_exp(y) - 1 < r->f->emin;
    if (way == TO_NEAREST)
        round_to(y, r->f);
    else if (r->ulps > 1 || r->absolute > 0)
        as_far_as_allowed(y, r, to);
    else
        nearest(y, r->f, to);
    /* A machine sees that a number is tiny before it is rounded, or after: both are allowed. */
    if (a->ftz && flush && (below || (mpfr_regular_p(y) && mpfr_get_exp(y) - 1 < r->f->emin)))
        mpfr_set_zero(y, sign);
}

/* Does step s take x to `want`? */
static bool rounded_to(const struct arith *a, int s, mpfr_srcptr x, mpfr_srcptr want)
{
    mpfr_t y;
    mpfr_init2(y, mpfr_get_prec(x));
    exactly(mpfr_set(y, x, MPFR_RNDN));
    adverse_round(a, s, y);
    const bool same = mpfr_equal_p(y, want) != 0;
    mpfr_clear(y);
    return same;
}
bool adverse_steady(const struct arith *a, int s, mpfr_srcptr lo, mpfr_srcptr hi, mpfr_srcptr to)
{
    const struct format *f = a->at[s].f;
    bool steady = a->adverse->way[s] != ANY_WAY || hash_of(a->adverse, s, lo, f) == hash_of(a->adverse, s, hi, f);
    mpfr_t x;
    mpfr_init2(x, mpfr_get_prec(to));
    for (int above = 0; above < 2; above++) {
        const mpfr_srcptr far = above ? hi : lo, near = above ? lo : hi;
        const int sign = above ? 1 : -1;
        const long low = sign * mpfr_sgn(near) > 0 ? exponent_of(near, f) : f->emin;
        for (long e = low + 1; sign * mpfr_sgn(far) > 0 && e <= exponent_of(far, f) && steady; e++) {
            mpfr_set_si_2exp(x, sign, e, MPFR_RNDN);
            steady = rounded_to(a, s, x, to);
            above ? mpfr_nextbelow(x) : mpfr_nextabove(x);
            steady = steady && rounded_to(a, s, x, to);
        }
    }
    mpfr_clear(x);
    return steady;
}

/* In which order sums are added up; from left to right where no adverse arithmetic chooses. */
static const struct adverse *order_of(const struct ask *w)
{
    static const struct adverse plain = { .tree = { LEFT_TO_RIGHT } };
    return w->arith->adverse ? w->arith->adverse : &plain;
}

/* Is x an exact value of the format? */
static bool in_format(const struct ball *x, const struct format *f)
{
    mpfr_t y;
    if (x->rad.m != 0)
        return false;
    mpfr_init2(y, mpfr_get_prec(x->mid));
    mpfr_set(y, x->mid, MPFR_RNDN);
    round_to(y, f);
    const bool same = mpfr_equal_p(y, x->mid) != 0;
    mpfr_clear(y);
    return same;
}

/* x as a value of the format of step s: itself where it is one, else rounded.  It has the exponents of that format,
 * also where it came from one whose numbers end earlier. */
static const struct ball *converted(struct ask *w, int s, const struct ball *x)
{
    const struct format *f = w->arith->at[s].f;
    if (!in_format(x, f))
        return b_step(w, s, x);
    struct ball *b = (struct ball *)b_at(w, x);
    b_becomes(b, f);
    return b;
}

static bool is_nothing(const struct ball *x) { return x->rad.m == 0 && mpfr_zero_p(x->mid); }

/* A term of a sum, and the number by which terms are put in order: its midpoint with its sign. */
struct term { const struct ball *x; double size; };
static int by_size(const void *a, const void *b)
{
    const double x = ((const struct term *)a)->size, y = ((const struct term *)b)->size;
    return (x > y) - (x < y);
}

static void put_in_order(struct term *t, long n, int tree)
{
    if (tree == LEAST_FIRST || tree == GREATEST_FIRST)
        qsort(t, (size_t)n, sizeof *t, by_size);
    for (long k = 0; (tree == GREATEST_FIRST || tree == RIGHT_TO_LEFT) && k < n / 2; k++) {
        const struct term x = t[k];
        t[k] = t[n - 1 - k], t[n - 1 - k] = x;
    }
}

/* A sum at step s.  balanced: its tree is a balanced one, whatever the adverse arithmetic would choose. */
struct adding { struct ask *w; int s; bool balanced; };

/* How many of n terms stand on the left side of a tree of at most that height, where each side holds at most
 * 2^(height - 1) terms; 0 or less: of any height.  place: the number of the node, from which a random tree chooses. */
static long left_part(const struct adding *a, long n, int height, uint64_t place)
{
    const struct adverse *order = order_of(a->w);
    const int tree = order->tree[a->s];
    const long most = height > 0 && height < 40 ? 1L << (height - 1) : n, from = n - most > 1 ? n - most : 1,
               to = most < n - 1 ? most : n - 1;
    if (a->balanced || tree == HALVES || from > to)
        return n / 2;
    return tree == RANDOM_TREE ? from + (long)(mix(order->seed, place) % (uint64_t)(to - from + 1)) : to;
}

/* x + y, rounded.  Where one side is exactly 0 there is no addition and no rounding, whatever the step's error. */
static const struct ball *added(const struct adding *a, const struct ball *x, const struct ball *y)
{
    if (is_nothing(y))
        return x;
    return is_nothing(x) ? converted(a->w, a->s, y) : b_step(a->w, a->s, b_add(a->w, x, y));
}
const struct ball *running_joined(
    struct ask *w, int s, const struct ball *x, const struct ball *y, const struct ball *both)
{
    /* mutant: term 46ff: a contract rounds what it has rounded to the same number. */
    const bool adverse = w->arith->how == ROUND && w->arith->adverse && w->arith->at[s].f;
    return adverse && is_nothing(y) ? x : adverse && is_nothing(x) ? converted(w, s, y) : b_step(w, s, both);
}

bool running_waits(const struct ask *w, int s)
{
    return w->arith->at[s].block && !w->arith->edit.step;
}
const struct ball *running_block(struct ask *w, int s, const struct ball *x, const struct ball *const *t, long n)
{
    trace_word(w->trace, w->arith->at[s].word, false), trace_sum(w, s, n);
    return tensor_sum(w, &w->arith->at[s], x, t, n);
}

long running_sums(const struct ask *w, int s, long n)
{
    const struct rounding *r = &w->arith->at[s];
    long lanes = 1;
    if (w->arith->how != ROUND || !r->f || n < 2)
        return 1;
    if (r->lanes)
        return r->lanes < n ? r->lanes : n;
    /* A term passes the additions of its own sum, and then those of the tree.  A height that is too low counts as the
     * least. */
    const int most = r->height > tree_height(n) ? r->height : tree_height(n);
    while (r->height && (n + lanes - 1) / lanes - 1 + tree_height(lanes) > most)
        lanes++;
    return lanes;
}

/* The sum of t[n], n > 0, by a tree of at most that height (as left_part has it) whose root has the number `place`; the
 * sides of node k are the nodes 2 k and 2 k + 1, those of the root 2 and 3. */
enum { ROOT = 1 };
static const struct ball *add_tree(const struct adding *a, const struct term *t, long n, int height, uint64_t place)
{
    if (n == 1)
        return t->x;
    const long k = left_part(a, n, height, place);
    const struct ball *x = add_tree(a, t, k, height - 1, 2 * place),
                      *y = add_tree(a, t + k, n - k, height - 1, 2 * place + 1);
    return added(a, x, y);
}

/* The sum of t[n], n > 0, one term after the other. */
static const struct ball *add_along(const struct adding *a, const struct term *t, long n)
{
    const struct ball *y = t->x;
    for (long k = 1; k < n; k++)
        y = added(a, y, t[k].x);
    return y;
}

/* Accumulator l takes t[l], t[l + lanes], .. in order; the first is rounded to the accumulator, the others join as they
 * are.  Puts the accumulators into the first places of t and answers how many there are. */
static long into_lanes(const struct adding *a, struct term *t, long n, long lanes)
{
    for (long l = 0; l < lanes && l < n; l++) {
        const struct ball *y = converted(a->w, a->s, t[l].x);
        for (long k = l + lanes; k < n; k += lanes)
            y = added(a, y, t[k].x);
        t[l].x = y;
    }
    return n < lanes ? n : lanes;
}

const struct ball *adverse_sum(struct ask *w, int s, const struct ball *const *t, long n)
{
    const struct rounding *r = &w->arith->at[s];
    const struct adverse *x = order_of(w);
    struct adding a = { w, s, r->lanes > 0 };
    struct term *term = need((size_t)n, sizeof *term);
    long terms = 0;
    for (long k = 0; k < n && !r->lanes; k++)
        terms += !is_nothing(t[k]);
    for (long k = 0; k < n; k++)
        term[k] = (struct term){ !r->lanes && (x->convert || terms < 2) ? converted(w, s, t[k]) : t[k], b_value(t[k]) };
    const struct ball *y;
    if (x->sums)
        x->sums[s] = true;
    if (r->lanes)
        n = into_lanes(&a, term, n, r->lanes);
    else
        put_in_order(term, n, x->tree[s]);
    const int height = tree_height(n);
    if (!r->lanes && !r->height && x->tree[s] != HALVES && x->tree[s] != RANDOM_TREE)
        y = add_along(&a, term, n);
    else /* A declared height that is too low counts as the least. */
        y = add_tree(&a, term, n, r->height && r->height < height ? height : r->height, ROOT);
    free(term);
    return y;
}

const struct ball *running_total(struct ask *w, int s, const struct ball *const *t, long n)
{
    const struct adding a = { w, s, true };
    struct term *term = need((size_t)n, sizeof *term);
    for (long k = 0; k < n; k++) /* mutant: loop 4c9c: what stands behind the last term is copied and not read. */
        term[k].x = t[k];
    const struct ball *y = add_tree(&a, term, n, 0, ROOT);
    free(term);
    return y;
}

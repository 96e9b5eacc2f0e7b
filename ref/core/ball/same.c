/* Names by interning: a table of (operation, name, name) and of dyadic values; see same.h. */
#include "ball/same.h"
#include "arith/exactly.h"
#include "arith/mix64.h"
#include <stdlib.h>

/* A name: an operation on the names x and y, the `value` of a DYADIC or the quotient q of a RATIONAL; the other two are
 * not set.  hash: of x and y, or of the number; next: the next name in the same chain of the table, 0 at its end. */
struct name { enum same_op op; unsigned x, y, next; uint64_t hash; mpfr_t value; mpq_t q; };
/* A table has at most `most` names.  Beyond them numbers stay unknown, which only ever leaves a question open.
 * at[1 .. used) are the names, and head[hash % room] is the first name of a chain, 0 where it is empty: as many chains
 * as there is room for names, or a line of a million took minutes. */
struct exact_names { struct name *at; unsigned used, room, most, *head; };

enum { FIRST_ROOM = 256 };
/* Makes room for twice as many names, and puts those that are there into as many chains. */
static void grow(struct exact_names *n)
{
    n->room = n->room ? 2 * n->room : FIRST_ROOM;
    n->at = need_more(n->at, n->room, sizeof *n->at), n->head = need_more(n->head, n->room, sizeof *n->head);
    memset(n->head, 0, n->room * sizeof *n->head);
    for (unsigned k = 1; k < n->used; k++) {
        unsigned *head = &n->head[n->at[k].hash % n->room];
        n->at[k].next = *head, *head = k;
    }
}
struct exact_names *names_new(unsigned most)
{
    struct exact_names *n = need(1, sizeof *n);
    n->used = 1, n->most = most; /* Place 0 stays free, since the name 0 means unknown. */
    grow(n);
    return n;
}

void names_clear(struct exact_names *n)
{
    for (unsigned k = 1; k < n->used; k++)
        if (n->at[k].op == DYADIC)
            mpfr_clear(n->at[k].value);
        else if (n->at[k].op == RATIONAL)
            mpq_clear(n->at[k].q);
    memset(n->head, 0, n->room * sizeof *n->head);
    n->used = 1;
}

void names_free(struct exact_names *n)
{
    if (!n)
        return;
    names_clear(n);
    free(n->at), free(n->head);
    free(n);
}

/* What tells the chain of the names of operations on x and y, of which there are few for the same two.  It decides how
 * long a search takes, and nothing else. */
static uint64_t hash_of(uint64_t x, uint64_t y) { return mix64(mix64(x) + y); }

/* Puts a new name at the front of its chain and answers it; 0 where the table is full.  `value` and q are left to the
 * caller.  Trap: n->at may move. */
static unsigned append(struct exact_names *n, uint64_t hash, enum same_op op, unsigned x, unsigned y)
{
    if (n->used > n->most)
        return 0;
    if (n->used >= n->room)
        grow(n);
    struct name *a = &n->at[n->used];
    unsigned *head = &n->head[hash % n->room];
    a->op = op, a->x = x, a->y = y, a->hash = hash, a->next = *head;
    return *head = n->used++;
}

/* The name of op(x, y), or, where value is not NULL, of that number; a new one where the table has none, and 0 where
 * there is no room for it. */
static unsigned intern(struct exact_names *n, enum same_op op, unsigned x, unsigned y, mpfr_srcptr value)
{
    /* Equal numbers of different precisions have the same exponent and the same leading limb. */
    const bool digits = value && mpfr_regular_p(value);
    const uint64_t first = digits ? (uint64_t)mpfr_get_exp(value) : x,
                   /* mutant: condition cf3e: names share other chains. */
                   second = digits ? ((const mp_limb_t *)mpfr_custom_get_significand(value))[
                                         (mpfr_get_prec(value) - 1) / 64] :
                                     y;
    const uint64_t hash = hash_of(first, second);
    for (unsigned k = n->head[hash % n->room]; k; k = n->at[k].next)
        if (n->at[k].op == op && (value ? mpfr_equal_p(n->at[k].value, value) : n->at[k].x == x && n->at[k].y == y))
            return k;
    unsigned id = append(n, hash, op, x, y);
    if (value && id) {
        mpfr_init2(n->at[id].value, mpfr_get_prec(value));
        exactly(mpfr_set(n->at[id].value, value, MPFR_RNDN));
    }
    return id;
}

/* The name of x: its own where its midpoint does not hold it, else that of its value; 0 where it has none. */
static unsigned name_of(struct ask *w, const struct ball *x)
{
    return x->rad.m > 0 ? x->id : mpfr_number_p(x->mid) ? intern(w->names, DYADIC, 0, 0, x->mid) : 0;
}

/* A rational number is computed with only where its bits, of both parts together, or its exponent are below this. */
enum { RATIONAL_BITS = 1 << 14 };
static bool fits(mpfr_srcptr x) { return mpfr_zero_p(x) || labs((long)mpfr_get_exp(x)) < RATIONAL_BITS; }

/* Is `id` the name of a rational number that is not too large?  Then q becomes that number. */
static bool rational(const struct exact_names *n, unsigned id, mpq_t q)
{
    const struct name *a = &n->at[id];
    if (a->op == RATIONAL)
        return mpq_set(q, a->q), true;
    if (a->op != DYADIC || !fits(a->value))
        return false;
    mpfr_get_q(q, a->value);
    return true;
}

/* The name of the value of op(a, b), where op is a field operation and both are rationals (b is not read for NEG).  0:
 * it is no such operation, the divisor is 0, or a number is too large. */
static unsigned intern_rational(struct exact_names *n, enum same_op op, unsigned a, unsigned b)
{
    mpq_t x, y;
    unsigned id = 0;
    mpq_inits(x, y, (mpq_ptr)0);
    bool both = (op == ADD || op == NEG || op == MUL || op == DIV) && rational(n, a, x) &&
        (op == NEG || rational(n, b, y)) && (op != DIV || mpq_sgn(y));
    if (both) {
        op == ADD ? mpq_add(x, x, y) : op == NEG ? mpq_neg(x, x) : op == MUL ? mpq_mul(x, x, y) : mpq_div(x, x, y);
        const uint64_t hash = hash_of(mpz_get_ui(mpq_numref(x)), mpz_get_ui(mpq_denref(x)));
        for (unsigned k = n->head[hash % n->room]; k && !id; k = n->at[k].next)
            id = n->at[k].op == RATIONAL && mpq_equal(n->at[k].q, x) ? k : 0;
        if (!id && mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2) < RATIONAL_BITS &&
            (id = append(n, hash, RATIONAL, 0, 0))) {
            mpq_init(n->at[id].q);
            mpq_set(n->at[id].q, x);
        }
    }
    mpq_clears(x, y, (mpq_ptr)0);
    return id;
}

bool name_dyadic(struct ask *w, unsigned id, mpfr_t y)
{
    const struct name *a = id ? &w->names->at[id] : NULL;
    /* Bits can finish it only if the denominator is a power of two, which has a single bit. */
    if (!a || a->op != RATIONAL || mpz_scan1(mpq_denref(a->q), 0) + 1 != mpz_sizeinbase(mpq_denref(a->q), 2))
        return false;
    mpfr_set_prec(y, (mpfr_prec_t)mpz_sizeinbase(mpq_numref(a->q), 2) + 2);
    exactly(mpfr_set_q(y, a->q, MPFR_RNDN));
    return true;
}

unsigned name_result(struct ask *w, enum same_op op, const struct ball *x, const struct ball *y)
{
    if (!w->names)
        return 0;
    /* mutant: constant ce12: of what an operation does not have, any name will do that is always the same. */
    unsigned a = x ? name_of(w, x) : 0, b = y ? name_of(w, y) : 0;
    if ((x && !a) || (y && !b))
        return 0;
    /* mutant: compare 4706: equal names in the other order are the same two. */
    if ((op == ADD || op == MUL) && a > b) { /* These commute, so that both orders get one name. */
        unsigned c = a;
        a = b, b = c;
    }
    unsigned q = intern_rational(w->names, op, a, b);
    /* mutant: argument 550c: the pair (b, a) stands for a and b as well, if it always does. */
    return q ? q : intern(w->names, op, a, b, NULL);
}

/* Names by interning: a table of (operation, name, name) and of dyadic values; see same.h. */
#include "same.h"
#include <stdlib.h>

struct name { enum op op; unsigned x, y, next; mpfr_t value; /* of DYADIC */ };
enum { HEADS = 1 << 12, MOST = 1 << 22 }; /* MOST: beyond it numbers stay unknown, which only ever leaves a question open */
struct names { struct name *at; unsigned used, room, head[HEADS]; };

struct names *names_new(void)
{
    struct names *n = calloc(1, sizeof *n);
    n->used = 1; /* 0 is `unknown` */
    return n;
}

void names_clear(struct names *n)
{
    for (unsigned k = 1; k < n->used; k++)
        if (n->at[k].op == DYADIC)
            mpfr_clear(n->at[k].value);
    memset(n->head, 0, sizeof n->head);
    n->used = 1;
}

void names_free(struct names *n)
{
    if (!n)
        return;
    names_clear(n);
    free(n->at);
    free(n);
}

static unsigned slot(uint64_t h) { return (unsigned)((h ^ h >> 29) * 0xbf58476d1ce4e5b9u >> 52) % HEADS; }

static unsigned intern(struct names *n, enum op op, unsigned x, unsigned y, mpfr_srcptr value)
{
    uint64_t h = value ? (mpfr_zero_p(value) ? 0 : (uint64_t)mpfr_get_exp(value) * 0x9e3779b97f4a7c15u)
                       : ((uint64_t)op << 58) + ((uint64_t)x * 0x9e3779b97f4a7c15u) + y;
    if (value && mpfr_regular_p(value)) /* the leading limb does not depend on the precision */
        h ^= ((const mp_limb_t *)mpfr_custom_get_significand(value))[(mpfr_get_prec(value) - 1) / 64];
    unsigned *head = &n->head[slot(h)];
    for (unsigned k = *head; k; k = n->at[k].next)
        if (n->at[k].op == op && (value ? mpfr_equal_p(n->at[k].value, value) : n->at[k].x == x && n->at[k].y == y))
            return k;
    if (n->used == MOST)
        return 0;
    if (n->used >= n->room) {
        n->room = n->room ? 2 * n->room : 256;
        n->at = realloc(n->at, n->room * sizeof *n->at);
    }
    struct name *a = &n->at[n->used];
    a->op = op, a->x = x, a->y = y, a->next = *head;
    if (value) {
        mpfr_init2(a->value, mpfr_get_prec(value));
        mpfr_set(a->value, value, MPFR_RNDN);
    }
    return *head = n->used++;
}

static unsigned name_of(struct ask *w, const struct ball *x)
{
    return x->rad.m > 0 ? x->id : mpfr_number_p(x->mid) ? intern(w->names, DYADIC, 0, 0, x->mid) : 0;
}

unsigned name_result(struct ask *w, enum op op, const struct ball *x, const struct ball *y)
{
    if (!w->names)
        return 0;
    unsigned a = x ? name_of(w, x) : 0, b = y ? name_of(w, y) : 0;
    if ((x && !a) || (y && !b))
        return 0;
    if ((op == ADD || op == MUL) && a > b) { /* commutative */
        unsigned c = a;
        a = b, b = c;
    }
    return intern(w->names, op, a, b, NULL);
}

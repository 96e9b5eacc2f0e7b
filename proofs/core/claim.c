/* The list of all errata, and how a verdict follows from the statements of a program. */
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

/* One run with made-up numbers `variant`.  Where a page was left undecided on the way, all three statements are. */
static void ask(struct claim *c, const struct erratum *e, const char *params, unsigned variant)
{
    struct law_ask l;
    *c = (struct claim){
        .params = params, .variant = variant, .written = UNDECIDED, .within = UNDECIDED, .corrected = UNDECIDED
    };
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
    if (mpfr_zero_p(low) && mpfr_zero_p(high)) /* Rounded downwards, x - x is -0, which would be printed "-0". */
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
enum truth truth_and(enum truth a, enum truth b)
{
    return a == NO || b == NO ? NO : a == UNDECIDED || b == UNDECIDED ? UNDECIDED : YES;
}
enum truth truth_not(enum truth a) { return a == UNDECIDED ? UNDECIDED : a == YES ? NO : YES; }
enum truth claim_same(const struct ball *x, const struct ball *y)
{
    const int c = b_cmp(x, y);
    if (c == 1 || c == -1)
        return NO;
    return b_radius(x) <= 0x1p-60 && b_radius(y) <= 0x1p-60 ? YES : UNDECIDED;
}
enum truth claim_less(const struct ball *x, const struct ball *y)
{
    int c = b_cmp(x, y);
    return c == 2 ? UNDECIDED : truth_of(c == -1);
}

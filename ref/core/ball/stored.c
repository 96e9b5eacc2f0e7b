/* The rounding of inputs that a profile stores in a narrower format; see stored.h. */
#include "ball/stored.h"
#include <math.h>
#include "arith/exactly.h"
#include "ball/trace.h"

/* The bytes of an element of a, whose elements may be balls. */
static size_t width(const struct mer_array *a) { return a->type == BALLS ? sizeof(struct ball *) : type_size(a->type); }

void stored_open(struct stored *s, struct ask *w)
{
    s->outer = w->stored, s->n = 0;
    if (w->arith->how == EXACT || !w->arith->inputs)
        return;
    for (int k = 0; k < w->arith->inputs; k++)
        for (int i = 0; i < w->call->n_in; i++) {
            const struct input_word *x = &w->arith->in[k];
            const struct mer_array *a = &w->call->in[i];
            if (strlen(a->name) != x->len || strncmp(a->name, x->name, x->len) || !array_len(a))
                continue;
            const char *from = a->data;
            s->array[s->n].from = from, s->array[s->n].to = from + (size_t)array_len(a) * width(a),
            s->array[s->n++].r = x->r;
            break; /* Of several inputs of one name, pages read the first. */
        }
    w->stored = s->n ? s : w->stored;
}

/* How the words of s alone say that the element at this address is stored; NULL: none is about it. */
static const struct rounding *of(const struct stored *s, const char *at)
{
    for (int k = 0; k < s->n; k++)
        if (at >= s->array[k].from && at < s->array[k].to)
            return &s->array[k].r;
    return NULL;
}

const struct rounding *stored_as(const struct ask *w, const struct mer_array *a)
{
    const struct rounding *r = NULL;
    for (const struct stored *s = w->stored; s && !r; s = s->outer)
        r = of(s, a->data);
    return r;
}

bool stored_here(const struct ask *w, const struct mer_array *a) { return stored_as(w, a) != NULL; }

/* x, which lies at this address, rounded by the words of s and of all pages outside it.  The outermost word comes
 * first, since that is the way of the data. */
static const struct ball *through(struct ask *w, const struct stored *s, const char *at, const struct ball *x)
{
    const struct rounding *r = of(s, at);
    x = s->outer ? through(w, s->outer, at, x) : x;
    if (r)
        trace_word(w->trace, r->word, false);
    return r ? b_stored(w, r, x) : x;
}

const struct ball *stored_element(struct ask *w, const struct mer_array *a, long k, const struct ball *x)
{
    return through(w, w->stored, (const char *)a->data + (size_t)k * width(a), x);
}

double stored_value(const struct ask *w, const struct mer_array *a, long k)
{
    const struct rounding *r = w->stored ? stored_as(w, a) : NULL;
    double x = array_get(a, k);
    if (!r || r->ulps > 1 || r->absolute > 0 || isnan(x))
        return x;
    mpfr_t y;
    mpfr_init2(y, 53);
    mpfr_set_d(y, x, MPFR_RNDN);
    round_to(y, r->f);
    x = exact_double(y);
    mpfr_clear(y);
    return x;
}

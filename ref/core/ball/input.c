/* Reads inputs by name and index; see input.h. */
#include "ball/input.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include "ball/ball.h"
#include "ball/make.h"
#include "ball/stored.h"

const struct mer_array *array_in(const struct ask *w, const char *name)
{
    const struct mer_array *a = mer_in(w->call, name);
    if (!a) {
        fprintf(stderr, "meridian: a page asks for the input '%s', which its call does not hold\n", name);
        abort();
    }
    return a;
}

bool has_in(const struct ask *w, const char *name) { return mer_in(w->call, name) != NULL; }

/* Where element [i][j][k] of an array of rank 1 to 3 stands in C order; indices beyond its rank are not read. */
static long offset(const struct mer_array *a, long i, long j, long k)
{
    if (a->rank == 3)
        return (i * a->dim[1] + j) * a->dim[2] + k;
    return a->rank == 2 ? i * a->dim[1] + j : i;
}

/* Element k of a as the caller gave it, before any word of the profile about how it is stored.  Of what another page
 * made, a line that it left out is no number. */
static const struct ball *element(struct ask *w, const struct mer_array *a, long k)
{
    if (a->type == BALLS) {
        const struct ball *x = ((const struct ball *const *)a->data)[k];
        return x ? x : b_nan(w);
    }
    struct ball *b = w->exact ? take_exact(w, DBL_MANT_DIG) : take(w);
    rounded(b, mpfr_set_d(b->mid, array_get(a, k), MPFR_RNDN));
    absolute(b);
    b_becomes(b, a->type <= MER_BF16 ? &formats[a->type] : NULL);
    if (w->dual)
        dual_seed(w, b, a, k);
    return b;
}

/* A changed question may need more elements than the array of the one it was made of has: those are no numbers. */
static bool inside(const struct mer_array *a, long k) { return k >= 0 && k < array_len(a); }

const struct ball *b_element(struct ask *w, const struct mer_array *a, long k)
{
    if (!inside(a, k))
        return b_nan(w);
    const struct ball *x = element(w, a, k);
    return w->stored ? stored_element(w, a, k, x) : x;
}

const struct ball *b_in(struct ask *w, const char *name, long i, long j, long k)
{
    const struct mer_array *a = array_in(w, name);
    return b_element(w, a, offset(a, i, j, k));
}

long i_in(const struct ask *w, const char *name, long i, long j)
{
    const struct mer_array *a = array_in(w, name);
    const long k = offset(a, i, j, 0);
    return inside(a, k) ? lround(array_get(a, k)) : 0;
}

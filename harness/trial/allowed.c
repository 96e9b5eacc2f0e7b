/* Largest numbers and codes of real inputs; see allowed.h. */
#include "trial/allowed.h"
#include <math.h>
#include <stdio.h>

static double most_of(const struct trial *t, const char *name)
{
    return t->row->most && t->params ? t->row->most(t->params, name) : (double)INFINITY;
}

const struct code *allowed_code(const struct trial *t, const char *name)
{
    return t->row->code && t->params ? t->row->code(t->params, name) : NULL;
}

void allowed_bring(const struct trial *t, struct mer_array *a)
{
    const double most = most_of(t, a->name);
    const struct code *code = allowed_code(t, a->name);
    for (long i = 0; most < (double)INFINITY && i < array_len(a); i++)
        if (array_get(a, i) > most)
            array_put(a, i, 2 * most - array_get(a, i));
    for (long i = 0; code && i < array_len(a); i++) {
        const double x = array_get(a, i);
        array_put(a, i, code_nearest(code, code->least < 0 ? x : fabs(x)));
    }
}

int allowed(const struct trial *t, const struct mer_array *a, const char *sign, char *err, size_t n)
{
    const double most = most_of(t, a->name);
    const struct code *code = allowed_code(t, a->name);
    const bool any = most >= (double)INFINITY && !code;
    for (long i = 0; a->data && !any && i < array_len(a); i++) {
        const double is = array_get(a, mer_at(a, i)), near = code ? code_nearest(code, is) : is;
        if (is > most)
            return snprintf(err, n, "%s: '%s' element %ld is %.9g, allowed at most %.9g under these parameters (%s)",
                       t->row->name, a->name, i, is, most, sign),
                   -1;
        if (code && (is < near || is > near))
            return snprintf(err, n, "%s: '%s' element %ld is %.9g, no number of %s; the nearest is %.9g (%s)",
                       t->row->name, a->name, i, is, code->name, near, sign),
                   -1;
    }
    return 0;
}

/* Makes a trial: binds letters, gives arrays memory and contents, and checks arrays that others supply. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include "trial/extents.h"
#include "trial/inputs.h"
#include "trial/sized.h"
#include "trial/trial.h"
#include "trial/allowed.h"
#include "trial/valid.h"
#include "base/words.h"

int trial_params(struct trial *t, const char *text, char *err, size_t n)
{
    if (t->params) {
        params_clear(row_params(t->row), t->params);
        free(t->params);
    }
    t->params = need(1, t->row->size);
    if (params_read(row_params(t->row), t->params, text, err, n) || row_knows(t->row, text, err, n))
        return -1;
    const char *why = t->row->refuse ? t->row->refuse(t->params) : NULL;
    if (why)
        return snprintf(err, n, "%s: %s", t->row->name, why), -1;
    params_write(row_params(t->row), t->params, t->text, sizeof t->text);
    t->call.params = t->text;
    t->call.row = t->row->name;
    return 0;
}

int trial_profile(struct trial *t, const char *profile, struct arith *a, enum how how, char *err, size_t n)
{
    char text[TEXT_MAX + 1100];
    if (profile != t->profile)
        snprintf(t->profile, sizeof t->profile, "%s", profile);
    if (sized_here(t->profile, t->size, t->bound, t->here, sizeof t->here, err, n))
        return -1;
    snprintf(text, sizeof text, "%s %s", t->text, t->here);
    int steps = arith_read(a, t->row, t->here, how, err, n);
    return steps < 0 || trial_params(t, text, err, n) ? -1 : steps;
}

/* The extent of a letter, which is bound if it was free: to what the row sets, else to a usual size. */
static long letter(struct trial *t, char c)
{
    static const char letters[] = "h2g2n5m7d8e6r4k4b32";
    long fixed = t->row->extent ? t->row->extent(t->params, c) : 0;
    if (fixed || !t->bound[(int)c]) /* the row's own extents win */
        t->size[(int)c] = fixed ? fixed : strchr(letters, c) ? atol(strchr(letters, c) + 1) : 3;
    t->bound[(int)c] = true;
    return t->size[(int)c];
}

/* The limit below which the integers of x stay: an extent or a digit in the signature; 0: none. */
static long bound_of(struct trial *t, const struct axes *x)
{
    return isdigit((unsigned char)x->below) ? x->below - '0' : x->below ? letter(t, x->below) : 0;
}

/* Whether the input must be there under these parameters. */
static bool needed(const struct trial *t, const struct axes *x)
{
    return !x->optional || (t->row->needs && t->row->needs(t->params, x->name));
}

/* The bytes of an array, as a double, since extents may be so large that a long overflows. */
static double bytes_of(const struct mer_array *a)
{
    double all = (double)type_size(a->type);
    for (int k = 0; k < a->rank; k++)
        all *= (double)a->dim[k];
    return all;
}

/* Sets rank and extents of a and allocates it; or, with bytes, only adds what it would take. */
static int shape(
    struct mer_array *a, const struct axes *x, struct trial *t, const char *sign, double *bytes, char *err, size_t n)
{
    a->rank = x->rank;
    for (int k = 0; k < x->rank; k++)
        a->dim[k] = letter(t, x->axis[k]);
    if (bytes)
        return *bytes += bytes_of(a), 0;
    if (extents_check(t, a, x, sign, err, n))
        return -1;
    a->data = need((size_t)array_len(a) + 16, type_size(a->type));
    return 0;
}

static int read_sizes(struct trial *t, const char *sizes, char *err, size_t n)
{
    for (const char *s = sizes; s && *s; s = word_next(s)) {
        char *end;
        if (!isalpha((unsigned char)*s) || s[1] != '=')
            continue;
        long x = strtol(s + 2, &end, 10);
        if (end == s + 2 || (*end && *end != ' ') || x < 0 || x > EXTENT_MOST)
            return snprintf(err, n,
                       "sizes: found '%.*s', allowed: %c= a number from 0 to 2^40, words with blanks between",
                       (int)(strcspn(s, " ") < 80 ? strcspn(s, " ") : 80), s, *s),
                   -1;
        t->size[(int)*s] = x, t->bound[(int)*s] = true;
    }
    return 0;
}

/* Refuses shapes that agree with the signatures but for which the row, or a part of it, has no value. */
static int fits_parts(const struct trial *t, char *err, size_t n)
{
    char why[400];
    if (!t->row->misfit || !t->row->misfit(t->params, &t->call, why, sizeof why))
        return 0;
    return snprintf(err, n, "%s: %s", *t->id ? t->id : t->row->name, why), -1;
}

/* Refuses a call in which some inputs of cumulative lengths are there and others are missing. */
static int together(const struct trial *t, char *err, size_t n)
{
    for (int o = 0; o < t->call.n_out; o++) {
        const struct quantity *q = row_quantity(t->row, t->out[o].name);
        const struct axes *there = NULL, *missing = NULL;
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k < s.n_in; k++)
            if (s.in[k].upto)
                *(mer_find((struct mer_array *)t->call.in, t->call.n_in, s.in[k].name) ? &there : &missing) = &s.in[k];
        if (there && missing)
            return snprintf(err, n, "%s: '%s' is there and '%s' is missing: cumulative lengths come together (%s)",
                       t->row->name, there->name, missing->name, q->sign),
                   -1;
    }
    return 0;
}

/* Fills a, and brings it to what its row allows.  Inputs are made from -1 to 1, where a code has few of its numbers: a
 * small one gets those to 4 (e2m1 ends at 6), another those to 8, so that its roundings and steps of 1 show. */
static void fill(struct trial *t, const struct trial_spec *of, struct mer_array *a, const struct axes *x,
    const struct axes *out)
{
    const struct code *g = allowed_code(t, a->name);
    inputs_fill(of->sizes, a, x, out, x->upto ? letter(t, x->upto) : bound_of(t, x) + x->none, of->seed);
    for (long i = 0; x->none && i < array_len(a); i++)
        array_put(a, i, array_get(a, i) - 1);
    const double by = !g ? 1 : g->most < 8 ? 4 : 8;
    for (long i = 0; g && i < array_len(a); i++)
        array_put(a, i, by * array_get(a, i));
    allowed_bring(t, a);
}

/* Both trial_make (bytes NULL) and trial_size. */
static int build(struct trial *t, const struct trial_spec *of, double *bytes, char *err, size_t n)
{
    *t = (struct trial){ .row = row_named(of->row), .type = of->type };
    if (!t->row)
        return snprintf(err, n, "unknown row '%s'", of->row), -1;
    if (trial_params(t, of->params, err, n))
        return -1;
    if (read_sizes(t, t->row->sizes, err, n) || read_sizes(t, of->sizes, err, n))
        return -1;
    if (valid_outs(t->row, of->outs, err, n))
        return -1;
    int used = 0;
    for (const char *o = of->outs + strspn(of->outs, " "); *o; o = word_next(o)) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(o, " "), o);
        const struct quantity *q = row_quantity(t->row, name);
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k <= s.n_in; k++) {
            const struct axes *x = k < s.n_in ? &s.in[k] : &s.out;
            const bool wanted = needed(t, x) || (of->sizes && words_have(of->sizes, x->name));
            if (!wanted || (k < s.n_in && mer_find(t->in, t->call.n_in, x->name)))
                continue;
            if (t->call.n_in == TRIAL_IN || t->call.n_out == TRIAL_OUT)
                return snprintf(err, n, "%s: more than %d inputs or %d outputs at once", of->row, TRIAL_IN, TRIAL_OUT),
                       -1;
            struct mer_array *a = k < s.n_in ? &t->in[t->call.n_in++] : &t->out[t->call.n_out++];
            a->name = strcpy(t->names[used++], x->name);
            a->type = x->integer ? MER_I64 : of->type;
            if (shape(a, x, t, q->sign, bytes, err, n))
                return -1;
            if (bytes)
                continue;
            if (k < s.n_in)
                fill(t, of, a, x, &s.out);
            else
                /* all bits set is NaN in every real type: an element that nobody writes fails */
                memset(a->data, 0xff, (size_t)array_len(a) * type_size(a->type));
        }
    }
    t->call.in = t->in;
    t->call.out = t->out;
    return together(t, err, n) || fits_parts(t, err, n) ? -1 : 0;
}

int trial_make(struct trial *t, const struct trial_spec *of, char *err, size_t n)
{
    return build(t, of, NULL, err, n);
}

int trial_size(struct trial *t, const struct trial_spec *of, double *bytes, char *err, size_t n)
{
    *bytes = 0;
    return build(t, of, bytes, err, n);
}

/* Checks that the integers of a are at least 0 and below their limit. */
static int check_below(
    const struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n)
{
    if (!a->data) /* only its header was read */
        return 0;
    const bool digit = isdigit((unsigned char)x->below);
    const long fixed = !digit && t->row->extent ? t->row->extent(t->params, x->below) : 0,
               top = digit ? x->below - '0' :
        fixed              ? fixed :
                             t->size[(int)x->below];
    const double least = x->none ? -1 : 0;
    for (long i = 0; i < array_len(a); i++) {
        const double is = array_get(a, mer_at(a, i));
        if (is >= least && (!top || is < (double)top)) /* top 0: no array has the letter. */
            continue;
        char range[60];
        top ? snprintf(range, sizeof range, "%.0f to %ld", least, top - 1) :
              snprintf(range, sizeof range, "from %.0f on", least);
        return snprintf(err, n, "%s: '%s' element %ld is %.0f, allowed %s (%s)", t->row->name, x->name, i, is, range,
                   sign),
               -1;
    }
    return 0;
}

/* Checks that the integers of a begin with 0, never fall, and end with the extent that the signature names. */
static int check_upto(
    const struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n)
{
    if (!a->data)
        return 0;
    const long last = array_len(a) - 1, end = t->size[(int)x->upto];
    for (long i = 0; i <= last; i++) {
        const double y = array_get(a, mer_at(a, i)), before = i ? array_get(a, mer_at(a, i - 1)) : 0;
        if (!(y >= before) || (i == 0 && y != 0))
            return snprintf(err, n,
                       "%s: '%s' element %ld is %.0f, %s %.0f: cumulative lengths begin with 0 and never fall (%s)",
                       t->row->name, x->name, i, y, i ? "after" : "expected", before, sign),
                   -1;
        if (i == last && y != (double)end)
            return snprintf(err, n, "%s: '%s' ends with %.0f, axis %c is %ld: cumulative lengths end there (%s)",
                       t->row->name, x->name, y, x->upto, end, sign),
                   -1;
    }
    return 0;
}

/* Checks that a holds integers or real numbers as its signature says; of which real type does not matter here.
 * Integers are compared as doubles everywhere, and one beyond 2^53 would be another number. */
static int check_type(
    const struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n)
{
    const char *id = *t->id ? t->id : t->row->name;
    const bool known = a->type >= 0 && a->type < MER_TYPES,
               integers = a->type == MER_I64 || a->type == MER_I32 || a->type == MER_U8;
    if (!known || integers != x->integer)
        return snprintf(err, n, "%s: array '%s' is %s, its signature says %s (%s)", id, x->name,
                   known ? type_name[a->type] : "of no type", x->integer ? "integers" : "real numbers", sign),
               -1;
    for (long i = 0; a->type == MER_I64 && a->data && i < array_len(a); i++)
        if (!(fabs(array_get(a, mer_at(a, i))) <= 0x1p53))
            return snprintf(err, n,
                       "%s: array '%s' element %ld is %.0f, an integer beyond 2^53; allowed: magnitudes to 2^53", id,
                       x->name, i, array_get(a, mer_at(a, i))),
                   -1;
    return 0;
}

/* Refuses an input that no signature of the outputs has: nothing checked its shape, so nothing may read it. */
static int check_strays(const struct trial *t, char *err, size_t n)
{
    for (int k = 0; k < t->call.n_in; k++) {
        bool read = false;
        for (int o = 0; o < t->call.n_out && !read; o++) {
            struct sign s;
            sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
            for (int j = 0; j < s.n_in; j++)
                read |= !strcmp(s.in[j].name, t->call.in[k].name);
        }
        if (!read)
            return snprintf(err, n, "%s: array '%s' is no input of %s%s", *t->id ? t->id : t->row->name,
                       t->call.in[k].name, t->out[0].name, t->call.n_out > 1 ? " or the other outputs asked for" : ""),
                   -1;
    }
    return 0;
}

/* Checks cumulative and bounded integers, once every letter is bound, the largest numbers and codes. */
static int check_values(const struct trial *t, const struct sign *s, const char *sign, char *err, size_t n)
{
    for (int k = 0; k < s->n_in; k++) {
        const struct mer_array *a = mer_in(&t->call, s->in[k].name);
        if (a && !s->in[k].integer && allowed(t, a, sign, err, n))
            return -1;
    }
    for (int k = 0; k < s->n_in; k++) {
        const struct mer_array *a = mer_in(&t->call, s->in[k].name);
        if (a && s->in[k].upto && check_upto(t, a, &s->in[k], sign, err, n))
            return -1;
    }
    for (int k = 0; k < s->n_in; k++) {
        const struct mer_array *a = mer_in(&t->call, s->in[k].name);
        if (a && s->in[k].below && check_below(t, a, &s->in[k], sign, err, n))
            return -1;
    }
    return 0;
}

int trial_check(struct trial *t, char *err, size_t n)
{
    memset(t->size, 0, sizeof t->size), memset(t->bound, 0, sizeof t->bound);
    for (int o = 0; o < t->call.n_out; o++) {
        const struct quantity *q = row_quantity(t->row, t->out[o].name);
        if (!q)
            return snprintf(err, n, "%s has no quantity '%s'", t->row->name, t->out[o].name), -1;
        struct sign s;
        sign_read(&s, q->sign);
        for (int k = 0; k <= s.n_in; k++) {
            const struct axes *x = k < s.n_in ? &s.in[k] : &s.out;
            const struct mer_array *a = k < s.n_in ? mer_in(&t->call, x->name) : &t->out[o];
            if (!a && !needed(t, x))
                continue;
            if (!a)
                return snprintf(err, n, "%s.%s: input '%s' is missing", t->row->name, s.out.name, x->name), -1;
            if (extents_check(t, a, x, q->sign, err, n) || check_type(t, a, x, q->sign, err, n))
                return -1;
        }
        if (check_values(t, &s, q->sign, err, n))
            return -1;
    }
    return check_strays(t, err, n) || together(t, err, n) || fits_parts(t, err, n) ? -1 : 0;
}

/* Checks the element types that a kernel reads: real arrays are of `type`, integers int64. */
static int trial_types(const struct trial *t, const char *type, char *err, size_t n)
{
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int k = 0; k <= s.n_in; k++) {
            const struct axes *x = k < s.n_in ? &s.in[k] : &s.out;
            const struct mer_array *a = k < s.n_in ? mer_in(&t->call, x->name) : &t->out[o];
            const char *wanted = x->integer ? "i64" : type;
            if (a && (a->type < 0 || a->type >= MER_TYPES || strcmp(type_name[a->type], wanted)))
                return snprintf(err, n, "%s: array '%s' is %s, this kernel reads %s (%s)", t->row->name, x->name,
                           a->type < 0 || a->type >= MER_TYPES ? "of no type" : type_name[a->type], wanted,
                           row_quantity(t->row, t->out[o].name)->sign),
                       -1;
        }
    }
    return 0;
}

int trial_fits(const struct mer_kernel *k, const struct mer_call *c, char *err, size_t n)
{
    struct trial t = { .row = row_named(k->row) };
    bool known = t.row != NULL, whole = c->n_in >= 0 && c->n_in <= TRIAL_IN && c->n_out >= 0 && c->n_out <= TRIAL_OUT;
    for (int o = 0; known && whole && o < c->n_out; o++)
        known = row_quantity(t.row, c->out[o].name) != NULL;
    if (!known)
        return MER_OK;
    if (!whole)
        return snprintf(err, n, "%s: %d inputs and %d outputs, at most %d and %d", k->row, c->n_in, c->n_out, TRIAL_IN,
                   TRIAL_OUT),
               MER_BAD;
    int bad = trial_params(&t, c->params, err, n);
    t.call = *c, t.call.in = t.in, t.call.out = t.out;
    for (int x = 0; x < c->n_in + c->n_out; x++)
        *(x < c->n_in ? &t.in[x] : &t.out[x - c->n_in]) = x < c->n_in ? c->in[x] : c->out[x - c->n_in];
    bad = bad || trial_types(&t, k->type, err, n) || trial_check(&t, err, n);
    params_clear(row_params(t.row), t.params), free(t.params);
    return bad ? MER_BAD : MER_OK;
}

int trial_holds(const struct trial *t, char *err, size_t n)
{
    for (int o = 0; o < t->call.n_out; o++) {
        struct sign s;
        sign_read(&s, row_quantity(t->row, t->out[o].name)->sign);
        for (int k = 0; k < s.n_in; k++)
            if (needed(t, &s.in[k]) && !mer_in(&t->call, s.in[k].name))
                return snprintf(err, n, "%s.%s: these parameters read the input '%s', which is missing", t->row->name,
                           s.out.name, s.in[k].name),
                       -1;
    }
    return 0;
}

struct mer_array *trial_in(struct trial *t, const char *name)
{
    struct mer_array *a = mer_find(t->in, t->call.n_in, name);
    if (!a) {
        fprintf(stderr, "meridian: %s has no input '%s'\n", t->row->name, name);
        abort();
    }
    return a;
}

void trial_close(struct trial *t)
{
    for (int k = 0; k < t->call.n_in; k++)
        free(t->in[k].data);
    for (int k = 0; k < t->call.n_out; k++)
        free(t->out[k].data);
    if (t->params) {
        params_clear(row_params(t->row), t->params);
        free(t->params);
    }
}

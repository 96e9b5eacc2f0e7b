/* Climbs: makes small changes of inputs and adverse choices and keeps those under which the share of the bound
 * grows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "climb/climb.h"
#include "trial/allowed.h"
#include "base/clock.h"
#include "examine/examine.h"

static const struct format *format_of(const struct mer_array *a)
{
    return format_named(type_name[a->type], strlen(type_name[a->type]));
}

static double clamp(double x, const struct format *f) /* x, or the largest finite number of its sign in the format */
{
    const double most = ldexp(2 - ldexp(1, 1 - f->p), (int)f->emax);
    return isnan(x) ? 0 : x > most ? most : x < -most ? -most : x;
}

static double short_of(double x, int bits) /* x rounded to so many bits of significand */
{
    int e;
    const double m = frexp(x, &e);
    return ldexp(nearbyint(ldexp(m, bits)), e - bits);
}

static double changed_value(const struct mer_array *a, double x, struct chance *r)
{
    const struct format *f = format_of(a);
    const long by = 1L << chance_below(r, f->p);
    switch (chance_below(r, 12)) {
    case 0: case 1: case 2: return format_value(f, format_place(f, x) + (chance_one_in(r, 2) ? by : -by));
    case 3: case 4: return ldexp(x, (int)chance_below(r, 7) - 3);
    case 5: return -x;
    case 6: return array_get(a, chance_below(r, array_len(a)));
    case 7: return (double)(chance_below(r, 3) - 1);
    case 8: return ldexp(1 + (double)(chance_bits(r) >> 11) * 0x1p-53, x == 0 ? 0 : ilogb(x)) * (x < 0 ? -1 : 1);
    case 9: return short_of(x, 1 + (int)chance_below(r, 12));
    case 10: return ldexp(x, (int)chance_below(r, 61) - 30);
    default: return x * (1 + (double)(chance_below(r, 2001) - 1000) * 0x1p-12);
    }
}

/* What a change has overwritten, so that it can be undone. */
struct undo { struct mer_array *a; void *data; struct recipe_of *recipe, was; struct adverse adverse; };

static void save(struct undo *u, struct mer_array *a)
{
    const size_t bytes = (size_t)array_len(a) * type_size(a->type);
    u->a = a, u->data = need(bytes + 1, 1);
    memcpy(u->data, a->data, bytes);
}

static void take_back(struct undo *u, struct climb *c)
{
    if (u->a)
        memcpy(u->a->data, u->data, (size_t)array_len(u->a) * type_size(u->a->type));
    if (u->recipe)
        *u->recipe = u->was;
    c->adverse = u->adverse;
}

static void change_choices(struct adverse *a, struct chance *r)
{
    const long s = chance_below(r, STEPS);
    switch (chance_below(r, 6)) {
    case 0: a->seed = chance_bits(r) >> 40; break;
    case 1: a->convert = !a->convert; break;
    case 2: a->flush = !a->flush; break;
    case 3:
        memset(a->way, (int)chance_below(r, ADVERSE_WAYS), sizeof a->way);
        break;
    case 4: a->tree[s] = (unsigned char)chance_below(r, ADVERSE_TREES); break;
    default: a->way[s] = (unsigned char)chance_below(r, ADVERSE_WAYS);
    }
}

static void change_input(struct climb *c, int k, struct undo *u, struct chance *r)
{
    struct mer_array *a = &c->t.in[k];
    const long n = array_len(a), columns = a->rank ? a->dim[a->rank - 1] : 1;
    save(u, a);
    if (n == 0)
        return;
    long i = chance_below(r, n);
    for (int tries = 0; tries < 8 && array_get(a, i) == 0 && !chance_one_in(r, 6); tries++)
        i = chance_below(r, n); /* prefers an element that is not 0 .. */
    for (long l = 0; l < n && array_get(a, i) == 0 && !chance_one_in(r, 4) && n > 8; l++)
        i = array_get(a, l) != 0 ? l : i; /* .. and failing that usually takes the first that is not 0 */
    switch (chance_below(r, 10)) {
    case 0: /* makes the whole input anew */
        u->recipe = &c->recipe[k], u->was = c->recipe[k];
        if (chance_one_in(r, 2))
            c->recipe[k].way = (int)chance_below(r, climb_ways());
        c->recipe[k].seed = chance_bits(r) >> 40;
        climb_fill(&c->t, a, c->recipe[k].way, c->recipe[k].seed);
        break;
    case 1: { /* multiplies the whole input by a power of two */
        const int e = (int)chance_below(r, 21) - 10;
        for (long l = 0; l < n; l++)
            array_put(a, l, clamp(ldexp(array_get(a, l), e), format_of(a)));
        break;
    }
    case 2: { /* changes all elements of the same value alike, so that aligned inputs stay aligned */
        const double x = array_get(a, i), y = clamp(changed_value(a, x, r), format_of(a));
        for (long l = 0; l < n; l++)
            if (array_get(a, l) == x)
                array_put(a, l, y);
        break;
    }
    case 3: { /* copies one line over another */
        const long lines = columns ? n / columns : 0, from = chance_below(r, lines), to = chance_below(r, lines);
        for (long l = 0; l < columns && lines; l++)
            array_put(a, to * columns + l, array_get(a, from * columns + l));
        break;
    }
    default:
        array_put(a, i, clamp(changed_value(a, array_get(a, i), r), format_of(a)));
    }
    allowed_bring(&c->t, a);
}

/* a random real input that has elements; -1: there is none */
static int real_input(const struct climb *c, struct chance *r)
{
    int real[TRIAL_IN], n = 0;
    for (int k = 0; k < c->t.call.n_in; k++)
        if (c->t.in[k].type < MER_I64 && array_len(&c->t.in[k]) > 0)
            real[n++] = k;
    return n ? real[chance_below(r, n)] : -1;
}

void climb_uphill(struct climber *m, struct climb *c, struct climb_answer *y, struct chance *r, long patience,
    double work, long *asked)
{
    const double until = climber_work(m) + work;
    if (c->kernel && real_input(c, r) < 0) /* Of a kernel nothing but its inputs can be changed. */
        return;
    for (long idle = 0; idle < (y->share > 0.6 ? CLIMB_NEAR * patience : patience) && climber_work(m) < until; idle++) {
        struct undo u = { .adverse = c->adverse };
        struct climb_answer next;
        for (long k = 1 + chance_below(r, 2); k > 0; k--) {
            const int in = real_input(c, r);
            if (!c->kernel && (in < 0 || chance_one_in(r, 4)))
                change_choices(&c->adverse, r);
            else if (in >= 0 && !u.a)
                change_input(c, in, &u, r);
        }
        climb_ask(m, c, &next);
        ++*asked;
        /* moves that leave the share equal are kept too, as plateaus are wide */
        if (next.share >= y->share && next.asked) {
            idle = next.share > y->share * 1.000001 ? 0 : idle;
            *y = next;
        } else
            take_back(&u, c);
        free(u.data);
        if (!(y->share <= 1))
            return;
    }
}

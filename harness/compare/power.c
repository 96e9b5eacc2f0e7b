/* Counts, element by element, which trivial outputs (0, 1, means of inputs) a bound admits; see power.h. */
#include <math.h>
#include <stdio.h>
#include "compare/power.h"
#include "compare/ball_share.h"
#include "trial/trial.h"

/* The value of input a at the output's index, averaged over the axes that the output lacks.  Axis 'g' groups 'h':
 * query head h reads key head h G / H. NaN: no element agrees with the index. */
static double mean_of(const struct mer_array *a, const struct axes *x, const long *index, const long *size)
{
    long total = 1;
    double sum = 0;
    for (int k = 0; k < x->rank; k++)
        total *= a->dim[k];
    long n = 0;
    for (long flat = 0, step; flat < total; flat += step) { /* steps over blocks that disagree with the index */
        long rest = flat, inner = 1, want;
        step = 0;
        for (int k = x->rank - 1; k >= 0; k--) {
            int c = x->axis[k];
            want = c == 'g' && size['h'] ? index['h'] * a->dim[k] / size['h'] : index[c];
            if (want >= 0 && rest % a->dim[k] != want)
                step = rest % a->dim[k] < want ? (want - rest % a->dim[k]) * inner :
                                                 (a->dim[k] - rest % a->dim[k] + want) * inner;
            if (step)
                break;
            rest /= a->dim[k];
            inner *= a->dim[k];
        }
        if (!step) {
            sum += array_get(a, flat);
            n++;
            step = 1;
        }
    }
    return n ? sum / (double)n : (double)NAN;
}

/* Whether b, wider by half a unit of f in the last place for y's own rounding, admits y. */
static bool admits(const struct ball *b, double y, const struct format *f)
{
    struct ball wide = *b;
    if (y != 0 && isfinite(y))
        wide.rad = up_add(b->rad, up_2exp(up_d(fmax(fabs(y), ldexp(1, (int)f->emin))), -f->p));
    return ball_share(&wide, y) <= 1;
}

static void count_trivial(struct power *p, const char *out, const char *name, double y, bool input,
    const struct ball *b, const struct format *f)
{
    /* usually the entry behind the last one counted: outputs come in the same order every time */
    int k = p->last, seen = 0;
    for (; seen < p->used && (strcmp(p->at[k].name, name) || strcmp(p->at[k].out, out)); seen++)
        k = k + 1 < p->used ? k + 1 : 0;
    if (seen == p->used && p->used == POWER_TRIVIAL)
        return;
    if (seen == p->used) {
        p->at[k = p->used++].out = out;
        snprintf(p->at[k].name, sizeof p->at[k].name, "%s", name);
    }
    p->last = k;
    const bool in = admits(b, y, f);
    p->at[k].n++, p->at[k].fits += in;
    p->at[k].wide += in && ((!input && y == 0) || admits(b, y + y / 32, f));
    p->at[k].loose += in && (y == 0 ? !(b_radius(b) <= ldexp(1, (int)f->emin)) : admits(b, y + y / 32, f));
}

void power_count(struct power *p, const struct trial *t, const struct sign *s, const struct mer_array *out,
    const long *at, long k, const struct ball *b, const struct format *f)
{
    long index[128], size[128] = { 0 };
    for (int c = 0; c < 128; c++)
        index[c] = -1;
    for (int j = s->out.rank - 1; j >= 0; j--) {
        index[(int)s->out.axis[j]] = j < s->out.lead ? at[j] : k % out->dim[j];
        size[(int)s->out.axis[j]] = out->dim[j];
        k /= j < s->out.lead ? 1 : out->dim[j];
    }
    count_trivial(p, out->name, "0", 0, false, b, f);
    count_trivial(p, out->name, "1", 1, false, b, f);
    for (int j = 0; j < s->n_in && s->out.rank; j++) {
        const struct mer_array *a = mer_in(&t->call, s->in[j].name);
        int last = s->in[j].rank - 1;
        if (!a || s->in[j].integer || last < 0 || s->in[j].axis[last] != s->out.axis[s->out.rank - 1])
            continue;
        char name[24];
        bool whole = true;
        for (int c = 0; c <= last; c++)
            whole &= index[(int)s->in[j].axis[c]] >= 0;
        snprintf(name, sizeof name, "%s%.16s", whole ? "" : "mean ", a->name);
        count_trivial(p, out->name, name, mean_of(a, &s->in[j], index, size), true, b, f);
    }
}

bool power_vacuous(const struct power *p)
{
    for (int k = 0; k < p->used; k++)
        if (p->at[k].n == p->at[k].fits)
            return true;
    return false;
}

/* Is entry k that of an output which a wrong variant makes 0, and exactly that, while it makes another something
 * else?  Then nothing is turned: the sines are 0 and the cosines 1. */
static bool is_beside(const struct power *p, int k)
{
    bool other = false;
    for (int j = 0; j < p->used; j++)
        other = other ||
            (strcmp(p->at[j].out, p->at[k].out) && !strcmp(p->at[j].name, "0") && p->at[j].fits < p->at[j].n);
    return other && !strcmp(p->at[k].name, "0") && !p->at[k].loose;
}
bool power_wide(const struct power *p)
{
    for (int k = 0; k < p->used; k++)
        if (p->at[k].n == p->at[k].wide && !is_beside(p, k))
            return true;
    return false;
}
bool power_loose(const struct power *p)
{
    for (int k = 0; k < p->used; k++)
        if (p->at[k].n == p->at[k].loose)
            return true;
    return false;
}

double power_of(const struct power *p, const char **name)
{
    double least = 1;
    *name = "none";
    for (int k = 0; k < p->used; k++) {
        double rejects = 1 - (double)p->at[k].fits / (double)p->at[k].n;
        if (rejects < least) {
            least = rejects;
            *name = p->at[k].name;
        }
    }
    return least;
}

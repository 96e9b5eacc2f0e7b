/* Chooses the lines on which hypotheses are tried; see spots.h. */
#include "diagnose/hypotheses/spots.h"
#include <math.h>
#include <stdlib.h>

struct worst { double most[2]; }; /* of the sharp lines so far: share of a ball, number of wrong elements */

/* Fits the declared row to a line, fills p->wrong, and makes it a sharp line where it fails worse than those so far. */
static struct fit fit_declared(struct spots *s, struct hypothesis *own, struct spot *p, struct worst *w)
{
    struct fit f = { 0 };
    p->wrong = need((size_t)place_len(s->t, &p->p) + 1, sizeof *p->wrong);
    hypothesis_wrong(own, s->t, &p->p, p->wrong, &f);
    const double rank[2] = { f.worst, (double)f.over };
    for (int j = 0; j < 2 && f.over; j++)
        if (rank[j] > w->most[j])
            w->most[j] = rank[j], s->sharp[j] = *p;
    return f;
}

static void count(struct spots *s, const struct fit *f)
{
    s->all += f->n, s->declared += f->n - f->over;
    s->worst = f->worst > s->worst ? f->worst : s->worst;
}

/* Whether a real input of t holds NaN. */
static bool poisoned(const struct trial *t)
{
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; t->in[k].type < MER_I64 && i < array_len(&t->in[k]); i++)
            if (isnan(array_get(&t->in[k], i)))
                return true;
    return false;
}

void spots_open(struct spots *s, const struct trial *t, double work)
{
    static struct place some[SPOTS]; /* large */
    struct hypothesis *own = &s->own;
    struct worst w = { { 0, 0 } };
    *s = (struct spots){ .t = t, .poisoned = poisoned(t) };
    const bool made = hypothesis_open(own, t, "", NULL);
    int n = places_of(t, lines_for(t, SPOT_LINES, SPOT_MORE), some, SPOTS);
    for (int k = 0; made && k < n; k++) {
        s->at[s->n].p = some[k];
        const struct fit f = fit_declared(s, own, &s->at[s->n++], &w);
        count(s, &f);
        if (hypothesis_work(own) > 0.1 * work) /* long lines: fewer of them */
            n = k + 1;
    }
    n = made && w.most[0] == 0 ? places_of(t, SPOT_MORE, some, SPOTS) : 0;
    for (int k = 0; k < n && s->n < SPOTS && hypothesis_work(own) <= work; k++) {
        struct spot one = { .p = some[k] };
        const struct fit f = fit_declared(s, own, &one, &w);
        if (f.over)
            s->at[s->n++] = one, count(s, &f);
        else
            free(one.wrong);
    }
    const struct place *a = &s->sharp[0].p, *b = &s->sharp[1].p;
    s->sharps = w.most[0] == 0 ? 0 : a->out == b->out && a->line == b->line ? 1 : 2;
}

static void fit_one(const struct spots *s, struct hypothesis *h, const struct spot *p, bool of_the_wrong, struct fit *f)
{
    hypothesis_fit(h, s->t, &p->p, of_the_wrong ? p->wrong : NULL, f);
}

void spots_sharp(const struct spots *s, struct hypothesis *h, bool of_the_wrong, bool brief, struct fit *f)
{
    h->rough = true;
    for (int k = 0; k < s->sharps && !(k && brief && f->over); k++)
        fit_one(s, h, &s->sharp[k], of_the_wrong, f);
    h->rough = false;
}

void spots_all(const struct spots *s, struct hypothesis *h, bool of_the_wrong, struct fit *f)
{
    for (int k = 0; k < s->n; k++)
        fit_one(s, h, &s->at[k], of_the_wrong, f);
}

/* The same for one line; returns the sum of the logarithms.  What is undecided or not finite counts as 2^1024 off. */
static double line_says(
    const struct spots *s, struct hypothesis *h, const struct place *p, double *says, double *radius)
{
    const struct mer_array *out = &s->t->out[p->out];
    const long len = place_len(s->t, p);
    const struct format *f =
        out->type >= MER_I64 ? &formats[0] : format_named(type_name[out->type], strlen(type_name[out->type]));
    double top = 0, sum = hypothesis_says(h, p, says, radius) ? 0 : 1024;
    for (long j = 0; j < len; j++)
        top = fmax(top, isfinite(says[j]) ? fabs(says[j]) : 0);
    for (long j = 0; j < len; j++) {
        if (element_unwritten(out, p->line * len + j)) { /* It tells no two hypotheses apart. */
            says[j] = 0, radius[j] = (double)INFINITY;
            continue;
        }
        const double v = says[j], got = array_get(out, p->line * len + j), off = fabs(got - v);
        const double size = isfinite(v) ? fabs(v) : 0, least = ldexp(fmax(fmax(size, top * 0x1p-8), 0x1p-1000), -f->p);
        sum += v == got || (isnan(v) && isnan(got)) ? log2(least) : isfinite(off) ? log2(fmax(off, least)) : 1024;
    }
    return sum;
}

double spots_says(const struct spots *s, struct hypothesis *h, double *says, double *radius)
{
    double sum = 0;
    long at = 0;
    for (int k = 0; k < s->n; k++) {
        sum += line_says(s, h, &s->at[k].p, says + at, radius + at);
        at += place_len(s->t, &s->at[k].p);
    }
    return s->all ? sum / (double)s->all : 0;
}

bool spots_mute(const struct spots *s, const double *says)
{
    for (int k = 0; k < s->n; k++) {
        const struct place *p = &s->at[k].p;
        const long len = place_len(s->t, p);
        for (long j = 0; j < len; j++, says++)
            if (!isfinite(*says) && isfinite(array_get(&s->t->out[p->out], p->line * len + j)))
                return true;
    }
    return false;
}

void spots_close(struct spots *s)
{
    for (int k = 0; k < s->n; k++)
        free(s->at[k].wrong);
    s->n = 0;
    hypothesis_close(&s->own);
}

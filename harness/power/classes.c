/* Finds the mistakes of a row that no generated case tells apart: each mistake, at the parameters of its own line, is
 * compared with every other one on all quantities and fills, until some line tells them apart. */
#include <stdlib.h>
#include "power/confusion.h"
#include "core/data.h"
#include "core/files.h"
#include "power/kill.h"

enum { LINES = 16, MOST_PLACES = TRIAL_OUT * LINES, MOST = 200 };

struct mistakes { struct mistake m[MOST]; int n; };
static int collect(const struct mistake *m, void *with)
{
    struct mistakes *l = with;
    if (!mistake_equivalent(m) && l->n < MOST)
        l->m[l->n++] = *m;
    return 0;
}

/* One generated case of a mistake, with the mistake's numbers line by line, as far as they were needed. */
struct classes_probe {
    struct trial t;
    struct hypothesis h;
    bool there;
    struct place p[MOST_PLACES];
    int places;
    double *says[MOST_PLACES];
};

static void probe_open(
    struct classes_probe *p, const struct row *r, const struct mistake *m, const char *out, int type, const char *fill)
{
    char params[200], sizes[200], all[240], err[900];
    *p = (struct classes_probe){ 0 };
    mistake_parts(m->where, params, sizes, sizeof params);
    snprintf(all, sizeof all, "%s %s", sizes, fill);
    p->there = !trial_make(&p->t, &(struct trial_spec){ r->name, params, out, type, all, 3 }, err, sizeof err);
    profile_sharp(r, p->t.profile, sizeof p->t.profile);
    p->there = p->there && hypothesis_open(&p->h, &p->t, m->change, NULL);
    p->places = p->there ? places_of(&p->t, LINES, p->p, MOST_PLACES) : 0;
}

static void probe_close(struct classes_probe *p)
{
    for (int k = 0; k < p->places; k++)
        free(p->says[k]);
    hypothesis_close(&p->h), trial_close(&p->t);
}

/* Writes the numbers of a hypothesis for a line, then the radii around them; false: undecided. */
static bool numbers_of(struct hypothesis *h, const struct place *p, double *to)
{
    return hypothesis_says(h, p, to, to + place_len(h->t, p));
}

/* Whether another change gives the same numbers here.  A change that is impossible here, or leaves the question as it
 * is, counts as different. */
static bool probe_same(struct classes_probe *p, const char *change)
{
    struct hypothesis other;
    bool same = hypothesis_open(&other, &p->t, change, NULL);
    for (int k = 0; k < p->places && same; k++) {
        const size_t len = (size_t)place_len(&p->t, &p->p[k]);
        if (!p->says[k]) {
            p->says[k] = need(2 * len + 1, sizeof(double));
            if (!numbers_of(&p->h, &p->p[k], p->says[k]))
                /* undecided: NaN in the value, told from every number */
                memset(p->says[k], 0xff, 2 * len * sizeof(double));
        }
        double *to = need(2 * len + 1, sizeof *to);
        same = numbers_of(&other, &p->p[k], to) && says_same(p->says[k], p->says[k] + len, to, to + len, (long)len);
        free(to);
    }
    hypothesis_close(&other);
    return same;
}

/* Sets alike[j] where no case of mistake i tells j from it. */
static void compare(const struct row *r, const struct mistakes *l, int i, int type, bool *alike)
{
    long seen = 0;
    for (int j = 0; j < l->n; j++)
        alike[j] = j != i;
    for (const struct quantity *q = r->q; q->sign; q++)
        for (int f = PROBES - 1; f >= 0; f--) { /* the probe first: it tells most */
            struct sign s;
            struct classes_probe p;
            sign_read(&s, q->sign);
            probe_open(&p, r, &l->m[i], s.out.name, type, family_name[f]);
            for (int j = 0; j < l->n && p.there; j++)
                alike[j] = alike[j] && probe_same(&p, l->m[j].change);
            seen += p.there;
            probe_close(&p);
        }
    for (int j = 0; j < l->n && !seen; j++)
        alike[j] = false;
}

static int root(const int *up, int k)
{
    while (up[k] != k)
        k = up[k];
    return k;
}

int classes_write(FILE *f, const struct row *r, int type)
{
    struct mistakes *l = need(1, sizeof *l);
    int *up = need(MOST, sizeof *up), n = 0;
    bool *alike = need(MOST * MOST, sizeof *alike);
    if (mistakes_each(r->name, collect, l) < 0)
        n = -1;
    for (int k = 0; k < l->n; k++)
        up[k] = k;
    for (int i = 0; i < l->n; i++)
        compare(r, l, i, type, alike + i * MOST);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < i; j++)
            if (alike[i * MOST + j] && alike[j * MOST + i]) {
                int a = root(up, i), b = root(up, j);
                up[a < b ? b : a] = a < b ? a : b; /* the first of the list stands for its class */
            }
    for (int i = 0; i < l->n; i++) {
        if (up[i] != i)
            continue;
        fprintf(f, "%s\t", type_name[type]);
        for (int j = i, first = 1; j < l->n; j++)
            if (root(up, j) == i)
                fprintf(f, "%s%s", first ? "" : " ", l->m[j].id), first = 0;
        fprintf(f, "\n"), n++;
    }
    free(l), free(up), free(alike);
    return n;
}

int classes_file(const struct row *r, char *err, size_t n)
{
    char path[600], what[80];
    struct draft d;
    snprintf(what, sizeof what, "classes/%s.tsv", r->name);
    if (draft_open(&d, data_path(what, path, sizeof path), err, n))
        return -1;
    FILE *f = d.file;
    fprintf(f, "# format\tmistakes that no probe tells apart; meridian power classes --write --row %s\n", r->name);
    int narrow = classes_write(f, r, MER_F32), wide = classes_write(f, r, MER_BF16);
    if (narrow < 0 || wide < 0)
        return draft_drop(&d), snprintf(err, n, "%s: no mistakes of this row", path), -1;
    return draft_keep(&d, err, n) ? -1 : narrow;
}

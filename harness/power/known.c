/* Compares known bugs with the right chain: for each line the right numbers and their balls are computed once, then the
 * numbers of every bug. */
#include "compare/compare.h"
#include "base/tsv.h"
#include "power/known.h"
#include <math.h>
#include <stdio.h>
#include "core/data.h"
#include "power/encoded.h"
#include "core/gen.h"
#include "power/kill.h"

long known_read(struct known *k, char *err, size_t n)
{
    char path[600];
    long count = 0;
    struct tsv t;
    if (!tsv_open(&t, data_path("known.tsv", path, sizeof path)))
        return snprintf(err, n, "no %.500s", path), -1;
    while (count >= 0 && count < KNOWN_MOST && tsv_next(&t)) {
        struct known *one = &k[count++];
        const struct tsv_place to[] = { { one->id, sizeof one->id }, { one->row, sizeof one->row },
            { one->where, sizeof one->where }, { one->encoding, sizeof one->encoding },
            { one->change, sizeof one->change }, { one->mistake, sizeof one->mistake }, { one->out, sizeof one->out },
            { 0 } };
        if (tsv_take(&t, to) != 7)
            snprintf(err, n, "%.400s: '%.60s': seven columns", path, t.text), count = -1;
        else if (!strcmp(one->where, "-"))
            *one->where = 0;
    }
    tsv_close(&t);
    return count;
}

struct known_wanted { const char *id; struct mistake *m; };
static int find(const struct mistake *m, void *with)
{
    struct known_wanted *w = with;
    if (strcmp(m->id, w->id))
        return 0;
    *w->m = *m;
    return 1;
}
int known_mistake(const struct known *k, struct mistake *m)
{
    char row[64];
    const char *dot = strchr(k->mistake, '.');
    snprintf(row, sizeof row, "%.*s", dot ? (int)(dot - k->mistake) : 0, k->mistake);
    struct known_wanted w = { dot ? dot + 1 : "", m };
    return mistakes_each(row, find, &w) == 1 ? 0 : -1;
}

bool known_together(const struct known *a, const struct known *b)
{
    return !strcmp(a->row, b->row) && !strcmp(a->where, b->where) && !strcmp(a->encoding, b->encoding) &&
        !strcmp(a->out, b->out);
}

/* Makes the chain of a bug: more keys than queries, two query heads for each key head, and no size a power of two but
 * the widths. */
static int make(struct encoded *e, const struct known *k, int type, const char *fill, char *err, size_t n)
{
    char params[200], sizes[200], all[400];
    mistake_parts(k->where, params, sizes, sizeof params);
    snprintf(all, sizeof all, "%s h=4 g=2 n=40 m=125 d=32 e=32 %s", fill, sizes + strlen("n=9 m=12"));
    return encoded_make(e, &(struct trial_spec){ k->row, params, k->out, type, all, 7 }, k->encoding, err, n);
}

static double stored(const struct ball *y, const struct format *f)
{
    mpfr_t r;
    mpfr_init2(r, mpfr_get_prec(y->mid));
    mpfr_set(r, y->mid, MPFR_RNDN);
    round_to(r, f);
    double x = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clear(r);
    return x;
}

static void look(struct known_told *t, const struct trial *of, const struct ball *const *x, const struct ball *const *b,
    const struct ball *const *z, long len, const long *at)
{
    const struct format *f = format_named(type_name[of->type], strlen(type_name[of->type]));
    for (long c = 0; c < len; c++) {
        double got = stored(z[c], f), want = stored(x[c], f),
               off = got == want ? 0 : fabs(got - want) / (2e-2 + 2e-2 * fabs(want));
        t->close = !(off <= t->close) ? off : t->close; /* NaN stays */
        tally_add(&t->y, x[c], b[c], got, f, at, c, of->out[0].name);
    }
}

int known_tell(const struct known *k, int count, int type, const char *fill, long lines, struct known_told *told,
    char *err, size_t n)
{
    struct encoded right, *wrong = need((size_t)count, sizeof *wrong);
    struct chain exact = { 0 }, wide = { 0 }, *bad = need((size_t)count, sizeof *bad);
    memset(told, 0, (size_t)count * sizeof *told);
    int rc = make(&right, k, type, fill, err, n);
    for (int b = 0; b < count; b++)
        rc = rc || make(&wrong[b], &k[b], type, fill, err, n) || encoded_change(&wrong[b], k[b].change, err, n) ||
                chain_open(&bad[b], &wrong[b], ROUND, err, n) ?
            -1 :
            0;
    rc = rc || chain_open(&exact, &right, EXACT, err, n) ? -1 : 0;
    if (!rc)
        encoded_profile(&right);
    rc = rc || chain_open(&wide, &right, WIDEN, err, n) ? -1 : 0;
    const struct mer_array *out = &right.t.out[0]; /* o[h][n][e] or lse[h][n] */
    long len = rc ? 0 : out->rank > 2 ? out->dim[2] : 1;
    const struct ball **y = need(3 * (size_t)len + 1, sizeof *y);
    for (long pick = 0; pick < lines && !rc; pick++) {
        long line = (long)(gen_bits(1, 0, (uint64_t)pick) % (uint64_t)(out->dim[0] * out->dim[1]));
        const long at[MER_RANK] = { line / out->dim[1], line % out->dim[1] };
        bool known = chain_line(&exact, at, len, y) && chain_line(&wide, at, len, y + len);
        for (int b = 0; b < count && !rc; b++)
            if (known && chain_line(&bad[b], at, len, y + 2 * len))
                look(&told[b], &right.t, y, y + len, y + 2 * len, len, at);
            else
                rc = (snprintf(err, n, "%s: a line stays undecided", k[b].id), -1);
    }
    chain_close(&exact), chain_close(&wide), encoded_close(&right);
    for (int b = 0; b < count; b++)
        chain_close(&bad[b]), encoded_close(&wrong[b]);
    free(y), free(wrong), free(bad);
    return rc;
}

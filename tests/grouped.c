/* Attention of rows that share their keys: what a query of a head gets does not depend on the queries and heads beside
 * it.  Every kernel that takes one query is asked a case as it is, and again with every row alone: a head of its own
 * with one query, its own copy of keys and values, and a mask in place of the rules of reach.  The bits must be the
 * same.  NaNs count as equal, since which of two NaNs an operation passes on is the compiler's choice. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include "attention/flash.h"
#include "kernels.h"
#include "trial/trial.h"

/* Hides a third of the pairs by keep and a fifth by a bias of -inf.  Poisoned: keys and values 5, 12, 19 .. hold NaN,
 * which only the rows that see them may get. */
enum { CALM, POISONED };
static void fill(struct trial *t, int how)
{
    struct mer_array *keep = mer_find(t->in, t->call.n_in, "keep"), *bias = mer_find(t->in, t->call.n_in, "bias");
    for (long i = 0; keep && i < array_len(keep); i++)
        array_put(keep, i, gen_bits(3, 71, (uint64_t)i) % 3 != 0);
    for (long i = 0; bias && i < array_len(bias); i++)
        if (gen_bits(3, 72, (uint64_t)i) % 5 == 0)
            array_put(bias, i, -(double)INFINITY);
    for (int in = 1; in < 3 && how == POISONED; in++)
        for (long i = 0; i < array_len(&t->in[in]); i++)
            if (i / t->in[in].dim[2] % t->in[in].dim[1] % 7 == 5 && i % t->in[in].dim[2] % 3 == in)
                array_put(&t->in[in], i, (double)NAN);
}

/* A problem, and kept[h][n][m], 0 where its keep hides a key. */
struct shared { const struct flash *f; const uint8_t *kept; };
/* Which part of an array row r reads, where its first axis counts key heads (g), query heads (h) or rows (r). */
static int64_t of_row(const struct shared *s, char first, int64_t r)
{
    return first == 'g' ? flash_key_head(s->f, r / s->f->n) : first == 'h' ? r / s->f->n : r;
}
/* The array x of a problem whose rows are alone; its data are the caller's. */
static struct mer_array alone(const struct shared *s, const struct mer_array *x, char first)
{
    struct mer_array y = *x;
    const size_t rows = (size_t)(s->f->h * s->f->n), heads = first == 'r' ? rows : (size_t)x->dim[0],
                 bytes = (size_t)array_len(x) * type_size(x->type) / heads;
    y.dim[0] = (int64_t)rows, y.dim[1] = first == 'r' ? 1 : x->dim[1];
    y.data = malloc(rows * bytes + 1);
    for (size_t r = 0; r < rows; r++)
        memcpy((char *)y.data + r * bytes, (const char *)x->data + (size_t)of_row(s, first, (int64_t)r) * bytes, bytes);
    return y;
}
/* keep[rows][1][m]: what reach and keep let a query see. */
static struct mer_array mask(const struct shared *s)
{
    const int64_t rows = s->f->h * s->f->n, m = s->f->m;
    struct mer_array y = { "keep", MER_I64, 3, { rows, 1, m }, malloc((size_t)(rows * m) * sizeof(int64_t) + 1) };
    for (int64_t at = 0; at < rows * m; at++) {
        const int64_t i = at / m % s->f->n, j = at % m;
        ((int64_t *)y.data)[at] = j >= flash_seen_first(s->f, i) && j < flash_seen_end(s->f, i) && s->kept[at];
    }
    return y;
}

static bool same(const struct mer_array *x, const struct mer_array *y)
{
    const size_t w = type_size(x->type);
    bool all = true;
    for (long i = 0; i < array_len(x); i++)
        all &= (isnan(array_get(x, i)) && isnan(array_get(y, i))) ||
            !memcmp((const char *)x->data + (size_t)i * w, (const char *)y->data + (size_t)i * w, w);
    return all;
}

/* Asks k with every row alone; o and lse get the answer.  t has been made and not been asked. */
static int ask_alone(const struct mer_kernel *k, const struct trial *t, const struct shared *s, struct mer_array *out)
{
    /* the first word with a key counts: every key is in reach */
    static const char everything[] =
        "causal=none window=0 left=-1 right=-1 chunk=0 prefix=0 length=-1 first=0 group=repeat ";
    char params[2000];
    struct mer_array in[8];
    int n = 0, rc;
    snprintf(params, sizeof params, "%s%s", everything, t->call.params);
    for (int x = 0; x < t->call.n_in; x++) {
        const char *name = t->in[x].name, first = x == 1 || x == 2 ? 'g' : !strcmp(name, "sink") ? 'h' : 'r';
        if (strcmp(name, "keep"))
            in[n++] = alone(s, &t->in[x], first);
    }
    in[n++] = mask(s);
    for (int x = 0; x < t->call.n_out; x++)
        out[x] = alone(s, &t->out[x], 'r');
    struct mer_call c = { "attention", params, n, t->call.n_out, in, out, NULL };
    rc = mer_ask(k, &c);
    for (int x = 0; x < n; x++)
        free(in[x].data);
    return rc;
}

static int compared(const struct slot *slot, const struct mer_kernel *k, const char *text, const char *sizes, int how)
{
    struct trial t;
    struct mer_array out[2] = { 0 };
    char err[400];
    cr_assert_eq(trial_make(&t, &(struct trial_spec){ "attention", text, k->out, type_named(k->type), sizes, 11 }, err,
        sizeof err), 0, "%s", err);
    fill(&t, how);
    struct flash f = { .h = t.in[0].dim[0], .g = t.in[1].dim[0], .n = t.in[0].dim[1], .m = t.in[1].dim[1],
        .tiled = mer_is(&t.call, "group", "tile") };
    flash_see(&f, &t.call);
    uint8_t *kept = malloc((size_t)(f.h * f.n * f.m) + 1);
    const struct mer_array *keep = mer_in(&t.call, "keep");
    for (int64_t at = 0; at < f.h * f.n * f.m; at++)
        kept[at] = !keep || array_get(keep, at) != 0;
    int rc = ask_alone(k, &t, &(struct shared){ &f, kept }, out), answered = mer_ask(k, &t.call) == MER_OK;
    for (int x = 0; x < t.call.n_out && rc == MER_OK && answered; x++)
        cr_expect(same(&t.out[x], &out[x]), "%s %s %s, %s, %s, %s: %s depends on the rows beside it", slot->name,
            k->type, k->profile, text, sizes, how ? "poisoned" : "calm", t.out[x].name);
    for (int x = 0; x < 2; x++)
        free(out[x].data);
    free(kept), trial_close(&t);
    return rc == MER_OK && answered;
}

/* Widths with and without a rest; from 1 to 70 rows that share a key head; one and several blocks of keys. */
static const char *const sizes[] = { "h=8 g=2 n=3 m=45 d=9 e=6 bias keep", "h=6 g=2 n=8 m=600 d=33 e=70 keep sink",
    "h=7 g=1 n=1 m=1100 d=17 e=21 bias", "h=12 g=4 n=2 m=66 d=64 e=64", "h=70 g=1 n=1 m=40 d=5 e=3 bias keep",
    "h=2 g=2 n=7 m=530 d=16 e=130 sink" };
static const char *const text[] = { "", "causal=bottomright", "causal=bottomright window=30 scale=40",
    "causal=topleft prefix=7", "causal=bottomright chunk=17 group=tile", "cap=1/2 causal=bottomright",
    "cap=1/2 cap_at=after causal=bottomright", "mask=add constant=-3 causal=bottomright window=5",
    "mask=fill constant=-1/2 causal=topleft", "softmax1=on scale=90", "length=31 first=3 order=bias-first base=2",
    "empty=mean causal=offset offset=-4" };
enum { SIZES = sizeof sizes / sizeof *sizes, TEXTS = sizeof text / sizeof *text };

static void kernels(int how)
{
    int asked = 0;
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; s->here() && k->row; k++)
            for (int c = 0; c < 2 * TEXTS && !strcmp(k->row, "attention") && !strcmp(k->out, "o lse"); c++)
                asked += compared(s, k, text[c % TEXTS], sizes[(c + c / TEXTS) % SIZES], how);
    cr_expect_geq(asked, 2 * TEXTS, "%d", asked);
}
Test(grouped, rows_that_share_keys_have_the_bits_of_rows_alone) { kernels(CALM); }
Test(grouped, a_nan_that_some_rows_do_not_see_stays_out_of_them) { kernels(POISONED); }

/* What pages leave behind: of balls in the pool the one that they answer, and of memory nothing. */
#include <criterion/criterion.h>
#include <malloc.h>
#include "layer/seq2seq.h"
#include "relative/place.h"
#include "trial/trial.h"

static const struct arith plain = { .how = ROUND };
static double numbers[2 * 3 * 4];

/* The products and the sums on the way to an entry of an affine map are given up. */
Test(left_laws, an_affine_map_leaves_one_ball)
{
    struct mer_array in[] = { { "m", MER_F64, 2, { 2, 3 }, numbers, { 0 } },
        { "b", MER_F64, 1, { 3 }, numbers, { 0 } } };
    const struct mer_call call = { .n_in = 2, .in = in, .params = "" };
    struct ask w = { .arith = &plain, .call = &call };
    const struct ball *x[3];
    ask_reset(&w, 64);
    for (int k = 0; k < 3; k++)
        x[k] = b_si(&w, k + 2);
    for (int across = 0; across < 2; across++)
        for (int bias = 0; bias < 2; bias++) {
            const size_t mark = w.used;
            seq2seq_affine(&w, (struct part[]){ { "m", x, across }, { "m", x, across } }, 2, bias ? "b" : NULL, 1);
            cr_expect_eq(w.used, mark + 1, "across %d, bias %d: %zu balls", across, bias, w.used - mark);
        }
    ask_clear(&w);
}

static void place_row(struct ask *w, long at, long c, const struct ball **R)
{
    for (long k = 0; k < c; k++)
        R[k] = b_add(w, b_si(w, at), b_si(w, k));
}
static long place_at(const struct ask *w, long i, long j)
{
    (void)w;
    return i - j;
}
/* So are a place's vector and its projection, of which a product or one entry is asked. */
Test(left_laws, a_product_with_a_place_leaves_one_ball)
{
    static const struct placed places = { .row = place_row, .at = place_at };
    struct mer_array in[] = { { "q", MER_F64, 3, { 1, 2, 3 }, numbers, { 0 } },
        { "wr", MER_F64, 3, { 1, 4, 3 }, numbers, { 0 } }, { "br", MER_F64, 2, { 1, 3 }, numbers, { 0 } } };
    for (int n = 2; n <= 3; n++) {
        const struct mer_call call = { .n_in = n, .in = in, .params = "" };
        struct ask w = { .arith = &plain, .call = &call, .with = &places };
        ask_reset(&w, 64);
        placed_dot(&w, &places, 1, 0, 1, true, NULL);
        cr_expect_eq(w.used, 1, "%d inputs: %zu balls of a product", n, w.used);
        placed_r(&w, 0, 1, 0, 2);
        cr_expect_eq(w.used, 2, "%d inputs: %zu balls of an entry", n, w.used - 1);
        ask_clear(&w);
    }
}

static struct { const char *row, *out, *sizes; long len; } const asked[] = {
    { "seq2seq", "dbh_logprob", "m=3 t=3 c=2 d=2 e=2 a=2", 2 }, { "gateddelta", "o", "h=1 g=1 n=3 d=2 e=2", 2 },
};
enum { ASKED = sizeof asked / sizeof *asked };
static void ask_all(const struct trial *t)
{
    for (int k = 0; k < ASKED; k++) {
        const struct ball *y[2];
        struct ask w = { .arith = &plain, .params = t[k].params, .call = &t[k].call, .len = asked[k].len };
        ask_reset(&w, 64);
        line_page(&w, row_quantity(t[k].row, asked[k].out), NULL, y);
        ask_clear(&w);
    }
    balls_forget();
}
/* What is lost is lost every time; what the allocator keeps for itself it takes now and then. */
Test(left_laws, memory_goes_back)
{
    enum { WARM = 40, RUNS = 80 };
    struct trial t[ASKED];
    char why[400];
    size_t before = 0;
    int rises = 0;
    for (int k = 0; k < ASKED; k++)
        cr_assert_eq(trial_make(&t[k], &(struct trial_spec){ asked[k].row, "", asked[k].out, MER_F32, asked[k].sizes,
            1 }, why, sizeof why), 0, "%s: %s", asked[k].row, why);
    for (int k = 0; k < RUNS; k++) {
        ask_all(t);
        const size_t used = mallinfo2().uordblks;
        rises += k >= WARM && used > before;
        before = used;
    }
    cr_expect_lt(rises, (RUNS - WARM) / 2, "%d of %d runs gave less back than they took", rises, RUNS - WARM);
    for (int k = 0; k < ASKED; k++)
        trial_close(&t[k]);
}

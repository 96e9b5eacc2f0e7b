/* Attention over selected keys: which keys a selection names, told by means; ties; faults; and what is refused. */
#include "page_line.h"
#include "sparse/gather.h"
#include "told.h"

enum { KEYS = 5 };
static const char sizes[] = "h=1 g=1 n=2 d=1 e=1 m=5 c=4";
static void put_line(struct trial *t, const char *name, const char *numbers)
{
    long k = 0;
    for (const char *s = numbers; *s; k++) {
        char *end;
        array_put(trial_in(t, name), k, strtod(s, &end)), s = end;
    }
}
/* Query 1 of 2 selects these entries.  All scores are 0 and the value of key j is 2^j, so that what it answers is the
 * mean of the values that it sees; line_close is due. */
static void ask_means(struct page_line *x, const char *params, const char *out, const char *entries, const char *words)
{
    line_open(x, &(struct trial_spec){ "sparse", params, out, MER_F64, sizes, 5 }, words, EXACT);
    put_line(&x->t, "q", "0 0"), put_line(&x->t, "v", "1 2 4 8 16");
    char index[120];
    snprintf(index, sizeof index, "6 6 6 6 %s", entries);
    put_line(&x->t, "index", index);
    x->w.at[1] = 1;
    line_ask(x);
}
/* The mean is told as the sum of the values and how many they are. */
Test(sparse, what_a_selection_names)
{
    static const struct { const char *params, *entries, *words; long sum, count; } told[] = {
        { "", "0 3 6 6", "", 1 + 8, 2 },
        { "", "4 3 2 1", "", 16 + 8 + 4 + 2, 4 },
        { "", "0 0 3 5", "", 1 + 1 + 8, 3 },
        { "duplicates=once", "0 0 3 5", "", 1 + 8, 2 },
        { "duplicates=once", "3 0 3 0", "", 1 + 8, 2 },
        { "block_size=2", "0 3 3 3", "", 1 + 2, 2 },
        { "block_size=2", "2 3 3 1", "", 16 + 4 + 8, 3 },
        { "block_size=2 duplicates=once", "1 1 1 2", "", 4 + 8 + 16, 3 },
        { "block_size=2", "1 1 6 6", "", 2 * (4 + 8), 4 },
        { "block_size=5", "1 0 1 1", "", 31, 5 },
        { "block_size=6", "0 1 1 1", "", 31, 5 },
        { "causal=topleft", "0 1 2 3", "", 1 + 2, 2 },
        { "causal=bottomright", "1 2 3 4", "", 2 + 4 + 8 + 16, 4 },
        { "causal=offset offset=2", "1 2 3 4", "", 2 + 4 + 8, 3 },
        { "causal=topleft block_size=2", "0 1 2 6", "", 1 + 2, 2 },
        { "causal=offset offset=1 block_size=2", "0 1 2 6", "", 1 + 2 + 4, 3 },
        { "causal=bottomright window=2", "0 3 4 2", "", 8 + 16, 2 },
        { "window=2", "0 1 2 3", "", 1 + 2 + 4 + 8, 4 },
        { "", "0 3 6 6", "fault=first", 3 * 1 + 8, 4 },
        { "", "0 3 6 6", "fault=last", 1 + 8 + 2 * 16, 4 },
        { "block_size=2", "0 1 6 6", "fault=last", 1 + 2 + 4 + 8 + 2 * 16, 6 },
        { "block_size=2", "2 1 6 6", "fault=tokens", 4 + 8 + 2 + 4, 4 },
        { "causal=offset offset=1 block_size=2", "0 1 2 6", "fault=whole", 1 + 2 + 4 + 8, 4 },
        { "causal=topleft block_size=2", "0 1 2 6", "fault=whole", 1 + 2, 2 },
        { "duplicates=once", "0 3 6 6", "fault=last", 1 + 8 + 16, 3 },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct page_line x;
        ask_means(&x, told[k].params, "o", told[k].entries, told[k].words);
        const double mean = (double)told[k].sum / (double)told[k].count;
        cr_expect_eq(b_value(x.y[0]), mean, "%s %s, entries %s: %.17g, not %.17g", told[k].params, told[k].words,
            told[k].entries, b_value(x.y[0]), mean);
        line_close(&x);
        ask_means(&x, told[k].params, "lse", told[k].entries, told[k].words);
        cr_expect_float_eq(exp(b_value(x.y[0])), (double)told[k].count, 1e-9, "%s, entries %s", told[k].params,
            told[k].entries);
        line_close(&x);
    }
}
Test(sparse, a_query_that_sees_no_key)
{
    static const struct { const char *params, *out, *entries; double y; } told[] = {
        { "", "o", "5 6 5 6", 0 }, { "empty=nan", "o", "5 6 5 2147483648", (double)NAN },
        { "causal=topleft", "o", "2 3 4 6", 0 }, { "", "lse", "5 6 5 6", (double)-INFINITY },
        { "alone=plus", "lse", "5 6 5 6", (double)INFINITY },
        { "alone=plus base=2", "lse", "6 5 6 5", (double)INFINITY },
        { "base=2", "lse", "6 5 6 5", (double)-INFINITY }, { "alone=plus", "lse", "4 6 6 6", 0 },
        { "alone=plus causal=topleft", "lse", "4 3 2 6", (double)INFINITY },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct page_line x;
        ask_means(&x, told[k].params, told[k].out, told[k].entries, "");
        const double y = mpfr_get_d(x.y[0]->mid, MPFR_RNDN);
        cr_expect(isnan(told[k].y) ? isnan(y) : y == told[k].y, "%s %s, entries %s: %g", told[k].params, told[k].out,
            told[k].entries, y);
        line_close(&x);
    }
}
/* A place behind the last entry has no key: another query's entry stands there. */
Test(sparse, a_place_behind_the_last_entry_has_no_key)
{
    struct page_line x;
    ask_means(&x, "block_size=2", "o", "0 0 0 0", "");
    struct mer_array *index = trial_in(&x.t, "index");
    for (long k = 0; k < array_len(index); k++)
        array_put(index, k, 0);
    for (long i = 0; i < index->dim[1]; i++)
        for (long j = 0; j < 4 * index->dim[2]; j++)
            cr_expect_eq(sparse_sees(&x.w, 0, i, j), j < 2 * index->dim[2], "query %ld, place %ld", i, j);
    line_close(&x);
}
/* Keys that no entry names, and those that a mask hides, may hold anything. */
Test(sparse, what_is_not_selected_is_not_read)
{
    static const char *const outs[] = { "o", "lse", "dq" };
    for (size_t k = 0; k < sizeof outs / sizeof *outs; k++) {
        struct page_line x;
        ask_means(&x, "causal=offset offset=2", outs[k], "1 4 6 3", "");
        const double y = b_value(x.y[0]);
        for (long j = 0; j < KEYS; j++)
            if (j != 1 && j != 3)
                array_put(trial_in(&x.t, "k"), j, (double)NAN), array_put(trial_in(&x.t, "v"), j, (double)NAN);
        line_ask(&x);
        cr_expect_eq(b_value(x.y[0]), y, "%s: %g, not %g", outs[k], b_value(x.y[0]), y);
        line_close(&x);
    }
}

/* One index head of weight 1, of a query of 1 and keys of one number. */
static void ask_indexer(struct page_line *x, const char *params, const char *keys, const char *words, enum how how)
{
    line_open(x, &(struct trial_spec){ "sparse", params, "selected", MER_F64, "b=1 n=2 a=1 m=5", 5 }, words, how);
    put_line(&x->t, "iq", "1 1"), put_line(&x->t, "iw", "1 1"), put_line(&x->t, "ik", keys);
    x->w.at[0] = 1;
    line_ask(x);
}
Test(sparse, of_equal_scores_the_first_are_selected)
{
    static const struct { const char *params, *keys, *words, *in; } told[] = {
        { "topk=2", "1 2 3 4 5", "", "00011" }, { "topk=2", "5 4 3 2 1", "", "11000" },
        { "topk=2", "-1 -2 -3 -4 -5", "", "11000" }, { "topk=3", "-1 7 -3 7 -5", "", "11010" },
        { "topk=1", "2 2 2 2 2", "", "10000" }, { "topk=4", "-1 -1 -1 -1 1", "", "11101" },
        { "topk=9", "1 2 3 4 5", "", "11111" }, { "topk=2", "-1 -2 -3 -4 -5", "fault=linear", "11000" },
        { "topk=2", "-5 -4 -3 -2 -1", "fault=linear", "00011" }, { "topk=2 causal=topleft", "1 2 3 4 5", "", "11000" },
        { "topk=1 causal=topleft", "1 1 3 4 5", "", "10000" }, { "topk=2 causal=bottomright window=3", "9 9 1 2 0", "",
            "00110" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct page_line x;
        ask_indexer(&x, told[k].params, told[k].keys, told[k].words, EXACT);
        for (long j = 0; j < KEYS; j++)
            cr_expect(b_value(x.y[j]) == told[k].in[j] - '0' && b_radius(x.y[j]) == 0, "%s, keys %s: key %ld",
                told[k].params, told[k].keys, j);
        cr_expect(!x.w.undecided);
        line_close(&x);
    }
}
/* The products of an index head are rounded at one step and their running sum at another: of 9/8 and 1/8 either the
 * first alone loses its last bit, or each sum does. */
Test(sparse, an_index_head_rounds_its_products_and_their_sum_apart)
{
    static const struct { const char *words; double y; } told[] = { { "pair=e5m2", 1.125 }, { "match=e5m2", 1 } };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "sparse", "", "index_score", MER_F64, "b=1 n=1 a=2 m=1", 5 }, told[k].words,
            ROUND);
        put_line(&x.t, "iq", "1 1"), put_line(&x.t, "iw", "1"), put_line(&x.t, "ik", "1.125 0.125");
        line_ask(&x);
        cr_expect_eq(b_value(x.y[0]), told[k].y, "%s: %g", told[k].words, b_value(x.y[0]));
        line_close(&x);
    }
}
/* What a bound leaves open is open in the answer: keys that may be in or out, and no others. */
Test(sparse, a_selection_is_open_where_the_bound_is)
{
    static const struct { const char *params, *keys, *open; } told[] = {
        { "topk=2", "1 2 3 4 5", "00000" }, { "topk=2", "2 2 2 2 2", "11111" }, { "topk=2", "9 2 2 1 0", "01100" },
        { "topk=3", "9 2 2 1 0", "00000" }, { "topk=1", "9 2 2 1 0", "00000" }, { "topk=5", "2 2 2 2 2", "00000" },
    };
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        struct page_line x;
        ask_indexer(&x, told[k].params, told[k].keys, "f32", WIDEN);
        for (long j = 0; j < KEYS; j++)
            cr_expect_lt(fabs(b_radius(x.y[j]) - (told[k].open[j] - '0')), 1e-9, "%s, keys %s: key %ld has radius %g",
                told[k].params, told[k].keys, j, b_radius(x.y[j]));
        cr_expect(!x.w.undecided);
        line_close(&x);
    }
}

Test(sparse, what_it_does_not_take_is_refused_in_one_line)
{
#define ONE "eval sparse o --sizes \"h=1 g=1 n=1 d=1 e=1 m=3 c=2\" "
    static const struct refused bad[] = {
        { ONE "--in index=0,-2", "'index' element 1 is -2, allowed from -1 on" },
        { ONE "--in index=0,1.5", "index" },
        { "eval sparse o --block_size 0", "block_size" },
        { "eval sparse selected --topk 0", "topk" },
        { "eval sparse o --duplicates twice", "duplicates" },
        { "eval sparse o --empty mean", "empty" },
        { "eval sparse o --cap -1", "cap: must not be below 0" },
        { "eval sparse o --scale -1", "scale: must not be below 0" },
        { "eval sparse o --sizes \"h=3 g=2\"", "h" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
}

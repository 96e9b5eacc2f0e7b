/* What buckets.h, signed.h, place.h and memory.h promise of places: each number of a bucket may be edited, the row that
 * a table is read at is that of the integers until a logarithm is done differently, and a width without waves is
 * refused. */
#include <criterion/criterion.h>
#include <math.h>
#include "edit/noted.h"
#include "law.h"
#include "page_line.h"
#include "relative/buckets.h"
#include "relative/memory.h"
#include "relative/place.h"
#include "words/read.h"

static const struct arith plain = { .how = ROUND };
enum { LINES = 100 };
/* An edit of the whole number on that line of buckets.c, whose words go to text[80].  false: there is none. */
static bool edit_at(struct arith *a, char *text, const char *row, int line)
{
    char err[300];
    snprintf(text, 80, "edit=relative/buckets.c:%d:whole:double", line);
    return arith_read(a, row_named(row), text, ROUND, err, sizeof err) >= 0;
}

Test(place_laws, each_number_of_a_bucket_may_be_edited)
{
    const struct bucket b = { { 3, 4, 64, 8 }, BUCKET_DOWN, 9, 2 };
    int met[6] = { 0 };
    for (int line = 1; line < LINES; line++) {
        char text[80];
        struct arith a;
        struct ask w = { .arith = &a };
        if (!edit_at(&a, text, "t5", line))
            continue;
        const struct bucket is = bucket_counted(&w, b);
        met[0] += is.x.n == 6, met[1] += is.x.exact == 8, met[2] += is.x.far == 128, met[3] += is.x.steps == 16;
        met[4] += is.most == 18, met[5] += is.first == 4;
    }
    for (int k = 0; k < 6; k++)
        cr_expect_eq(met[k], 1, "number %d: %d", k, met[k]);
}

/* So do those of signed distances. */
Test(place_laws, the_numbers_of_signed_buckets_may_be_edited)
{
    const double x = 9;
    const struct given in = { "relative_position", &x, 1, { 1 } };
    double was = 0;
    int met = 0;
    for (int line = 0; line < LINES; line++) {
        struct law_ask l = { .w = { .arith = &l.a } };
        const struct ball *y[1];
        char text[80];
        if (!edit_at(&l.a, text, "deberta", line))
            continue;
        ask_reset(&l.w, 128);
        law_line(&l.w, (struct law_of){ row_named("deberta"), "bucket", "distance=log span=8 max_position=64" },
            (struct givens){ &in, 1 }, NULL, 1, y);
        was = was == 0 ? b_value(y[0]) : was;
        met += b_value(y[0]) != was;
        law_close(&l, true);
    }
    cr_expect_gt(met, 1, "%d", met);
}

static const struct row made = { .name = "made", .steps = { "ratio log quotient span" },
    .declares = (struct param[]){ { 0 } }, .q = { { .sign = "x[n] -> y[n]" } } };
enum { RATIO_STEP, LOG_STEP, QUOTIENT_STEP, SPAN_STEP };
static const struct bucket_steps steps = { RATIO_STEP, RATIO_STEP, LOG_STEP, QUOTIENT_STEP, SPAN_STEP };

/* An edit of any of the steps is read; without one the integers are, whatever the logarithms round to, and so they are
 * where a whole number is edited, of which both are made. */
Test(place_laws, a_table_is_read_where_the_integers_say_until_a_step_is_edited)
{
    static const char *const words[] = { "edit=ratio:double", "edit=log:one", "edit=quotient:one", "edit=span:double",
        "ratio=bf16 log=bf16 quotient=bf16 span=bf16",
        "ratio=bf16 log=bf16 quotient=bf16 span=bf16 edit=relative/buckets.c:1:whole:double" };
    for (int k = 0; k < 6; k++) {
        struct arith a;
        struct sites *all = need(1, sizeof *all);
        struct ask w = { .arith = &a, .sites = k == 4 ? all : NULL };
        int other = 0, apart = 0;
        cr_assert(!arith_scope(&a, &made, &made, words[k], ROUND), "%s", words[k]);
        ask_reset(&w, 64);
        for (long n = 5; n < 900; n++) {
            const struct bucket b = { { n, 4, 1024, 60 }, BUCKET_DOWN, 60, 0 };
            const long by_logs = mpfr_get_si(bucket_ball(&w, &b, steps)->mid, MPFR_RNDN),
                       is = bucket_read(&w, &b, steps);
            other += is != bucket_number(&b), apart += by_logs != bucket_number(&b);
        }
        cr_expect(apart > 0 && other == (k >= 4 ? 0 : apart), "%s: %d of %d", words[k], other, apart);
        ask_clear(&w), free(all->use), free(all);
    }
}

/* The projection of a place is R wr + br, entry by entry. */
static void first_unit(struct ask *w, long at, long c, const struct ball **R)
{
    for (long k = 0; k < c; k++)
        R[k] = b_si(w, at * (k == 0));
}
static long apart_at(const struct ask *w, long i, long j) { return (void)w, i - j; }
Test(place_laws, a_projected_place_has_the_bias_of_its_entry)
{
    static const struct placed places = { .row = first_unit, .at = apart_at };
    double zeros[2 * 4 * 3] = { 0 }, wr[2][4][3] = { 0 }, br[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    for (int k = 0; k < 6; k++)
        wr[k / 3][0][k % 3] = 10 * (k + 1);
    struct mer_array in[] = { { "q", MER_F64, 3, { 2, 2, 3 }, zeros, { 0 } },
        { "wr", MER_F64, 3, { 2, 4, 3 }, wr, { 0 } }, { "br", MER_F64, 2, { 2, 3 }, br, { 0 } } };
    const struct mer_call call = { .n_in = 3, .in = in, .params = "" };
    struct ask w = { .arith = &plain, .call = &call, .with = &places };
    ask_reset(&w, 64);
    for (long k = 0; k < 6; k++) {
        const double y = b_value(placed_r(&w, k / 3, 1, 0, k % 3));
        cr_expect_eq(y, 11 * (double)(k + 1), "%ld: %g", k, y);
    }
    ask_clear(&w);
}

/* Row sinusoid has no width of 1: neither a projection's waves nor a table of them. */
Test(place_laws, a_width_without_waves_is_refused)
{
    struct memory p = { .layout = CONCAT };
    struct mer_array wr = { "wr", MER_F64, 3, { 1, 1, 3 }, NULL, { 0 } }, table = { "table", MER_F64, 2, { 4, 1 }, NULL,
        { 0 } };
    mpq_init(p.base), mpq_set_si(p.base, 10000, 1);
    const struct place_waves waves = { p.base, false, false };
    char why[400];
    cr_expect(wave_misfit(waves, 1, why, sizeof why) == -1 && wave_misfit(waves, 2, why, sizeof why) == 0);
    for (int k = 0; k < 2; k++)
        for (int wide = 1; wide <= 2; wide++) {
            wr.dim[1] = table.dim[1] = wide;
            const struct mer_call call = { .n_in = !k, .in = &wr, .n_out = k, .out = &table, .params = "" };
            const int rc = memory_misfit(&p, &call, why, sizeof why);
            cr_expect_eq(rc, wide == 1 ? -1 : 0, "%d, %d: %d", k, wide, rc);
        }
    mpq_clear(p.base);
}

/* The relative shift answers a line of so many entries, and none behind it. */
Test(place_laws, a_shifted_line_ends_where_it_ends)
{
    double s[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    struct mer_array in = { "s", MER_F64, 2, { 2, 3 }, s, { 0 } };
    const struct mer_call call = { .n_in = 1, .in = &in, .params = "" };
    for (int zeros = 0; zeros < 2; zeros++) {
        struct ask w = { .arith = &plain, .call = &call, .len = 3 };
        const struct ball *y[4] = { NULL };
        ask_reset(&w, 64);
        memory_shifted(&w, zeros, y);
        cr_expect(y[2] && !y[3]);
        ask_clear(&w);
    }
}

/* One number of Transformer-XL's waves, in an arithmetic that rounds that step to bfloat16. */
static double wave_of(const char *step, const char *params)
{
    const double distance = 1000;
    const struct given in = { "distance", &distance, 1, { 1 } };
    struct law_ask l = { .w = { .arith = &l.a } };
    const struct ball *y[4];
    char err[300];
    cr_assert_geq(arith_read(&l.a, row_named("xlnet"), step, ROUND, err, sizeof err), 0, "%s: %s", step, err);
    ask_reset(&l.w, 128);
    law_line(&l.w, (struct law_of){ row_named("xlnet"), "table", params }, (struct givens){ &in, 1 }, NULL, 4, y);
    const double x = b_value(y[1]);
    law_close(&l, true);
    return x;
}
/* Frequencies are powers or are made of a logarithm, as `frequency` says: only the latter know the step of it. */
Test(place_laws, a_logarithm_is_rounded_where_there_is_one)
{
    cr_expect_eq(wave_of("sinusoid.log=bf16", "frequency=powers"), wave_of("", "frequency=powers"));
    cr_expect_neq(wave_of("sinusoid.log=bf16", "frequency=logarithm"), wave_of("", "frequency=logarithm"));
}

/* One number of a table of another row, as that row answers it under an edit; where there is none, as it is. */
static double entry_of(const struct trial *t, const char *out, const char *file, int line, const char *op)
{
    struct arith a = plain;
    char words[80], err[300];
    const struct ball *y[64];
    snprintf(words, sizeof words, "edit=%s:%d:whole:%s", file, line, op);
    if (line && arith_read(&a, t->row, words, ROUND, err, sizeof err) < 0)
        a = plain;
    struct ask w = { .params = t->params, .call = &t->call, .arith = &a, .len = (long)t->out[0].dim[1] };
    cr_assert_leq(w.len, 64);
    ask_reset(&w, 100);
    line_page(&w, row_quantity(t->row, out), NULL, y);
    const double x = b_value(y[1]);
    ask_clear(&w);
    return x;
}
/* It is asked at one position: whoever takes the extent of its positions for a whole number takes 1. */
Test(place_laws, a_table_of_another_row_is_asked_at_one_position)
{
    static const struct { const char *row, *out, *sizes, *file; } list[] = {
        { "mrope", "cos", "n=3", "rotary/rotary.c" }, { "xlnet", "table", "p=3 c=4", "sinusoid.c" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct trial t;
        char err[600];
        int met = 0;
        cr_assert_eq(trial_make(&t, &(struct trial_spec){ list[k].row, "", list[k].out, MER_F32, list[k].sizes, 5 },
            err, sizeof err), 0, "%s", err);
        const double is = entry_of(&t, list[k].out, "", 0, "");
        for (int line = 1; line < 250; line++) {
            const double x = entry_of(&t, list[k].out, list[k].file, line, "extent-0-0"),
                         one = entry_of(&t, list[k].out, list[k].file, line, "one");
            cr_expect(x == one || (isnan(x) && isnan(one)), "%s, line %d: %g, %g", list[k].row, line, x, one);
            met += x != is;
        }
        cr_expect_gt(met, 0, "%s", list[k].row);
        trial_close(&t);
    }
}

/* Under the fault "overwritten" the last pair that reads the row is all that its gradient has. */
Test(place_laws, a_row_of_a_table_gathers_all_pairs_that_read_it)
{
    for (int fault = 0; fault < 2; fault++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "t5", "heads=2", "dtable_bias", MER_F32, "n=3 m=3", 5 }, "", EXACT);
        for (long k = 0; k < 18; k++)
            array_put(trial_in(&x.t, "dbias"), k, ldexp(1, (int)k));
        x.w.at[1] = 1, x.a.fault = fault ? FAULT_OVERWRITTEN : FAULT_NONE;
        line_ask(&x); /* bucket 0, the keys at their query, of the second head */
        cr_expect_eq(b_value(x.y[0]), fault ? 0x1p17 : 0x1p17 + 0x1p13 + 0x1p9, "%g", b_value(x.y[0]));
        line_close(&x);
    }
}

/* What the place of a pair adds to the scores of query i, where all queries are alike, under an edit of the index on
 * that axis where a table's row is found. */
static void place_terms(long i, int axis, double *y)
{
    static const char *const map[] = { ":index.0:reverse", ":index.1:reverse" };
    const struct trial_spec of = { "shaw", "least=-9 most=9", "position", MER_F32, "h=1 n=3 m=5 d=4", 5 };
    char words[80];
    static struct sites all;
    struct page_line x;
    line_open(&x, &of, edit_nowhere, EXACT), line_sites(&x, &all);
    const struct site *s = all.s;
    while (s < all.s + all.n && (s->kind != SITE_INDEX || !strstr(s->at.file, "table.c")))
        s++;
    cr_assert_lt(s, all.s + all.n);
    snprintf(words, sizeof words, "edit=relative/table.c:%d%s", s->at.line, axis < 0 ? "" : map[axis]);
    line_close(&x), free(all.use);
    line_open(&x, &of, axis < 0 ? "" : words, EXACT);
    for (long k = 0; k < 12; k++)
        array_put(trial_in(&x.t, "q"), k, 1);
    x.w.at[1] = i;
    line_ask(&x);
    for (long j = 0; j < 5; j++)
        y[j] = b_value(x.y[j]);
    line_close(&x);
}
Test(place_laws, the_row_of_a_pair_may_be_that_of_another_query_or_key)
{
    for (long i = 0; i < 3; i++) {
        double is[5], keys[5], other[5], queries[5];
        place_terms(i, -1, is), place_terms(i, 1, keys), place_terms(2 - i, -1, other), place_terms(i, 0, queries);
        for (int j = 0; j < 5; j++) {
            cr_expect_eq(keys[j], is[4 - j], "keys: %ld, %d: %g", i, j, keys[j]);
            cr_expect_eq(queries[j], other[j], "queries: %ld, %d: %g", i, j, queries[j]);
        }
    }
}

/* A place behind the given rows has no vector, on either side of them; nor where operations are looked at, and other
 * indices are counted from the end. */
Test(place_laws, a_place_without_a_given_row_is_no_number)
{
    double room[9][2];
    for (int k = 0; k < 18; k++)
        room[k / 2][k % 2] = k;
    struct mer_array in[] = { { "k", MER_F64, 3, { 1, 2, 2 }, room, { 0 } },
        { "rows", MER_F64, 2, { 3, 2 }, room[3], { 0 } } };
    const struct mer_call call = { .n_in = 2, .in = in, .params = "" };
    struct arith looked_at;
    char err[300];
    cr_assert_geq(arith_read(&looked_at, row_named("xlnet"), edit_nowhere, ROUND, err, sizeof err), 0, "%s", err);
    for (long k = -6; k <= 9; k++) {
        const long distance = k >> 1;
        struct ask w = { .arith = k & 1 ? &looked_at : &plain, .call = &call };
        const struct ball *R[2];
        ask_reset(&w, 64), memory_row(&w, row_named("xlnet"), distance, false, 2, R);
        const bool there = distance >= 0 && distance <= 2;
        for (long c = 0; c < 2; c++)
            cr_expect(there ? b_value(R[c]) == (double)(2 * (5 - distance) + c) : mpfr_nan_p(R[c]->mid) != 0,
                "distance %ld: %g", distance, b_value(R[c]));
        ask_clear(&w);
    }
}
/* As many rows are due as distances are read. */
Test(place_laws, given_rows_are_as_many_as_the_distances_that_are_read)
{
    static const struct { bool pairs; const char *params; long least; } list[] = { { true, "", 5 },
        { true, "causal=causal", 4 }, { false, "", 0 } };
    struct memory p = { .layout = CONCAT };
    double none[1];
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (long rows = 0; rows <= 5; rows++) {
            char why[400];
            struct mer_array in[] = { { "rows", MER_F64, 2, { rows, 4 }, none, { 0 } },
                { "q", MER_F64, 3, { 1, 2, 4 }, none, { 0 } }, { "k", MER_F64, 3, { 1, 3, 4 }, none, { 0 } } };
            const struct mer_call call = { .n_in = list[k].pairs ? 3 : 1, .in = in, .params = list[k].params };
            const int rc = memory_misfit(&p, &call, why, sizeof why);
            cr_expect_eq(rc, rows < list[k].least ? -1 : 0, "%s, %ld rows: %d", list[k].params, rows, rc);
        }
}
/* Of base 1 or less no distance has waves that tell it. */
Test(place_laws, a_base_of_1_or_less_is_refused)
{
    struct memory p = { .layout = CONCAT };
    mpq_inits(p.base, p.scale, p.eps, (mpq_ptr)0);
    for (unsigned long k = 1; k <= 8; k++) {
        mpq_set_ui(p.base, k, 4);
        mpq_canonicalize(p.base);
        cr_expect_eq(memory_refuse(&p) == NULL, k > 4, "%lu / 4", k);
    }
    mpq_clears(p.base, p.scale, p.eps, (mpq_ptr)0);
}
/* With one key of memory, entry (i, j) of the shifted scores stands at distance 1 + i - j of query i, and behind its
 * place the next query's begin, which the mask hides. */
Test(place_laws, the_shift_meets_the_distance_where_a_query_sees_the_key)
{
    double none[1];
    struct mer_array in[] = { { "q", MER_F64, 3, { 1, 2, 1 }, none, { 0 } },
        { "k", MER_F64, 3, { 1, 3, 1 }, none, { 0 } } };
    const struct mer_call call = { .n_in = 2, .in = in, .params = "" };
    for (int direct = 0; direct < 2; direct++) {
        const struct memory p = { .route = direct ? DIRECT : SKEWED };
        const struct ask w = { .arith = &plain, .call = &call, .params = &p };
        for (long i = 0; i < 2; i++)
            for (long j = 0; j < 3; j++) {
                const struct memory_entry is = memory_entry(&w, true, i, j);
                const bool seen = direct || j <= i + 1;
                cr_expect(is.query == (seen ? i : i + 1) && is.distance == (seen ? 1 + i - j : 3 - (j - i - 2)),
                    "%d, %ld, %ld: %ld, %ld", direct, i, j, is.query, is.distance);
            }
    }
}
/* In gradients, too: next to a bias of 1 a small query is lost where the sum is rounded to bfloat16. */
Test(place_laws, a_biased_query_is_rounded_in_gradients_as_in_scores)
{
    static const char *const outs[] = { "dk", "dwr" };
    for (int o = 0; o < 2; o++) {
        struct page_line x[2];
        for (int small = 0; small < 2; small++) {
            line_open(&x[small], &(struct trial_spec){ "txl", "", outs[o], MER_F64, "h=1 n=1 m=3", 5 }, "bias=bf16",
                ROUND);
            for (long k = 0; k < 3; k++) {
                array_put(trial_in(&x[small].t, "q"), k, small * 0x1p-20);
                array_put(trial_in(&x[small].t, "u"), k, 1), array_put(trial_in(&x[small].t, "vr"), k, 1);
            }
            line_ask(&x[small]);
        }
        for (long c = 0; c < x[0].w.len; c++)
            cr_expect(b_value(x[0].y[c]) == b_value(x[1].y[c]) && !mpfr_zero_p(x[0].y[c]->mid), "%s[%ld]: %g, %g",
                outs[o], c, b_value(x[0].y[c]), b_value(x[1].y[c]));
        line_close(&x[0]), line_close(&x[1]);
    }
}
/* A sentence of n characters has distances up to n - 1. */
Test(place_laws, a_table_of_distances_covers_its_sentence)
{
    for (int chars = 3; chars <= 6; chars++) {
        struct trial t;
        char words[60], err[400];
        snprintf(words, sizeof words, "chars=%d words=0,1 reach=4", chars);
        const int rc = trial_make(&t, &(struct trial_spec){ "flat", words, "o", MER_F32, NULL, 5 }, err, sizeof err);
        cr_expect_eq(rc, chars - 1 > 4 ? -1 : 0, "%d: %s", chars, err);
        if (t.row)
            trial_close(&t);
    }
}

/* Edited numbers that define no buckets are not taken: there are exact ones, and fewer of them than lie before the last
 * bucket; and a distance is not below 0. */
Test(place_laws, edited_numbers_of_no_bucket_are_not_taken)
{
    const struct bucket b = { { 3, 40, 64, 8 }, BUCKET_DOWN, 9, 2 };
    for (int line = 1; line < LINES; line++) {
        char text[80];
        struct arith a;
        struct ask w = { .arith = &a };
        if (!edit_at(&a, text, "t5", line))
            continue;
        const struct bucket is = bucket_counted(&w, b);
        cr_expect(is.x.exact < is.x.far, "line %d: %ld of %ld", line, is.x.exact, is.x.far);
    }
}

/* What layers promise of their heads: which rows are projected for a line, what hides a key, which gradients are made
 * at once, and that a map of plain numbers is cheap and reads its own numbers alone. */
#include <criterion/criterion.h>
#include <string.h>
#include "edit/site.h"
#include "guard.h"
#include "layer/project.h"
#include "page_line.h"
#include "words/read.h"

static void fill(struct mer_array *a, double x)
{
    for (long k = 0; k < array_len(a); k++)
        array_put(a, k, x);
}
enum { LINE_AT = 1 }; /* A line behind the first, whose query has rows before it. */
static void open_line(struct page_line *x, const char *words, const char *sizes, const char *edit)
{
    line_open(x, &(struct trial_spec){ "layer", words, "y", MER_F64, sizes, 5 }, edit, EXACT);
    x->w.at[0] = LINE_AT;
}

/* Under an edit all queries are projected, otherwise those of the line alone, be they turned or not: the answer is the
 * same. */
Test(head_laws, a_line_is_the_same_with_the_queries_of_others_projected)
{
    static const char *const words[] = { "heads=2 width=2", "heads=2 width=2 rope=on", "heads=3 width=4 rope=on" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        struct page_line x[2];
        for (int all = 0; all < 2; all++) {
            open_line(&x[all], words[k], "n=3 c=2", all ? edit_nowhere : "");
            line_ask(&x[all]);
        }
        for (long c = 0; c < x[0].w.len; c++)
            cr_expect(b_overlap(x[0].y[c], x[1].y[c]) && b_radius(x[0].y[c]) < 0x1p-60, "%s: %g, not %g", words[k],
                b_value(x[0].y[c]), b_value(x[1].y[c]));
        line_close(&x[0]), line_close(&x[1]);
    }
}

/* A line projects and turns its own query alone, so that the last one costs what the first one does. */
Test(head_laws, a_line_costs_the_same_wherever_it_stands)
{
    double made[2];
    for (int last = 0; last < 2; last++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "layer", "heads=4 width=8 rope=on", "y", MER_F64, "n=9 c=2", 5 }, "",
            EXACT);
        x.w.at[0] = last ? 8 : 0;
        line_ask(&x);
        made[last] = x.w.made;
        line_close(&x);
    }
    cr_expect(made[1] > 1000 && made[1] < 1.01 * made[0], "%g balls of the first line, %g of the last", made[0],
        made[1]);
}

/* An edit may have a line ask by another query, which is projected, too. */
static bool is_a_query(const struct site *s)
{
    return (s->kind == SITE_LINE || s->kind == SITE_INDEX) && strstr(s->at.file, "softmax/");
}
static bool is_a_number(const struct ball *y) { return mpfr_number_p(y->mid) != 0; }
Test(head_laws, an_edit_may_ask_by_any_query)
{
    static struct sites all;
    struct page_line x;
    open_line(&x, "heads=2 width=2", "n=3 c=2", edit_nowhere);
    line_sites(&x, &all);
    cr_expect_gt(line_each_edit(&x, &all, is_a_query, is_a_number), 0);
    free(all.use), line_close(&x);
}

/* A bias far below all scores hides a key, as does keep. */
Test(head_laws, a_bias_is_added_to_the_scores_of_a_layer)
{
    static const char *const by[] = { "n=3 c=2 bias", "n=3 c=2 keep", "n=3 c=2" };
    struct page_line x[3];
    for (int k = 0; k < 3; k++) {
        open_line(&x[k], "heads=2 width=2", by[k], "");
        for (int j = 0; k && j < x[0].t.call.n_in; j++)
            for (long i = 0; mer_in(&x[k].t.call, x[0].t.in[j].name) && i < array_len(&x[0].t.in[j]); i++)
                array_put(trial_in(&x[k].t, x[0].t.in[j].name), i, array_get(&x[0].t.in[j], i));
        if (k < 2) {
            struct mer_array *hides = trial_in(&x[k].t, k ? "keep" : "bias");
            fill(hides, k ? 1 : 0);
            for (long i = 2; i < array_len(hides); i += 3) /* of three keys the last */
                array_put(hides, i, k ? 0 : -4096);
        }
        line_ask(&x[k]);
    }
    for (long c = 0; c < x[0].w.len; c++)
        cr_expect(b_overlap(x[0].y[c], x[1].y[c]) && !b_overlap(x[0].y[c], x[2].y[c]) && b_radius(x[0].y[c]) < 0x1p-60,
            "%ld: %g by a bias, %g by keep, %g of all keys", c, b_value(x[0].y[c]), b_value(x[1].y[c]),
            b_value(x[2].y[c]));
    for (int k = 0; k < 3; k++)
        line_close(&x[k]);
}

/* Gradients of a small layer are made at once, so that the second weight costs nothing. */
Test(head_laws, gradients_of_the_weights_of_a_small_layer_are_made_at_once)
{
    static const char *const out[] = { "dwq", "dwk", "dwv" };
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "layer", "heads=1 width=2", "dwq", MER_F32, "n=4 c=3", 5 }, "", EXACT);
    ask_reset(&x.w, PAGE_LINE_BITS);
    for (int o = 0; o < 3; o++) {
        const double before = x.w.made;
        line_page(&x.w, row_quantity(x.t.row, out[o]), NULL, x.y);
        cr_expect_eq(x.w.made - before < 100, o > 0, "%g balls of %s", x.w.made - before, out[o]);
    }
    line_close(&x);
}

/* x[n][c] by weights[c][e], as floats that end where memory ends, or as doubles: balls made, and balls kept. */
enum { ROWS = 3, WIDE = 5, COLUMNS = 2 };
struct cost_of_map { double made; size_t kept; };
static struct cost_of_map map(enum mer_type type)
{
    const struct arith exact = { .how = EXACT };
    struct ask w = { .arith = &exact };
    struct mer_array x = { .name = "x", .type = type, .rank = 2, .dim = { ROWS, WIDE } },
                     weight = { .name = "w", .type = type, .rank = 2, .dim = { WIDE, COLUMNS } };
    x.data = guarded(guard_bytes(&x), true), weight.data = guarded(guard_bytes(&weight), true);
    for (long k = 0; k < ROWS * WIDE; k++)
        array_put(&x, k, (double)(k + 1));
    fill(&weight, 1);
    ask_reset(&w, 64);
    const struct linear l = { weight, NULL, 0, 1 };
    struct mer_array y = project(&w, "y", &x, &l, 1, 0, ROWS);
    for (long k = 0; k < ROWS * COLUMNS; k++) {
        const long first = WIDE * (k / COLUMNS), want = WIDE * first + WIDE * (WIDE + 1) / 2;
        cr_expect_eq(b_value(((const struct ball **)y.data)[k]), (double)want, "type %d, number %ld", type, k);
    }
    const struct cost_of_map cost = { w.made, w.used };
    free(y.data), ask_clear(&w);
    return cost;
}
Test(head_laws, a_map_of_floats_makes_no_ball_of_a_product)
{
    const struct cost_of_map plain = map(MER_F32), other = map(MER_F64);
    cr_expect(plain.made < ROWS * COLUMNS * WIDE && other.made >= ROWS * COLUMNS * WIDE, "%g balls, and %g of doubles",
        plain.made, other.made);
    cr_expect(plain.kept == ROWS * COLUMNS && other.kept == plain.kept, "%zu balls kept, and %zu of doubles",
        plain.kept, other.kept);
}

/* The gradient of a gain goes over all lines, and leaves the ask at its own. */
Test(head_laws, a_page_that_goes_over_all_lines_leaves_the_ask_at_its_own)
{
    static const char *const outs[] = { "dq_gain", "dk_gain" };
    for (int k = 0; k < 2; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "attention", "norm=rms eps=1/8", outs[k], MER_F32,
            "h=2 g=2 n=3 m=2 d=2 e=1 q_gain k_gain", 5 }, "", EXACT);
        const long at[] = { 1, 0 };
        memcpy(x.w.at, at, sizeof at);
        line_ask(&x);
        cr_expect(x.w.at[0] == 1 && x.w.at[1] == 0, "%s: %ld %ld", outs[k], x.w.at[0], x.w.at[1]);
        line_close(&x);
    }
}

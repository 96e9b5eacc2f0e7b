/* The report on linear biases: two forms that are one function in exact arithmetic, stored in 16 bits.
 *   relative: -slope (i - j)      key: +slope j
 *   they differ by slope i, a constant of the row, which a softmax does not see
 * So what counts of a rounding is what is no constant: the spread max - min of (stored - exact) over the keys that
 * matter. */
#include <math.h>
#include <stdio.h>
#include "law.h"
#include "page/page.h"
#include "page/plot.h"
#include "report/core/report.h"

/* NEAR: the last keys, which have nearly all of the weight with this slope; lengths are SHORTEST to LONGEST. */
enum { NEAR = 64, SHORTEST = 64, LONGEST = 1 << 16 };
enum { HEADS = 12, HEAD = 8 };                         /* slope 2^(-1/2): no power of two */
struct form { const char *series, *form, *store; };
static const struct form forms[] = { { "key, bf16", "key", "bf16" }, { "key, f16", "key", "f16" },
    { "relative, bf16", "relative", "bf16" }, { "relative, f16", "relative", "f16" } };
enum { FORMS = sizeof forms / sizeof *forms };

static double spread(const struct row *alibi, const char *params, const char *rounded, long n)
{
    struct law_ask a, b;
    struct ask *w[2] = { law_open(&a, params, 256), law_open(&b, rounded, 256) };
    double least = (double)INFINITY, most = -least;
    for (long j = n - NEAR; j < n; j++) {
        const struct ball *y[2];
        for (int k = 0; k < 2; k++)
            law_line(w[k], (struct law_of){ alibi, "bias", params }, (struct givens){ 0 },
                (long[MER_RANK]){ HEAD, n - 1, j }, 1, &y[k]);
        double e = b_value(b_sub(w[0], y[1], y[0]));
        least = fmin(least, e), most = fmax(most, e);
    }
    enum truth known = law_close(&a, true) == YES && law_close(&b, true) == YES ? YES : UNDECIDED;
    return known == YES ? most - least : (double)NAN;
}

static void fill(struct report *r, const void *with)
{
    const struct row *alibi = with;
    for (int k = 0; k < FORMS; k++) {
        char params[80], rounded[120];
        double y = 0;
        snprintf(params, sizeof params, "heads=%d form=%s", HEADS, forms[k].form);
        snprintf(rounded, sizeof rounded, "%s slope=%s bias=%s", params, forms[k].store, forms[k].store);
        /* 64, 128, 192, 288, ...: not powers of two alone */
        for (long n = SHORTEST; n <= LONGEST; n += n / 2 < SHORTEST ? SHORTEST : n / 2) {
            y = spread(alibi, params, rounded, n);
            store_point(r->store, forms[k].series, (double)n, y);
        }
        report_put(r,
            &(struct entry){ .row = "alibi",
                .quantity = "bias",
                .subject = forms[k].series,
                .params = params,
                .measure = "bias spread",
                .value = y,
                .bound = (double)NAN,
                .n = NEAR,
                .method = "exhaustive",
                .witness = "head 8 of 12, slope 2^(-1/2), the longest length" });
    }
}
static int measure(struct report *r)
{
    const struct row *alibi = row_named("alibi");
    return alibi ? report_item(r, "two forms of the linear bias in 16 bits", fill, alibi) : 0;
}

static int draw(struct report *r, struct plot *p)
{
    double y[FORMS], at[FORMS];
    plot_open(p, r->dir, "fig-bias", "Linear bias in 16 bits: relative form against key-only form",
        "spread of the rounding error over the last 64 keys, in logits; slope 2^{-1/2}; a softmax sees nothing else of "
        "it");
    fprintf(p->set,
        "%sset logscale y 2\nset format y \"2^{%%L}\"\nset xrange [64:65536]\nset yrange [2**-7:2**8]\nset xlabel "
        "\"length\"\nset rmargin 17\n",
        plot_positions);
    for (int k = 0; k < FORMS; k++) {
        plot_series(p, store_db(r->store),
            "SELECT c.x, c.y FROM curve c JOIN now s ON s.key=c.key AND s.measure='bias spread' AND s.subject=c.series "
            "WHERE c.series='%s' ORDER BY c.x",
            forms[k].series);
        at[k] = y[k] = log2(p->last[1]);
        fprintf(p->draw, "%s data index %d using 1:2 with lines lw 2.2 dt %d lc rgb \"%s\"", k ? "," : "plot", k, k + 1,
            plot_colour[k]);
    }
    plot_spread(at, FORMS, 1.1);
    for (int k = 0; k < FORMS; k++)
        fprintf(p->set, "set label %d \"%s\" at graph 1.015, first %.4g left tc rgb \"%s\"\n", 10 + k, forms[k].series,
            exp2(at[k]), plot_colour[k]);
    return plot_close(p);
}

static void page(struct page *p)
{
    page_heading(p, 3, "biases", "Linear biases");
    page_figure(p, "fig-bias",
        "Equal in exact arithmetic, far apart once stored: the key-only form carries the position into every rounding. "
        "Its plateau is the end: the last 64 keys share one bias.");
}
const struct section section_bias = {
    .name = "bias", .order = 310, .measure = measure, .figure = { { "fig-bias", draw, "alibi" } }, .page = page
};

/* Measures what the reference costs: lines of a page are evaluated at a fixed precision; results are how many bits are
 * certified, and the time per element. */
#include <math.h>
#include "bench/core/bench.h"
#include "sweep/measure.h"
#include "compare/line_at.h"

enum { LINES = 3 };
struct reference_lines {
    const struct trial *t;
    const struct quantity *q;
    struct ask *w;
    const struct ball **y;
    long total, repeat;
    int lead;
    double certified;
};

static void evaluate(void *with)
{
    struct reference_lines *l = with;
    for (long again = 0; again < l->repeat; again++)
        for (long pick = 0; pick < LINES; pick++) {
            line_at(l->w, &l->t->out[0], l->lead, (long)(gen_bits(3, 1, (uint64_t)pick) % (uint64_t)l->total));
            ask_reset(l->w, l->w->prec);
            line_page(l->w, l->q, &formats[0], l->y);
            for (long k = 0; k < l->w->len; k++) {
                const struct ball *b = l->y[k];
                if (b->rad.m > 0) /* 0: exact, certified to any bit */
                    l->certified = fmin(l->certified,
                        mpfr_zero_p(b->mid) ? 0 : log2(fabs(b_value(b))) - log2(b->rad.m) - (double)b->rad.e);
            }
            ask_trim(l->w, l->y, 0);
        }
}

static int run(const struct cell *c, struct outcome *o, char *err, size_t n)
{
    static const struct arith exact = { 0 };
    struct trial t;
    struct sign s;
    if (cell_trial(c, &t, err, n)) {
        cell_skip(c, o, err);
        return trial_close(&t), 0;
    }
    struct ask w = { .params = t.params, .call = &t.call, .arith = &exact, .len = 1, .prec = cell_long(c, "bits") };
    struct reference_lines l = { .t = &t,
        .q = row_quantity(t.row, t.out[0].name),
        .w = &w,
        .total = 1,
        .repeat = 1,
        .certified = (double)INFINITY };
    struct runner r = { .name = "reference", .run = evaluate, .with = &l };
    sign_read(&s, l.q->sign);
    for (int k = 0; k < t.out[0].rank; k++)
        *(k < s.out.lead ? &l.total : &w.len) *= t.out[0].dim[k];
    l.lead = s.out.lead;
    l.y = need((size_t)w.len + 1, sizeof *l.y);
    bench_turns(&r, 1, 1);
    l.repeat = (long)fmax(1, fmin(1000, ceil(2e-3 / r.seconds[0])));
    bench_turns(&r, 1, 5);
    double elements = (double)LINES * (double)w.len * (double)l.repeat, least = r.seconds[0], most = r.seconds[0];
    for (int k = 1; k < 5; k++)
        least = fmin(least, r.seconds[k]), most = fmax(most, r.seconds[k]);
    struct entry e = { .row = c->row->name,
        .quantity = cell_text(c, "out"),
        .subject = "ref",
        .params = c->params,
        .measure = "certified",
        .value = l.certified,
        .bound = (double)NAN,
        .method = "sample",
        .n = LINES * w.len,
        .seed = c->seed };
    outcome_put(o, &e); /* bits; infinite: all exact */
    e.method = "timed", e.n = 5;
    e.measure = "ns", e.value = 1e9 * bench_median(&r, 5) / elements, outcome_put(o, &e);
    e.measure = "ns least", e.value = 1e9 * least / elements, outcome_put(o, &e);
    e.measure = "ns most", e.value = 1e9 * most / elements, outcome_put(o, &e);
    ask_clear(&w);
    free(l.y);
    trial_close(&t);
    return 0;
}

static const struct own_axis axes[] = { { "bits", "128", NULL, "precision of the page", 32, 1 << 16 }, { 0 } };
const struct measure measure_reference = { "reference",
    "cost of the reference at a precision: bits certified, ns an element", true, true, { cell_kernel_axes, axes },
    cell_check, cell_trial_bytes, run };

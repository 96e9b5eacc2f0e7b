/* The gradient of each number that is read by the pair of query and key is the slope of <do, o> by that number. */
#include <criterion/criterion.h>
#include <math.h>
#include "page_line.h"

/* All inputs of t that `from` has, too, as they are there. */
static void same_inputs(struct trial *t, struct trial *from)
{
    for (int k = 0; k < t->call.n_in; k++)
        for (long i = 0; i < array_len(&t->in[k]); i++)
            array_put(&t->in[k], i, array_get(trial_in(from, t->in[k].name), i));
}
/* The next leading indices of the answer; false: there are no more. */
static bool next_line(struct page_line *x)
{
    const struct mer_array *out = &x->t.out[0];
    long len = 1;
    for (int k = out->rank - 1; k >= 0; k--) {
        len *= out->dim[k];
        if (len <= x->w.len)
            continue;
        if (++x->w.at[k] < out->dim[k])
            return true;
        x->w.at[k] = 0;
    }
    return false;
}
/* <do, o> with that number of the input `name` moved by `by`. */
static double paired(struct page_line *o, const struct mer_array *seed, const char *name, long at, double by)
{
    struct mer_array *a = trial_in(&o->t, name);
    const double was = array_get(a, at);
    double s = 0;
    long line = 0;
    array_put(a, at, was + by);
    do {
        line_ask(o);
        for (long c = 0; c < o->w.len; c++)
            s += b_value(o->y[c]) * array_get(seed, line + c);
        line += o->w.len;
    } while (next_line(o));
    array_put(a, at, was);
    return s;
}
static void expect_slopes(const char *row, const char *words, const char *of, const char *sizes)
{
    static const double by = 0x1p-18;
    char name[20];
    long line = 0;
    struct page_line g, o;
    snprintf(name, sizeof name, "d%s", of);
    line_open(&g, &(struct trial_spec){ row, words, name, MER_F64, sizes, 5 }, "", EXACT);
    line_open(&o, &(struct trial_spec){ row, words, "o", MER_F64, sizes, 5 }, "", EXACT);
    same_inputs(&o.t, &g.t);
    do {
        line_ask(&g);
        for (long c = 0; c < g.w.len; c++) {
            const double is = b_value(g.y[c]);
            const double slope = (paired(&o, trial_in(&g.t, "do"), of, line + c, by) -
                paired(&o, trial_in(&g.t, "do"), of, line + c, -by)) / (2 * by);
            cr_expect(fabs(is - slope) < 1e-7, "%s %s: d%s[%ld] is %g, not %g", row, words, of, line + c, is, slope);
        }
        line += g.w.len;
    } while (next_line(&g));
    cr_expect_eq(line, array_len(&g.t.out[0]));
    line_close(&g), line_close(&o);
}

Test(slopes, tables_of_each_head_have_the_gradients_of_their_scores)
{
    static const char *const of[] = { "q", "k", "v", "kr", "qr" };
    for (int k = 0; k < 5; k++)
        expect_slopes("deberta", "span=2", of[k], "h=2 n=2 m=3 d=2 e=1");
}
Test(slopes, tables_of_all_heads_have_the_gradients_of_their_scores)
{
    static const char *const of[] = { "q", "k", "v", "tk", "tv" };
    for (int k = 0; k < 5; k++)
        for (int both = 0; both < 2; both++)
            expect_slopes("shaw", both ? "least=-1 most=1 against=both" : "least=-1 most=1 sums=apart", of[k],
                "h=2 n=2 m=3 d=2 e=1");
}

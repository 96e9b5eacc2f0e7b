/* Gradients by what many terms share are the sums of these, and under the fault "overwritten" the last term alone: as
 * if the gradients that the others come from were all 0. */
#include <criterion/criterion.h>
#include "page_line.h"

/* Of a gradient, the input that it comes from; of every `block` numbers of that, in turn, one term has the last
 * `last`. */
static const struct { const char *row, *params, *out, *from, *sizes; long block, last; } gradients[] = {
    { "fire", "", "dw1", "dbias", "h=2 n=3 m=2 s=2", 6, 1 }, { "fire", "", "db1", "dbias", "h=2 n=3 m=2 s=2", 6, 1 },
    { "fire", "", "dw2", "dbias", "h=2 n=3 m=2 s=2", 6, 1 }, { "fire", "", "db2", "dbias", "h=2 n=3 m=2 s=2", 6, 1 },
    { "fope", "dim=4 clip=none", "dcos_coef", "dy", "h=2 g=1 n=2", 16, 4 },
    { "gatedout", "", "dgate_head", "dy_head", "h=1 g=1 n=1 m=2 d=2 e=3", 3, 1 },
    { "kerple", "heads=1", "dp", "dbias", "n=3 m=2", 6, 1 }, { "kerple", "heads=1", "da", "dbias", "n=3 m=2", 6, 1 },
    { "learned", "rows=4", "dtable", "dp", "n=3 d=2", 6, 2 },
    { "learned", "rows=4 form=hierarchical", "dtable", "dp", "n=3 d=2", 6, 2 },
};
enum { GRADIENTS = sizeof gradients / sizeof *gradients };

/* Every input is 1, or, of positions, 0, but for the one that the gradient comes from, which the seed draws. */
static void ask_gradient(struct page_line *x, int k, enum fault fault, bool last_alone)
{
    line_open(x, &(struct trial_spec){ gradients[k].row, gradients[k].params, gradients[k].out, MER_F32,
        gradients[k].sizes, 5 }, "", EXACT);
    for (int a = 0; a < x->t.call.n_in; a++) {
        struct mer_array *in = &x->t.in[a];
        const bool from = !strcmp(in->name, gradients[k].from);
        for (long c = 0; c < array_len(in); c++)
            if (!from)
                array_put(in, c, in->type != MER_I64);
            else if (last_alone && c % gradients[k].block < gradients[k].block - gradients[k].last)
                array_put(in, c, 0);
    }
    x->a.fault = fault;
    x->w.form = row_quantity(x->t.row, gradients[k].out)->form, x->w.of = row_quantity(x->t.row, gradients[k].out)->of;
    line_ask(x);
}
Test(overwritten, of_a_sum_that_each_term_overwrites_the_last_is_left)
{
    for (int k = 0; k < GRADIENTS; k++) {
        struct page_line all, left, last;
        ask_gradient(&all, k, FAULT_NONE, false), ask_gradient(&left, k, FAULT_OVERWRITTEN, false);
        ask_gradient(&last, k, FAULT_NONE, true);
        for (long c = 0; c < all.w.len; c++) {
            cr_expect(mpfr_number_p(left.y[c]->mid) && mpfr_number_p(last.y[c]->mid) &&
                b_overlap(left.y[c], last.y[c]) && b_radius(left.y[c]) < 1e-20, "%s %s, %ld: %g, not %g",
                gradients[k].row, gradients[k].out, c, b_value(left.y[c]), b_value(last.y[c]));
            cr_expect(!b_overlap(left.y[c], all.y[c]) && b_value(left.y[c]) != 0, "%s %s, %ld: %g of %g",
                gradients[k].row, gradients[k].out, c, b_value(left.y[c]), b_value(all.y[c]));
        }
        line_close(&all), line_close(&left), line_close(&last);
    }
}

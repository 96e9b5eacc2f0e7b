/* What a pair of query and key reads beside them has the gradient that it should: tables of all heads and of each, and
 * vectors of places that come with values, in one sum or apart. */
#include "told.h"

static const struct { const char *row, *params; int gradients; } list[] = {
    { "deberta", "span=2", 5 }, { "deberta", "span=2 terms=p2c p2c_index=code", 4 },
    { "shaw", "least=-1 most=1 against=both", 5 }, { "shaw", "least=-1 most=1 sums=apart", 5 },
    { "nezha", "", 3 }, { "nezha", "sums=apart", 3 } };

Test(slopes, what_is_read_beside_queries_and_keys_has_its_gradient)
{
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct row *r = row_named(list[k].row);
        int asked = 0;
        for (const struct quantity *q = r->q; q->sign; q++) {
            struct adjoint a;
            if (adjoint_of(r, q, &a))
                asked += is_derivative(r, q, list[k].params, "o", "h=2 n=2 m=3 d=2");
        }
        cr_expect_eq(asked, list[k].gradients, "%s %s: %d", list[k].row, list[k].params, asked);
    }
}

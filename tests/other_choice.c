/* Choices that change a few numbers of a page alone: what it answers under the one is not what it answers under the
 * other. */
#include <criterion/criterion.h>
#include "half.h"
#include "page_line.h"

/* Does a number of the first line differ between both? */
static bool differ(const char *row, const char *out, const char *sizes, const char *one, const char *other)
{
    struct page_line x, y;
    bool is = false;
    line_open(&x, &(struct trial_spec){ row, one, out, MER_F32, sizes, 5 }, "", EXACT);
    line_open(&y, &(struct trial_spec){ row, other, out, MER_F32, sizes, 5 }, "", EXACT);
    line_ask(&x), line_ask(&y);
    for (long k = 0; k < x.w.len; k++)
        is |= b_value(x.y[k]) != b_value(y.y[k]);
    line_close(&x), line_close(&y);
    return is;
}
Test(other_choice, is_another_number)
{
    cr_expect(differ("fire", "bias", "h=1 n=1 m=1 s=2", "threshold=2 offset=9 normaliser=progressive",
        "threshold=2 offset=9 normaliser=threshold"));
    cr_expect(!differ("fire", "bias", "h=1 n=1 m=1 s=2", "threshold=20 offset=9 normaliser=progressive",
        "threshold=20 offset=9 normaliser=threshold"));
    cr_expect(differ("seq2seq", "align", "", "attention=additive scorer=tanh", "attention=additive scorer=linear"));
}
/* An entry of a table is rounded where its amplitude multiplies it, and not only as it is stored. */
Test(other_choice, an_amplitude_rounds_what_it_multiplies)
{
    struct page_line x;
    line_open(&x, &(struct trial_spec){ "rope", "dim=8 scaling=yarn factor=4 trained=64", "cos", MER_F32, "n=3", 5 },
        "amplitude=bf16", ROUND);
    x.w.at[0] = 2;
    line_ask(&x);
    for (long k = 0; k < x.w.len; k++) {
        const double value = b_value(x.y[k]);
        cr_expect_eq(from_bf16(to_bf16((float)value)), value, "pair %ld: %.17g is no bf16", k, value);
    }
    line_close(&x);
}

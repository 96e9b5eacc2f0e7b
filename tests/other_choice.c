/* Choices that change a few numbers of a page alone: what it answers under the one is not what it answers under the
 * other. */
#include <criterion/criterion.h>
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
}
